/* The activations of a batch, which its forward pass leaves for the backward pass, and their
 * gradients. The memory is that of the largest batch so far; smaller ones use the front of each
 * tensor. */
#ifndef SAC_CAPTIONER_ACTIVATIONS_H
#define SAC_CAPTIONER_ACTIVATIONS_H

#include "captioner/learn/learn.h"
#include "captioner/model.h"

/* What a batch leaves in a decoder of layers. Photograph p has the sentences p·S … p·S + S − 1, of which some
 * may be empty: S is the most that any of the P photographs has. */
typedef struct sac_captioner_stack_training {
    sac_stack_tensors words; /* [P·S,T] */
    sac_transformer_gradients gradients;
    sac_ints targets;             /* [P·S,T] */
    sac_tensor logits, losses, d; /* [P·S·T,V], [P·S·T], [P·S·T,D] */
    int *inputs;                  /* [P·S,T], host */
    uint8_t *padding;             /* the same, all 0: no word sees those after it */
} sac_captioner_stack_training;

/* T steps, B pictures or sentences; step t works on the first n_t rows, those whose sentences are that long. */
typedef struct sac_captioner_training {
    sac_arena arena;
    size_t batch, steps, pictures; /* that there is memory for */
    float *losses;                 /* [T·B + 2·B], host */
    int *host_targets;             /* [T,B], host: words, or −1 where there is no target */
    float *host_factors;           /* [T,B], host: a batch's factors, at each word */

    sac_ints inputs, targets;         /* [T,B]: input words, and target words or −1 */
    sac_ints object_of_word, lengths; /* [T,B], [B] */
    sac_tensor cover;                 /* [B,objects,N] */
    sac_captioner_features f;
    sac_tensor df_features, df_keys;    /* of f's features and keys */
    sac_captioner_stack_training stack; /* a decoder of layers has this alone; an LSTM … */
    sac_ints picture_of;                /* [B], of photographs */
    /* Features and keys of each sentence, and their gradients: where a photograph has several
     * sentences, copies of f's; of scenes f's own. */
    sac_tensor features, keys, dfeatures, dkeys; /* [B,N,·] */
    sac_tensor mean, dmean;                      /* [B,D] */
    sac_tensor states, cell_states;          /* [T+1,B,H]: before step t at t, after it at t + 1 */
    sac_tensor embedded, mixed;              /* [T,B,M] */
    sac_tensor query, beta;                  /* [T,B,A], [T,B] */
    sac_tensor weights, scores;              /* [T,B,N] */
    sac_tensor context, z;                   /* [T,B,D] */
    sac_tensor gates, logits;                /* [T,B,4H], [T,B,V] */
    sac_tensor factors;                      /* [T,B], of a policy's words */
    sac_tensor word_loss, attention_loss;    /* [T,B], [2,B] */
    sac_tensor slopes[SAC_CAPTIONER_LAYERS]; /* of each layer's result: see nn/layers.h */
    sac_tensor dstates, dcell;               /* [T+1,B,H], [B,H] */
    sac_tensor dembedded;                    /* [T,B,M], and of `mixed`, which begins as its copy */
    sac_tensor dquery, dbeta, dweights, dscores, dz, dgates;
} sac_captioner_training;

/* Gives captioner->training the shapes of `batch` × `steps`, and memory where it has too little;
 * `pictures` of photographs, as many as sentences of scenes. */
sac_status sac_captioner_training_prepare(sac_captioner *captioner, size_t batch, size_t steps,
                                          size_t pictures, sac_error *error);
void sac_captioner_training_destroy(sac_captioner_training *training); /* takes NULL */

/* A decoder of layers learns: all words of all sentences go through a layer at once. */

/* P·S. */
size_t sac_captioner_stack_sentences(const sac_caption_batch *batch);

/* From the features [P·N,D] of the photographs to the loss, and back to the features' gradient, which
 * is written. `wanted` is memory for the targets of all sentences on the host. */
void sac_captioner_stack_learn(sac_captioner *captioner, const sac_captioner_stack_training *s,
                               const sac_caption_batch *batch, const sac_caption_lesson *lesson,
                               int *wanted, sac_tensor features, sac_tensor dfeatures);

#endif
