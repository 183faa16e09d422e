/* What a batch leaves on the device on its way forward, for the way back, and the gradients of it.
 * Made once for the largest batch; smaller ones use the front of each span. */
#ifndef SAC_CAPTIONER_ACTIVATIONS_H
#define SAC_CAPTIONER_ACTIVATIONS_H

#include "captioner/model.h"
#include "captioner/train.h"

/* T steps, B pictures; step t works on the first n_t rows, those whose sentences are that long. */
typedef struct sac_captioner_training {
    sac_device *device;
    size_t batch, steps;    /* room for so many */
    float *losses;          /* [T·B + 2·B], host */
    int *host_targets;      /* [T,B], host */
    cl_mem inputs, targets; /* int [T,B]: what was said before, and what is to be said or −1 */
    cl_mem object_of_word, lengths; /* int [T,B], [B] */

    sac_span pictures, columns, between[SAC_CAPTIONER_LAYERS];
    sac_span features, keys, mean; /* [B,N,D], [B,N,A], [B,D] */
    sac_span states, cells;        /* [T+1,B,H]: before step t at t, after it at t + 1 */
    sac_span embedded, mixed;      /* [T,B,M] */
    sac_span query, gate, weights; /* [T,B,A], [T,B], [T,B,N] */
    sac_span context, z;           /* [T,B,D] */
    sac_span gates, logits;        /* [T,B,4H], [T,B,V] */
    sac_span cover;                /* [B,objects,N] */
    sac_span word_loss, gaze_loss; /* [T,B], [2,B] */
    sac_span dbetween[2];          /* of two layers' results at a time, by turns */
    sac_span dfeatures, dkeys, dmean;
    sac_span dstates, dcell; /* [T+1,B,H], [B,H] */
    sac_span dembedded;      /* [T,B,M], and of `mixed`, which begins as its copy */
    sac_span dquery, dgate, dweights, dz, dgates;
    sac_span scratch, norm_scratch; /* of the gaze, of the layer norm */
} sac_captioner_training;

/* Makes captioner->training hold at least `batch` × `steps`. */
sac_status sac_captioner_training_reserve(sac_captioner *captioner, size_t batch, size_t steps,
                                          sac_error *error);

#endif
