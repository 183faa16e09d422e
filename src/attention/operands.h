/* Attention on buffers of the device, forward and backward, with nothing read back: what the layer
 * of nn stands on. The score's own matrices have been applied: queries and keys are compared as
 * they are. The caller checks that shapes fit; numbers are not looked at. */
#ifndef SAC_ATTENTION_OPERANDS_H
#define SAC_ATTENTION_OPERANDS_H

#include "attention/problem.h"
#include "device/span.h"

typedef struct sac_attention_operands {
    sac_attention_spec spec;   /* its variant may be automatic; float32 alone, heads and split are
                                  not read */
    sac_attention_shape shape; /* without the output's; query_dim and key_dim give the scale, and
                                  key_heads may be 0: as many as heads */
    size_t dim;                /* of queries and keys as they are compared */
    bool whole_heads; /* they lie as [B,H,T,d], else as [B,T,H·d]; the output and gradients too */
    sac_span query, key, value;
    sac_span score_weight; /* [dim] of the additive score */
    cl_mem padding;        /* bytes [B,Tk], 1: the key is ignored; NULL: none */
    cl_mem mask; /* bytes, 1: blocked, or floats, added to the score (−inf blocks); NULL: none */
    bool mask_is_float;
    size_t mask_shape[4]; /* [B,H,Tq,Tk], sizes of 1 broadcast */
} sac_attention_operands;

/* Sets flags and strides of both masks. */
void sac_set_masks(sac_problem *problem, const sac_attention_operands *operands);

/* `output`: [B,H,Tq,dv] or [B,Tq,H·dv]. `stats` [B,H,Tq,2]: the largest of a row's logits in base
 * 2, m, and the sum l of exp2(logit − m): a row's log-sum-exp is (m + log2 l) ln 2, and a weight
 * exp2(logit − m) / l, which one rounded number could not say as well. Waits for the device. */
sac_status sac_attention_forward_on(sac_device *device, const sac_attention_operands *operands,
                                    sac_span output, sac_span stats, sac_error *error);

/* The buffers that the backward pass reads and writes, each laid out as the array that it is the
 * gradient of. */
typedef struct sac_operand_gradients {
    sac_span output, stats; /* as forward wrote them */
    sac_span doutput;       /* read */
    sac_span dquery;        /* all written: */
    sac_span dkey, dvalue;
    sac_span dscore_weight; /* [B·H·Tq,dim]: each query's part, additive alone */
    sac_span dscale; /* [B·H·Tq]: Σ_j ∂loss/∂score · score without the mask; empty: not
                        wanted. The gaussian's w has a gradient of 2/w times their sum */
} sac_operand_gradients;

/* Recomputes the weights from the statistics: nothing of size Tq · Tk is kept. Every run gives the
 * same. Enqueues, unless `progress` (may be NULL) is to be told. SAC_E_DEVICE where the self-test
 * says that gradients come out wrong. */
sac_status sac_attention_backward_on(sac_device *device, const sac_attention_operands *operands,
                                     const sac_operand_gradients *gradients,
                                     const sac_progress *progress, sac_error *error);

#endif
