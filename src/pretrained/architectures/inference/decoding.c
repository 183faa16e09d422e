#include "architectures/inference/decoding.h"

#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "device/trace.h"
#include "nn/attention/positions.h"

void sac_decoding_end(sac_decoding *d)
{
    for (int i = 0; d->prefix && i < d->prefix->model->layers; i++)
        sac_laid_out_forget(&d->laid_out[i]);
    sac_arena_release(&d->arena);
    *d = (sac_decoding){.prefix = d->prefix,
                        .longest = d->longest,
                        .hides = d->hides,
                        .keeps_queries = d->keeps_queries};
}

/* Memory for one row, and the prefix's keys and values in it. */
static void begin_row(sac_decoding *d)
{
    const sac_inference *p = d->prefix;
    sac_pass *pass = &p->model->pass;
    const size_t all = p->count + d->longest, width = sac_architecture_part_width(p->model, 1);
    for (int i = 0; i < p->model->layers; i++) {
        sac_arena_shape(&d->arena, pass, &d->key[i], all, width);
        sac_arena_shape(&d->arena, pass, &d->value[i], all, width);
        sac_pass_copy(pass, sac_tensor_rows(d->key[i], 0, p->count), sac_inference_part(p, i, 1));
        sac_pass_copy(pass, sac_tensor_rows(d->value[i], 0, p->count), sac_inference_part(p, i, 2));
        if (!d->keeps_queries)
            continue;
        sac_arena_shape(&d->arena, pass, &d->query[i], d->longest + 1,
                        sac_architecture_part_width(p->model, 0));
        sac_pass_copy(pass, sac_tensor_rows(d->query[i], 0, 1),
                      sac_tensor_rows(sac_inference_part(p, i, 0), p->count - 1, 1));
    }
}

static void begin_rows(sac_decoding *d)
{
    const sac_inference *p = d->prefix;
    sac_pass *pass = &p->model->pass;
    sac_beam_cache_shape(pass, &d->arena, &d->cache, p->model->layers, d->rows,
                         p->count + d->longest, sac_architecture_part_width(p->model, 1));
    sac_beam_cache_begin_behind(pass, &d->cache, p->count);
    for (int i = 0; i < p->model->layers; i++) {
        sac_pass_copy(pass, sac_tensor_rows(d->cache.key[i][0], 0, p->count),
                      sac_inference_part(p, i, 1));
        sac_pass_copy(pass, sac_tensor_rows(d->cache.value[i][0], 0, p->count),
                      sac_inference_part(p, i, 2));
    }
}

void sac_decoding_begin(sac_decoding *d, size_t rows)
{
    const sac_inference *p = d->prefix;
    sac_pretrained_model *m = p->model;
    sac_decoding_end(d); /* another beam may be wider */
    d->rows = rows;
    d->count = p->count;
    sac_arena_shape_ints(&d->arena, &m->pass, &d->tokens, rows);
    sac_arena_shape_ints(&d->arena, &m->pass, &d->places, rows);
    sac_arena_shape_bytes(&d->arena, &m->pass, &d->hidden, rows * (p->count + d->longest + 1));
    sac_arena_shape(&d->arena, &m->pass, &d->x, rows, m->width);
    sac_arena_shape(&d->arena, &m->pass, &d->normed, rows, m->width);
    sac_arena_shape(&d->arena, &m->pass, &d->logits, rows, m->vocabulary);
    d->placing.temperature = p->temperature;
    sac_architecture_scale_heads(m, &d->arena, &d->placing, SAC_PART_SELF, p->scale);
    (rows == 1 ? begin_row : begin_rows)(d);
}

/* What is hidden of the prefix is so for each row of so many keys. */
static cl_mem hide(sac_decoding *d, size_t rows, size_t keys)
{
    sac_pass *pass = &d->prefix->model->pass;
    if (!d->hides)
        return NULL;
    uint8_t *hidden = calloc(rows, keys);
    for (size_t r = 0; hidden && r < rows; r++)
        memcpy(hidden + r * keys, d->hides, d->prefix->count);
    d->hidden.count = rows * keys;
    if (hidden)
        sac_pass_write_bytes(pass, d->hidden, hidden);
    else
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, d->prefix->model->name));
    free(hidden);
    return d->hidden.buffer;
}

