#include "architectures/inference/decoding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "device/trace.h"
#include "nn/attention/positions.h"

static size_t prefix_count(const sac_decoding *d)
{
    return d->prefix ? d->prefix->count : 0;
}

static bool is_beam(const sac_decoding *d)
{
    return d->rows > 1 || d->memory;
}

void sac_decoding_end(sac_decoding *d)
{
    for (int i = 0; d->m && i < d->m->layers; i++)
        sac_laid_out_destroy(&d->laid_out[i]);
    sac_arena_release(&d->arena);
    for (int side = 0; side < 2; side++)
        free(d->kept[side]);
    *d = (sac_decoding){d->m,
                        d->prefix,
                        d->memory,
                        d->longest,
                        d->next,
                        d->starts,
                        d->before,
                        d->before_count,
                        d->hides,
                        d->keeps_queries,
                        {d->scale[0], d->scale[1]},
                        d->temperature,
                        d->held,
                        d->held_from,
                        d->again};
}

/* Memory for the keys and values of one row, or of several, and those of the prefix in it. */
static void allocate_layer_caches(sac_decoding *d)
{
    sac_pass *pass = &d->m->pass;
    const size_t count = prefix_count(d), all = count + d->longest;
    if (is_beam(d)) {
        sac_beam_cache_shape(pass, &d->arena, &d->cache, d->m->layer, d->m->layers, d->rows, all);
        if (count)
            sac_beam_cache_begin_behind(pass, &d->cache, count - d->again);
    }
    for (int i = 0; i < d->m->layers; i++) {
        sac_tensor *keys = is_beam(d) ? &d->cache.key[i][0] : &d->key[i];
        sac_tensor *values = is_beam(d) ? &d->cache.value[i][0] : &d->value[i];
        const size_t lent = d->m->layer[i].lent;
        if (!is_beam(d) && lent) {
            *keys = d->key[i - (int)lent];
            *values = d->value[i - (int)lent];
        } else if (!is_beam(d)) {
            sac_arena_shape(&d->arena, pass, keys, all, sac_architecture_part_width(d->m, i, 1));
            sac_arena_shape(&d->arena, pass, values, all, sac_architecture_part_width(d->m, i, 2));
        }
        if (!count)
            continue;
        if (!lent) {
            sac_pass_copy(pass, sac_tensor_rows(*keys, 0, count),
                          sac_inference_part(d->prefix, i, 1));
            sac_pass_copy(pass, sac_tensor_rows(*values, 0, count),
                          sac_inference_part(d->prefix, i, 2));
        }
        if (is_beam(d) || !d->keeps_queries)
            continue;
        sac_arena_shape(&d->arena, pass, &d->query[i], d->longest + 1,
                        sac_architecture_part_width(d->m, i, 0));
        sac_pass_copy(pass, sac_tensor_rows(d->query[i], 0, 1),
                      sac_tensor_rows(sac_inference_part(d->prefix, i, 0), count - 1, 1));
    }
}

/* Memory for what layers with a state keep of so many sentences, and what they keep of the prefix. */
static void allocate_memories(sac_decoding *d)
{
    const sac_pretrained_model *m = d->m;
    sac_pass *pass = &d->m->pass;
    const int count = sac_architecture_memories(m);
    for (int side = 0; side < 2 && count; side++) {
        d->kept[side] = calloc((size_t)count, sizeof *d->kept[side]);
        if (!d->kept[side])
            SAC_PASS_CALL(pass, sac_no_memory(&pass->error, m->name));
    }
    for (int n = 0; n < 2 * SAC_STATE_TENSORS * count && sac_pass_runs(pass); n++) {
        const int which = n / 2 / SAC_STATE_TENSORS, i = n / 2 % SAC_STATE_TENSORS;
        sac_tensor *x = sac_state_memory_tensor(&d->kept[n % 2][which], i);
        size_t rows, width;
        sac_architecture_memory_size(m, which, i, d->rows, &rows, &width);
        if (!rows)
            continue;
        sac_arena_shape(&d->arena, pass, x, rows, width);
        if (n % 2 || !d->prefix)
            continue;
        const sac_tensor whole = *sac_state_memory_tensor(&d->prefix->kept[which], i);
        sac_pass_copy(pass, sac_tensor_rows(*x, 0, whole.rows), whole);
    }
    for (int i = 0; i < m->net_count; i++)
        sac_delta_net_shape(pass, &d->arena, &m->nets[i], &m->run, d->rows, &d->net);
    if (m->layer[0].space.in.w)
        sac_arena_shape_ints(&d->arena, pass, &d->parents, d->rows);
    d->kept_rows = 1;
}

