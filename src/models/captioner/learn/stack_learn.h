/* A decoder of layers learns: all words of all sentences go through a layer at once. */
#ifndef SAC_CAPTIONER_STACK_LEARN_H
#define SAC_CAPTIONER_STACK_LEARN_H

#include "captioner/learn/learn.h"
#include "captioner/model.h"

/* What a batch leaves on its way. Photograph p has the sentences p·S … p·S + S − 1, of which some
 * may be empty: S is the most that any of the P photographs has. */
typedef struct sac_captioner_stack_training {
    sac_stack_tensors words; /* [P·S,T] */
    sac_transformer_gradients gradients;
    sac_ints targets;             /* [P·S,T] */
    sac_tensor logits, losses, d; /* [P·S·T,V], [P·S·T], [P·S·T,D] */
    int *inputs;                  /* [P·S,T], host */
    uint8_t *padding;             /* the same, all 0: no word sees those after it */
} sac_captioner_stack_training;

/* P·S. */
size_t sac_captioner_stack_sentences(const sac_caption_batch *batch);
/* Shapes, and memory of `arena` where they have none; `inputs` and `padding` are the caller's. */
void sac_captioner_stack_shape(sac_captioner *captioner, sac_arena *arena, size_t photographs,
                               size_t sentences, size_t steps, sac_captioner_stack_training *s);

/* From the features [P·N,D] of the photographs to the loss, and back to the features' gradient, which
 * is written. `wanted` is memory for the targets of all sentences on the host. */
void sac_captioner_stack_learn(sac_captioner *captioner, const sac_captioner_stack_training *s,
                               const sac_caption_batch *batch, const sac_caption_lesson *lesson,
                               int *wanted, sac_tensor features, sac_tensor dfeatures);

#endif
