/* A whole attention: outputs, log-sum-exp, weights. */
#include <math.h>
#include <stdlib.h>

#include "attention/run/run.h"
#include "base/error.h"

/* The part of a run's progress that ends at `end`. */
typedef struct sac_stage {
    const sac_progress *whole;
    double begin, end;
} sac_stage;

static bool stage_step(void *user, double done)
{
    const sac_stage *stage = user;
    return stage->whole->step(stage->whole->user,
                              stage->begin + done * (stage->end - stage->begin));
}

size_t sac_output_count(const sac_attention *self)
{
    size_t count = 1;
    for (int i = 0; i < self->shape.output_rank; i++)
        count *= self->shape.output_shape[i];
    return count;
}

sac_status sac_heads_output_reserve(sac_attention *self, sac_error *error)
{
    size_t floats = self->matrices * self->shape.queries * self->shape.value_dim;
    if (self->heads_output)
        return SAC_OK;
    return sac_buffer_create(self->device, floats * sizeof(float), NULL, &self->heads_output,
                             error);
}

static sac_status attend_all(sac_attention *self, bool with_output, const sac_progress *progress,
                             sac_error *error)
{
    sac_status status = sac_attend_matrices(self, 0, self->matrices, 0, self->shape.queries,
                                            with_output, progress, error);
    if (status == SAC_OK)
        sac_stats_keep(self, 0, self->shape.queries);
    return status;
}

sac_status sac_run_into(sac_attention *self, cl_mem output, const sac_progress *progress,
                        sac_error *error)
{
    cl_mem kept = self->heads_output;
    bool stands_in = !self->out_projection.weight.buffer; /* for the heads' own */
    sac_status status = SAC_OK;
    if (!output)
        return attend_all(self, false, progress, error);
    if (stands_in)
        self->heads_output = output;
    else
        status = sac_heads_output_reserve(self, error);
    if (status == SAC_OK)
        status = attend_all(self, true, progress, error);
    if (status == SAC_OK)
        status = sac_post(self, output, error);
    if (stands_in)
        self->heads_output = kept;
    return status;
}

/* Where the output lies until it is read: without an out layer in heads_output, which is kept for
 * the next run. */
static sac_status run_and_read(sac_attention *self, float *output, const sac_progress *progress,
                               sac_error *error)
{
    cl_mem result = NULL, projected = NULL;
    size_t bytes = sac_output_count(self) * sizeof(float);
    sac_status status = self->out_projection.weight.buffer
                            ? sac_buffer_create(self->device, bytes, NULL, &projected, error)
                            : sac_heads_output_reserve(self, error);
    result = projected ? projected : self->heads_output;
    if (status == SAC_OK)
        status = sac_run_into(self, result, progress, error);
    if (status == SAC_OK)
        status = sac_buffer_read(self->device, result, 0, bytes, output, error);
    sac_buffer_release(projected);
    return status;
}

/* It follows from (maximum m in base 2, l = Σ exp2(logit − m)): ln Σ exp(logit) = (m + log2 l) · ln 2.
 */
sac_status sac_lse_read(sac_attention *self, size_t first, size_t count, float *lse,
                        sac_error *error)
{
    size_t pair = 2 * sizeof(float);
    float *stats = malloc(count * pair);
    if (!stats)
        return sac_fail(error, SAC_E_MEMORY, "lse", NULL, "out of memory for %zu rows", count);
    sac_status status =
        sac_buffer_read(self->device, self->stats, first * pair, count * pair, stats, error);
    for (size_t i = 0; i < count && status == SAC_OK; i++) {
        double maximum = stats[2 * i], sum = stats[2 * i + 1];
        lse[i] = sum > 0 ? (float)((maximum + log2(sum)) * M_LN2) : -INFINITY;
    }
    free(stats);
    return status;
}

/* weights [B,H,Tq,Tk], matrix by matrix. */
static sac_status read_weights(sac_attention *self, float *weights, const sac_stage *stage,
                               sac_error *error)
{
    const sac_attention_shape *shape = &self->shape;
    sac_status status = SAC_OK;
    for (size_t i = 0; i < self->matrices && status == SAC_OK; i++) {
        sac_tile tile = {.batch = i / shape->heads,
                         .head = i % shape->heads,
                         .rows = shape->queries,
                         .cols = shape->keys};
        status = sac_attention_tile(self, &tile, weights + i * shape->queries * shape->keys, error);
        if (status == SAC_OK && stage->whole &&
            !stage_step((void *)stage, (double)(i + 1) / (double)self->matrices))
            status = sac_fail(error, SAC_E_CANCELLED, "attention", NULL, "stopped on request");
    }
    return status;
}

static sac_status run(sac_attention *attention, const sac_attention_output *output,
                      const sac_progress *progress, sac_error *error)
{
    sac_status status = sac_need_numbers(attention, output->output != NULL, error);
    if (status != SAC_OK)
        return status;
    double middle = output->weights ? 0.5 : 1.0;
    const sac_progress *whole = progress && progress->step ? progress : NULL;
    sac_stage first = {whole, 0.0, middle}, second = {whole, middle, 1.0};
    sac_progress staged = {stage_step, &first}, *progress_given = whole ? &staged : NULL;
    status = output->output ? run_and_read(attention, output->output, progress_given, error)
                            : sac_run_into(attention, NULL, progress_given, error);
    if (status == SAC_OK && output->lse)
        status = sac_lse_read(attention, 0, attention->matrices * attention->shape.queries,
                              output->lse, error);
    if (status == SAC_OK && output->weights)
        status = read_weights(attention, output->weights, &second, error);
    return status;
}

sac_status sac_attention_run(sac_attention *attention, const sac_attention_output *output,
                             const sac_progress *progress, sac_error *error)
{
    sac_status status = sac_need(attention, "attention", error);
    if (status == SAC_OK)
        status = sac_need(output, "output", error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(attention->device);
    status = run(attention, output, progress, error);
    sac_device_unlock(attention->device);
    return status;
}
