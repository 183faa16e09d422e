/* A whole attention: outputs, log-sum-exp, weights. */
#include <math.h>
#include <stdlib.h>

#include "attention/run/layer_norm.h"
#include "attention/run/run.h"
#include "base/error.h"
#include "scores/normalizers.h"

/* ---------------------------------------------------------------- after the heads */

/* x, a row for each query, ← layer norm of (x + query). */
static sac_status add_query_and_norm(sac_attention *self, cl_mem x, sac_error *error)
{
    size_t rows = self->shape.batch * self->shape.queries;
    sac_norm norm = {.rows = rows,
                     .depth = self->shape.output_shape[self->shape.output_rank - 1],
                     .period = rows,
                     .centred = true,
                     .x = {x, 0},
                     .added = {self->residual, 0},
                     .gain = {self->norm_weight, 0},
                     .bias = self->norm_bias};
    return sac_norm_forward(self->device, &norm, norm.x, error);
}

/* From the joined heads by the out layer, residual and layer norm to `output`, which without an out
 * layer is heads_output itself. */
static sac_status apply_output_layers(sac_attention *self, cl_mem output, sac_error *error)
{
    size_t rows = self->shape.batch * self->shape.queries;
    sac_status status = sac_scale_output_up(self, error);
    if (status == SAC_OK && self->out_projection.weight.buffer)
        status =
            sac_linear_y(self->device, &self->out_projection, rows,
                         (sac_span){self->heads_output, 0}, (sac_span){output, 0}, false, error);
    if (status == SAC_OK && self->norm_weight)
        status = add_query_and_norm(self, output, error);
    return status;
}

/* ---------------------------------------------------------------- all rows */

/* The part of a run's progress that ends at `end`. */
typedef struct sac_stage {
    const sac_progress *whole;
    double begin, end;
} sac_stage;

static bool report_stage_progress(void *user, double done)
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

/* Memory for the output of all heads, where there is none yet. */
static sac_status allocate_heads_output(sac_attention *self, sac_error *error)
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
        sac_stats_mark_known(self, 0, self->shape.queries);
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
        status = allocate_heads_output(self, error);
    if (status == SAC_OK)
        status = attend_all(self, true, progress, error);
    if (status == SAC_OK)
        status = apply_output_layers(self, output, error);
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
                            : allocate_heads_output(self, error);
    result = projected ? projected : self->heads_output;
    if (status == SAC_OK)
        status = sac_run_into(self, result, progress, error);
    if (status == SAC_OK)
        status = sac_buffer_read(self->device, result, 0, bytes, output, error);
    sac_buffer_release(projected);
    return status;
}

/* From the statistics of the softmax, (maximum m in base 2, l = Σ exp2(logit − m)): ln Σ exp(logit) = (m +
 * log2 l) · ln 2; of the others, (m, threshold counted from it): the threshold of the scores themselves. */
float sac_row_lse(const sac_attention *self, const float stats[2])
{
    double maximum = stats[0], second = stats[1];
    if (self->plan.normalizer == SAC_NORMALIZER_SOFTMAX)
        return second > 0 ? (float)((maximum + log2(second)) * M_LN2) : -INFINITY;
    double share = sac_normalizer_class_of(self->plan.normalizer)->share;
    return second < 0 ? (float)(maximum * M_LN2 * share + second) : INFINITY;
}

/* The log-sum-exp of `count` rows of all matrices, from row `first` of the first one on. */
static sac_status read_lse(sac_attention *self, size_t first, size_t count, float *lse,
                           sac_error *error)
{
    size_t pair = 2 * sizeof(float);
    float *stats = malloc(count * pair);
    if (!stats)
        return sac_fail(error, SAC_E_MEMORY, "lse", NULL, "out of memory for %zu rows", count);
    sac_status status =
        sac_buffer_read(self->device, self->stats, first * pair, count * pair, stats, error);
    for (size_t i = 0; i < count && status == SAC_OK; i++)
        lse[i] = sac_row_lse(self, stats + 2 * i);
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
            !report_stage_progress((void *)stage, (double)(i + 1) / (double)self->matrices))
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
    sac_progress staged = {report_stage_progress, &first}, *progress_given = whole ? &staged : NULL;
    status = output->output ? run_and_read(attention, output->output, progress_given, error)
                            : sac_run_into(attention, NULL, progress_given, error);
    if (status == SAC_OK && output->lse)
        status = read_lse(attention, 0, attention->matrices * attention->shape.queries, output->lse,
                          error);
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

