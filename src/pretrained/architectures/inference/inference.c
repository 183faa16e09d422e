/* Runs a text or a picture through a model, and keeps the queries, keys and values of each layer.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/error.h"
#include "device/trace.h"
#include "nn/attention/positions.h"
#include "nn/layers.h"
#include "saccade_cl.h"
#include "tokenizers/chat/conversation.h"

/* ---------------------------------------------------------------- shared with generation */

size_t sac_architecture_part_width(const sac_pretrained_model *m, int layer, int part)
{
    const sac_multihead *a = &m->layer[layer].attention[SAC_PART_SELF];
    const sac_dense *const parts[] = {&a->query, &a->key, &a->value};
    return m->layers ? parts[part]->w->shape[0] : 0;
}

int sac_architecture_key_heads(const sac_pretrained_model *m, int layer)
{
    const size_t heads = (size_t)m->run.heads;
    return m->run.key_heads ? (int)(sac_architecture_part_width(m, layer, 1) * heads /
                                    sac_architecture_part_width(m, layer, 0))
                            : 0;
}

sac_tensor sac_inference_part(const sac_inference *p, int layer, int part)
{
    const bool gathers = part && p->memory && p->model->layer[layer].memory_norm.gain;
    return (sac_tensor){.buffer = p->layer[layer].part[part],
                        .rows = p->count + (gathers ? p->memory->states.rows : 0),
                        .width = sac_architecture_part_width(p->model, layer, part),
                        .stored = SAC_STORED_F32};
}

/* What is added to a layer's scores, on the host: free() it. NULL: nothing is. */
static sac_status read_biases(const sac_inference *p, int layer, const sac_multihead_tensors *t,
                              size_t shape[4], float **biases, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    const bool by_content = sac_architecture_has_distances(m);
    *biases = NULL;
    if (!m->has_biases && !m->relative.is_of_grid && !by_content)
        return SAC_OK;
    if (m->relative.is_of_grid)
        *biases = sac_architecture_make_grid_biases(m, layer, p, shape);
    else if (by_content) {
        shape[1] = (size_t)m->run.heads;
        shape[2] = shape[3] = p->count;
        *biases = malloc(shape[1] * shape[2] * shape[3] * sizeof **biases);
    } else
        *biases = sac_architecture_make_biases(m, layer, 0, p->count, shape);
    if (!*biases)
        return sac_no_memory(error, m->name);
    const float *gates = p->gates ? p->gates + (size_t)layer * shape[1] * p->count : NULL;
    for (size_t i = 0; gates && i < shape[1] * shape[2] * shape[3]; i++)
        (*biases)[i] *= gates[i / shape[3]];
    return by_content ? sac_architecture_distance_biases(m, layer, p->temperature, t->query, t->key,
                                                         *biases, error)
                      : SAC_OK;
}

sac_status sac_inference_attention_from_tensors(const sac_inference *p, int layer, int part,
                                                const sac_transformer_run *run,
                                                const sac_multihead_tensors *t,
                                                const uint8_t *unseen, sac_attention **attention,
                                                sac_error *error)
{
    sac_pretrained_model *m = p->model;
    const bool is_self = part == SAC_PART_SELF, is_squared = is_self && m->squared[layer];
    const sac_tensor parts[3] = {t->query, t->key, t->value};
    const float scale = is_self ? run->scale : run->cross_scale;
    sac_attention_spec spec = {.heads = run->heads, .use_scale = scale > 0, .scale = scale};
    sac_cl_array of[3];
    for (int k = 0; k < 3; k++)
        of[k] = (sac_cl_array){
            parts[k].buffer, 3, {1, parts[k].rows, parts[k].width}, .offset = parts[k].at};
    const sac_cl_input input = {of[0], of[1], of[2]};
    const size_t heads = (size_t)run->heads, all[] = {p->count, p->count},
                 keys[] = {1, of[1].shape[1]};
    size_t shape[4] = {1, 1, 1, 1};
    float *biases = NULL, *sinks = NULL;
    uint8_t *beyond = is_squared ? sac_architecture_make_window_mask(p) : NULL;
    sac_status status = beyond || !is_squared ? SAC_OK : sac_no_memory(error, m->name);
    if (is_self) {
        spec.key_heads = run->key_heads;
        spec.causal = run->causal;
        spec.window = run->window;
        spec.softcap = run->softcap;
        unseen = beyond ? beyond : unseen;
        if (status == SAC_OK && m->layer[layer].sinks) {
            sac_device_lock(m->device);
            sinks = sac_model_read_parameter(m, m->layer[layer].sinks);
            status = sac_model_end_pass(m, NULL, error);
        }
        if (status == SAC_OK && !unseen)
            status = read_biases(p, layer, t, shape, &biases, error);
    }
    const uint8_t *hidden = is_self ? p->hidden : p->memory->hidden;
    const sac_array mask = unseen ? sac_array_view(SAC_BOOL, 2, all, unseen)
                                  : sac_array_view(SAC_F32, 4, shape, biases);
    const sac_array logits = sac_array_view(SAC_F32, 1, &heads, sinks);
    const sac_array padding = sac_array_view(SAC_BOOL, 2, keys, hidden);
    const sac_attention_input others = {.attn_mask = biases || (is_self && unseen) ? &mask : NULL,
                                        .key_padding_mask = hidden ? &padding : NULL,
                                        .sinks = sinks ? &logits : NULL};
    if (status == SAC_OK)
        status = sac_attention_create_cl(m->device, &spec, &input, &others, attention, error);
    free(sinks);
    free(biases);
    free(beyond);
    return status;
}

static sac_tensor cross_part(const sac_inference *p, int layer, int k)
{
    const sac_multihead *a = &p->model->layer[layer].attention[SAC_PART_CROSS];
    const sac_dense *const parts[] = {&a->query, &a->key, &a->value};
    return (sac_tensor){.buffer = p->layer[layer].cross[k],
                        .rows = k ? p->memory->states.rows : p->count,
                        .width = parts[k]->w ? parts[k]->w->shape[0] : 0,
                        .stored = SAC_STORED_F32};
}

sac_status sac_inference_create_attention(const sac_inference *p, int layer, int part,
                                          sac_attention **attention, sac_error *error)
{
    const bool is_self = part == SAC_PART_SELF;
    const sac_position_ids placing = {.temperature = p->memory ? 0 : p->temperature};
    sac_transformer_run run = sac_pretrained_model_run_settings(p->model, layer, &placing);
    sac_multihead_tensors t = {0};
    sac_tensor *const parts[] = {&t.query, &t.key, &t.value};
    for (int k = 0; k < 3; k++)
        *parts[k] = is_self ? sac_inference_part(p, layer, k) : cross_part(p, layer, k);
    run.causal = run.causal && !p->is_bidirectional;
    run.window = p->is_bidirectional ? 0 : run.window;
    if (!is_self)
        run.cross_scale = sac_architecture_cross_scale(p->model, layer, p->temperature);
    uint8_t *unseen = NULL;
    if (is_self && p->block.token) {
        unseen = sac_architecture_make_block_mask(p->ids, p->count, p->block, run.window);
        if (!unseen)
            return sac_no_memory(error, p->model->name);
        run.causal = false;
        run.window = 0;
    }
    sac_status status =
        sac_inference_attention_from_tensors(p, layer, part, &run, &t, unseen, attention, error);
    free(unseen);
    return status;
}