/* Lends the layer's state space what it goes on from, and what it leaves. */
static void lend_memories(sac_decoding *d, int layer)
{
    const int at = d->m->net_count + layer;
    if (!d->m->layer[layer].space.in.w)
        return;
    d->own.space.parents = d->parents;
    d->own.space.before = d->kept[d->side][at];
    d->own.space.after = d->kept[!d->side][at];
}

/* x through the nets that stand before a layer. */
static sac_tensor run_nets_before(sac_decoding *d, int layer, const int *parents, sac_tensor x)
{
    sac_pretrained_model *m = d->m;
    int at, end;
    for (sac_architecture_nets_before(m, layer, &at, &end); at < end; at++)
        x = sac_delta_net_step(&m->pass, &d->arena, &m->nets[at], &m->run, x, parents, d->kept_rows,
                               &d->net, &d->kept[d->side][at], &d->kept[!d->side][at]);
    return x;
}

static bool are_shaped_alike(const sac_transformer_layer *a, const sac_transformer_layer *b)
{
    const sac_multihead *of = &a->attention[SAC_PART_SELF], *other = &b->attention[SAC_PART_SELF];
    return a == b ||
           (!a->experts == !b->experts && of->query.w->shape[0] == other->query.w->shape[0] &&
            of->key.w->shape[0] == other->key.w->shape[0] &&
            (!a->in.w || a->in.w->shape[0] == b->in.w->shape[0]));
}

/* One set of tensors serves all layers: gives them the shapes of layer i, where the one before it (of the first the last) has
 * others, or where they have none. */
static void shape_layer(sac_decoding *d, int i, size_t rows)
{
    const sac_pretrained_model *m = d->m;
    sac_transformer_run run = m->run;
    run.batch = rows;
    if (!d->own.sum[SAC_PART_SELF].buffer || d->own.sum[SAC_PART_SELF].rows != rows ||
        !are_shaped_alike(&m->layer[i], &m->layer[i ? i - 1 : m->layers - 1]))
        sac_transformer_layer_shape(&d->m->pass, &d->arena, &m->layer[i], &run, 1,
                                    d->memory != NULL, &d->own);
}

void sac_decoding_begin(sac_decoding *d, size_t rows)
{
    sac_pretrained_model *m = d->m;
    sac_decoding_end(d); /* another beam may be wider */
    d->rows = rows;
    d->count = prefix_count(d) - d->again;
    sac_arena_shape_ints(&d->arena, &m->pass, &d->tokens, rows);
    sac_arena_shape_ints(&d->arena, &m->pass, &d->places, rows);
    sac_arena_shape_bytes(&d->arena, &m->pass, &d->hidden, rows * (d->count + d->longest + 1));
    sac_arena_shape(&d->arena, &m->pass, &d->x, rows, m->width);
    sac_arena_shape(&d->arena, &m->pass, &d->normed, rows, m->width);
    sac_arena_shape(&d->arena, &m->pass, &d->logits, rows, m->vocabulary);
    if (m->projection.w)
        sac_arena_shape(&d->arena, &m->pass, &d->narrow, rows, m->words->shape[1]);
    shape_layer(d, 0, rows);
    d->placing.temperature = d->memory ? 0 : d->temperature;
    for (int part = SAC_PART_SELF; part <= (d->memory ? SAC_PART_CROSS : SAC_PART_SELF); part++)
        sac_architecture_scale_heads(m, &d->arena, &d->placing, part, d->scale[part]);
    allocate_layer_caches(d);
    allocate_memories(d);
}