/* ---------------------------------------------------------------- some rows */

/* The rows that are computed, of each batch entry. */
typedef struct rows {
    size_t first, count;
} rows;

/* What comes after the heads, for these rows: into `projected` [B,count,width], else in place. */
static sac_status apply_output_layers_to_rows(sac_attention *self, rows r, cl_mem projected,
                                              sac_error *error)
{
    const sac_attention_shape *s = &self->shape;
    size_t joined = s->heads * s->value_dim, width = s->output_shape[s->output_rank - 1];
    sac_status status = sac_scale_output_up(self, error);
    bool has_more = projected || self->norm_weight; /* which heads that come split never have */
    for (size_t b = 0; b < s->batch && has_more && status == SAC_OK; b++) {
        sac_span from = {self->heads_output, (b * s->queries + r.first) * joined};
        sac_span to = projected ? (sac_span){projected, b * r.count * width} : from;
        if (projected)
            status =
                sac_linear_y(self->device, &self->out_projection, r.count, from, to, false, error);
        sac_norm norm = {.rows = r.count,
                         .depth = width,
                         .period = r.count,
                         .centred = true,
                         .x = to,
                         .added = {self->residual, (b * s->queries + r.first) * width},
                         .gain = {self->norm_weight, 0},
                         .bias = self->norm_bias};
        if (status == SAC_OK && self->norm_weight)
            status = sac_norm_forward(self->device, &norm, to, error);
    }
    return status;
}

static sac_status read_output(sac_attention *self, rows r, cl_mem projected, float *output,
                              sac_error *error)
{
    const sac_attention_shape *s = &self->shape;
    size_t outer = s->output_rank == 4 ? s->batch * s->heads : s->batch;
    size_t width = s->output_shape[s->output_rank - 1], count = r.count * width;
    sac_status status = SAC_OK;
    for (size_t i = 0; i < outer && status == SAC_OK; i++) {
        size_t at = (i * s->queries + r.first) * width;
        status = sac_buffer_read(self->device, projected ? projected : self->heads_output,
                                 (projected ? i * count : at) * sizeof(float),
                                 count * sizeof(float), output + at, error);
    }
    return status;
}

static sac_status compute(sac_attention *self, rows r, const sac_attention_output *output,
                          const sac_progress *progress, sac_error *error)
{
    const sac_attention_shape *s = &self->shape;
    bool with_output = output->output != NULL;
    cl_mem projected = NULL;
    sac_status status = sac_need_numbers(self, with_output, error);
    if (status == SAC_OK && with_output)
        status = allocate_heads_output(self, error);
    if (status == SAC_OK && with_output && self->out_projection.weight.buffer)
        status = sac_buffer_create(
            self->device, s->batch * r.count * s->output_shape[s->output_rank - 1] * sizeof(float),
            NULL, &projected, error);
    if (status == SAC_OK)
        status = sac_attend_matrices(self, 0, self->matrices, r.first, r.first + r.count,
                                     with_output, progress, error);
    if (status == SAC_OK)
        sac_stats_mark_known(self, r.first, r.count);
    if (status == SAC_OK && with_output)
        status = apply_output_layers_to_rows(self, r, projected, error);
    if (status == SAC_OK && with_output)
        status = read_output(self, r, projected, output->output, error);
    for (size_t i = 0; status == SAC_OK && output->lse && i < self->matrices; i++) {
        size_t at = i * s->queries + r.first;
        status = read_lse(self, at, r.count, output->lse + at, error);
    }
    sac_buffer_release(projected);
    return status;
}

sac_status sac_attention_run_rows(sac_attention *self, size_t first, size_t count,
                                  const sac_attention_output *output, const sac_progress *progress,
                                  sac_error *error)
{
    const sac_attention_shape *s = &self->shape;
    sac_device_lock(self->device);
    sac_status status = compute(self, (rows){first, count}, output, progress, error);
    sac_device_unlock(self->device);
    for (size_t i = 0; status == SAC_OK && output->weights && i < self->matrices; i++) {
        sac_tile tile = {.batch = i / s->heads,
                         .head = i % s->heads,
                         .row = first,
                         .rows = count,
                         .cols = s->keys};
        float *to = output->weights + (i * s->queries + first) * s->keys;
        status = sac_attention_tile(self, &tile, to, error);
    }
    return status;
}
