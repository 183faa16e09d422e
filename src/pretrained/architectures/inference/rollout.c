/* Attention rollout (Abnar and Zuidema 2020): rows over what leaves a model's layers are carried on
 * to what entered the first of them. */
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/cancel.h"
#include "base/error.h"

/* Queries that are read at a time: a layer of many tokens is not held whole. */
static size_t query_block_size(const sac_inference *p)
{
    enum { NUMBERS = 1 << 20 };
    size_t block = NUMBERS / p->count;
    return block < 1 ? 1 : block > p->count ? p->count : block;
}

sac_status sac_inference_carry_rows(const sac_inference *p, int layer, int head, size_t count,
                                    const float *rows, float share, float *to, sac_error *error)
{
    const size_t T = p->count, block = query_block_size(p);
    const size_t heads = head ? 1 : (size_t)p->model->run.heads;
    sac_attention *attention = NULL;
    float *mean = malloc(block * T * sizeof *mean); /* of the heads, `block` queries at a time */
    sac_status status =
        mean ? sac_inference_create_attention(p, layer, SAC_PART_SELF, &attention, error)
             : sac_no_memory(error, p->model->name);
    for (size_t from = 0; from < T && status == SAC_OK; from += block) {
        const sac_tile some = {.head = head ? (size_t)head - 1 : 0,
                               .row = from,
                               .rows = T - from < block ? T - from : block,
                               .cols = T};
        memset(mean, 0, some.rows * T * sizeof *mean);
        status = sac_cancel_check(p->model->name, error);
        if (status == SAC_OK)
            status = sac_attention_add_heads(attention, &some, heads, share / (float)heads, T, mean,
                                             error);
        for (size_t i = 0; i < count * some.rows && status == SAC_OK; i++) {
            const size_t r = i / some.rows, query = i % some.rows;
            const float weight = rows[r * T + from + query];
            for (size_t k = 0; weight != 0 && k < T; k++)
                to[r * T + k] += weight * mean[query * T + k];
        }
    }
    sac_attention_destroy(attention);
    free(mean);
    return status;
}

/* Of each layer rows ← ½ (rows + rows · A), A the mean over its heads. */
sac_status sac_inference_rollout(const sac_inference *p, size_t count, float *rows,
                                 sac_error *error)
{
    const size_t numbers = count * p->count;
    float *next = malloc((numbers + 1) * sizeof *next);
    sac_status status = next ? SAC_OK : sac_no_memory(error, p->model->name);
    for (int layer = p->model->layers; layer-- > 0 && status == SAC_OK;) {
        memcpy(next, rows, numbers * sizeof *next);
        status = sac_inference_carry_rows(p, layer, 0, count, rows, 1, next, error);
        for (size_t i = 0; i < numbers; i++)
            rows[i] = next[i] / 2;
    }
    free(next);
    return status;
}

/* ---------------------------------------------------------------- what entered */

sac_status sac_entered_keep(const sac_inference *p, size_t most, size_t index,
                            sac_embedded_input *e, sac_error *error)
{
    size_t numbers = p->count * p->model->width;
    if (!e->states)
        *e = (sac_embedded_input){.states = malloc(most * numbers * sizeof *e->states),
                                  .count = p->count,
                                  .grid_w = p->grid_w,
                                  .grid_h = p->grid_h,
                                  .prefix = p->prefix};
    size_t heads = (size_t)p->model->layers * (size_t)p->model->run.heads;
    if (e->states && p->scale && !e->scale && (e->scale = malloc(heads * sizeof *e->scale)))
        memcpy(e->scale, p->scale, heads * sizeof *e->scale);
    if (!e->states || (p->scale && !e->scale))
        return sac_no_memory(error, p->model->name);
    memcpy(e->states + index * numbers, p->entered, numbers * sizeof *e->states);
    return SAC_OK;
}

void sac_entered_forget(sac_embedded_input *e)
{
    free(e->states);
    free(e->scale);
    *e = (sac_embedded_input){0};
}

/* Brings the cells of rows [n,T], behind the prefix, to groups of s × high of them and to a sum of 1. */
static void gather_cells(const sac_embedded_input *e, int s, int high, size_t n, const float *rows,
                         float *cells)
{
    int across = e->grid_w / s;
    for (size_t r = 0; r < n; r++, cells += n) {
        double sum = 0;
        memset(cells, 0, n * sizeof *cells);
        for (int y = 0; y < e->grid_h / high * high; y++)
            for (int x = 0; x < across * s; x++) {
                float weight = rows[r * e->count + (size_t)(e->prefix + y * e->grid_w + x)];
                cells[y / high * across + x / s] += weight;
                sum += (double)weight;
            }
        for (size_t i = 0; i < n && sum > 0; i++)
            cells[i] = (float)((double)cells[i] / sum);
    }
}

sac_status sac_entered_flow(sac_pretrained_model *m, const sac_embedded_input *e, size_t index,
                            int s, float *flow, sac_error *error)
{
    const int high = sac_group_rows(e->grid_h, s);
    const size_t T = e->count, across = (size_t)(e->grid_w / s), all = (size_t)(s * high),
                 n = across * (size_t)(e->grid_h / high);
    sac_inference *p = NULL;
    float *rows = calloc(n * T, sizeof *rows);
    sac_status status = rows ? SAC_OK : sac_no_memory(error, m->name);
    for (size_t i = 0; i < n * all && status == SAC_OK; i++) {
        size_t group = i / all, part = i % all;
        size_t x = group % across * (size_t)s + part % (size_t)s,
               y = group / across * (size_t)high + part / (size_t)s;
        rows[group * T + (size_t)e->prefix + y * (size_t)e->grid_w + x] = 1 / (float)all;
    }
    if (status == SAC_OK)
        status = sac_inference_run_embedded(m, e, index, &p, error);
    if (status == SAC_OK)
        status = sac_inference_rollout(p, n, rows, error);
    if (status == SAC_OK)
        gather_cells(e, s, high, n, rows, flow);
    sac_inference_free(p);
    free(rows);
    return status;
}
