/* Relevance (Chefer et al. 2021, arXiv 2103.15679): the gradient of a number, such as a token's logit, goes back
 * through the layers, and in each of them E = mean over heads of (A ⊙ ∂number/∂A)⁺, where A is the attention
 * of a head. The layers are run again, so that of an inference no more is read than its model, count, entered,
 * places, unseen, joined, memory, temperature and scale. */
#ifndef SAC_ARCHITECTURES_INFERENCE_RELEVANCE_H
#define SAC_ARCHITECTURES_INFERENCE_RELEVANCE_H

#include "architectures/architecture.h"

/* maps [L,count,count]: E of each layer, for a number whose gradient of what leaves the model is dleft [count,D].
 * SAC_E_ARGUMENT where there is no way back through its layers. */
sac_status sac_inference_backward(const sac_inference *inference, const float *dleft, float *maps,
                                  sac_error *error);

/* Words as they enter the first layer, [count,D]; the first stands at place `first`. */
sac_status sac_words_embed(sac_pretrained_model *model, size_t first, const int *ids, size_t count,
                           float *entered, sac_error *error);

/* The gradients [count,D] of the logits of some tokens by the states [count,D] that predict them. */
sac_status sac_logit_gradients(sac_pretrained_model *model, size_t count, const int *ids,
                               const float *states, float *gradients, sac_error *error);

/* Of a text alone, for each of `count` numbers, whose gradient of what leaves the model is
 * dleft [count,D] at row at[i] and 0 elsewhere: row at[i] of (I + E_L) … (I + E_1) − I, [count,T].
 * `at` NULL: of one number, whose gradient is dleft [T,D], a row [T] that is there becomes row (I + E_L) … (I + E_1). */
sac_status sac_text_relevance(const sac_inference *text, size_t count, const size_t *at,
                              const float *dleft, float *rows, sac_error *error);

/* Of a text that attends to a memory, of the number whose gradient of what leaves the model is dleft [D] at the
 * last row: what of the memory counted, [S]. By the rules for encoder and decoder, with E of the own attention of
 * each layer and C of that to the memory,
 *     R ← R + E R,  Q ← Q + E Q + N(R)ᵀ C
 * from R = I, Q = 0 on, where N(R) = I + (R − I) with rows of sum 1. It is the memory that counts, and not what that
 * was made of: the encoder's R is I. */
sac_status sac_memory_relevance(const sac_inference *text, const float *dleft, float *memory,
                                sac_error *error);

#endif
