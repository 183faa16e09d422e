/* Relevance (Chefer et al. 2021, arXiv 2103.15679): the gradients of numbers, such as logits, go back through
 * the layers, and each head's attention is multiplied by the gradient of it. */
#include "architectures/inference/relevance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "nn/attention/positions.h"
#include "nn/layers.h"

/* The backward pass of several numbers through the layers of one text or picture. */
typedef struct walk {
    const sac_inference *p;
    sac_pretrained_model *m;
    size_t count; /* numbers */
    sac_arena arena;
    sac_position_ids placing;
    sac_byte_tensor unseen, hidden; /* of p->unseen in the layer that is run, and of the memory */
    sac_transformer_tensors own;
    sac_transformer_gradients gradients;
    sac_tensor memory;             /* [S,·] */
    sac_tensor x, d, dmemory, sum; /* [T,D], [T,D], [S,·], [T,D] */
    /* Of layers whose keys and values others attend to: those [T,Hk·d], and of each number their gradients by those, host,
     * [count,T,Hk·d]. `scratch`: of the other layers. */
    sac_tensor lent[SAC_ARCHITECTURE_LAYERS][2], scratch[2], borrowed[2];
    float *dlent[SAC_ARCHITECTURE_LAYERS][2];
    uint8_t *unseen_host;   /* [T,T]; host, and so are … */
    float *states;          /* … [layers,T,D]: what enters each layer, … */
    float *dstates;         /* … [count,T,D], … */
    float *dheads[2];       /* … [count,T,H·d], of each part, … */
    float *values, *turned; /* … [keys,Hk·d], and of one head [d,keys], … */
    float *weights, *line;  /* … and [T,keys] and [keys] of one head; … */
    size_t line_keys;       /* … keys of the part that is looked at */
} walk;

static const char *relevance_obstacle(const sac_inference *p)
{
    bool is_beside = false, is_clipped = false;
    for (int i = 0; i < p->model->layers; i++) {
        const sac_parameter *query = p->model->layer[i].attention[SAC_PART_SELF].query.w;
        is_clipped = is_clipped || (query && query->clip);
        is_beside = is_beside || p->model->layer[i].beside.gain;
    }
    return !p->model->layers     ? "it has no layers of attention"
           : p->scale            ? "some heads are scaled"
           : is_clipped          ? "no gradient goes through layers with bounds"
           : is_beside           ? "no gradient goes through experts beside a feed-forward network"
           : p->model->conformer ? "no gradient goes through its convolutions"
           : p->model->nets      ? "no gradient goes through its gated delta nets"
           : p->model->layer[0].space.in.w ? "no gradient goes through its state spaces"
           : p->gates                      ? "no gradient goes through the gates of its distances"
           : p->windows                    ? "no gradient goes through the windows of its stages"
                                           : NULL;
}

bool sac_inference_has_relevance(const sac_inference *p)
{
    return !relevance_obstacle(p);
}

/* ---------------------------------------------------------------- one layer */

/* Of the text's p->unseen what a layer has, with what lies behind its window; tokens at the beginning may
 * see one another all the same. */
static void upload_unseen_mask(walk *w, int layer)
{
    const sac_inference *p = w->p;
    const size_t T = p->count, window = w->m->window[layer];
    if (!p->unseen)
        return;
    for (size_t i = 0; i < T * T; i++) {
        const size_t query = i / T, key = i % T;
        w->unseen_host[i] = p->unseen[i] ||
                            (window && query >= p->joined && key + window <= query) ||
                            (!window && p->block.is_near && key > query);
    }
    sac_arena_shape_bytes(&w->arena, &w->m->pass, &w->unseen, T * T);
    sac_pass_write_bytes(&w->m->pass, w->unseen, w->unseen_host);
}

static sac_transformer_run layer_run(const walk *w, int layer)
{
    sac_transformer_run run = sac_pretrained_model_run_settings(w->m, layer, &w->placing);
    if (w->memory.buffer) {
        run.cross_scale = sac_architecture_cross_scale(w->m, layer, w->p->temperature);
        run.memory_padding = w->hidden.buffer;
    }
    if (w->p->unseen) {
        run.causal = false;
        run.bias = NULL;
        run.mask = w->unseen.buffer;
        run.window = 0;
        run.biased = run.bias_rows = w->p->count;
    }
    return run;
}