sac_status sac_attention_add_heads(sac_attention *attention, const sac_tile *of, size_t heads,
                                   float share, size_t stride, float *rows, sac_error *error)
{
    const size_t numbers = of->rows * of->cols, end = of->head + heads;
    float *weights = malloc((numbers + 1) * sizeof *weights);
    sac_status status = weights ? SAC_OK : sac_no_memory(error, "weights");
    for (sac_tile tile = *of; tile.head < end && status == SAC_OK; tile.head++) {
        status = sac_attention_tile(attention, &tile, weights, error);
        for (size_t i = 0; i < numbers && status == SAC_OK; i++)
            rows[i / of->cols * stride + i % of->cols] += share * weights[i];
    }
    free(weights);
    return status;
}

static size_t key_count(const sac_inference *p, int part)
{
    return part == SAC_PART_SELF ? sac_inference_part(p, 0, 1).rows : p->memory->states.rows;
}

sac_status sac_inference_add_heads(const sac_inference *p, int layer, int head, int part,
                                   size_t first, size_t count, float share, size_t stride,
                                   float *rows, sac_error *error)
{
    const sac_tile tile = {.head = head ? (size_t)head - 1 : 0,
                           .row = first,
                           .rows = count,
                           .cols = key_count(p, part)};
    sac_attention *attention = NULL;
    sac_status status = sac_inference_create_attention(p, layer, part, &attention, error);
    if (status == SAC_OK)
        status = sac_attention_add_heads(attention, &tile, head ? 1 : (size_t)p->model->run.heads,
                                         share, stride, rows, error);
    sac_attention_destroy(attention);
    return status;
}

sac_status sac_inference_read_heads(const sac_inference *p, int layer, int part, float *weights,
                                    sac_error *error)
{
    sac_tile tile = {.rows = p->count, .cols = key_count(p, part)};
    sac_attention *attention = NULL;
    sac_status status = sac_inference_create_attention(p, layer, part, &attention, error);
    for (; tile.head < (size_t)p->model->run.heads && status == SAC_OK; tile.head++)
        status = sac_attention_tile(attention, &tile, weights + tile.head * tile.rows * tile.cols,
                                    error);
    sac_attention_destroy(attention);
    return status;
}

enum { SLICE = 8192 }; /* tokens */

/* Multiplies by a slice of the vocabulary at a time, as a product makes a packed copy of its second
 * operand. */
void sac_architecture_logits(sac_pretrained_model *m, sac_tensor logits, sac_tensor x)
{
    sac_parameter slice = m->head ? *m->head : *m->words;
    const sac_tensor all = slice.value;
    sac_arena arena = {0};
    sac_tensor narrow = {0};
    if (m->narrowing.w) {
        sac_arena_shape(&arena, &m->pass, &narrow, 1, m->narrowing.w->shape[0]);
        sac_linear_forward(&m->pass, narrow, x, m->narrowing.w, NULL);
        x = narrow;
    }
    for (size_t first = 0; first < m->vocabulary; first += SLICE) {
        size_t count = m->vocabulary - first < SLICE ? m->vocabulary - first : SLICE;
        slice.value = sac_tensor_rows(all, first, count);
        const sac_tensor part = {logits.buffer, logits.at + (cl_uint)first, 1, count,
                                 SAC_STORED_F32};
        sac_parameter bias = m->text_decoder.bias ? *m->text_decoder.bias : (sac_parameter){0};
        bias.value.at += (cl_uint)first;
        bias.value.width = bias.count = count;
        sac_linear_forward(&m->pass, part, x, &slice, m->text_decoder.bias ? &bias : NULL);
    }
    if (m->logit_scale != 1)
        sac_scale(&m->pass, logits, m->logit_scale);
    if (m->logit_cap > 0) {
        sac_scale(&m->pass, logits, 1 / m->logit_cap);
        sac_tanh_forward(&m->pass, logits);
        sac_scale(&m->pass, logits, m->logit_cap);
    }
    sac_arena_release(&arena);
}

/* The tensors of one run, which all layers share. */
typedef struct run {
    sac_pretrained_model *m;
    const sac_inference *p;
    const sac_patch_rows *patches; /* of a picture; NULL: a text */
    const sac_prompt *prompt;      /* of a text; NULL: it is words alone */
    sac_byte_tensor hidden;        /* [T] of the prompt … */
    sac_byte_tensor memory_hidden; /* … and [S] of the memory */
    float *states;                 /* [layers + 1,count,D] where they are asked for; NULL: not */
    sac_arena arena;
    sac_ints ids, places;
    sac_tensor narrow;    /* [T,E] */
    sac_tensor x, normed; /* [T,D] */
    sac_tensor pixels;    /* [patches,3·patch²] */
    sac_transformer_tensors tensors;
    sac_conformer_tensors conformer;
    sac_delta_tensors net;
} run;

/* ---------------------------------------------------------------- forward */

/* Writes the position of each token. */
static void write_token_positions(run *r)
{
    const sac_pretrained_model *m = r->m;
    size_t T = r->p->count, next = m->first_place;
    int *places = malloc(T * sizeof *places);
    if (!places)
        SAC_PASS_CALL(&r->m->pass, sac_no_memory(&r->m->pass.error, m->name));
    for (size_t t = 0; t < T && places; t++)
        places[t] = r->p->ids[t] == m->padding && !r->p->memory
                        ? (int)m->first_place - 1
                        : (int)next++; /* none is generated */
    if (places)
        sac_pass_write_ints(&r->m->pass, r->places, places);
    free(places);
}

int sac_architecture_word_of(const sac_pretrained_model *m, int token)
{
    for (int i = 0; i < SAC_STAND_INS; i++)
        if (m->stand_in[i] && m->stand_in[i] == token)
            return m->stood_for;
    return (size_t)token < m->vocabulary ? token : 0;
}

void sac_architecture_write_words(sac_pretrained_model *m, sac_ints words, const int *ids)
{
    int *of = malloc((words.count + 1) * sizeof *of);
    for (size_t t = 0; of && t < words.count; t++)
        of[t] = sac_architecture_word_of(m, ids[t]);
    if (of)
        sac_pass_write_ints(&m->pass, words, of);
    else
        SAC_PASS_CALL(&m->pass, sac_no_memory(&m->pass.error, m->name));
    free(of);
}