/* What is hidden of the prefix is so for each row of so many keys. */
static cl_mem write_hidden_mask(sac_decoding *d, size_t rows, size_t keys)
{
    sac_pass *pass = &d->m->pass;
    if (!d->hides)
        return NULL;
    uint8_t *hidden = calloc(rows, keys);
    for (size_t r = 0; hidden && r < rows; r++)
        memcpy(hidden + r * keys, d->hides, prefix_count(d));
    d->hidden.count = rows * keys;
    if (hidden)
        sac_pass_write_bytes(pass, d->hidden, hidden);
    else
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, d->m->name));
    free(hidden);
    return d->hidden.buffer;
}

/* A layer of one row: appends the token's key and value to those that are there; its query attends to all of them. */
static sac_tensor run_layer_single_row(sac_decoding *d, int i, const sac_transformer_run *run,
                                       sac_tensor x)
{
    sac_pass *pass = &d->m->pass;
    const sac_transformer_layer *layer = &d->m->layer[i];
    sac_transformer_tensors own = d->own;
    sac_multihead_tensors *t = &own.attention[SAC_PART_SELF];
    const sac_tensor entered = x;
    if (d->keeps_queries)
        t->query = sac_tensor_rows(d->query[i], d->count - prefix_count(d) + 1, 1);
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
        t->laid_out = &d->laid_out[i - (int)layer->lent];
        t->room = prefix_count(d) + d->longest;
    }
    x = sac_transformer_part_attended(pass, layer, run, SAC_PART_SELF, x, &own);
    return sac_transformer_part_forwarded(pass, layer, run, run->parallel ? entered : x, x, &own);
}

/* A layer of several rows, or beside a memory. */
static sac_tensor run_layer_rows(sac_decoding *d, int i, sac_transformer_run *run, sac_tensor x)
{
    sac_transformer_tensors own = d->own;
    sac_multihead_tensors *cross = &own.attention[SAC_PART_CROSS];
    if (d->memory) {
        run->memories = 1;
        run->memory_padding = d->memory->hidden;
        run->cross_scale = sac_architecture_cross_scale(d->m, i, d->temperature);
        cross->key = d->memory->key[i];
        cross->value = d->memory->value[i];
        cross->laid_out = &d->memory->laid_out[i];
    }
    return sac_beam_cache_layer(&d->m->pass, &d->cache, i, run, x, &own);
}

/* Before the first token that is held. The words before it are given, so that there is one row. */
static void hold_values(sac_decoding *d)
{
    const sac_transformer_run *run = &d->m->run;
    for (int i = 0; i < d->m->layers; i++) {
        const int key_heads = sac_architecture_key_heads(d->m, i);
        size_t value_heads = (size_t)(key_heads ? key_heads : run->heads);
        sac_tensor values = d->value[i];
        if (d->memory) {
            value_heads = (size_t)run->heads;
            values = d->memory->value[i];
            sac_laid_out_destroy(&d->memory->laid_out[i]);
        } else if (is_beam(d))
            values = sac_beam_cache_values(&d->cache, i);
        else
            sac_laid_out_destroy(&d->laid_out[i]);
        if (!d->memory)
            values = sac_tensor_rows(values, 0, prefix_count(d));
        sac_held_values(&d->m->pass, &d->held[i], values, value_heads);
    }
}