/* The keys and values that a layer attends to: where others do too they are kept. */
static void set_keys(walk *w, int layer)
{
    sac_multihead_tensors *own = &w->own.attention[SAC_PART_SELF];
    sac_tensor *const parts[] = {&own->key, &own->value};
    const int lender = layer - (int)w->m->layer[layer].lent;
    for (int i = 0; i < 2 && w->m->layer[w->m->layers - 1].lent; i++) {
        sac_tensor *to = w->dlent[lender][i] ? &w->lent[lender][i] : &w->scratch[i];
        sac_arena_shape(&w->arena, &w->m->pass, to, w->p->count,
                        sac_architecture_part_width(w->m, layer, i + 1));
        *parts[i] = *to;
    }
}

/* The gradients of kept keys and values by number n: those of the layers that they were lent to, of which each adds its own. */
static void lend_gradients(walk *w, int layer, size_t n)
{
    sac_tensor *const to[] = {&w->gradients.lent_key, &w->gradients.lent_value};
    for (int i = 0; i < 2; i++) {
        const sac_tensor kept = w->own.attention[SAC_PART_SELF].key;
        if (!w->dlent[layer][i]) {
            to[i]->buffer = NULL;
            continue;
        }
        sac_arena_shape(&w->arena, &w->m->pass, &w->borrowed[i], kept.rows, kept.width);
        *to[i] = w->borrowed[i];
        sac_pass_write(&w->m->pass, *to[i], w->dlent[layer][i] + n * sac_tensor_count(kept));
    }
}

static void collect_lent_gradients(walk *w, int layer, size_t n)
{
    const int lender = layer - (int)w->m->layer[layer].lent;
    const sac_tensor given[] = {w->gradients.dkey, w->gradients.dvalue};
    const sac_tensor kept = w->own.attention[SAC_PART_SELF].key;
    const size_t count = sac_tensor_count(kept);
    float *numbers = lender < layer ? malloc(count * sizeof *numbers) : NULL;
    if (lender < layer && !numbers)
        SAC_PASS_CALL(&w->m->pass, sac_no_memory(&w->m->pass.error, w->m->name));
    for (int i = 0; i < 2 && numbers; i++) {
        float *sum = w->dlent[lender][i] + n * count;
        sac_pass_read(&w->m->pass, sac_tensor_shaped(given[i], kept.rows, kept.width), numbers);
        for (size_t k = 0; k < count && sac_pass_runs(&w->m->pass); k++)
            sum[k] += numbers[k];
    }
    free(numbers);
}

/* Returns what leaves it. */
static sac_tensor forward(walk *w, int layer)
{
    const sac_transformer_layer *l = &w->m->layer[layer];
    sac_architecture_build_layer_biases(w->m, &w->arena, &w->placing, 0, w->p);
    if (layer > 0)
        sac_architecture_build_layer_biases(w->m, &w->arena, &w->placing, layer, w->p);
    upload_unseen_mask(w, layer);
    const sac_transformer_run run = layer_run(w, layer);
    set_keys(w, layer);
    sac_transformer_layer_shape(&w->m->pass, &w->arena, l, &run, w->p->count, w->memory.rows,
                                &w->own);
    const sac_tensor y =
        sac_transformer_layer_forward(&w->m->pass, l, &run, w->x, w->memory, &w->own);
    sac_inference_add_level(w->p, &w->arena, layer, y);
    return y;
}

/* What leaves the first layer of some models has a convolution of what entered it added, and is normed then:
 * w->sum, before it is. False: not of this model. */
static bool add_first_layer_convolution(walk *w, sac_tensor y)
{
    if (!w->m->widened.w)
        return false;
    sac_arena_shape(&w->arena, &w->m->pass, &w->sum, y.rows, y.width);
    sac_inference_convolve_input(w->p, &w->arena, w->sum);
    sac_add(&w->m->pass, w->sum, y);
    return true;
}