void sac_architecture_embed(sac_pretrained_model *m, sac_arena *arena, sac_tensor *narrow,
                            sac_tensor x, sac_ints ids, sac_ints places, size_t second)
{
    sac_pass *pass = &m->pass;
    sac_tensor words = x;
    if (m->projection.w) {
        sac_arena_shape(arena, pass, narrow, x.rows, m->words->shape[1]);
        words = *narrow;
    }
    sac_embedding_forward(pass, words, m->words, ids);
    if (m->projects_words) {
        sac_linear_forward(pass, x, words, m->projection.w, NULL);
        words = x;
    }
    if (m->positions)
        sac_positions_add(pass, words, m->word_scale, m->positions->value, places);
    else if (m->word_scale != 1)
        sac_scale(pass, words, m->word_scale);
    if (m->tasks)
        sac_add_rows(pass, words, sac_tensor_rows(m->tasks->value, 0, 1));
    if (m->kinds && m->kinds->shape[0] < 2) /* as RoBERTa, which has one for both texts */
        second = x.rows;
    if (m->kinds)
        sac_add_rows(pass, sac_tensor_rows(words, 0, second),
                     sac_tensor_rows(m->kinds->value, 0, 1));
    if (m->kinds && second < x.rows)
        sac_add_rows(pass, sac_tensor_rows(words, second, x.rows - second),
                     sac_tensor_rows(m->kinds->value, 1, 1));
    if (m->first_norm.gain)
        sac_layer_norm_forward(pass, &m->first_norm, words, words);
    if (m->projection.w && !m->projects_words)
        sac_linear_forward(pass, x, words, m->projection.w, m->projection.b);
}

/* Of a model that was trained without the words of masked tokens. */
static void drop_words(run *r)
{
    const size_t T = r->p->count, D = r->m->width;
    size_t dropped = 0;
    float *zeros = r->m->dropped_word >= 0 ? calloc(D, sizeof *zeros) : NULL;
    for (size_t t = 0; t < T && zeros; t++)
        if (r->p->ids[t] == r->m->dropped_word) {
            sac_pass_write(&r->m->pass, sac_tensor_rows(r->x, t, 1), zeros);
            dropped++;
        }
    if (dropped && dropped < T)
        sac_scale(&r->m->pass, r->x, (float)T / (float)(T - dropped));
    free(zeros);
}

/* The next run of a picture's tokens in a text from *from on, before *end; false: there is none. */
static bool find_picture_run(const int *ids, size_t count, int picture, size_t *from, size_t *end)
{
    while (*from < count && ids[*from] != picture)
        ++*from;
    for (*end = *from; *end < count && ids[*end] == picture;)
        ++*end;
    return *end > *from;
}

/* Puts what a picture gives in place of its tokens. */
static void splice_picture_features(run *r)
{
    const sac_prompt *p = r->prompt;
    const float *next = p->pictured;
    for (size_t t = 0, end; find_picture_run(p->ids, p->count, p->picture, &t, &end); t = end) {
        sac_pass_write(&r->m->pass, sac_tensor_rows(r->x, t, end - t), next);
        next += (end - t) * r->m->width;
    }
}

void sac_inference_add_level(const sac_inference *p, sac_arena *arena, int layer, sac_tensor x)
{
    sac_pass *pass = &p->model->pass;
    size_t n = 0;
    if (layer >= p->level_count)
        return;
    for (size_t t = 0; t < p->level_tokens; t++)
        n += p->ids[t] == p->picture;
    const float *next = p->levels + (size_t)layer * n * x.width;
    for (size_t t = 0, end; find_picture_run(p->ids, p->level_tokens, p->picture, &t, &end);
         t = end) {
        sac_tensor added = {0};
        sac_arena_shape(arena, pass, &added, end - t, x.width);
        sac_pass_write(pass, added, next);
        sac_add(pass, sac_tensor_rows(x, t, end - t), added);
        next += (end - t) * x.width;
    }
}

/* Keeps what leaves a layer that is one of the vision encoder's levels. */
static void keep_level(const sac_inference *p, int layer, sac_tensor x)
{
    const sac_vision_encoder *s = &p->model->vision_encoder;
    for (int i = 0; i < s->levels && p->levels; i++)
        if (s->level[i] == layer)
            sac_pass_read(&p->model->pass, x, p->levels + (size_t)i * sac_tensor_count(x));
}

/* A text whose tokens of a picture have positions too, and a norm behind them. */
static void embed_seen_text(run *r)
{
    sac_pass *pass = &r->m->pass;
    sac_embedding_forward(pass, r->x, r->m->words, r->ids);
    if (r->m->word_scale != 1)
        sac_scale(pass, r->x, r->m->word_scale);
    splice_picture_features(r);
    sac_positions_add(pass, r->x, 1, r->m->positions->value, r->places);
    if (r->m->first_norm.gain)
        sac_layer_norm_forward(pass, &r->m->first_norm, r->x, r->x);
}

static void embed_text(run *r)
{
    sac_pass *pass = &r->m->pass;
    size_t T = r->p->count;
    sac_arena_shape_ints(&r->arena, pass, &r->ids, T);
    sac_arena_shape_ints(&r->arena, pass, &r->places, T);
    sac_architecture_write_words(r->m, r->ids, r->p->ids);
    if (r->m->positions)
        write_token_positions(r);
    if (r->prompt && r->m->positions) {
        embed_seen_text(r);
        return;
    }
    sac_architecture_embed(r->m, &r->arena, &r->narrow, r->x, r->ids, r->places,
                           r->p->second ? r->p->second : T);
    drop_words(r);
    if (r->prompt)
        splice_picture_features(r);
}

static void embed_picture(run *r)
{
    sac_pass *pass = &r->m->pass;
    const sac_patch_rows *patches = r->patches;
    const sac_parameter *weights = r->m->vision_encoder.patches;
    sac_arena_shape(&r->arena, pass, &r->pixels, patches->count, weights->value.width);
    sac_pass_write(pass, r->pixels, patches->pixels);
    sac_pass_write(pass, r->x, patches->table);
    sac_linear_add(pass, sac_tensor_rows(r->x, r->p->count - patches->count, patches->count),
                   r->pixels, weights);
    if (r->m->first_norm.gain)
        sac_layer_norm_forward(pass, &r->m->first_norm, r->x, r->x);
}

static void allocate_states(run *r)
{
    sac_arena_shape(&r->arena, &r->m->pass, &r->x, r->p->count, r->m->width);
    sac_arena_shape(&r->arena, &r->m->pass, &r->normed, r->p->count, r->m->width);
}

/* Queries, keys and values of the layer go into the buffers of the inference, which keeps them. */
static void shape_layer(run *r, int i, const sac_transformer_run *stack, size_t seen)
{
    sac_multihead_tensors *t = r->tensors.attention;
    sac_tensor *const parts[] = {&t[SAC_PART_SELF].query, &t[SAC_PART_SELF].key,
                                 &t[SAC_PART_SELF].value, &t[SAC_PART_CROSS].query,
                                 &t[SAC_PART_CROSS].key,  &t[SAC_PART_CROSS].value};
    const bool crosses = seen && r->m->layer[i].attention[SAC_PART_CROSS].query.w;
    for (int k = 0; k < (crosses ? 6 : 3); k++)
        *parts[k] = k < 3 ? sac_inference_part(r->p, i, k) : cross_part(r->p, i, k - 3);
    if (r->m->layer[i].space.in.w)
        r->tensors.space.after = r->p->kept[r->m->net_count + i];
    sac_transformer_layer_shape(&r->m->pass, &r->arena, &r->m->layer[i], stack, r->p->count, seen,
                                &r->tensors);
}

