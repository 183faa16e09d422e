/* The arrays of an attention as buffers of the device. The score's own matrices have been applied:
 * queries and keys are compared as they are. The caller checks that shapes fit; the values are not
 * read. */
#ifndef SAC_ATTENTION_PREPARE_OPERANDS_H
#define SAC_ATTENTION_PREPARE_OPERANDS_H

#include "attention/prepare/problem.h"
#include "device/device.h"

/* Keys and values as kernels read them, which attentions to the same ones share. */
typedef struct sac_laid_out sac_laid_out;
/* To be called when its keys or values change; *laid_out is NULL then, and may be before. */
void sac_laid_out_forget(sac_laid_out **laid_out);

typedef struct sac_attention_operands {
    sac_attention_spec spec;   /* its variant may be automatic; float32 alone, heads and split are
                                  not read */
    sac_attention_shape shape; /* without the output's; query_dim and key_dim give the scale, and
                                  key_heads may be 0: as many as heads */
    size_t dim;                /* of queries and keys as they are compared */
    bool whole_heads; /* they lie as [B,H,T,d], else as [B,T,H·d]; the output and gradients too */
    sac_span query, key, value;
    sac_laid_out **laid_out; /* of key and value: the first attention makes it, and who owns it
                                forgets it; where spec.capacity leaves room, rows
                                that come behind are added. NULL: each lays them out anew */
    sac_span score_weight;   /* [dim] of the additive score */
    sac_span sinks;          /* [H]; empty: none */
    cl_mem padding;          /* bytes [B,Tk], 1: the key is ignored; NULL: none */
    cl_mem mask; /* bytes, 1: blocked, or floats, added to the score (−inf blocks); NULL: none */
    bool mask_is_float;
    size_t mask_shape[4]; /* [B,H,Tq,Tk], sizes of 1 broadcast */
} sac_attention_operands;

/* Sets flags and strides of both masks, and the flag of sinks: problem.c. */
void sac_set_masks(sac_problem *problem, const sac_attention_operands *operands);

/* The buffers that the backward pass reads and writes, each laid out as the array that it is the
 * gradient of. */
typedef struct sac_operand_gradients {
    sac_span output, stats; /* as forward wrote them */
    sac_span doutput;       /* read */
    sac_span dquery;        /* all written: */
    sac_span dkey, dvalue;
    sac_span dscore_weight; /* [B·H·Tq,dim]: each query's part, additive alone */
    sac_span dsinks;        /* [B·Tq,H]: each query's part; empty: not wanted */
    sac_span dscale; /* [B·H·Tq]: Σ_j ∂loss/∂score · score without the mask; empty: not
                        wanted. The gaussian's w has a gradient of 2/w times their sum */
} sac_operand_gradients;

#endif
