/* Attention by two CLBlast products and a softmax, which the kernels are measured against. */

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "cli/bench/bench_case.h"
#include "gemm/gemm_backends.h"
#include "gemm/launch.h"

struct bench_clblast {
    sac_device *device;
    const bench_case *which;
    cl_mem query, key, value; /* [H,T,d] */
    cl_mem scores;            /* [Tq,Tk] of one head at a time */
    cl_mem padding;           /* [Tk]; any buffer where there is none */
    cl_mem output;            /* [H,Tq,d] */
};

static size_t floats(size_t count)
{
    return count * sizeof(float);
}

static sac_status create_buffers(bench_clblast *self, const bench_arrays *arrays, sac_error *error)
{
    const bench_case *c = self->which;
    size_t rows = c->heads * c->tokens * c->dim, columns = c->heads * c->keys * c->dim;
    bool padded = c->mask == BENCH_PADDING;
    const struct {
        cl_mem *buffer;
        size_t bytes;
        const void *data;
    } all[] = {{&self->query, floats(rows), arrays->query.data},
               {&self->key, floats(columns), arrays->key.data},
               {&self->value, floats(columns), arrays->value.data},
               {&self->scores, floats(c->tokens * c->keys), NULL},
               {&self->padding, c->keys, padded ? arrays->padding.data : NULL},
               {&self->output, floats(rows), NULL}};
    sac_status status = SAC_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == SAC_OK; i++)
        status = sac_buffer_create(self->device, all[i].bytes, all[i].data, all[i].buffer, error);
    return status;
}

sac_status bench_clblast_create(sac_device *device, const bench_case *which,
                                const bench_arrays *arrays, bench_clblast **clblast,
                                sac_error *error)
{
    *clblast = NULL;
    if (which->score != SAC_SCORE_SCALED_DOT || which->tile || which->backward)
        return sac_fail(error, SAC_E_ARGUMENT, "--peer", "take another case",
                        "two products do not make %s", which->name);
    bench_clblast *self = calloc(1, sizeof *self);
    if (!self)
        return sac_no_memory(error, "bench");
    self->device = device;
    self->which = which;
    sac_status status = create_buffers(self, arrays, error);
    if (status == SAC_OK)
        *clblast = self;
    else
        bench_clblast_destroy(self);
    return status;
}

static sac_status launch_softmax(const bench_clblast *self, sac_error *error)
{
    const bench_case *c = self->which;
    cl_uint keys = (cl_uint)c->keys, causal = c->mask == BENCH_CAUSAL;
    cl_uint has_padding = c->mask == BENCH_PADDING;
    cl_float scale = (cl_float)(M_LOG2E / sqrt((double)c->dim));
    sac_arg args[] = {SAC_ARG(self->scores), SAC_ARG(self->padding), SAC_ARG(keys),
                      SAC_ARG(causal),       SAC_ARG(has_padding),   SAC_ARG(scale)};
    return sac_launch_groups(self->device, "softmax", "", "softmax_rows", args, 6, c->tokens,
                             error);
}

static sac_status run_head(const bench_clblast *self, size_t head, sac_error *error)
{
    const bench_case *c = self->which;
    size_t query_at = head * c->tokens * c->dim, key_at = head * c->keys * c->dim;
    sac_gemm scores = {.m = c->tokens, .n = c->keys, .k = c->dim, .transpose_b = true};
    sac_gemm mixed = {.m = c->tokens, .n = c->dim, .k = c->keys};
    sac_span weights = {self->scores, 0};
    sac_status status = sac_gemm_clblast(self->device, &scores, (sac_span){self->query, query_at},
                                         (sac_span){self->key, key_at}, weights, error);
    if (status == SAC_OK)
        status = launch_softmax(self, error);
    if (status == SAC_OK)
        status = sac_gemm_clblast(self->device, &mixed, weights, (sac_span){self->value, key_at},
                                  (sac_span){self->output, query_at}, error);
    return status;
}

sac_status bench_clblast_run(bench_clblast *clblast, float *output, sac_error *error)
{
    const bench_case *c = clblast->which;
    sac_status status = SAC_OK;
    for (size_t head = 0; head < c->heads && status == SAC_OK; head++)
        status = run_head(clblast, head, error);
    if (status != SAC_OK)
        return status;
    return sac_buffer_read(clblast->device, clblast->output, 0,
                           floats(c->heads * c->tokens * c->dim), output, error);
}

double bench_clblast_bytes(const bench_clblast *clblast)
{
    const bench_case *c = clblast->which;
    return bench_io_bytes(c) + (double)floats(c->tokens * c->keys) + (double)c->keys;
}

void bench_clblast_destroy(bench_clblast *clblast)
{
    if (!clblast)
        return;
    cl_mem buffers[] = {clblast->query,  clblast->key,     clblast->value,
                        clblast->scores, clblast->padding, clblast->output};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        sac_buffer_release(buffers[i]);
    free(clblast);
}