void sac_inference_convolve_input(const sac_inference *p, sac_arena *arena, sac_tensor to)
{
    sac_pretrained_model *m = p->model;
    sac_tensor entered = {0};
    sac_arena_shape(arena, &m->pass, &entered, p->count, m->width);
    sac_pass_write(&m->pass, entered, p->entered);
    sac_sound_layer_forward(m, arena, &m->widened, entered, to);
}

/* x, which leaves the first layer, = norm(x + a convolution of what entered it). */
static void add_first_layer_convolution(run *r, sac_tensor x)
{
    sac_pretrained_model *m = r->m;
    sac_tensor added = {0};
    sac_arena_shape(&r->arena, &m->pass, &added, x.rows, x.width);
    sac_inference_convolve_input(r->p, &r->arena, added);
    sac_add(&m->pass, x, added);
    sac_layer_norm_forward(&m->pass, &m->widen_norm, x, x);
}

/* x through the nets that stand before a layer. */
static sac_tensor run_nets_before(run *r, int layer, sac_tensor x)
{
    sac_pretrained_model *m = r->m;
    int at, end;
    for (sac_architecture_nets_before(m, layer, &at, &end); at < end; at++)
        x = sac_delta_net_read(&m->pass, &r->arena, &m->nets[at], &m->run, x, r->p->hidden, &r->net,
                               &r->p->kept[at]);
    return x;
}

/* Returns the state after the last layer and the final norm. */
static sac_tensor run_layers(run *r)
{
    sac_pretrained_model *m = r->m;
    sac_pass *pass = &m->pass;
    size_t numbers = r->p->count * m->width;
    const sac_tensor none = {0};
    sac_tensor x = r->x;
    sac_position_ids placing = {0};
    sac_architecture_build_positions(m, &r->arena, &placing, 0, r->p->count, r->p->count, r->p);
    sac_architecture_build_layer_words(m, &r->arena, &placing, r->p->ids, x);
    sac_architecture_scale_heads(m, &r->arena, &placing, SAC_PART_SELF, r->p->scale);
    const sac_attended *memory = r->p->memory;
    placing.temperature = memory ? 0 : r->p->temperature;
    if (memory)
        sac_architecture_scale_heads(m, &r->arena, &placing, SAC_PART_CROSS, memory->scale);
    if (memory && memory->hidden) {
        sac_arena_shape_bytes(&r->arena, pass, &r->memory_hidden, memory->states.rows);
        sac_pass_write_bytes(pass, r->memory_hidden, memory->hidden);
    }
    if (r->p->hidden) {
        sac_arena_shape_bytes(&r->arena, pass, &r->hidden, r->p->count);
        sac_pass_write_bytes(pass, r->hidden, r->p->hidden);
    }
    const sac_tensor scales = placing.scales[SAC_PART_SELF];
    for (int i = 0; i < m->layers && sac_pass_runs(pass); i++) {
        SAC_PASS_CALL(pass, sac_cancel_check(m->name, &pass->error));
        sac_trace_set_layer(m->device, i);
        if (r->states)
            sac_pass_read(pass, x, r->states + (size_t)i * numbers);
        x = run_nets_before(r, i, x);
        if (m->stage.number) {
            sac_windows_run_layer(r->p, i, x,
                                  scales.buffer ? sac_tensor_rows(scales, (size_t)i, 1) : none);
            continue;
        }
        sac_architecture_build_layer_biases(m, &r->arena, &placing, i, r->p);
        if (r->p->gates)
            sac_architecture_gate_biases(m, &r->arena, &placing, i, x,
                                         r->p->gates + (size_t)i * (size_t)m->run.heads * x.rows);
        sac_transformer_run stack = sac_pretrained_model_run_settings(m, i, &placing);
        const bool looks = memory && (m->layer[i].attention[SAC_PART_CROSS].query.w ||
                                      m->layer[i].memory_norm.gain);
        const sac_tensor seen = looks ? memory->states : none;
        stack.padding = r->hidden.buffer;
        if (looks) {
            stack.cross_scale = sac_architecture_cross_scale(m, i, r->p->temperature);
            stack.memory_padding = r->memory_hidden.buffer;
            stack.memory_places = memory->places;
        }
        if (m->detector.places && memory &&
            memory->places.buffer) /* of what is looked for, in each layer */
            stack.places = m->detector.places->value;
        shape_layer(r, i, &stack, seen.rows);
        if (r->p->is_bidirectional) { /* whatever the layer's window */
            stack.causal = false;
            stack.window = 0;
        }
        x = m->conformer
                ? sac_conformer_run_layer(r->p, &r->arena, &r->conformer, i, &stack, x, &r->tensors)
                : sac_transformer_layer_forward(pass, &m->layer[i], &stack, x, seen, &r->tensors);
        if (i == 0 && m->widened.w)
            add_first_layer_convolution(r, x);
        sac_inference_add_positions_between(r->p, i, x, r->normed);
        sac_inference_add_level(r->p, &r->arena, i, x);
        keep_level(r->p, i, x);
        if (m->detector.norms_each) {
            sac_layer_norm_forward(pass, &m->last_norm, r->normed, x);
            x = r->normed;
        }
    }
    x = run_nets_before(r, m->layers, x);
    sac_trace_set_layer(m->device, -1);
    if (r->states && m->last_state_unnormed)
        sac_pass_read(pass, x, r->states + (size_t)m->layers * numbers);
    if (m->last_norm.gain) {
        sac_layer_norm_forward(pass, &m->last_norm, r->normed, x);
        x = r->normed;
    }
    return x;
}

/* What is to enter the first layer, in r->x. */
static void fill_first_layer_input(run *r, const sac_inference *whole)
{
    const sac_pretrained_model *m = r->m;
    if (whole && whole->unplaced && r->p->hidden) {
        sac_pass_write(&r->m->pass, r->x, whole->unplaced);
        sac_sound_place(r->p, &r->arena, r->x);
    } else if (whole)
        sac_pass_write(&r->m->pass, r->x, whole->entered);
    else if (m->detector.places && r->p->memory) { /* a resampler's queries; a finder's are zeros */
        if (m->first_norm.gain)
            sac_layer_norm_forward(
                &r->m->pass, &m->first_norm, r->x,
                sac_tensor_shaped(m->detector.places->value, r->p->count, m->width));
        else if (m->detector.entry.out.w)
            sac_pass_copy(&r->m->pass, r->x, m->detector.places->value);
    } else if (r->m->audio.cell && !r->m->audio.patches.side)
        sac_sound_embed(r->p, r->patches, &r->arena, r->x);
    else if (r->patches)
        embed_picture(r);
    else
        embed_text(r);
}

