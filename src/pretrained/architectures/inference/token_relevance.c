#include "architectures/inference/token_relevance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "nn/attention/positions.h"
#include "nn/layers.h"
#include "saccade_cl.h"

typedef sac_read_text read_text;

/* The backward pass of several numbers through one text. */
typedef struct way {
    const read_text *t;
    sac_pretrained_model *m;
    size_t count; /* numbers */
    sac_arena arena;
    sac_position_ids placing;
    sac_byte_tensor unseen, hidden;
    sac_byte_tensor beyond; /* unseen, or beyond the window of the layer that is run … */
    uint8_t *beyond_host; /* … [T,T], of a text with joined tokens; NULL: no layer had one yet */
    size_t window;        /* that they are of */
    sac_transformer_tensors own;
    sac_transformer_gradients gradients;
    sac_tensor x, d, dmemory; /* [T,D], [T,D], [S,·] */
    float *states;            /* [layers,T,D]: what enters each layer; host, and so are … */
    float *dstates;           /* [count,T,D] … */
    float *dheads[2];         /* … [count,T,H·d], of each part … */
    float *values, *turned;   /* … [keys,Hk·d], and of one head [d,keys] … */
    float *weights, *line;    /* … and [T,keys] and [keys] of one head; … */
    size_t line_keys;         /* … keys of the part that is looked at */
} way;

/* ---------------------------------------------------------------- one layer */

static bool has_memory(const way *w)
{
    return w->t->memory.buffer != NULL;
}

static size_t keys_of(const way *w, int part)
{
    return part == SAC_PART_CROSS ? w->t->memory.rows : w->t->count;
}

/* Of the scores of the layer to the memory. */
static float cross_scale_of(const way *w, int layer)
{
    const sac_multihead *cross = &w->m->layer[layer].attention[SAC_PART_CROSS];
    const float own = w->m->scale[layer];
    if (!has_memory(w) || !(w->t->temperature > 0))
        return own;
    const float depth = (float)cross->query.w->shape[0] / (float)w->m->run.heads;
    return (own > 0 ? own : 1 / sqrtf(depth)) / w->t->temperature;
}

static sac_transformer_run run_of(const way *w, int layer)
{
    sac_transformer_run run = sac_pretrained_model_run(w->m, layer, &w->placing);
    run.cross_scale = cross_scale_of(w, layer);
    run.memory_padding = w->hidden.buffer;
    if (w->unseen.buffer) {
        run.causal = false;
        run.bias = NULL;
        run.mask = w->unseen.buffer;
        if (run.window && w->t->joined) {
            run.mask = w->beyond.buffer;
            run.window = 0;
        }
        run.biased = run.bias_rows = w->t->count;
    }
    return run;
}

/* Of a text with joined tokens: what lies beyond the layer's window. */
static void hide_beyond(way *w, int layer)
{
    const size_t T = w->t->count, window = w->m->window[layer];
    if (!window || window == w->window || !w->t->joined || !w->t->unseen)
        return;
    w->beyond_host = w->beyond_host ? w->beyond_host : malloc(T * T);
    if (!w->beyond_host)
        SAC_PASS_CALL(&w->m->pass, sac_no_memory(&w->m->pass.error, w->m->name));
    for (size_t i = 0; i < T * T && w->beyond_host; i++) {
        const size_t query = i / T, key = i % T;
        w->beyond_host[i] = w->t->unseen[i] || (query >= w->t->joined && key + window <= query);
    }
    if (!w->beyond_host)
        return;
    w->window = window;
    sac_arena_shape_bytes(&w->arena, &w->m->pass, &w->beyond, T * T);
    sac_pass_write_bytes(&w->m->pass, w->beyond, w->beyond_host);
}

static sac_tensor forward(way *w, int layer)
{
    hide_beyond(w, layer);
    const sac_transformer_run run = run_of(w, layer);
    const sac_transformer_layer *l = &w->m->layer[layer];
    sac_transformer_layer_shape(&w->m->pass, &w->arena, l, &run, w->t->count, w->t->memory.rows,
                                &w->own);
    return sac_transformer_layer_forward(&w->m->pass, l, &run, w->x, w->t->memory, &w->own);
}

