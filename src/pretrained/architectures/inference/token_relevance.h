/* Relevance of what a decoder says (Chefer et al. 2021, arXiv 2103.15679): the gradient of a word's
 * logit goes back through its layers, and in each of them E = mean over heads of (A ⊙ ∂logit/∂A)⁺,
 * where A is the attention of a head. */
#ifndef SAC_ARCHITECTURES_INFERENCE_TOKEN_RELEVANCE_H
#define SAC_ARCHITECTURES_INFERENCE_TOKEN_RELEVANCE_H

#include "architectures/architecture.h"

/* What a decoder reads at once, its own words behind the rest. */
typedef struct sac_read_text {
    sac_pretrained_model *model;
    size_t count;                /* T */
    const float *entered;        /* [T,D]: what enters the first layer */
    const sac_inference *placed; /* where its tokens stand; NULL: one after the other */
    const uint8_t *unseen;       /* [T,T], 1: a token does not see another; NULL: those behind it */
    size_t joined; /* tokens at its beginning that see one another beyond a layer's window, too */
    sac_tensor memory;     /* [S,·] that it attends to beside its own; empty: nothing … */
    const uint8_t *hidden; /* … and [S], 1: what of it is hidden; NULL: nothing is */
    float temperature;     /* of the attention to the memory, or else of all; 0: 1 */
    const float
        *scale; /* [L,H] by which what its heads give is multiplied, which is refused; NULL */
} sac_read_text;

/* Why there is no way back through the layers, whose heads are scaled so (NULL: they are not); NULL: there is. */
const char *sac_relevance_why_not(const float *scale);

/* Words as they enter the first layer, [count,D]; the first stands at place `first`. */
sac_status sac_words_enter(sac_pretrained_model *model, size_t first, const int *ids, size_t count,
                           float *entered, sac_error *error);

/* The gradients [count,D] of the logits of some tokens by the states [count,D] that say them. */
sac_status sac_logit_gradients(sac_pretrained_model *model, size_t count, const int *ids,
                               const float *states, float *gradients, sac_error *error);

/* Of a text alone, for each of `count` numbers, whose gradient of what leaves the model is
 * dleft [count,D] at row at[i] and 0 elsewhere: row at[i] of (I + E_L) … (I + E_1) − I, [count,T]. */
sac_status sac_text_relevance(const sac_read_text *text, size_t count, const size_t *at,
                              const float *dleft, float *rows, sac_error *error);

/* Of a text that attends to a memory, of the number whose gradient of what leaves the model is dleft [D] at the
 * last row: what of the memory counted, [S]. By the rules for encoder and decoder, with E of the own attention of
 * each layer and C of that to the memory,
 *     R ← R + E R,  Q ← Q + E Q + N(R)ᵀ C
 * from R = I, Q = 0 on, where N(R) = I + (R − I) with rows of sum 1. It is the memory that counts, and not what that
 * was made of: the encoder's R is I. */
sac_status sac_memory_relevance(const sac_read_text *text, const float *dleft, float *memory,
                                sac_error *error);

#endif
