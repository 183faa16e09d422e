/* Some rows of an attention, the same of every head: what one of several devices computes. */
#include "attention/run/layer_norm.h"
#include "attention/run/run.h"
#include "base/error.h"

/* The rows that are computed, of each batch entry. */
typedef struct rows {
    size_t first, count;
} rows;

/* What comes after the heads, for these rows: into `projected` [B,count,width], else in place. */
static sac_status post_rows(sac_attention *self, rows r, cl_mem projected, sac_error *error)
{
    const sac_attention_shape *s = &self->shape;
    size_t joined = s->heads * s->value_dim, width = s->output_shape[s->output_rank - 1];
    sac_status status = sac_raise_output(self, error);
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
        status = sac_heads_output_reserve(self, error);
    if (status == SAC_OK && with_output && self->out_projection.weight.buffer)
        status = sac_buffer_create(
            self->device, s->batch * r.count * s->output_shape[s->output_rank - 1] * sizeof(float),
            NULL, &projected, error);
    if (status == SAC_OK)
        status = sac_attend_matrices(self, 0, self->matrices, r.first, r.first + r.count,
                                     with_output, progress, error);
    if (status == SAC_OK)
        sac_stats_keep(self, r.first, r.count);
    if (status == SAC_OK && with_output)
        status = post_rows(self, r, projected, error);
    if (status == SAC_OK && with_output)
        status = read_output(self, r, projected, output->output, error);
    for (size_t i = 0; status == SAC_OK && output->lse && i < self->matrices; i++) {
        size_t at = i * s->queries + r.first;
        status = sac_lse_read(self, at, r.count, output->lse + at, error);
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