sac_status sac_inference_compute(sac_inference *p, const sac_patch_rows *patches,
                                 const sac_prompt *prompt, const sac_inference *whole,
                                 sac_error *error)
{
    sac_pretrained_model *m = p->model;
    run r = {.m = m, .p = p, .patches = patches, .prompt = prompt};
    double begin = sac_now();
    sac_device_lock(m->device);
    SAC_PASS_CALL(&m->pass, sac_architecture_extend_positions(m, p->count, &m->pass.error));
    if (m->stage.number)
        SAC_PASS_CALL(&m->pass, sac_windows_create(p, &m->pass.error));
    allocate_states(&r);
    fill_first_layer_input(&r, whole);
    sac_pass_read(&m->pass, r.x, p->entered);
    sac_tensor x = run_layers(&r);
    sac_pass_read(&m->pass, x, p->left);
    if (p->next) { /* the logits of the token after the last */
        sac_tensor logits = {0};
        sac_arena_shape(&r.arena, &m->pass, &logits, 1, m->vocabulary);
        sac_architecture_logits(m, logits, sac_tensor_rows(x, p->count - 1, 1));
        sac_pass_read(&m->pass, logits, p->next);
    }
    sac_status status = sac_model_end_pass(m, &r.arena, error);
    p->milliseconds = (sac_now() - begin) * 1e3;
    for (size_t i = 0; i < p->count * m->width && status == SAC_OK; i++)
        if (!isfinite(p->left[i]))
            status = sac_fail(error, SAC_E_VALUE, m->folder, "take a copy that is not damaged",
                              "the output is not finite; the weights may be corrupt");
    return status;
}

static sac_status copy_hidden_mask(sac_inference *p, const uint8_t *hidden, sac_error *error)
{
    if (!hidden)
        return SAC_OK;
    p->hidden = malloc(p->count);
    if (!p->hidden)
        return sac_no_memory(error, p->model->name);
    memcpy(p->hidden, hidden, p->count);
    return SAC_OK;
}

/* What is added to the tokens of a text's picture. */
static sac_status copy_levels(sac_inference *p, const float *levels, int count, int picture,
                              sac_error *error)
{
    size_t n = 0;
    for (size_t t = 0; t < p->count; t++)
        n += p->ids[t] == picture;
    n *= (size_t)count * p->model->width;
    p->levels = malloc((n + 1) * sizeof *p->levels);
    if (!p->levels)
        return sac_no_memory(error, p->model->name);
    memcpy(p->levels, levels, n * sizeof *p->levels);
    p->level_count = count;
    p->level_tokens = p->count;
    p->picture = picture;
    return SAC_OK;
}

static sac_status copy_head_scale(sac_inference *p, const float *scale, sac_error *error)
{
    size_t heads = (size_t)p->model->layers * (size_t)p->model->run.heads;
    p->scale = malloc((heads + 1) * sizeof *p->scale);
    if (!p->scale)
        return sac_no_memory(error, p->model->name);
    memcpy(p->scale, scale, heads * sizeof *p->scale);
    return SAC_OK;
}

/* What goes through the layers of `whole` once more, to be computed: all of its tokens, cells and settings but for `scale` and
 * `hidden`, which may be NULL. */
sac_status sac_inference_take_finer(sac_inference *p, const float *finer, size_t count,
                                    sac_error *error)
{
    const size_t bytes = count * p->model->width * sizeof *finer;
    p->finer = malloc(bytes + 1);
    if (!p->finer)
        return sac_no_memory(error, p->model->name);
    p->finer_count = count;
    if (finer)
        memcpy(p->finer, finer, bytes);
    return SAC_OK;
}

static sac_status copy_input(const sac_inference *whole, const float *scale, const uint8_t *hidden,
                             sac_inference **copy, sac_error *error)
{
    sac_pretrained_model *m = whole->model;
    sac_inference *p;
    *copy = NULL;
    sac_status status = sac_inference_create(m, whole->count, &p, error);
    if (status != SAC_OK)
        return status;
    p->generated = whole->generated;
    p->sampled_by = whole->sampled_by;
    p->cut = whole->cut;
    p->second = whole->second;
    p->grid_w = whole->grid_w;
    p->grid_h = whole->grid_h;
    p->prefix = whole->prefix;
    p->keeps = whole->keeps;
    p->temperature = whole->temperature;
    p->is_bidirectional = whole->is_bidirectional;
    p->block = whole->block;
    memcpy(p->ids, whole->ids, p->count * sizeof *p->ids);
    if (whole->unplaced)
        memcpy(p->unplaced, whole->unplaced, p->count * m->width * sizeof *p->unplaced);
    if (whole->finer)
        status = sac_inference_take_finer(p, whole->finer, whole->finer_count, error);
    if (whole->places && (p->places = malloc(3 * p->count * sizeof *p->places))) {
        memcpy(p->places, whole->places, 3 * p->count * sizeof *p->places);
        p->next_place = whole->next_place;
    }
    if (whole->places && !p->places)
        status = sac_no_memory(error, m->name);
    if (status == SAC_OK && scale)
        status = copy_head_scale(p, scale, error);
    if (status == SAC_OK)
        status = copy_hidden_mask(p, hidden, error);
    if (status == SAC_OK && whole->level_count)
        status = copy_levels(p, whole->levels, whole->level_count, whole->picture, error);
    return sac_inference_return_or_free(p, status, copy);
}

sac_status sac_inference_scaled(const sac_inference *whole, const float *scale,
                                sac_inference **scaled, sac_error *error)
{
    sac_status status = copy_input(whole, scale, whole->hidden, scaled, error);
    if (status == SAC_OK)
        status = sac_inference_compute(*scaled, NULL, NULL, whole, error);
    return sac_inference_return_or_free(*scaled, status, scaled);
}

sac_status sac_inference_reencode_sound(const sac_inference *whole, float temperature,
                                        const uint8_t *hidden, sac_inference **again,
                                        sac_error *error)
{
    sac_status status = copy_input(whole, whole->scale, hidden, again, error);
    if (status != SAC_OK)
        return status;
    (*again)->temperature = temperature;
    status = sac_inference_compute(*again, NULL, NULL, whole, error);
    return sac_inference_return_or_free(*again, status, again);
}

sac_status sac_inference_run_embedded(sac_pretrained_model *m, const sac_embedded_input *e,
                                      size_t index, sac_inference **inference, sac_error *error)
{
    size_t numbers = e->count * m->width;
    sac_inference *p;
    *inference = NULL;
    sac_status status = sac_inference_create(m, e->count, &p, error);
    if (status != SAC_OK)
        return status;
    p->grid_w = e->grid_w;
    p->grid_h = e->grid_h;
    p->prefix = e->prefix;
    p->is_bidirectional = e->is_bidirectional;
    memcpy(p->entered, e->states + index * numbers, numbers * sizeof *p->entered);
    if (e->scale)
        status = copy_head_scale(p, e->scale, error);
    if (status == SAC_OK)
        status = sac_inference_compute(p, NULL, NULL, p, error);
    return sac_inference_return_or_free(p, status, inference);
}

sac_status sac_inference_states(const sac_inference *p, float *states, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    run r = {.m = m, .p = p, .states = states};
    size_t numbers = p->count * m->width, last = (size_t)m->layers * numbers;
    if (!m->last_state_unnormed)
        memcpy(states + last, p->left, numbers * sizeof *states);
    if (!m->layers)
        return SAC_OK;
    sac_device_lock(m->device);
    allocate_states(&r);
    sac_pass_write(&m->pass, r.x, p->entered);
    run_layers(&r);
    return sac_model_end_pass(m, &r.arena, error);
}

/* ---------------------------------------------------------------- inferences */

