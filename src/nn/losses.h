/* What training asks of a captioner: the right words, and a gaze that goes where the words are. */
#ifndef SAC_NN_LOSSES_H
#define SAC_NN_LOSSES_H

#include "device/span.h"

/* Cross-entropy of softmax(logits[row,:]) with targets[row], times `scale`; rows whose target is
 * below 0 count nothing. logits [rows,vocabulary] becomes its own gradient; loss [rows] is written.
 */
typedef struct sac_word_loss {
    size_t rows, vocabulary;
    float scale; /* 1 / words in the batch */
} sac_word_loss;
sac_status sac_word_loss_run(sac_device *device, const sac_word_loss *loss, cl_mem targets,
                             sac_span logits, sac_span losses, sac_error *error);

/* The gaze over a whole sentence, α [T,B,N]:
 *   doubly stochastic (Xu et al. 2015, eq. 14):  coverage_weight · mean over B and N of (1 − Σ_t
 * α)², the sum over the steps t < steps[b]; supervised (Liu et al. 2017, "Attention correctness"):
 * gaze_weight / named · Σ over steps with object_of_word[t,b] ≥ 0 of −log(ε + Σ_n α[t,b,n]
 * cover[b,object,n]), cover: the share of the cell inside the object's box, ε = 1e-6. dweights
 * [T,B,N] and losses [2,B] (doubly stochastic, supervised) are written. */
typedef struct sac_gaze_loss {
    size_t steps, batch, cells, objects; /* T, B, N; cover is [B,objects,N] */
    float coverage_weight;               /* λ of the doubly stochastic term */
    float gaze_weight;                   /* λ of the supervision … */
    size_t named;                        /* … which is a mean over so many (t,b) */
} sac_gaze_loss;
/* lengths: int [B]; object_of_word: int [T,B]. */
sac_status sac_gaze_loss_run(sac_device *device, const sac_gaze_loss *loss, sac_span weights,
                             cl_mem lengths, cl_mem object_of_word, sac_span cover,
                             sac_span dweights, sac_span losses, sac_error *error);

#endif
