/* The tensors that the forward pass of a batch leaves on the device for the backward pass, and
 * their gradients. The memory is that of the largest batch so far; smaller ones use the front of
 * each tensor. */
#ifndef SAC_TRANSLATOR_ACTIVATIONS_H
#define SAC_TRANSLATOR_ACTIVATIONS_H

#include "translator/learn.h"

/* B sentences of up to S words, T words of the longest translation. */
typedef struct sac_translator_training {
    sac_arena arena;
    size_t batch, source_steps, steps; /* that there is memory for */
    float *losses;                     /* [T·B + 2·B], host */

    sac_translator_source source;
    sac_ints inputs, targets, linked, lengths; /* [T,B], [B] */
    sac_tensor links;                          /* [B,T,S] */
    sac_tensor states;                         /* [T+1,B,H]: before step t at t */
    sac_tensor embedded, mixed;                /* [T,B,E] */
    sac_tensor query, weights, context;        /* [T,B,A], [T,B,S], [T,B,2H] */
    sac_tensor gates, recurrent, logits;       /* [T,B,3H], [T,B,V] */
    sac_tensor word_loss, alignment_loss;      /* [T,B], [2,B] */

    sac_tensor dstates, dembedded, dquery, dweights, dcontext, dgates, drecurrent;
    sac_tensor dfeatures, dkeys, dlast; /* as those of the source */
    sac_gru_sequence_gradients dthere, dback;
} sac_translator_training;

/* Gives translator->training the shapes of the batch, and memory where it has too little. */
sac_status sac_translator_training_prepare(sac_translator *translator,
                                           const sac_sentence_batch *batch, sac_error *error);

#endif