sac_status sac_inference_return_or_free(sac_inference *p, sac_status status,
                                        sac_inference **inference)
{
    *inference = status == SAC_OK ? p : NULL;
    if (status != SAC_OK)
        sac_inference_free(p);
    return status;
}

static sac_status create_memories(sac_inference *p, int count, sac_error *error)
{
    p->kept = calloc((size_t)count, sizeof *p->kept);
    sac_status status = p->kept ? SAC_OK : sac_no_memory(error, p->model->name);
    for (int i = 0; i < SAC_STATE_TENSORS * count && status == SAC_OK; i++) {
        sac_tensor *x =
            sac_state_memory_tensor(&p->kept[i / SAC_STATE_TENSORS], i % SAC_STATE_TENSORS);
        sac_architecture_memory_size(p->model, i / SAC_STATE_TENSORS, i % SAC_STATE_TENSORS, 1,
                                     &x->rows, &x->width);
        x->stored = SAC_STORED_F32;
        if (x->rows)
            status = sac_buffer_create(p->model->device, sac_tensor_count(*x) * sizeof(float), NULL,
                                       &x->buffer, error);
    }
    return status;
}

sac_status sac_inference_create(sac_pretrained_model *m, size_t count, sac_inference **inference,
                                sac_error *error)
{
    const size_t numbers = count * m->width; /* under 2^38 */
    const size_t levels = (size_t)m->vision_encoder.levels;
    sac_inference *p = *inference = calloc(1, sizeof *p);
    bool done = p != NULL;
    if (p) {
        p->model = sac_architecture_retain(m);
        p->count = count;
        p->ids = calloc(count, sizeof *p->ids);
        p->entered = calloc(numbers, sizeof *p->entered);
        p->left = calloc(numbers, sizeof *p->left);
        p->layer = calloc((size_t)m->layers + 1, sizeof *p->layer);
        p->levels = levels ? calloc(levels * numbers, sizeof *p->levels) : NULL;
        p->next = m->predicts_next ? calloc(m->vocabulary, sizeof *p->next) : NULL;
        p->unplaced = m->audio.places.w ? calloc(numbers, sizeof *p->unplaced) : NULL;
        if (m->relative.gate[0].w)
            p->gates = calloc((size_t)m->layers * (size_t)m->run.heads * count, sizeof *p->gates);
        done = (p->gates || !m->relative.gate[0].w) && p->ids && p->entered && p->left &&
               p->layer && (p->levels || !levels) && (p->next || !m->predicts_next) &&
               (p->unplaced || !m->audio.places.w);
    }
    sac_status status = done ? SAC_OK
                             : sac_fail(error, SAC_E_MEMORY, m->name, "give less of it",
                                        "out of memory for %zu tokens", count);
    for (int i = 0; i < 3 * m->layers && !m->stage.number && status == SAC_OK;
         i++) { /* a stage's grid is not known yet */
        cl_mem *part = &p->layer[i / 3].part[i % 3];
        const int lent = (int)m->layer[i / 3].lent;
        if (i % 3 && lent) {
            *part = p->layer[i / 3 - lent].part[i % 3];
            clRetainMemObject(*part);
        } else
            status = sac_buffer_create(
                m->device, count * sac_architecture_part_width(m, i / 3, i % 3) * sizeof(float),
                NULL, part, error);
    }
    if (status == SAC_OK && sac_architecture_memories(m))
        status = create_memories(p, sac_architecture_memories(m), error);
    return sac_inference_return_or_free(p, status, inference);
}

/* And memory for its attention to it. */
static sac_status attach_memory(sac_inference *p, const sac_attended *memory, sac_error *error)
{
    sac_status status = SAC_OK;
    p->memory = memory;
    for (int i = 0; memory && i < p->model->layers; i++)
        for (int k = 1; k < 3 && p->model->layer[i].memory_norm.gain && status == SAC_OK; k++) {
            sac_buffer_release(p->layer[i].part[k]);
            p->layer[i].part[k] = NULL;
            status = sac_buffer_create(
                p->model->device, sac_tensor_count(sac_inference_part(p, i, k)) * sizeof(float),
                NULL, &p->layer[i].part[k], error);
        }
    for (int i = 0; memory && i < p->model->layers; i++)
        for (int k = 0; k < 3 && p->model->layer[i].attention[SAC_PART_CROSS].query.w; k++) {
            if (status != SAC_OK)
                return status;
            status = sac_buffer_create(p->model->device,
                                       sac_tensor_count(cross_part(p, i, k)) * sizeof(float), NULL,
                                       &p->layer[i].cross[k], error);
        }
    return status;
}

sac_status sac_inference_run_queries(sac_pretrained_model *m, const sac_attended *memory,
                                     sac_inference **inference, sac_error *error)
{
    sac_status status = sac_inference_create(m, m->detector.queries, inference, error);
    if (status == SAC_OK)
        status = attach_memory(*inference, memory, error);
    if (status == SAC_OK)
        status = sac_inference_compute(*inference, NULL, NULL, NULL, error);
    return sac_inference_return_or_free(*inference, status, inference);
}

/* The token that stands for a picture may be none of the vocabulary. */
static sac_status check_ids(const sac_pretrained_model *m, const sac_prompt *prompt,
                            sac_error *error)
{
    const int *ids = prompt->ids;
    if (prompt->count == 0)
        return sac_fail(error, SAC_E_ARGUMENT, "text", "give some words", "has no tokens");
    for (size_t i = 0; i < prompt->count; i++)
        if ((ids[i] < 0 || (size_t)ids[i] >= m->vocabulary) &&
            !(prompt->pictured && ids[i] == prompt->picture))
            return sac_fail(error, SAC_E_FORMAT, m->folder, "give the tokenizer of this very model",
                            "its tokenizer has token %d, and config.json %zu tokens", ids[i],
                            m->vocabulary);
    return SAC_OK;
}

static sac_status read_prompt(sac_pretrained_model *m, const sac_prompt *prompt, size_t second,
                              sac_inference **inference, sac_error *error)
{
    *inference = NULL;
    size_t count = prompt->count;
    sac_status status = check_ids(m, prompt, error);
    if (status != SAC_OK)
        return status;
    sac_inference *p;
    status =
        sac_inference_create(m, count < m->max_positions ? count : m->max_positions, &p, error);
    if (status != SAC_OK)
        return status;
    p->cut = count > m->max_positions;
    p->second = second < p->count ? second : 0;
    p->temperature = prompt->temperature;
    memcpy(p->ids, prompt->ids, p->count * sizeof *p->ids);
    p->is_bidirectional = prompt->pictured && prompt->is_bidirectional;
    if (prompt->pictured && prompt->sees_itself)
        p->block = (sac_block){prompt->picture, prompt->sees_start, prompt->sees_near};
    if (prompt->pictured)
        status = copy_hidden_mask(p, prompt->hidden, error);
    if (status == SAC_OK && prompt->scale)
        status = copy_head_scale(p, prompt->scale, error);
    if (status == SAC_OK)
        status = attach_memory(p, prompt->memory, error);
    if (status == SAC_OK && prompt->pictured && prompt->levels)
        status = copy_levels(p, prompt->added, prompt->levels, prompt->picture, error);
    if (status == SAC_OK && prompt->grids && m->rope.section[0]) {
        p->places = malloc(3 * p->count * sizeof *p->places);
        if (p->places)
            p->next_place = sac_architecture_place_prompt(prompt, p->places);
        else
            status = sac_no_memory(error, m->name);
    }
    if (status == SAC_OK)
        status = sac_inference_compute(p, NULL, prompt->pictured ? prompt : NULL, NULL, error);
    return sac_inference_return_or_free(p, status, inference);
}

