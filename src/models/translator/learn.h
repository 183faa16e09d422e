/* One batch of sentences, and learning from it. */
#ifndef SAC_TRANSLATOR_LEARN_H
#define SAC_TRANSLATOR_LEARN_H

#include "translation/sentence_batches.h"
#include "translator/translator.h"

typedef struct sac_translator_lesson {
    float alignment; /* weight of that loss; 0: none */
    float dropout;   /* of embedded words, of the encoder's features and of the output layer */
} sac_translator_lesson;

/* Forward and backward through one batch: adds the gradients. losses: mean cross-entropy of a word
 * (the end included), and `alignment` times the mean −log of the weight on the true source words,
 * of words that have some. Blocks until done. */
sac_status sac_translator_learn(sac_translator *translator, const sac_sentence_batch *batch,
                                const sac_translator_lesson *lesson, float losses[2],
                                sac_error *error);
struct sac_translator_training;
void sac_translator_training_destroy(struct sac_translator_training *training); /* takes NULL */

#endif
