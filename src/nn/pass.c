/* A pass: its scratch memory, its first failure, and launches that end with it. */

#include "nn/pass.h"

#include <assert.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/round.h"
#include "gemm/gemm_selftest.h"
#include "gemm/gemm_tiled.h"
#include "gemm/launch.h"

/* A weight in panels. */
typedef struct sac_kept_weight {
    sac_tensor w;
    bool transposed;
    bool is_packed; /* since weights are kept */
    cl_mem panels;
} kept_weight;

void sac_pass_open(sac_pass *pass, sac_device *device)
{
    *pass = (sac_pass){.device = device};
}

void sac_pass_close(sac_pass *pass)
{
    sac_buffer_release(pass->scratch);
    for (size_t i = 0; i < pass->kept_count; i++)
        sac_buffer_release(pass->kept[i].panels);
    free(pass->kept);
    *pass = (sac_pass){0};
}

sac_status sac_pass_end(sac_pass *pass, sac_error *error)
{
    sac_status status = pass->status;
    if (status != SAC_OK && error)
        *error = pass->error;
    pass->status = SAC_OK;
    return status;
}

/* ---------------------------------------------------------------- layers */

void sac_pass_items(sac_pass *pass, const char *source, const char *kernel, const sac_arg *args,
                    int arg_count, size_t count)
{
    SAC_PASS_CALL(
        pass, sac_launch_items(pass->device, source, kernel, args, arg_count, count, &pass->error));
}

void sac_pass_strips(sac_pass *pass, const char *source, const char *kernel, const sac_arg *args,
                     int arg_count, size_t rows, size_t columns)
{
    enum { STRIP = 16 };
    sac_pass_items(pass, source, kernel, args, arg_count, rows * sac_ceil_div(columns, STRIP));
}

void sac_pass_groups(sac_pass *pass, const char *source, const char *options, const char *kernel,
                     const sac_arg *args, int arg_count, size_t groups)
{
    SAC_PASS_CALL(pass, sac_launch_groups(pass->device, source, options, kernel, args, arg_count,
                                          groups, &pass->error));
}

sac_span sac_pass_scratch(sac_pass *pass, size_t floats)
{
    if (sac_pass_runs(pass) && floats > pass->scratch_floats) {
        sac_buffer_release(pass->scratch); /* commands under way keep it until they are done */
        pass->scratch = NULL;
        pass->scratch_floats = 0;
        SAC_PASS_CALL(pass, sac_buffer_create(pass->device, floats * sizeof(float), NULL,
                                              &pass->scratch, &pass->error));
        if (sac_pass_runs(pass))
            pass->scratch_floats = floats;
    }
    return (sac_span){pass->scratch, 0};
}

/* ---------------------------------------------------------------- weights in panels */

void sac_pass_keep_weights(sac_pass *pass, bool keeps)
{
    pass->keeps = keeps;
    for (size_t i = 0; i < pass->kept_count; i++)
        pass->kept[i].is_packed = false;
}

static kept_weight *find_kept(const sac_pass *pass, sac_tensor w, bool transposed)
{
    for (size_t i = 0; i < pass->kept_count; i++) {
        kept_weight *k = &pass->kept[i];
        if (k->w.buffer == w.buffer && k->w.at == w.at && k->transposed == transposed)
            return k;
    }
    return NULL;
}

/* A place for one more, with memory; NULL: none, and the pass has failed. */
static kept_weight *add_kept(sac_pass *pass, sac_tensor w, bool transposed, size_t floats)
{
    kept_weight *more = realloc(pass->kept, (pass->kept_count + 1) * sizeof *more);
    if (!more) {
        pass->status = sac_no_memory(&pass->error, "weights");
        return NULL;
    }
    pass->kept = more;
    more[pass->kept_count] = (kept_weight){.w = w, .transposed = transposed};
    SAC_PASS_CALL(pass, sac_buffer_create(pass->device, floats * sizeof(float), NULL,
                                          &more[pass->kept_count].panels, &pass->error));
    return sac_pass_runs(pass) ? &more[pass->kept_count++] : NULL;
}

/* Whether the device multiplies with this weight by matrices, which have panels of their own. */
static bool takes_squares(sac_pass *pass, size_t n, size_t k, bool transposed)
{
    const sac_gemm gemm = {.m = 1, .n = n, .k = k, .transpose_b = transposed, .any_rows = true};
    sac_gemm_backend backend = SAC_GEMM_TILED;
    SAC_PASS_CALL(pass, sac_gemm_choose(pass->device, &gemm, &backend, &pass->error));
    return backend == SAC_GEMM_MATRIX;
}

sac_span sac_pass_panels(sac_pass *pass, sac_tensor w, bool transposed, bool *in_squares)
{
    size_t n = transposed ? w.rows : w.width, k = transposed ? w.width : w.rows;
    if (!pass->keeps || !sac_pass_runs(pass) ||
        sac_gemm_first_backend(pass->device) != SAC_GEMM_TILED)
        return (sac_span){0};
    *in_squares = takes_squares(pass, n, k, transposed);
    kept_weight *kept = find_kept(pass, w, transposed);
    if (!kept && sac_pass_runs(pass))
        kept = add_kept(pass, w, transposed,
                        *in_squares ? sac_gemm_matrix_floats(n, k)
                                    : sac_tiled_panel_floats(pass->device, n, k));
    if (!kept)
        return (sac_span){0};
    sac_span panels = {kept->panels, 0};
    if (!kept->is_packed && *in_squares)
        SAC_PASS_CALL(pass, sac_gemm_matrix_pack(pass->device, n, k, transposed, sac_tensor_span(w),
                                                 panels, &pass->error));
    else if (!kept->is_packed)
        SAC_PASS_CALL(pass, sac_tiled_pack(pass->device, sac_packing_of(n, k, transposed),
                                           sac_tensor_span(w), panels, &pass->error));
    kept->is_packed = true;
    return panels;
}

