/* The state of one backward pass, shared by its kernels. */
#ifndef SAC_ATTENTION_BACKWARD_BACKWARD_PASS_H
#define SAC_ATTENTION_BACKWARD_BACKWARD_PASS_H

#include "attention/plan/variants.h"
#include "attention/prepare/operands.h"

/* The places of the vectors of all heads, in floats: the twin of `heads` in cl/attention/backward.clh. */
typedef struct sac_head_places {
    cl_ulong first, batch, head, row;
} sac_head_places;

/* The twin of `backward` in cl/attention/backward.clh, which documents its fields. */
typedef struct sac_backward_job {
    sac_problem p;
    sac_head_places query, key, value, output;
    cl_ulong doutput, dquery, dkey, dvalue;
    cl_ulong stats, weight, dweight, dscale;
    cl_uint begin, end;
    cl_uint matrices, key_matrices;
    cl_uint with_scale;
    cl_uint tile_keys, tiles, splits;
    cl_uint piece;
    cl_uint unused;
} sac_backward_job;

_Static_assert(sizeof(sac_backward_job) == sizeof(sac_problem) + (16 + 8) * 8 + 10 * 4,
               "no padding: the kernel's twin has none");

typedef struct sac_backward {
    sac_device *device;
    const sac_attention_operands *o;
    const sac_operand_gradients *g;
    const sac_progress *progress; /* NULL: no progress is reported */
    sac_backward_job b;
    sac_specialisation kernels;
    cl_mem delta;                           /* [B·H·Tq]: Σ_c dO O */
    cl_mem biases;                          /* the float mask in base 2; NULL: there is none */
    cl_mem key_panels, value_panels, parts; /* of the fast kernels */
} sac_backward;

/* ---- backward_pass.c */
/* `count` work-items of a kernel of the pass. */
sac_status sac_backward_launch(const sac_backward *s, const char *kernel, const sac_arg *args,
                               int arg_count, size_t count, sac_error *error);
/* Work-items that each go through `others`: keys, queries, or tiles of either. */
typedef struct sac_backward_sweep {
    const char *kernel;
    size_t items, group;     /* all of them; of a group, 0: as many as suit the device */
    size_t others, rounds;   /* rounds: loops of a work-item for each of the others */
    double operations, most; /* of all items for each of the others; of one launch */
    double done, share;      /* of the whole pass, before this sweep and in it */
} sac_backward_sweep;
/* Runs it in launches that stay short, with short loops in each; b.begin and b.end delimit its own
 * among the others, so that args[0] is s->b. */
sac_status sac_backward_sweep_run(sac_backward *s, const sac_backward_sweep *sweep,
                                  const sac_arg *args, int arg_count, sac_error *error);
/* Buffers that are not there are not touched; anything stands in for them. */
cl_mem sac_backward_weight(const sac_backward *s);
cl_mem sac_backward_padding(const sac_backward *s);
cl_mem sac_backward_mask(const sac_backward *s);
cl_mem sac_backward_dweight(const sac_backward *s);
cl_mem sac_backward_dscale(const sac_backward *s);

/* ---- backward_cpu.c */
/* Sets *fits where that kernel takes heads so wide on this device, which may not let loops be long.
 */
sac_status sac_backward_cpu_fits(sac_device *device, const sac_attention_operands *operands,
                                 bool *fits, sac_error *error);
sac_status sac_backward_cpu(sac_backward *s, sac_error *error);

/* ---- backward_naive.c: heads of any width */
sac_status sac_backward_naive(sac_backward *s, sac_error *error);

/* ---- backward_gpu.c: as backward_cpu.c */
sac_status sac_backward_gpu_fits(sac_device *device, const sac_attention_operands *operands,
                                 bool *fits, sac_error *error);
sac_status sac_backward_gpu(sac_backward *s, sac_error *error);

#endif
