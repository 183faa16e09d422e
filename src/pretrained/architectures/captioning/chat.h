/* The prompt of a model that answers: what its folder's chat template makes of one question about one
 * picture. Templates are programs; those that are common are known by what stands in them.
 *
 * A prompt is a text in which SAC_CHAT_PICTURE stands for the picture and SAC_CHAT_QUESTION for the
 * question. */
#ifndef SAC_ARCHITECTURES_CAPTIONING_CHAT_H
#define SAC_ARCHITECTURES_CAPTIONING_CHAT_H

#include "saccade.h"

#define SAC_CHAT_PICTURE "\1"
#define SAC_CHAT_QUESTION "\2"

/* Finds the folder's template and the prompt that it makes, into `prompt`. Where it has none, or none
 * that is known, `prompt` stays as it is, and `note` gets a line. */
sac_status sac_chat_read(const char *folder, char *prompt, size_t size, char *note,
                         size_t note_room, sac_error *error);
/* The same of the text of a template; false: it is not known. */
bool sac_chat_find(const char *template, char *prompt, size_t size);
/* The prompt with both in their places: free() it. NULL: no memory. */
char *sac_chat_fill(const char *prompt, const char *picture, const char *question);

#endif
