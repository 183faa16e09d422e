/* One batch of sentences, and learning from it. */
#ifndef SAC_TRANSFORMER_LEARN_H
#define SAC_TRANSFORMER_LEARN_H

#include "transformer/transformer.h"
#include "translation/sentence_batches.h"

typedef struct sac_transformer_lesson {
    float smoothing; /* of the labels */
    float dropout;
    bool shifts; /* sentences begin at a place of their own, so that all places are learnt */
} sac_transformer_lesson;

/* Forward and backward through one batch: adds the gradients. *loss: mean cross-entropy of a word
 * (the end included). Blocks until done. */
sac_status sac_transformer_learn(sac_transformer *transformer, const sac_sentence_batch *batch,
                                 const sac_transformer_lesson *lesson, float *loss,
                                 sac_error *error);
struct sac_transformer_training;
void sac_transformer_training_destroy(struct sac_transformer_training *training); /* takes NULL */

#endif