/* BERT has one more layer before its logits, GPT-2 a norm. */
static void predict(sac_decoding *d, sac_tensor x, float *logits)
{
    sac_pretrained_model *m = d->m;
    sac_pass *pass = &m->pass;
    const sac_text_decoder *v = &m->text_decoder;
    const sac_tensor all = sac_tensor_rows(d->logits, 0, x.rows);
    if (!d->starts) {
        for (size_t r = 0; r < x.rows; r++)
            sac_architecture_logits(m, sac_tensor_rows(all, r, 1), sac_tensor_rows(x, r, 1));
    } else {
        if (v->change.w) {
            sac_linear_forward(pass, d->normed, x, v->change.w, v->change.b);
            sac_activate(pass, d->normed, m->run.activation);
            sac_layer_norm_forward(pass, &v->changed, d->normed, d->normed);
            x = d->normed;
        }
        if (v->narrows) /* behind a norm, which gave it memory of its own */
            sac_scale(pass, x, 1 / sqrtf((float)m->width));
        sac_linear_forward(pass, all, x, m->head ? m->head : m->words, v->bias);
    }
    sac_pass_read(pass, all, logits);
}

void sac_decoding_run_tokens(sac_decoding *d, const int *tokens, const int *parents, int count,
                             float *logits)
{
    sac_pretrained_model *m = d->m;
    sac_pass *pass = &m->pass;
    const size_t rows = (size_t)count, place = d->next + d->count - prefix_count(d);
    SAC_PASS_CALL(pass, sac_cancel_check(m->name, &pass->error));
    if (d->runs++ == d->held_from && d->held)
        hold_values(d);
    if (is_beam(d))
        sac_beam_cache_step(pass, &d->cache, parents, count);
    const cl_mem hidden =
        write_hidden_mask(d, rows, is_beam(d) ? d->cache.gathered.count / rows : d->count + 1);
    sac_arena_shape(&d->arena, pass, &d->x, rows, m->width);
    sac_arena_shape(&d->arena, pass, &d->normed, rows, m->width);
    d->tokens.count = d->places.count = rows;
    sac_architecture_write_words(m, d->tokens, tokens);
    if (d->parents.buffer) {
        d->parents.count = rows;
        sac_pass_write_ints(pass, d->parents, parents);
    }
    if (m->positions)
        sac_positions_place(pass, d->places, m->positions->value, 1, m->first_place + place, NULL);
    sac_architecture_embed(m, &d->arena, &d->narrow, d->x, d->tokens, d->places, rows);
    sac_architecture_build_positions(m, &d->arena, &d->placing, place, 1,
                                     prefix_count(d) + d->longest, NULL);
    sac_architecture_build_layer_words(m, &d->arena, &d->placing, tokens, d->x);
    sac_tensor x = d->x;
    for (int i = 0; i < m->layers && sac_pass_runs(pass); i++) {
        sac_transformer_run run = sac_pretrained_model_run_settings(m, i, &d->placing);
        run.batch = rows;
        run.causal = false; /* of one query, the last, all keys are before it */
        run.padding = hidden;
        shape_layer(d, i, rows);
        sac_trace_set_layer(m->device, i);
        x = run_nets_before(d, i, parents, x);
        lend_memories(d, i);
        x = is_beam(d) ? run_layer_rows(d, i, &run, x) : run_layer_single_row(d, i, &run, x);
    }
    x = run_nets_before(d, m->layers, parents, x);
    d->side = !d->side;
    d->kept_rows = rows;
    sac_trace_set_layer(m->device, -1);
    if (m->last_norm.gain) {
        sac_layer_norm_forward(pass, &m->last_norm, d->normed, x);
        x = d->normed;
    }
    d->left = x;
    d->count++;
    if (logits)
        predict(d, x, logits);
}

void sac_decoding_step(sac_decoding *d, const sac_beam *beam, float *logits)
{
    int words[SAC_BEAM_WIDTH], parents[SAC_BEAM_WIDTH];
    if (beam->step == 0) {
        sac_decoding_begin(d, (size_t)beam->options.width);
        for (size_t i = 0; i < d->before_count; i++)
            sac_decoding_run_tokens(d, &d->before[i], &(int){0}, 1, NULL);
        if (!d->starts && !d->again) {
            memcpy(logits, d->prefix->next, d->m->vocabulary * sizeof *logits);
            return;
        }
    }
    sac_beam_last_words(beam, words, parents);
    sac_decoding_run_tokens(d, words, parents, beam->rows, logits);
}