/* ---------------------------------------------------------------- numbers */

void sac_pass_write(sac_pass *pass, sac_tensor x, const float *numbers)
{
    SAC_PASS_CALL(pass, sac_span_write(pass->device, sac_tensor_span(x), sac_tensor_count(x),
                                       numbers, &pass->error));
}

void sac_pass_read(sac_pass *pass, sac_tensor x, float *numbers)
{
    SAC_PASS_CALL(pass, sac_span_read(pass->device, sac_tensor_span(x), sac_tensor_count(x),
                                      numbers, &pass->error));
}

void sac_pass_write_ints(sac_pass *pass, sac_ints x, const int *numbers)
{
    SAC_PASS_CALL(pass, sac_buffer_write(pass->device, x.buffer, x.at * sizeof(int),
                                         x.count * sizeof(int), numbers, &pass->error));
}

void sac_pass_write_bytes(sac_pass *pass, sac_byte_tensor x, const uint8_t *bytes)
{
    SAC_PASS_CALL(pass, sac_buffer_write(pass->device, x.buffer, 0, x.count, bytes, &pass->error));
}

/* Whatever is large is filled by every core: PoCL's own filling takes one. */
void sac_pass_fill(sac_pass *pass, sac_tensor x, float value)
{
    enum { LARGE = 1 << 16 };
    sac_span span = sac_tensor_span(x);
    cl_uint count = (cl_uint)sac_tensor_count(x);
    sac_arg args[] = {SAC_ARG(count), SAC_ARG(value), SAC_SPAN_ARGS(span)};
    if (count < LARGE)
        SAC_PASS_CALL(pass, sac_span_fill(pass->device, span, count, value, &pass->error));
    else
        sac_pass_strips(pass, "layers", "fill", args, 4, 1, count);
}

void sac_pass_copy(sac_pass *pass, sac_tensor to, sac_tensor from)
{
    assert(sac_tensor_count(to) == sac_tensor_count(from));
    if (!sac_pass_runs(pass) || sac_tensor_count(from) == 0)
        return;
    cl_int code = clEnqueueCopyBuffer(pass->device->queue, from.buffer, to.buffer,
                                      from.at * sizeof(float), to.at * sizeof(float),
                                      sac_tensor_count(from) * sizeof(float), 0, NULL, NULL);
    pass->status = sac_cl_check(pass->device, "clEnqueueCopyBuffer", code, &pass->error);
}

/* ---------------------------------------------------------------- memory */

/* Places for one buffer more, or NULL. */
static cl_mem *add_buffer_slot(sac_arena *arena, sac_pass *pass)
{
    if (!sac_pass_runs(pass))
        return NULL;
    cl_mem *more = realloc(arena->buffers, (arena->count + 1) * sizeof *more);
    if (!more) {
        pass->status = sac_no_memory(&pass->error, "tensors");
        return NULL;
    }
    arena->buffers = more;
    more[arena->count] = NULL;
    return &more[arena->count++];
}

/* Releases what x has in the arena, where that is too small. */
static void release_if_small(sac_arena *arena, sac_tensor *x, size_t rows, size_t width)
{
    size_t at = 0, bytes = 0;
    if (!x->buffer ||
        clGetMemObjectInfo(x->buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) != CL_SUCCESS ||
        (x->at + rows * width) * sizeof(float) <= bytes)
        return;
    while (at < arena->count && arena->buffers[at] != x->buffer)
        at++;
    if (at == arena->count)
        return;
    sac_buffer_release(x->buffer);
    arena->buffers[at] = arena->buffers[--arena->count];
    x->buffer = NULL;
}

void sac_arena_shape(sac_arena *arena, sac_pass *pass, sac_tensor *x, size_t rows, size_t width)
{
    size_t floats = 0;
    sac_span span = {0};
    release_if_small(arena, x, rows, width);
    cl_mem *buffer = x->buffer ? NULL : add_buffer_slot(arena, pass);
    x->rows = rows;
    x->width = width;
    if (!buffer)
        return;
    if (!sac_checked_mul(rows, width, &floats) || floats > UINT32_MAX)
        pass->status = sac_fail(&pass->error, SAC_E_SHAPE, NULL, "take a smaller batch",
                                "a tensor of %zu × %zu is too large", rows, width);
    SAC_PASS_CALL(pass, sac_span_create(pass->device, floats, NULL, &span, &pass->error));
    *buffer = x->buffer = span.buffer;
}

/* Allocates memory for x unless it has some. */
static void allocate_once(sac_arena *arena, sac_pass *pass, cl_mem *x, size_t bytes)
{
    cl_mem *buffer = *x ? NULL : add_buffer_slot(arena, pass);
    if (!buffer)
        return;
    SAC_PASS_CALL(pass, sac_buffer_create(pass->device, bytes, NULL, buffer, &pass->error));
    *x = *buffer;
}

void sac_arena_shape_ints(sac_arena *arena, sac_pass *pass, sac_ints *x, size_t count)
{
    x->count = count;
    allocate_once(arena, pass, &x->buffer, count * sizeof(int));
}

void sac_arena_shape_bytes(sac_arena *arena, sac_pass *pass, sac_byte_tensor *x, size_t count)
{
    x->count = count;
    allocate_once(arena, pass, &x->buffer, count);
}

void sac_arena_release(sac_arena *arena)
{
    for (size_t i = 0; i < arena->count; i++)
        sac_buffer_release(arena->buffers[i]);
    free(arena->buffers);
    *arena = (sac_arena){0};
}
