/* A pass through a network: its device, memory that a layer needs while it works, and the first
 * failure. It is the first argument of every layer. After a failure the layers that follow do
 * nothing, so a pass reads as its mathematics, and its end returns the failure:
 *
 *     sac_linear_forward(pass, y, x, w, b);
 *     sac_tanh_forward(pass, y);
 *     return sac_pass_end(pass, error);
 */
#ifndef SAC_NN_PASS_H
#define SAC_NN_PASS_H

#include "nn/tensor.h"

typedef struct sac_pass {
    sac_device *device;
    sac_status status; /* of the first failure */
    sac_error error;
    cl_mem scratch; /* sac_pass_scratch */
    size_t scratch_floats;
    struct sac_kept_weight *kept; /* [kept_count], owned; sac_pass_keep_weights */
    size_t kept_count;
    bool keeps;
} sac_pass;

void sac_pass_open(sac_pass *pass, sac_device *device);
void sac_pass_close(sac_pass *pass); /* releases the scratch memory; takes zeroed ones */
/* The first failure since the last end, in `error` too; the pass can then be used again. */
sac_status sac_pass_end(sac_pass *pass, sac_error *error);

static inline bool sac_pass_runs(const sac_pass *pass)
{
    return pass->status == SAC_OK;
}

/* Evaluates `call`, a sac_status that reports into &(pass)->error, unless the pass has failed. */
#define SAC_PASS_CALL(pass, call)                                                                  \
    do {                                                                                           \
        if (sac_pass_runs(pass))                                                                   \
            (pass)->status = (call);                                                               \
    } while (0)

/* ---- what layers are made of */

/* They launch as sac_launch_items and sac_launch_groups do. */
void sac_pass_items(sac_pass *pass, const char *source, const char *kernel, const sac_arg *args,
                    int arg_count, size_t count);
/* One item for each strip of a matrix: 16 neighbouring columns of a row, or what is left of them,
 * as in cl/layers/layers.cl and cl/layers/dropout.cl. */
void sac_pass_strips(sac_pass *pass, const char *source, const char *kernel, const sac_arg *args,
                     int arg_count, size_t rows, size_t columns);
void sac_pass_groups(sac_pass *pass, const char *source, const char *options, const char *kernel,
                     const sac_arg *args, int arg_count, size_t groups);
/* Lends scratch memory of at least `floats`, which holds until the next call: a layer's own while
 * it works, and never passed on to another layer. */
sac_span sac_pass_scratch(sac_pass *pass, size_t floats);

/* From now on, where `keeps`, weights stay as they are: a layer that multiplies by one time and
 * again rearranges it once. Forgets what was kept before. */
void sac_pass_keep_weights(sac_pass *pass, bool keeps);
/* W [out,in], or where it is `transposed` its transpose, in panels as products read them; empty
 * where nothing is kept, or no product would read it. *in_squares: as in sac_gemm. */
sac_span sac_pass_panels(sac_pass *pass, sac_tensor w, bool transposed, bool *in_squares);

/* ---- numbers to and from the device */

void sac_pass_write(sac_pass *pass, sac_tensor x, const float *numbers); /* these block */
void sac_pass_read(sac_pass *pass, sac_tensor x, float *numbers);
void sac_pass_write_ints(sac_pass *pass, sac_ints x, const int *numbers);
void sac_pass_write_bytes(sac_pass *pass, sac_byte_tensor x, const uint8_t *bytes);
void sac_pass_fill(sac_pass *pass, sac_tensor x, float value); /* these enqueue */
void sac_pass_copy(sac_pass *pass, sac_tensor to, sac_tensor from);

/* ---- memory for tensors */

/* Owns the memory of tensors that are made and released together. Begins zeroed. */
typedef struct sac_arena {
    cl_mem *buffers;
    size_t count;
} sac_arena;
/* Gives x its shape. If it has no memory yet, or too little of the arena's, it gets some, zeroed; else it uses the front of
 * its own. */
void sac_arena_shape(sac_arena *arena, sac_pass *pass, sac_tensor *x, size_t rows, size_t width);
void sac_arena_shape_ints(sac_arena *arena, sac_pass *pass, sac_ints *x, size_t count);
void sac_arena_shape_bytes(sac_arena *arena, sac_pass *pass, sac_byte_tensor *x, size_t count);
void sac_arena_release(sac_arena *arena);

#endif