/* Of a layer between the last state and the logits, which BERT has: d [D] of what leaves it becomes that of the
 * state, w->x's row `at`. */
static void backpropagate_change_layer(walk *w, size_t at, float *d)
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

/* What enters each layer, and the numbers' gradients of what leaves the last, from those of what leaves the
 * model: dleft [count,D] at rows at[count], or where that is NULL of one number [T,D]. */
static void run_layers_forward(walk *w, const size_t *at, const float *dleft)
{
    sac_pretrained_model *m = w->m;
    sac_pass *pass = &m->pass;
    const struct sac_attended *memory = w->p->memory;
    const size_t T = w->p->count, D = m->width;
    SAC_PASS_CALL(pass, sac_architecture_extend_positions(m, T, &pass->error));
    sac_architecture_build_positions(m, &w->arena, &w->placing, 0, T, T, w->p);
    w->placing.temperature = memory ? 0 : w->p->temperature;
    sac_arena_shape(&w->arena, pass, &w->x, T, D);
    sac_arena_shape(&w->arena, pass, &w->d, T, D);
    if (memory)
        sac_arena_shape(&w->arena, pass, &w->dmemory, w->memory.rows, w->memory.width);
    if (memory && memory->hidden) {
        sac_arena_shape_bytes(&w->arena, pass, &w->hidden, w->memory.rows);
        sac_pass_write_bytes(pass, w->hidden, memory->hidden);
    }
    sac_pass_write(pass, w->x, w->p->entered);
    sac_architecture_build_layer_words(m, &w->arena, &w->placing, w->p->ids, w->x);
    for (int i = 0; i < m->layers && sac_pass_runs(pass); i++) {
        sac_pass_read(pass, w->x, w->states + (size_t)i * T * D);
        const sac_tensor y = forward(w, i);
        if (i == 0 && add_first_layer_convolution(w, y))
            sac_layer_norm_forward(pass, &m->widen_norm, w->x, w->sum);
        else
            sac_pass_copy(pass, w->x, y);
        sac_inference_add_positions_between(w->p, i, w->x, w->d);
    }
    memset(w->dstates, 0, w->count * T * D * sizeof *w->dstates);
    for (size_t n = 0; n < w->count; n++) {
        float *d = w->dstates + n * T * D;
        if (at)
            memcpy(d + at[n] * D, dleft + n * D, D * sizeof *d);
        else
            memcpy(d, dleft, T * D * sizeof *d);
        if (at && m->text_decoder.change.w)
            backpropagate_change_layer(w, at[n], d + at[n] * D);
        if (!m->last_norm.gain)
            continue;
        sac_pass_write(pass, w->d, d);
        sac_layer_norm_backward(pass, &m->last_norm, w->d, w->x);
        sac_pass_read(pass, w->d, d);
    }
}

/* A layer once more, and back: of each number the gradients of what leaves it become those of what enters it,
 * with those of what its heads give. */
static void backpropagate_layer(walk *w, int layer)
{
    sac_pretrained_model *m = w->m;
    sac_pass *pass = &m->pass;
    const sac_transformer_layer *l = &m->layer[layer];
    const size_t T = w->p->count, D = m->width;
    sac_pass_write(pass, w->x, w->states + (size_t)layer * T * D);
    const sac_tensor y = forward(w, layer);
    const bool widens = layer == 0 && add_first_layer_convolution(w, y);
    const sac_transformer_run run = layer_run(w, layer);
    sac_transformer_layer_shape_gradients(pass, &w->arena, l, &run, T, w->memory.rows,
                                          &w->gradients);
    if (w->memory.buffer) {
        const sac_tensor heads = w->own.attention[SAC_PART_CROSS].heads;
        sac_arena_shape(&w->arena, pass, &w->gradients.dcross, T, heads.width);
        sac_pass_fill(pass, w->dmemory, 0);
    }
    const sac_tensor dheads[] = {w->gradients.dheads, w->gradients.dcross};
    for (size_t n = 0; n < w->count && sac_pass_runs(pass); n++) {
        SAC_PASS_CALL(pass, sac_cancel_check(m->name, &pass->error));
        sac_pass_write(pass, w->d, w->dstates + n * T * D);
        if (widens)
            sac_layer_norm_backward(pass, &m->widen_norm, w->d, w->sum);
        lend_gradients(w, layer, n);
        sac_transformer_layer_backward(pass, l, &run, w->d, w->dmemory, w->x, w->memory, &w->own,
                                       &w->gradients);
        collect_lent_gradients(w, layer, n);
        sac_pass_read(pass, w->d, w->dstates + n * T * D);
        for (int part = 0; part < 2 && w->dheads[part]; part++)
            sac_pass_read(pass, dheads[part], w->dheads[part] + n * sac_tensor_count(dheads[part]));
    }
}