/* Of a layer between the last state and the logits, which BERT has: d [D] of what leaves it becomes that of the
 * state, w->x's row `at`. */
static void go_back_change(way *w, size_t at, float *d)
{
    sac_pass *pass = &w->m->pass;
    const sac_text_decoder *v = &w->m->text_decoder;
    sac_tensor x = {0}, changed = {0}, activated = {0}, dy = {0};
    const size_t D = w->m->width;
    sac_arena_shape(&w->arena, pass, &x, 1, D);
    sac_arena_shape(&w->arena, pass, &changed, 1, D);
    sac_arena_shape(&w->arena, pass, &activated, 1, D);
    sac_arena_shape(&w->arena, pass, &dy, 1, D);
    sac_pass_copy(pass, x, sac_tensor_rows(w->x, at, 1));
    if (w->m->last_norm.gain)
        sac_layer_norm_forward(pass, &w->m->last_norm, x, sac_tensor_rows(w->x, at, 1));
    sac_linear_forward(pass, changed, x, v->change.w, v->change.b);
    sac_pass_copy(pass, activated, changed);
    sac_activate(pass, activated, w->m->run.activation);
    sac_pass_write(pass, dy, d);
    sac_layer_norm_backward(pass, &v->changed, dy, activated);
    sac_activate_backward(pass, dy, changed, w->m->run.activation);
    sac_linear_backward_input(pass, x, dy, v->change.w);
    sac_pass_read(pass, x, d);
}

/* What enters each layer, and the numbers' gradients of what leaves the last, from those of what
 * leaves the model. */
static void go_forth(way *w, const size_t *at, const float *dleft)
{
    sac_pretrained_model *m = w->m;
    sac_pass *pass = &m->pass;
    const size_t T = w->t->count, D = m->width;
    SAC_PASS_CALL(pass, sac_architecture_extend_positions(m, T, &pass->error));
    sac_architecture_place(m, &w->arena, &w->placing, 0, T, T, w->t->placed);
    w->placing.temperature = has_memory(w) ? 0 : w->t->temperature;
    sac_arena_shape(&w->arena, pass, &w->x, T, D);
    sac_arena_shape(&w->arena, pass, &w->d, T, D);
    if (w->t->unseen) {
        sac_arena_shape_bytes(&w->arena, pass, &w->unseen, T * T);
        sac_pass_write_bytes(pass, w->unseen, w->t->unseen);
    }
    if (w->t->hidden) {
        sac_arena_shape_bytes(&w->arena, pass, &w->hidden, w->t->memory.rows);
        sac_pass_write_bytes(pass, w->hidden, w->t->hidden);
    }
    if (has_memory(w))
        sac_arena_shape(&w->arena, pass, &w->dmemory, w->t->memory.rows, w->t->memory.width);
    sac_pass_write(pass, w->x, w->t->entered);
    memset(w->dstates, 0, w->count * T * D * sizeof *w->dstates);
    for (int i = 0; i < m->layers && sac_pass_runs(pass); i++) {
        sac_pass_read(pass, w->x, w->states + (size_t)i * T * D);
        sac_pass_copy(pass, w->x, forward(w, i));
    }
    for (size_t n = 0; n < w->count; n++) {
        float *d = w->dstates + n * T * D;
        memcpy(d + at[n] * D, dleft + n * D, D * sizeof *d);
        if (m->text_decoder.change.w)
            go_back_change(w, at[n], d + at[n] * D);
        if (!m->last_norm.gain)
            continue;
        sac_pass_write(pass, w->d, d);
        sac_layer_norm_backward(pass, &m->last_norm, w->d, w->x);
        sac_pass_read(pass, w->d, d);
    }
}

/* A layer once more, and back: of each number the gradients of what leaves it become those of what
 * enters it, with those of what its heads give. */