static sac_status read_ids(sac_pretrained_model *m, const int *ids, size_t count, size_t second,
                           sac_inference **inference, sac_error *error)
{
    const sac_prompt words = {.ids = ids, .count = count};
    return read_prompt(m, &words, second, inference, error);
}

sac_status sac_inference_read_prompt(sac_pretrained_model *m, const sac_prompt *prompt,
                                     sac_inference **inference, sac_error *error)
{
    if (prompt->count > m->max_positions)
        return sac_fail(error, SAC_E_ARGUMENT, "text", "give a shorter text or a smaller picture",
                        "with the picture it has %zu tokens, and %s has places for %zu",
                        prompt->count, m->name, m->max_positions);
    return read_prompt(m, prompt, 0, inference, error);
}

sac_status sac_inference_read_tokens(sac_pretrained_model *m, const int *ids, size_t count,
                                     sac_inference **inference, sac_error *error)
{
    return read_ids(sac_architecture_reader(m), ids, count, 0, inference, error);
}

/* The texts before and after the one separator in `text`, without blanks around them: free them. False,
 * and both are NULL: there is none, or there are several, or one of the texts is empty. */
static bool split_pair(const char *text, const char *separator, char *part[2])
{
    const char *at = strstr(text, separator), *second = at ? at + strlen(separator) : NULL;
    part[0] = part[1] = NULL;
    if (!at || strstr(second, separator))
        return false;
    while (at > text && at[-1] == ' ')
        at--;
    second += strspn(second, " ");
    if (at == text + strspn(text, " ") || !*second)
        return false;
    part[0] = strndup(text, (size_t)(at - text));
    part[1] = strdup(second);
    return true;
}

bool sac_architecture_separator(const sac_pretrained_model *m, char *text, size_t size)
{
    m = m->reader ? m->reader : m;
    return !m->run.causal && !m->is_filled && m->tokenizer &&
           sac_tokenizer_separator(m->tokenizer, text, size);
}

/* A text with one separator inside is a pair to a model that sees all of it, as its tokenizer frames one. */
static sac_status encode(const sac_pretrained_model *m, const char *text, sac_tokens *tokens,
                         size_t *second, sac_error *error)
{
    char *part[2], separator[SAC_SEPARATOR];
    bool is_pair = sac_architecture_separator(m, separator, sizeof separator) &&
                   split_pair(text, separator, part);
    sac_status status = SAC_OK;
    *second = 0;
    if (is_pair) {
        status = part[0] && part[1] ? sac_tokenizer_encode_pair(m->tokenizer, part[0], part[1],
                                                                tokens, second, error)
                                    : sac_no_memory(error, "text");
        free(part[0]);
        free(part[1]);
    }
    if (status != SAC_OK || *second)
        return status;
    /* What a chat's template made, and was typed over, is framed already. */
    if (m->run.causal) {
        status = sac_tokenizer_encode(m->tokenizer, text, false, tokens, error);
        if (status != SAC_OK ||
            (tokens->count && sac_tokenizer_is_frame_token(m->tokenizer, tokens->ids[0])))
            return status;
        tokens->count = 0;
    }
    return sac_tokenizer_encode(m->tokenizer, text, true, tokens, error);
}

/* A text of as many tokens as the model has places, the last of them padding. */
static sac_status read_padded(sac_pretrained_model *m, const sac_tokens *tokens,
                              sac_inference **inference, sac_error *error)
{
    int *ids = malloc(m->max_positions * sizeof *ids);
    if (!ids)
        return sac_no_memory(error, m->name);
    for (size_t i = 0; i < m->max_positions; i++)
        ids[i] = i < tokens->count ? tokens->ids[i] : m->filler;
    sac_status status = read_ids(m, ids, m->max_positions, 0, inference, error);
    free(ids);
    return status;
}

/* Of tokens [from, from + count) those that are of bytes [begin, begin + size) of the text: a token that reaches over
 * a border is of what stands behind it. */
static sac_status find_turn(const sac_tokenizer *tokenizer, const char *text, size_t begin,
                            size_t size, const sac_tokens *all, sac_turn *turn, sac_error *error)
{
    size_t place[2] = {0};
    sac_status status = SAC_OK;
    for (int i = 0; i < 2 && status == SAC_OK; i++) {
        sac_tokens some = {0};
        char *head = strndup(text, begin + (i ? size : 0));
        status = head ? sac_tokenizer_encode(tokenizer, head, false, &some, error)
                      : sac_no_memory(error, "text");
        while (place[i] < some.count && place[i] < all->count &&
               some.ids[place[i]] == all->ids[place[i]])
            place[i]++;
        sac_tokens_free(&some);
        free(head);
    }
    turn->from = place[0];
    turn->count = place[1] > place[0] ? place[1] - place[0] : 0;
    return status;
}

static sac_status add_turns(sac_inference *p, const sac_conversation *c, const sac_tokens *tokens,
                            sac_error *error)
{
    sac_status status = SAC_OK;
    p->turns = calloc(c->count + 1, sizeof *p->turns);
    p->turn_count = p->turns ? c->count : 0;
    if (!p->turns)
        return sac_no_memory(error, "--chat");
    for (size_t i = 0; i < c->count && status == SAC_OK; i++) {
        memcpy(p->turns[i].role, c->turns[i].role, sizeof p->turns[i].role);
        status = find_turn(p->model->tokenizer, c->text, c->turns[i].from, c->turns[i].size, tokens,
                           &p->turns[i], error);
    }
    return status;
}

/* `conversation` NULL: the text alone, which is framed. */
static sac_status read_text(sac_pretrained_model *m, const char *text,
                            const sac_conversation *conversation, sac_inference **inference,
                            sac_error *error)
{
    sac_tokens tokens = {0};
    size_t second = 0;
    *inference = NULL;
    m = sac_architecture_reader(m);
    if (!m->tokenizer)
        return sac_fail(error, SAC_E_ARGUMENT, m->folder, "give the tokenizer's files beside it",
                        "has no tokenizer that reads text");
    sac_status status = conversation
                            ? sac_tokenizer_encode(m->tokenizer, text, false, &tokens, error)
                            : encode(m, text, &tokens, &second, error);
    if (status == SAC_OK && conversation && tokens.count > (size_t)m->max_positions)
        status = sac_fail(error, SAC_E_ARGUMENT, m->text_decoder.query[0] ? "text" : "--chat",
                          "give a shorter one", "has %zu tokens, but %s has %zu places",
                          tokens.count, m->name, (size_t)m->max_positions);
    bool is_cut = status == SAC_OK && !conversation &&
                  sac_tokenizer_truncate(m->tokenizer, m->max_positions, &tokens, &second);
    if (status == SAC_OK)
        status = m->is_filled ? read_padded(m, &tokens, inference, error)
                              : read_ids(m, tokens.ids, tokens.count, second, inference, error);
    if (status == SAC_OK)
        (*inference)->cut = is_cut;
    if (status == SAC_OK && conversation)
        status = add_turns(*inference, conversation, &tokens, error);
    sac_tokens_free(&tokens);
    return status;
}