/* ---------------------------------------------------------------- attention times its gradient */

/* Of a head, (A ⊙ ∂/∂A)⁺ over the number of heads, of query i and all keys, into w->line. A weight's
 * gradient is that of what its query's head gives by the value of its key. */
static void weight_line_by_gradient(const walk *w, const float *dhead, size_t i, size_t keys,
                                    size_t depth)
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
typedef void take_line(const walk *w, void *to, size_t number, size_t i, const float *line);

/* All heads of a part of the layer that was run last. `wanted` [count,T]: of which queries, where it is
 * not 0; NULL: of all. */
static sac_status collect_part_relevance(walk *w, int layer, int part, const float *wanted,
                                         take_line *take, void *to, sac_error *error)
{
    const size_t T = w->p->count, K = part == SAC_PART_SELF ? T : w->memory.rows,
                 H = (size_t)w->m->run.heads;
    const sac_tensor values = w->own.attention[part].value;
    const size_t all = w->own.attention[part].heads.width, depth = all / H;
    const size_t shared = all / values.width;
    const sac_transformer_run run = layer_run(w, layer);
    sac_attention *attention = NULL;
    w->line_keys = K;
    sac_device_lock(w->m->device);
    sac_pass_read(&w->m->pass, values, w->values);
    sac_status status = sac_model_end_pass(w->m, NULL, error);
    if (status == SAC_OK)
        status = sac_inference_attention_from_tensors(
            w->p, layer, part, &run, &w->own.attention[part], w->unseen_host, &attention, error);
    for (size_t h = 0; h < H && status == SAC_OK; h++) {
        const sac_tile tile = {.head = h, .rows = T, .cols = K};
        status = sac_attention_tile(attention, &tile, w->weights, error);
        for (size_t j = 0; j < K; j++)
            for (size_t k = 0; k < depth; k++)
                w->turned[k * K + j] = w->values[j * values.width + h / shared * depth + k];
        for (size_t n = 0; n < w->count && status == SAC_OK; n++)
            for (size_t i = 0; i < T; i++)
                if (!wanted || wanted[n * T + i] != 0) {
                    weight_line_by_gradient(w, w->dheads[part] + (n * T + i) * all + h * depth, i,
                                            K, depth);
                    take(w, to, n, i, w->line);
                }
    }
    sac_attention_destroy(attention);
    return status;
}

/* ---------------------------------------------------------------- all layers */