static void go_back(way *w, int layer)
{
    sac_pretrained_model *m = w->m;
    sac_pass *pass = &m->pass;
    const sac_transformer_layer *l = &m->layer[layer];
    const size_t T = w->t->count, D = m->width, S = w->t->memory.rows;
    sac_pass_write(pass, w->x, w->states + (size_t)layer * T * D);
    forward(w, layer);
    const sac_transformer_run run = run_of(w, layer);
    sac_transformer_layer_shape_gradients(pass, &w->arena, l, &run, T, S, &w->gradients);
    if (has_memory(w)) {
        const sac_tensor heads = w->own.attention[SAC_PART_CROSS].heads;
        sac_arena_shape(&w->arena, pass, &w->gradients.dcross, T, heads.width);
        sac_pass_fill(pass, w->dmemory, 0);
    }
    for (size_t n = 0; n < w->count && sac_pass_runs(pass); n++) {
        SAC_PASS_CALL(pass, sac_cancel_check(m->name, &pass->error));
        sac_pass_write(pass, w->d, w->dstates + n * T * D);
        sac_transformer_layer_backward(pass, l, &run, w->d, w->dmemory, w->x, w->t->memory, &w->own,
                                       &w->gradients);
        sac_pass_read(pass, w->d, w->dstates + n * T * D);
        sac_pass_read(pass, w->gradients.dheads,
                      w->dheads[SAC_PART_SELF] + n * sac_tensor_count(w->gradients.dheads));
        if (has_memory(w))
            sac_pass_read(pass, w->gradients.dcross,
                          w->dheads[SAC_PART_CROSS] + n * sac_tensor_count(w->gradients.dcross));
    }
}

/* ---------------------------------------------------------------- attention times its gradient */

/* The attention of a part of the layer that was run last. */
static sac_status attention_of(const way *w, int layer, int part, sac_attention **attention,
                               sac_error *error)
{
    const sac_transformer_run run = run_of(w, layer);
    const sac_multihead_tensors *own = &w->own.attention[part];
    const sac_tensor parts[3] = {own->query, own->key, own->value};
    const bool is_self = part == SAC_PART_SELF;
    const float scale = is_self ? run.scale : run.cross_scale;
    const size_t T = w->t->count, all[] = {T, T}, seen[] = {1, w->t->memory.rows};
    sac_cl_array arrays[3];
    for (int k = 0; k < 3; k++)
        arrays[k] = (sac_cl_array){parts[k].buffer, 3, {1, parts[k].rows, parts[k].width}};
    const sac_cl_input input = {arrays[0], arrays[1], arrays[2]};
    sac_attention_spec spec = {.heads = run.heads, .use_scale = scale > 0, .scale = scale};
    sac_attention_input others = {0};
    sac_array mask;
    size_t shape[4];
    float *biases = NULL;
    if (is_self) {
        spec.key_heads = run.key_heads;
        spec.causal = run.causal;
        spec.window = run.window;
        spec.softcap = run.softcap;
    }
    if (is_self && w->t->unseen) {
        const bool has_window = w->beyond_host && run.mask == w->beyond.buffer;
        mask = sac_array_view(SAC_BOOL, 2, all, has_window ? w->beyond_host : w->t->unseen);
        others.attn_mask = &mask;
    } else if (is_self && w->m->has_biases) {
        biases = sac_architecture_biases(w->m, layer, 0, T, shape);
        if (!biases)
            return sac_no_memory(error, w->m->name);
        mask = sac_array_view(SAC_F32, 4, shape, biases);
        others.attn_mask = &mask;
    } else if (!is_self && w->t->hidden) {
        mask = sac_array_view(SAC_BOOL, 2, seen, w->t->hidden);
        others.key_padding_mask = &mask;
    }
    sac_status status =
        sac_attention_create_cl(w->m->device, &spec, &input, &others, attention, error);
    free(biases);
    return status;
}

/* Of a head, (A ⊙ ∂/∂A)⁺ over the number of heads, of query i and all keys, into w->line. A weight's
 * gradient is that of what its query's head gives by the value of its key. */
static void multiply(const way *w, const float *dhead, size_t i, size_t keys, size_t depth)
{
    const float *weights = w->weights + i * keys;
    memset(w->line, 0, keys * sizeof *w->line);
    for (size_t k = 0; k < depth; k++)
        for (size_t j = 0; j < keys; j++)
            w->line[j] += dhead[k] * w->turned[k * keys + j];
    for (size_t j = 0; j < keys; j++)
        w->line[j] = fmaxf(weights[j] * w->line[j], 0) / (float)w->m->run.heads;
}

