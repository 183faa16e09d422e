/* Runs attention on device buffers: plan and kernels without uploads. */

#include "attention/prepare/operands.h"

#include "attention/attention.h"
#include "attention/backward/backward.h"
#include "attention/on_operands.h"
#include "attention/run/run.h"
#include "attention/selftest/selftest_backward.h"
#include "device/trace.h"
#include "scores/scores.h"

#define BRIEF_OPERATIONS 2e8 /* a millisecond of a CPU */

static sac_status copy_floats(sac_device *device, cl_mem from, sac_span to, size_t floats,
                              sac_error *error)
{
    cl_int code = clEnqueueCopyBuffer(device->queue, from, to.buffer, 0, to.at * sizeof(float),
                                      floats * sizeof(float), 0, NULL, NULL);
    return sac_cl_check(device, "clEnqueueCopyBuffer", code, error);
}

/* Kernels write to the beginning of a buffer: what begins elsewhere is copied there. */
static sac_status run(sac_attention *self, sac_span output, sac_span stats, sac_error *error)
{
    size_t rows = self->matrices * self->shape.queries, floats = rows * self->shape.value_dim;
    cl_mem own = NULL;
    sac_status status = SAC_OK;
    if (output.at)
        status = sac_buffer_create(self->device, floats * sizeof(float), NULL, &own, error);
    if (status == SAC_OK)
        status = sac_run_into(self, own ? own : output.buffer, NULL, error);
    if (status == SAC_OK && own)
        status = copy_floats(self->device, own, output, floats, error);
    if (status == SAC_OK)
        status = copy_floats(self->device, self->stats, stats, 2 * rows, error);
    sac_buffer_release(own);
    return status;
}

/* A causal mask leaves out half of them where there are as many queries as keys. */
static double operations_of(const sac_attention *self)
{
    const sac_attention_shape *s = &self->shape;
    double scores = (double)self->matrices * (double)s->queries * (double)s->keys;
    return 2 * scores * (double)(self->prepared_dim + s->value_dim);
}

/* Traces the call: operations, and the floats of its arrays. */
static void trace(sac_device *device, const sac_attention *self)
{
    const sac_attention_shape *s = &self->shape;
    double half = self->spec.causal && s->queries == s->keys ? 0.5 : 1;
    double width = (double)(self->prepared_dim + s->value_dim);
    double rows = (double)s->queries * (double)s->heads + (double)s->keys * (double)s->key_heads;
    sac_trace_work(device, SAC_WORK_ATTENTION, half * operations_of(self),
                   sizeof(float) * (double)s->batch * rows * width);
}

sac_status sac_attention_forward_on(sac_device *device, const sac_attention_operands *operands,
                                    sac_span output, sac_span stats, sac_error *error)
{
    sac_variant variant;
    const sac_tiling *tiling;
    sac_attention *attention = NULL;
    sac_status status = sac_attention_choose(device, &operands->spec, stats.buffer != NULL,
                                             &variant, &tiling, error);
    if (status == SAC_OK)
        status = sac_attention_build_on(device, operands, variant, tiling, &attention, error);
    if (status == SAC_OK) {
        /* Short work needs no cancellation: it is not waited for. */
        attention->is_queued = operations_of(attention) <= BRIEF_OPERATIONS;
        trace(device, attention);
        status = run(attention, output, stats, error);
    }
    sac_attention_destroy(attention);
    return status;
}

sac_status sac_attention_backward_on(sac_device *device, const sac_attention_operands *operands,
                                     const sac_operand_gradients *gradients,
                                     const sac_progress *progress, sac_error *error)
{
    sac_variant variant = operands->spec.variant;
    sac_status status = SAC_OK;
    if (variant == SAC_VARIANT_AUTO || variant == SAC_VARIANT_MATRIX) /* which has none */
        status = sac_backward_choose(device, sac_score_form(operands->spec.score),
                                     operands->spec.softcap > 0, &variant, error);
    if (status == SAC_OK)
        status = sac_attention_backward_run(device, operands, gradients, variant, progress, error);
    return status;
}
