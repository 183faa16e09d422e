/* The arguments that describe an attention to its kernels: the twin of cl/attention/problem.clh, field by
 * field. */
#ifndef SAC_ATTENTION_PREPARE_PROBLEM_H
#define SAC_ATTENTION_PREPARE_PROBLEM_H

#include "device/device.h"

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
    cl_uint with_output;        /* 0: row statistics alone */
    cl_uint col_begin, col_end; /* keys; kernel `weights` alone */
} sac_job;

/* The part that spec and shape determine; the caller sets layouts, strides and masks. */
sac_problem sac_problem_of(const sac_attention_spec *spec, const sac_attention_shape *shape);

_Static_assert(sizeof(sac_problem) == 7 * 8 + 22 * 4, "no padding: the kernel's twin has none");
_Static_assert(sizeof(sac_job) == 13 * 4, "no padding: the kernel's twin has none");

#endif