/* Takes a line of a number's E, of query i. */
typedef void take_line(const way *w, void *to, size_t number, size_t i, const float *line);

/* All heads of a part of the layer that was run last. `wanted` [count,T]: of which queries, where it is
 * not 0; NULL: of all. */
static sac_status take_part(way *w, int layer, int part, const float *wanted, take_line *take,
                            void *to, sac_error *error)
{
    const size_t T = w->t->count, K = keys_of(w, part), H = (size_t)w->m->run.heads;
    const sac_tensor values = w->own.attention[part].value;
    const size_t all = w->own.attention[part].heads.width, depth = all / H;
    const size_t shared = all / values.width;
    sac_attention *attention = NULL;
    w->line_keys = K;
    sac_device_lock(w->m->device);
    sac_pass_read(&w->m->pass, values, w->values);
    sac_status status = sac_pass_end(&w->m->pass, error);
    sac_device_unlock(w->m->device);
    if (status == SAC_OK)
        status = attention_of(w, layer, part, &attention, error);
    for (size_t h = 0; h < H && status == SAC_OK; h++) {
        const sac_tile tile = {.head = h, .rows = T, .cols = K};
        status = sac_attention_tile(attention, &tile, w->weights, error);
        for (size_t j = 0; j < K; j++)
            for (size_t k = 0; k < depth; k++)
                w->turned[k * K + j] = w->values[j * values.width + h / shared * depth + k];
        for (size_t n = 0; n < w->count && status == SAC_OK; n++)
            for (size_t i = 0; i < T; i++)
                if (!wanted || wanted[n * T + i] != 0) {
                    multiply(w, w->dheads[part] + (n * T + i) * all + h * depth, i, K, depth);
                    take(w, to, n, i, w->line);
                }
    }
    sac_attention_destroy(attention);
    return status;
}

/* ---------------------------------------------------------------- all layers */

static sac_status make_room(way *w, sac_error *error)
{
    const sac_pretrained_model *m = w->m;
    const size_t T = w->t->count, S = w->t->memory.rows, K = T > S ? T : S;
    const char *why = sac_relevance_why_not(w->t->scale);
    if (why)
        return sac_fail(error, SAC_E_ARGUMENT, "relevance", "choose another map",
                        "is not known of %.60s: %s", m->name, why);
    w->states = malloc((size_t)m->layers * T * m->width * sizeof *w->states);
    w->dstates = malloc(w->count * T * m->width * sizeof *w->dstates);
    size_t widest = 0;
    for (int part = SAC_PART_SELF; part <= (has_memory(w) ? SAC_PART_CROSS : SAC_PART_SELF);
         part++) {
        const size_t width = m->layer[0].attention[part].out.w->value.width;
        w->dheads[part] = malloc(w->count * T * width * sizeof(float));
        widest = width > widest ? width : widest;
        if (!w->dheads[part])
            return sac_no_memory(error, m->name);
    }
    w->values = malloc(K * widest * sizeof *w->values);
    w->turned = malloc(K * widest / (size_t)m->run.heads * sizeof *w->turned);
    w->weights = malloc(T * K * sizeof *w->weights);
    w->line = malloc(K * sizeof *w->line);
    return w->states && w->dstates && w->values && w->turned && w->weights && w->line
               ? SAC_OK
               : sac_no_memory(error, m->name);
}

static void finish(way *w)
{
    sac_device_lock(w->m->device);
    sac_arena_release(&w->arena);
    sac_device_unlock(w->m->device);
    free(w->beyond_host);
    free(w->states);
    free(w->dstates);
    free(w->dheads[0]);
    free(w->dheads[1]);
    free(w->values);
    free(w->turned);
    free(w->weights);
    free(w->line);
}

