/* Is what a captioner says a guess? */
#ifndef SAC_CAPTIONER_GUESS_H
#define SAC_CAPTIONER_GUESS_H

#include "trace/caption.h"

/* Below this probability a word is unsure. With the shipped weights a word of 22 of 293 scenes that
 * are told right is, and of 3 of 7 that are told wrongly; of 92 photographs and pieces of them 87
 * have such a word or a sentence that no scene has. */
#define SAC_SURE 0.9f

/* Marks the words that are unsure; the first `given` are not the model's own. */
void sac_caption_mark_unsure(sac_caption *caption, int given);
/* Why the whole should not be trusted, where a word of it is unsure or it is no sentence that
 * scenes have: into `note`, which is else empty. */
void sac_caption_doubt(const sac_caption *caption, char *note, size_t size);

#endif