sac_status sac_inference_read(sac_pretrained_model *m, const char *text, sac_inference **inference,
                              sac_error *error)
{
    sac_conversation query = {0};
    if (!m->shared.late || !m->tokenizer)
        return read_text(m, text, NULL, inference, error);
    *inference = NULL;
    sac_status status = sac_late_frame_query(m, text, &query, error);
    if (status == SAC_OK)
        status = read_text(m, query.text, &query, inference, error);
    sac_conversation_free(&query);
    return status;
}

sac_status sac_inference_read_conversation(sac_pretrained_model *m,
                                           const sac_conversation *conversation,
                                           sac_inference **inference, sac_error *error)
{
    return read_text(m, conversation->text, conversation, inference, error);
}

void sac_inference_free(sac_inference *p)
{
    if (!p)
        return;
    for (int i = 0; p->layer && i < p->model->layers; i++) {
        for (int k = 0; k < 3; k++) {
            sac_buffer_release(p->layer[i].part[k]);
            sac_buffer_release(p->layer[i].cross[k]);
        }
        free(p->layer[i].channels);
    }
    for (int i = 0; p->kept && i < SAC_STATE_TENSORS * sac_architecture_memories(p->model); i++)
        sac_buffer_release(
            sac_state_memory_tensor(&p->kept[i / SAC_STATE_TENSORS], i % SAC_STATE_TENSORS)
                ->buffer);
    free(p->kept);
    sac_compared_free(p);
    free(p->finer);
    sac_windows_free(p);
    sac_pretrained_model_close(p->model);
    sac_image_free(&p->image);
    free(p->ids);
    free(p->turns);
    free(p->places);
    free(p->hidden);
    free(p->pixels);
    free(p->unplaced);
    free(p->gates);
    free(p->entered);
    free(p->left);
    free(p->levels);
    free(p->layer);
    free(p->next);
    free(p->scale);
    free(p);
}

size_t sac_inference_width(const sac_inference *p)
{
    return p->model->width;
}

size_t sac_inference_vocabulary(const sac_inference *p)
{
    return p->model->vocabulary;
}

/* Labels the tokens before the patches: the class, DeiT's second token, those that detect, registers. */
static sac_status label_picture(const sac_inference *p, sac_labels *labels, sac_error *error)
{
    char names[SAC_ARCHITECTURE_PREFIX][24];
    const char *text[SAC_ARCHITECTURE_PREFIX];
    const size_t count = (size_t)p->prefix;
    const sac_vision_encoder *s = &p->model->vision_encoder;
    int named = s->prefix - s->registers, detections = named - s->detections;
    for (int i = 0; i < p->prefix; i++) {
        if (i < detections)
            snprintf(names[i], sizeof names[i], "%s", i == 0 ? "class" : "distillation");
        else if (i < named)
            snprintf(names[i], sizeof names[i], "query %d", i - detections);
        else
            snprintf(names[i], sizeof names[i], "register %d", i - named + 1);
        text[i] = names[i];
    }
    sac_array array = sac_array_view(SAC_TEXT, 1, &count, text);
    return sac_labels_from_array(&array, labels, error);
}

sac_status sac_architecture_label_tokens(const sac_pretrained_model *m, const int *ids,
                                         size_t count, sac_labels *labels, sac_error *error)
{
    const char **tokens = calloc(count, sizeof *tokens);
    if (!tokens)
        return sac_no_memory(error, "text");
    for (size_t i = 0; i < count; i++) {
        tokens[i] = sac_tokenizer_token(m->tokenizer, ids[i]);
        if (!tokens[i])
            tokens[i] = (size_t)ids[i] == m->vocabulary ? "<picture>" : "?";
    }
    sac_array array = sac_array_view(SAC_TEXT, 1, &count, tokens);
    sac_status status = sac_labels_from_array(&array, labels, error);
    if (status == SAC_OK)
        status =
            sac_labels_make_readable(labels, sac_tokenizer_has_byte_pieces(m->tokenizer), error);
    free(tokens);
    return status;
}

sac_status sac_inference_labels(const sac_inference *p, sac_labels *labels, sac_error *error)
{
    *labels = (sac_labels){0};
    return p->grid_w ? label_picture(p, labels, error)
                     : sac_architecture_label_tokens(p->model, p->ids, p->count, labels, error);
}

char *sac_inference_text(const sac_inference *p, const int *ids, size_t count)
{
    return sac_tokenizer_decode(p->model->tokenizer, ids, count);
}

/* ---------------------------------------------------------------- what comes next */

sac_status sac_inference_logits(const sac_inference *p, size_t at, float *logits, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    sac_arena arena = {0};
    sac_tensor x = {0}, y = {0};
    if (!p->next)
        return sac_fail(error, SAC_E_ARGUMENT, m->name, "give a model with one",
                        "has no language-model head");
    sac_device_lock(m->device);
    sac_arena_shape(&arena, &m->pass, &x, 1, m->width);
    sac_arena_shape(&arena, &m->pass, &y, 1, m->vocabulary);
    sac_pass_write(&m->pass, x, p->left + at * m->width);
    sac_architecture_logits(m, y, x);
    sac_pass_read(&m->pass, y, logits);
    return sac_model_end_pass(m, &arena, error);
}

/* What exp(logit) is divided by, and the highest of them is taken from each. */
static double sum_exp_logits(const float *logits, size_t count, float *highest)
{
    double sum = 0;
    *highest = -INFINITY;
    for (size_t i = 0; i < count; i++)
        *highest = fmaxf(*highest, logits[i]);
    for (size_t i = 0; i < count; i++)
        sum += exp((double)(logits[i] - *highest));
    return sum;
}

float sac_logits_probability(const float *logits, size_t vocabulary, int id)
{
    float highest;
    double sum = sum_exp_logits(logits, vocabulary, &highest);
    return (float)(exp((double)(logits[id] - highest)) / sum);
}

void sac_logits_next(const float *logits, size_t vocabulary, sac_next_token *tokens, size_t count)
{
    float highest;
    double sum = sum_exp_logits(logits, vocabulary, &highest);
    for (size_t i = 0; i < count; i++)
        tokens[i] = (sac_next_token){-1, -1};
    for (size_t i = 0; i < vocabulary; i++) {
        const float probability = (float)(exp((double)(logits[i] - highest)) / sum);
        size_t at = count;
        while (at > 0 && probability > tokens[at - 1].probability)
            at--;
        if (at == count)
            continue;
        memmove(tokens + at + 1, tokens + at, (count - at - 1) * sizeof *tokens);
        tokens[at] = (sac_next_token){(int)i, probability};
    }
}

bool sac_inference_next(const sac_inference *p, sac_next_token *tokens, size_t count)
{
    if (p->next)
        sac_logits_next(p->next, p->model->vocabulary, tokens, count);
    return p->next != NULL;
}