static sac_status begin(way *w, const size_t *at, const float *dleft, sac_error *error)
{
    sac_status status = make_room(w, error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(w->m->device);
    go_forth(w, at, dleft);
    status = sac_pass_end(&w->m->pass, error);
    sac_device_unlock(w->m->device);
    return status;
}

static sac_status go_back_one(way *w, int layer, sac_error *error)
{
    sac_device_lock(w->m->device);
    go_back(w, layer);
    sac_status status = sac_pass_end(&w->m->pass, error);
    sac_device_unlock(w->m->device);
    return status;
}

/* ---------------------------------------------------------------- a text alone */

/* Rows [count,T] that go down through a layer, with the identity's; what that adds goes to `next`. */
typedef struct rows_down {
    const float *rows;
    float *next;
} rows_down;

static void add_row(const way *w, void *to, size_t number, size_t i, const float *line)
{
    const rows_down *r = to;
    const size_t T = w->t->count;
    const float weight = r->rows[number * T + i];
    for (size_t j = 0; j < T; j++)
        r->next[number * T + j] += weight * line[j];
}

sac_status sac_text_relevance(const sac_read_text *text, size_t count, const size_t *at,
                              const float *dleft, float *rows, sac_error *error)
{
    way w = {.t = text, .m = text->model, .count = count};
    const size_t T = text->count;
    float *whole = malloc(count * T * sizeof *whole); /* rows, and the identity's in them */
    sac_status status = whole ? begin(&w, at, dleft, error) : sac_no_memory(error, w.m->name);
    memset(rows, 0, count * T * sizeof *rows);
    for (int i = w.m->layers; i-- > 0 && status == SAC_OK;) {
        status = go_back_one(&w, i, error);
        memcpy(whole, rows, count * T * sizeof *whole);
        for (size_t n = 0; n < count; n++)
            whole[n * T + at[n]] += 1;
        if (status == SAC_OK)
            status =
                take_part(&w, i, SAC_PART_SELF, whole, add_row, &(rows_down){whole, rows}, error);
    }
    free(whole);
    finish(&w);
    return status;
}

/* ---------------------------------------------------------------- a text beside a memory */

/* Of one layer, [T,keys] of each part. */
typedef struct layer_maps {
    float *part[2];
} layer_maps;

static void add_line(const way *w, void *to, size_t number, size_t i, const float *line)
{
    float *map = to;
    const size_t keys = w->line_keys;
    (void)number;
    for (size_t j = 0; j < keys; j++)
        map[i * keys + j] += line[j];
}

/* x ← x + E (of + x): what I + E adds to a vector `of` (NULL: of ones) that x was added to before. */
static void step_right(const float *E, size_t T, const double *of, double *x, double *scratch)
{
    for (size_t j = 0; j < T; j++)
        scratch[j] = (of ? of[j] : 1) + x[j];
    for (size_t i = 0; i < T; i++)
        for (size_t j = 0; j < T; j++)
            x[i] += (double)E[i * T + j] * scratch[j];
}

/* y += xᵀ E */
static void add_left(const double *x, const float *E, size_t T, size_t keys, double *y)
{
    for (size_t i = 0; i < T; i++)
        for (size_t j = 0; x[i] != 0 && j < keys; j++)
            y[j] += x[i] * (double)E[i * keys + j];
}

/* The last row of Q, from the last layer down: u is that row of the product of I + E of the layers above, of the
 * sums of R's rows and of what R makes of u that of I is left out. `numbers` [4T + S] is scratch. */
static void follow(const layer_maps *maps, int layers, size_t T, size_t S, double *numbers,
                   float *memory)
{
    double *u = numbers, *Ru = u + T, *sums = Ru + T, *scratch = sums + T, *Q = scratch + T;
    memset(numbers, 0, (4 * T + S) * sizeof *numbers);
    u[T - 1] = 1;
    for (int l = layers; l-- > 0;) {
        memset(Ru, 0, 2 * T * sizeof *Ru);
        for (int k = 0; k <= l; k++) {
            step_right(maps[k].part[SAC_PART_SELF], T, u, Ru, scratch);
            step_right(maps[k].part[SAC_PART_SELF], T, NULL, sums, scratch);
        }
        for (size_t i = 0; i < T; i++) /* N(R) u; a row where nothing counted stays that of I */
            Ru[i] = u[i] + (sums[i] > 0 ? Ru[i] / sums[i] : 0);
        add_left(Ru, maps[l].part[SAC_PART_CROSS], T, S, Q);
        memcpy(scratch, u, T * sizeof *u);
        add_left(scratch, maps[l].part[SAC_PART_SELF], T, T, u);
    }
    for (size_t j = 0; j < S; j++)
        memory[j] = (float)Q[j];
}

sac_status sac_memory_relevance(const sac_read_text *text, const float *dleft, float *memory,
                                sac_error *error)
{
    way w = {.t = text, .m = text->model, .count = 1};
    const size_t T = text->count, S = text->memory.rows, layers = (size_t)w.m->layers;
    const size_t at = T - 1;
    float *numbers = calloc(layers * T * (T + S), sizeof *numbers);
    double *scratch = malloc((4 * T + S) * sizeof *scratch);
    layer_maps *maps = malloc(layers * sizeof *maps);
    sac_status status =
        numbers && scratch && maps ? begin(&w, &at, dleft, error) : sac_no_memory(error, w.m->name);
    for (size_t i = layers; i-- > 0 && status == SAC_OK;) {
        maps[i].part[SAC_PART_SELF] = numbers + i * T * (T + S);
        maps[i].part[SAC_PART_CROSS] = maps[i].part[SAC_PART_SELF] + T * T;
        status = go_back_one(&w, (int)i, error);
        for (int part = SAC_PART_SELF; part <= SAC_PART_CROSS && status == SAC_OK; part++)
            status = take_part(&w, (int)i, part, NULL, add_line, maps[i].part[part], error);
    }
    if (status == SAC_OK)
        follow(maps, (int)layers, T, S, scratch, memory);
    free(numbers);
    free(scratch);
    free(maps);
    finish(&w);
    return status;
}

/* ---------------------------------------------------------------- the words */

sac_status sac_words_enter(sac_pretrained_model *m, size_t first, const int *ids, size_t count,
                           float *entered, sac_error *error)
{
    sac_pass *pass = &m->pass;
    sac_arena arena = {0};
    sac_ints list = {0}, places = {0};
    sac_tensor x = {0}, narrow = {0};
    if (!count)
        return SAC_OK;
    sac_device_lock(m->device);
    SAC_PASS_CALL(pass, sac_architecture_extend_positions(m, first + count, &pass->error));
    sac_arena_shape_ints(&arena, pass, &list, count);
    sac_arena_shape_ints(&arena, pass, &places, count);
    sac_arena_shape(&arena, pass, &x, count, m->width);
    sac_pass_write_ints(pass, list, ids);
    if (m->positions)
        sac_positions_place(pass, places, m->positions->value, count, m->first_place + first, NULL);
    sac_architecture_embed(m, &arena, &narrow, x, list, places, count);
    sac_pass_read(pass, x, entered);
    sac_status status = sac_pass_end(pass, error);
    sac_arena_release(&arena);
    sac_device_unlock(m->device);
    return status;
}

sac_status sac_logit_gradients(sac_pretrained_model *m, size_t count, const int *ids,
                               const float *states, float *gradients, sac_error *error)
{
    sac_pass *pass = &m->pass;
    const sac_parameter *head = m->head ? m->head : m->words;
    const size_t D = m->width;
    sac_arena arena = {0};
    sac_ints list = {0};
    sac_tensor rows = {0}, wide = {0};
    sac_device_lock(m->device);
    sac_arena_shape_ints(&arena, pass, &list, count);
    sac_arena_shape(&arena, pass, &rows, count, head->value.width);
    sac_pass_write_ints(pass, list, ids);
    sac_embedding_forward(pass, rows, head, list);
    if (m->narrowing.w) {
        sac_arena_shape(&arena, pass, &wide, count, D);
        sac_linear_backward_input(pass, wide, rows, m->narrowing.w);
        rows = wide;
    }
    if (m->text_decoder.narrows)
        sac_scale(pass, rows, 1 / sqrtf((float)D));
    sac_pass_read(pass, rows, gradients);
    sac_status status = sac_pass_end(pass, error);
    sac_arena_release(&arena);
    sac_device_unlock(m->device);
    for (size_t n = 0; n < count && status == SAC_OK && m->logit_cap > 0; n++) {
        double logit = 0; /* of c tanh(l/c) */
        for (size_t k = 0; k < D; k++)
            logit += (double)states[n * D + k] * (double)gradients[n * D + k];
        const double capped = tanh(logit / (double)m->logit_cap);
        for (size_t k = 0; k < D; k++)
            gradients[n * D + k] *= (float)(1 - capped * capped);
    }
    return status;
}
