/* An attention as kernels take it: the numbers that describe it, and its arrays as buffers of the device.
 * The score's own matrices have been applied: queries and keys are compared as they are. The caller checks
 * that shapes fit; the values are not read. */
#ifndef SAC_ATTENTION_PREPARE_OPERANDS_H
#define SAC_ATTENTION_PREPARE_OPERANDS_H

#include "device/device.h"

/* The arguments that describe an attention to its kernels: the twin of cl/attention/problem.clh, field by
 * field. */
enum {
    SAC_CAUSAL = 1,
    SAC_PADDING = 2,
    SAC_MASK_BOOL = 4,
    SAC_MASK_FLOAT = 8,
    SAC_DROPOUT = 16,
    SAC_WINDOW = 32,
    SAC_SINKS = 64,
};

typedef struct sac_problem {
    cl_ulong mask_batch, mask_head, mask_query, mask_key; /* strides in elements; 0: broadcast */
    cl_ulong out_batch, out_head, out_row;                /* strides of the output in floats */
    cl_uint heads, queries, keys;
    cl_uint dim;          /* floats of a prepared query or key */
    cl_uint panel;        /* keys per panel: k is [M, panels, dim, panel]; 1: plain [M,Tk,dim] */
    cl_uint panels;       /* per matrix */
    cl_uint value_dim;    /* floats of a value … */
    cl_uint value_chunks; /* … cut into pieces of value_stride … */
    cl_uint value_stride; /* … each of which has its own rows: v is [M, chunks, Tk, stride] */
    cl_uint flags;
    cl_float scale;         /* base-2 logit = scale · raw score */
    cl_float dropout, keep; /* probability p, and 1/(1 − p) */
    cl_uint seed_low, seed_high;
    cl_uint group;    /* heads of queries that share one of keys and values */
    cl_uint key_room; /* of k and v in each matrix, where the first `keys` are in use */
    cl_int offset; /* query i stands where key i + offset does, for causal masks and windows: below
                      0 where the first queries stand before all keys */
    cl_uint window;
    cl_float cap;   /* softcap.clh: of base-2 logits … */
    cl_float uncap; /* … and 2/c of natural ones */
    cl_uint unused;
} sac_problem;

/* One launch: a run of units (work-items, or groups on a GPU) that each take one tile of queries,
 * or one piece of the keys for such a tile. */
typedef struct sac_job {
    cl_uint first, count;       /* units of this launch */
    cl_uint matrix;             /* the first matrix */
    cl_uint row_begin, row_end; /* queries */
    cl_uint tile_rows, tiles;   /* queries per tile, tiles per matrix */
    cl_uint splits, split_keys; /* pieces per tile, keys per piece */
    cl_uint chunks;             /* pieces of the value columns per tile */
    cl_uint with_output;        /* 0: row statistics alone; of `weights` 1: logits (sparse.clh) */
    cl_uint col_begin, col_end; /* keys; kernel `weights` alone */
} sac_job;

/* The part that spec and shape determine; the caller sets layouts, strides and masks. */
sac_problem sac_problem_of(const sac_attention_spec *spec, const sac_attention_shape *shape);

_Static_assert(sizeof(sac_problem) == 7 * 8 + 22 * 4, "no padding: the kernel's twin has none");
_Static_assert(sizeof(sac_job) == 13 * 4, "no padding: the kernel's twin has none");

/* Keys and values as kernels read them, which attentions to the same ones share. */
typedef struct sac_laid_out sac_laid_out;
/* To be called when its keys or values change; *laid_out is NULL then, and may be before. */
void sac_laid_out_destroy(sac_laid_out **laid_out);

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

/* Sets flags and strides of both masks, and the flag of sinks. */
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
