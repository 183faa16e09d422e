/* Tells whether a caption is a guess. */
#ifndef SAC_CAPTIONER_GUESS_H
#define SAC_CAPTIONER_GUESS_H

#include "datasets/dataset.h"
#include "sources/caption.h"

/* Below this probability a word is unsure, and is marked. */
#define SAC_SURE 0.9f
/* Below this the sentence is called a guess. Of 306 flat drawings that other programs made 1 is; of
 * 64 photographs and the halves of each, 191 of 192, together with the rule of their texture. */
#define SAC_DOUBTED 0.7f

/* Marks the words that are unsure; the first `given` are not the model's own. */
void sac_caption_mark_unsure(sac_caption *caption, int given);
/* Writes into `note` why the caption should not be trusted: an unsure word, or a sentence that the
 * dataset has not; else empty. */
void sac_caption_doubt(const sac_caption *caption, const sac_dataset *dataset, char *note,
                       size_t size);

#endif
