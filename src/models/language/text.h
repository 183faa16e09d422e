/* The text that a language model learns from. */
#ifndef SAC_LANGUAGE_TEXT_H
#define SAC_LANGUAGE_TEXT_H

#include "saccade.h"

typedef struct sac_text {
    char *text; /* [size], UTF-8 without NUL, and an end; owned */
    size_t size;
} sac_text;

/* All files, one after the other, a line between two; a folder is those of its files that are text, in the order of
 * their names, "-" the standard input. Without files it is sentences of src/datasets/grammar, which are always the
 * same. SAC_E_FILE, SAC_E_FORMAT where a file is empty or no text. */
sac_status sac_text_read(const char *const *paths, int count, sac_text *text, sac_error *error);

#endif