static sac_status allocate_buffers(walk *w, sac_error *error)
{
    const sac_pretrained_model *m = w->m;
    const size_t T = w->p->count, S = w->memory.rows, K = T > S ? T : S;
    size_t widest = 0;
    bool done = true;
    for (int part = SAC_PART_SELF; part <= (S ? SAC_PART_CROSS : SAC_PART_SELF); part++) {
        size_t width = 0;
        for (int i = 0; i < m->layers; i++) {
            const sac_parameter *out = m->layer[i].attention[part].out.w;
            width = out && out->value.width > width ? out->value.width : width;
        }
        w->dheads[part] = malloc(w->count * T * width * sizeof(float));
        widest = width > widest ? width : widest;
        done = done && w->dheads[part];
    }
    for (int i = 0; i < m->layers; i++)
        for (int k = 0; k < 2 && m->layer[i].lent; k++) {
            float **of = &w->dlent[i - (int)m->layer[i].lent][k];
            if (!*of)
                *of = calloc(w->count * T * sac_architecture_part_width(m, i, k + 1), sizeof **of);
            done = done && *of;
        }
    w->unseen_host = w->p->unseen ? malloc(T * T) : NULL;
    w->states = malloc((size_t)m->layers * T * m->width * sizeof *w->states);
    w->dstates = malloc(w->count * T * m->width * sizeof *w->dstates);
    w->values = malloc(K * widest * sizeof *w->values);
    w->turned = malloc(K * widest / (size_t)m->run.heads * sizeof *w->turned);
    w->weights = malloc(T * K * sizeof *w->weights);
    w->line = malloc(K * sizeof *w->line);
    done = done && (w->unseen_host || !w->p->unseen) && w->states && w->dstates && w->values &&
           w->turned && w->weights && w->line;
    return done ? SAC_OK : sac_no_memory(error, m->name);
}