/* A layer of one row: appends the token's key and value to those that are there; its query attends to all of them. */
static sac_tensor run_row(sac_decoding *d, int i, const sac_transformer_run *run, sac_tensor x)
{
    const sac_inference *p = d->prefix;
    sac_pass *pass = &p->model->pass;
    const sac_transformer_layer *layer = &p->model->layer[i];
    sac_transformer_tensors own = d->own;
    sac_multihead_tensors *t = &own.attention[SAC_PART_SELF];
    const sac_tensor entered = x;
    if (d->keeps_queries)
        t->query = sac_tensor_rows(d->query[i], d->count - p->count + 1, 1);
    const sac_tensor keys = sac_tensor_rows(d->key[i], 0, d->count + 1),
                     values = sac_tensor_rows(d->value[i], 0, d->count + 1);
    t->value = sac_tensor_rows(d->value[i], d->count, 1);
    bool is_token = sac_transformer_takes_token(pass, layer, run, keys.rows);
    if (is_token) {
        t->token_keys = keys;
        t->token_values = values;
        if (sac_transformer_token_layer(pass, layer, run, x, &own))
            return own.sum[SAC_PART_FORWARD];
    } else
        t->key = sac_tensor_rows(d->key[i], d->count, 1);
    sac_transformer_part_project(pass, layer, run, x, &own);
    sac_transformer_part_rotate(pass, layer, run, SAC_PART_SELF, &own);
    if (!is_token) {
        t->key = keys;
        t->value = values;
    }
    if (!is_token && !run->bias) { /* nothing is added to keys that are laid out beforehand */
        t->laid_out = &d->laid_out[i];
        t->room = p->count + d->longest;
    }
    x = sac_transformer_part_attended(pass, layer, run, SAC_PART_SELF, x, &own);
    return sac_transformer_part_forwarded(pass, layer, run, run->parallel ? entered : x, x, &own);
}

void sac_decoding_go_on(sac_decoding *d, const int *tokens, const int *parents, int count,
                        float *logits)
{
    sac_pretrained_model *m = d->prefix->model;
    sac_pass *pass = &m->pass;
    const size_t rows = (size_t)count;
    const size_t place = d->count - d->prefix->count + sac_architecture_next_place(d->prefix);
    SAC_PASS_CALL(pass, sac_cancel_check(m->name, &pass->error));
    if (d->rows > 1)
        sac_beam_cache_step(pass, &d->cache, parents, count);
    const cl_mem hidden =
        hide(d, rows, d->rows > 1 ? d->cache.gathered.count / rows : d->count + 1);
    sac_arena_shape(&d->arena, pass, &d->x, rows, m->width);
    sac_arena_shape(&d->arena, pass, &d->normed, rows, m->width);
    d->tokens.count = d->places.count = rows;
    sac_pass_write_ints(pass, d->tokens, tokens);
    if (m->positions)
        sac_positions_place(pass, d->places, m->positions->value, 1, m->first_place + place, NULL);
    sac_architecture_embed(m, &d->arena, &d->narrow, d->x, d->tokens, d->places, rows);
    sac_architecture_place(m, &d->arena, &d->placing, place, 1, d->prefix->count + d->longest,
                           NULL);
    sac_transformer_run run = m->run;
    run.batch = rows;
    sac_transformer_layer_shape(pass, &d->arena, &m->layer[0], &run, 1, 0, &d->own);
    sac_tensor x = d->x;
    for (int i = 0; i < m->layers && sac_pass_runs(pass); i++) {
        run = sac_pretrained_model_run(m, i, &d->placing);
        run.batch = rows;
        run.causal = false; /* of one query, the last, all keys are before it */
        run.padding = hidden;
        sac_trace_layer(m->device, i);
        x = d->rows > 1 ? sac_beam_cache_layer(pass, &d->cache, i, &m->layer[i], &run, x, &d->own)
                        : run_row(d, i, &run, x);
    }
    sac_trace_layer(m->device, -1);
    if (m->last_norm.gain) {
        sac_layer_norm_forward(pass, &m->last_norm, d->normed, x);
        x = d->normed;
    }
    d->left = x;
    d->count++;
    for (size_t r = 0; logits && r < rows; r++)
        sac_architecture_logits(m, sac_tensor_rows(d->logits, r, 1), sac_tensor_rows(x, r, 1));
    if (logits)
        sac_pass_read(pass, sac_tensor_rows(d->logits, 0, rows), logits);
}

void sac_decoding_step(sac_decoding *d, const sac_beam *beam, float *logits)
{
    int words[SAC_BEAM_WIDTH], parents[SAC_BEAM_WIDTH];
    if (beam->step == 0) {
        sac_decoding_begin(d, (size_t)beam->options.width);
        memcpy(logits, d->prefix->next, d->prefix->model->vocabulary * sizeof *logits);
        return;
    }
    sac_beam_last(beam, words, parents);
    sac_decoding_go_on(d, words, parents, beam->rows, logits);
}
