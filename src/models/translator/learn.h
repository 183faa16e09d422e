/* One batch of sentences, and learning from it. */
#ifndef SAC_TRANSLATOR_LEARN_H
#define SAC_TRANSLATOR_LEARN_H

#include "translator/model.h"

/* One batch in host memory, the longest source sentence first. */
typedef struct sac_sentence_batch {
    sac_translator_words source;
    size_t steps;                /* T: words of the longest translation with its end */
    const int *inputs, *targets; /* [T,B]: the words before, SAC_TOKEN_START first; and the next
                                    words, −1: none */
    const int *lengths;          /* [B]: words of the translations with their end */
    const float *links;          /* [B,T,S]: 1 where target word t stands for source word i */
    const int *linked;           /* [T,B]: t where it stands for any, else −1 */
} sac_sentence_batch;

/* Forward and backward through one batch: adds the gradients. losses: mean cross-entropy of a word
 * (the end included), and `alignment` times the mean −log of the weight on the true source words,
 * of words that have some. Blocks until done. */
sac_status sac_translator_learn(sac_translator *translator, const sac_sentence_batch *batch,
                                float alignment, float losses[2], sac_error *error);
struct sac_translator_training;
void sac_translator_training_destroy(struct sac_translator_training *training); /* takes NULL */

#endif