/* `other`: what could be asked for in place of relevance. */
static sac_status begin(walk *w, const size_t *at, const float *dleft, const char *other,
                        sac_error *error)
{
    const char *why = relevance_obstacle(w->p);
    w->memory = w->p->memory ? w->p->memory->states : (sac_tensor){0};
    if (why)
        return sac_fail(error, SAC_E_ARGUMENT, "relevance", other, "is not known of %.60s: %s",
                        w->m->name, why);
    sac_status status = allocate_buffers(w, error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(w->m->device);
    run_layers_forward(w, at, dleft);
    return sac_model_end_pass(w->m, NULL, error);
}

static void finish(walk *w)
{
    sac_device_lock(w->m->device);
    sac_arena_release(&w->arena);
    sac_device_unlock(w->m->device);
    void *const owned[] = {w->unseen_host, w->states, w->dstates, w->dheads[0], w->dheads[1],
                           w->values,      w->turned, w->weights, w->line};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    for (int i = 0; i < SAC_ARCHITECTURE_LAYERS; i++)
        for (int k = 0; k < 2; k++)
            free(w->dlent[i][k]);
}

static sac_status backpropagate_layer_checked(walk *w, int layer, sac_error *error)
{
    sac_device_lock(w->m->device);
    backpropagate_layer(w, layer);
    return sac_model_end_pass(w->m, NULL, error);
}

static void add_map_line(const walk *w, void *to, size_t number, size_t i, const float *line)
{
    float *map = to;
    const size_t keys = w->line_keys;
    (void)number;
    for (size_t j = 0; j < keys; j++)
        map[i * keys + j] += line[j];
}

sac_status sac_inference_backward(const sac_inference *p, const float *dleft, float *maps,
                                  sac_error *error)
{
    walk w = {.p = p, .m = p->model, .count = 1};
    const size_t map = p->count * p->count;
    sac_status status = begin(&w, NULL, dleft, "choose another reduction", error);
    for (int i = p->model->layers; i-- > 0 && status == SAC_OK;) {
        memset(maps + (size_t)i * map, 0, map * sizeof *maps);
        status = backpropagate_layer_checked(&w, i, error);
        if (status == SAC_OK)
            status = collect_part_relevance(&w, i, SAC_PART_SELF, NULL, add_map_line,
                                            maps + (size_t)i * map, error);
    }
    finish(&w);
    return status;
}

/* ---------------------------------------------------------------- a text alone */

/* Rows [count,T] that go down through a layer, with the identity's; what that adds goes to `next`. */
typedef struct rows_down {
    const float *rows;
    float *next;
} rows_down;

static void add_weighted_row(const walk *w, void *to, size_t number, size_t i, const float *line)
{
    const rows_down *r = to;
    const size_t T = w->p->count;
    const float weight = r->rows[number * T + i];
    for (size_t j = 0; j < T; j++)
        r->next[number * T + j] += weight * line[j];
}

sac_status sac_text_relevance(const sac_inference *text, size_t count, const size_t *at,
                              const float *dleft, float *rows, sac_error *error)
{
    walk w = {.p = text, .m = text->model, .count = count};
    const size_t T = text->count;
    float *whole = malloc(count * T * sizeof *whole); /* rows, and the identity's in them */
    sac_status status = whole ? begin(&w, at, dleft, "choose another map", error)
                              : sac_no_memory(error, text->model->name);
    if (at)
        memset(rows, 0, count * T * sizeof *rows);
    for (int i = text->model->layers; i-- > 0 && status == SAC_OK;) {
        status = backpropagate_layer_checked(&w, i, error);
        memcpy(whole, rows, count * T * sizeof *whole);
        for (size_t n = 0; at && n < count; n++)
            whole[n * T + at[n]] += 1;
        if (status == SAC_OK)
            status = collect_part_relevance(&w, i, SAC_PART_SELF, whole, add_weighted_row,
                                            &(rows_down){whole, rows}, error);
    }
    free(whole);
    finish(&w);
    return status;
}

/* ---------------------------------------------------------------- a decoder with cross-attention */

/* Of one layer, [T,keys] of each part. */
typedef struct layer_maps {
    float *part[2];
} layer_maps;

/* x ← x + E (of + x): what I + E adds to a vector `of` (NULL: of ones) that x was added to before. */
static void accumulate_matrix_product(const float *E, size_t T, const double *of, double *x,
                                      double *scratch)
{
    for (size_t j = 0; j < T; j++)
        scratch[j] = (of ? of[j] : 1) + x[j];
    for (size_t i = 0; i < T; i++)
        for (size_t j = 0; j < T; j++)
            x[i] += (double)E[i * T + j] * scratch[j];
}

/* y += xᵀ E */
static void add_vector_matrix_product(const double *x, const float *E, size_t T, size_t keys,
                                      double *y)
{
    for (size_t i = 0; i < T; i++)
        for (size_t j = 0; x[i] != 0 && j < keys; j++)
            y[j] += x[i] * (double)E[i * keys + j];
}

/* The last row of Q, from the last layer down: u is that row of the product of I + E of the layers above, of the
 * sums of R's rows and of what R makes of u that of I is left out. `numbers` [4T + S] is scratch. */
static void compute_last_relevance_row(const layer_maps *maps, int layers, size_t T, size_t S,
                                       double *numbers, float *memory)
{
    double *u = numbers, *Ru = u + T, *sums = Ru + T, *scratch = sums + T, *Q = scratch + T;
    memset(numbers, 0, (4 * T + S) * sizeof *numbers);
    u[T - 1] = 1;
    for (int l = layers; l-- > 0;) {
        memset(Ru, 0, 2 * T * sizeof *Ru);
        for (int k = 0; k <= l; k++) {
            accumulate_matrix_product(maps[k].part[SAC_PART_SELF], T, u, Ru, scratch);
            accumulate_matrix_product(maps[k].part[SAC_PART_SELF], T, NULL, sums, scratch);
        }
        for (size_t i = 0; i < T; i++) /* N(R) u; a row where nothing counted stays that of I */
            Ru[i] = u[i] + (sums[i] > 0 ? Ru[i] / sums[i] : 0);
        add_vector_matrix_product(Ru, maps[l].part[SAC_PART_CROSS], T, S, Q);
        memcpy(scratch, u, T * sizeof *u);
        add_vector_matrix_product(scratch, maps[l].part[SAC_PART_SELF], T, T, u);
    }
    for (size_t j = 0; j < S; j++)
        memory[j] = (float)Q[j];
}

sac_status sac_memory_relevance(const sac_inference *text, const float *dleft, float *memory,
                                sac_error *error)
{
    walk w = {.p = text, .m = text->model, .count = 1};
    const size_t T = text->count, S = text->memory->states.rows,
                 layers = (size_t)text->model->layers;
    const size_t at = T - 1;
    float *numbers = calloc(layers * T * (T + S), sizeof *numbers);
    double *scratch = malloc((4 * T + S) * sizeof *scratch);
    layer_maps *maps = malloc(layers * sizeof *maps);
    sac_status status = numbers && scratch && maps
                            ? begin(&w, &at, dleft, "choose another map", error)
                            : sac_no_memory(error, text->model->name);
    for (size_t i = layers; i-- > 0 && status == SAC_OK;) {
        maps[i].part[SAC_PART_SELF] = numbers + i * T * (T + S);
        maps[i].part[SAC_PART_CROSS] = maps[i].part[SAC_PART_SELF] + T * T;
        status = backpropagate_layer_checked(&w, (int)i, error);
        for (int part = SAC_PART_SELF; part <= SAC_PART_CROSS && status == SAC_OK; part++)
            status = collect_part_relevance(&w, (int)i, part, NULL, add_map_line,
                                            maps[i].part[part], error);
    }
    if (status == SAC_OK)
        compute_last_relevance_row(maps, (int)layers, T, S, scratch, memory);
    free(numbers);
    free(scratch);
    free(maps);
    finish(&w);
    return status;
}

/* ---------------------------------------------------------------- the words */

sac_status sac_words_embed(sac_pretrained_model *m, size_t first, const int *ids, size_t count,
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
    sac_architecture_write_words(m, list, ids);
    if (m->positions)
        sac_positions_place(pass, places, m->positions->value, count, m->first_place + first, NULL);
    sac_architecture_embed(m, &arena, &narrow, x, list, places, count);
    sac_pass_read(pass, x, entered);
    return sac_model_end_pass(m, &arena, error);
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
    if (m->logit_scale != 1)
        sac_scale(pass, rows, m->logit_scale);
    sac_pass_read(pass, rows, gradients);
    sac_status status = sac_model_end_pass(m, &arena, error);
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

/* ---------------------------------------------------------------- the number */

/* How many of the first tokens' states are classified, by their mean. */
static size_t classified_tokens(const sac_inference *p)
{
    const sac_classifier *c = &p->model->classifier;
    return c->is_of_mean ? p->count : c->first ? (size_t)c->first : 1;
}

/* The state [D] that is classified. */
static void pool_state(const sac_inference *p, float *state)
{
    const size_t D = p->model->width, T = classified_tokens(p);
    memset(state, 0, D * sizeof *state);
    for (size_t t = 0; t < T; t++)
        for (size_t k = 0; k < D; k++)
            state[k] += p->left[t * D + k] / (float)T;
}

/* The logits of the classes by the pooled state; or with `target` back, from that of its class to the
 * gradient [D] of that state, which `d` holds before. */
static void run_classifier_or_gradient(const sac_inference *p, sac_arena *arena, float *logits,
                                       const sac_logit *target, float *d)
{
    sac_pass *pass = &p->model->pass;
    const sac_classifier *c = &p->model->classifier;
    const size_t D = p->model->width;
    sac_ints id = {0};
    sac_tensor x = {0}, pooled = {0}, activated = {0}, normed = {0}, y = {0};
    sac_arena_shape(arena, pass, &x, 1, D);
    sac_arena_shape(arena, pass, &pooled, 1, D);
    sac_arena_shape(arena, pass, &activated, 1, D);
    sac_arena_shape(arena, pass, &normed, 1, D);
    sac_pass_write(pass, x, d);
    sac_pass_copy(pass, activated, x);
    if (c->pool.w) {
        sac_linear_forward(pass, pooled, x, c->pool.w, c->pool.b);
        sac_pass_copy(pass, activated, pooled);
        sac_activate(pass, activated, c->activated);
    }
    sac_pass_copy(pass, normed, activated);
    if (c->normed.gain)
        sac_layer_norm_forward(pass, &c->normed, normed, activated);
    if (!target) {
        sac_arena_shape(arena, pass, &y, 1, c->logits.w->shape[0]);
        sac_linear_forward(pass, y, normed, c->logits.w, c->logits.b);
        sac_pass_read(pass, y, logits);
        return;
    }
    sac_arena_shape_ints(arena, pass, &id, 1);
    sac_pass_write_ints(pass, id, &target->id);
    sac_embedding_forward(pass, normed, c->logits.w, id);
    if (c->normed.gain)
        sac_layer_norm_backward(pass, &c->normed, normed, activated);
    if (c->pool.w) {
        sac_activate_backward(pass, normed, pooled, c->activated);
        sac_linear_backward_input(pass, x, normed, c->pool.w);
    }
    sac_pass_read(pass, c->pool.w ? x : normed, d);
}

sac_status sac_inference_classify(const sac_inference *p, float *logits, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    sac_arena arena = {0};
    if (!m->classifier.logits.w)
        return SAC_OK;
    float *state = malloc(m->width * sizeof *state);
    if (!state)
        return sac_no_memory(error, m->name);
    pool_state(p, state);
    sac_device_lock(m->device);
    run_classifier_or_gradient(p, &arena, logits, NULL, state);
    free(state);
    return sac_model_end_pass(m, &arena, error);
}

/* The most probable class, or next token. */
static sac_status find_target(const sac_inference *p, sac_logit *target, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    const bool is_class = m->classifier.logits.w != NULL;
    const size_t count = is_class ? m->classifier.logits.w->shape[0] : m->vocabulary;
    float *classes = is_class ? malloc(count * sizeof *classes) : NULL;
    const float *logits = is_class ? classes : p->next;
    sac_status status = is_class && !classes ? sac_no_memory(error, m->name) : SAC_OK;
    *target = (sac_logit){.kind = is_class ? SAC_LOGIT_CLASS : SAC_LOGIT_NEXT,
                          .at = is_class ? 0 : p->count - 1};
    if (status == SAC_OK && is_class)
        status = sac_inference_classify(p, classes, error);
    for (size_t i = 1; i < count && status == SAC_OK; i++)
        target->id = logits[i] > logits[target->id] ? (int)i : target->id;
    target->logit = status == SAC_OK ? logits[target->id] : 0;
    free(classes);
    return status;
}

/* dleft of that logit: all else is 0. */
static sac_status fill_logit_gradient(const sac_inference *p, sac_logit *target, float *dleft,
                                      sac_error *error)
{
    sac_pretrained_model *m = p->model;
    sac_arena arena = {0};
    sac_status status = find_target(p, target, error);
    if (status != SAC_OK)
        return status;
    float *d = dleft + target->at * m->width;
    if (target->kind == SAC_LOGIT_NEXT)
        return sac_logit_gradients(m, 1, &target->id, p->left + target->at * m->width, d, error);
    pool_state(p, d);
    sac_device_lock(m->device);
    run_classifier_or_gradient(p, &arena, NULL, target, d);
    status = sac_model_end_pass(m, &arena, error);
    const size_t tokens = classified_tokens(p); /* each state has its share of their mean */
    for (size_t i = tokens * m->width; tokens > 1 && i-- > 0;)
        dleft[i] = d[i % m->width] / (float)tokens;
    return status;
}

/* dleft of half the squared length of the mean of all states: the mean, by their number. */
static void fill_mean_gradient(const sac_inference *p, sac_logit *target, float *dleft)
{
    const size_t T = p->count, D = p->model->width;
    double squares = 0;
    for (size_t k = 0; k < D; k++) {
        double mean = 0;
        for (size_t t = 0; t < T; t++)
            mean += (double)p->left[t * D + k] / (double)T;
        for (size_t t = 0; t < T; t++)
            dleft[t * D + k] = (float)(mean / (double)T);
        squares += mean * mean;
    }
    *target = (sac_logit){.kind = SAC_LOGIT_MEAN, .logit = (float)(squares / 2)};
}

sac_status sac_inference_relevance(const sac_inference *p, sac_logit *target, float *maps,
                                   sac_error *error)
{
    const sac_pretrained_model *m = p->model;
    float *dleft = calloc(p->count * m->width, sizeof *dleft);
    sac_status status = dleft ? SAC_OK : sac_no_memory(error, m->name);
    if (status == SAC_OK && (p->next || m->classifier.logits.w))
        status = fill_logit_gradient(p, target, dleft, error);
    else if (status == SAC_OK)
        fill_mean_gradient(p, target, dleft);
    if (status == SAC_OK)
        status = sac_inference_backward(p, dleft, maps, error);
    free(dleft);
    return status;
}
