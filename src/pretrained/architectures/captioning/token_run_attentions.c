/* Runs a decoder once more over all tokens that it said of what is encoded, and computes the weights
 * of its layers from their queries and keys: what steps of one token each leave is less. */
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"
#include "nn/attention/positions.h"
#include "nn/layers.h"

typedef sac_pretrained_captioner captioner;

/* What is read from each layer of the decoder. */
enum { OWN_QUERY, OWN_KEY, CROSS_QUERY, CROSS_KEY, LEFT };

typedef struct replay {
    captioner *c;
    sac_pretrained_model *decoder;
    size_t S, T;
    int *inputs; /* [T + 1]: each says the one behind it; owned */
    sac_arena arena;
    sac_ints ids, places;
    sac_tensor x;      /* [T,D] */
    sac_tensor narrow; /* [T,E] */
    sac_transformer_tensors tensors;
    float *left; /* [layers,LEFT,max(S,T),D]; owned */
} replay;

static float *left_of(const replay *s, size_t layer, int which)
{
    size_t most = s->S > s->T ? s->S : s->T;
    return s->left +
           (layer * LEFT + (size_t)which) * most * sac_architecture_part_width(s->decoder, 0);
}

/* ---------------------------------------------------------------- forward */

static void embed(replay *s)
{
    sac_pretrained_model *d = s->decoder;
    sac_pass *pass = &d->pass;
    sac_arena_shape(&s->arena, pass, &s->x, s->T, d->width);
    sac_arena_shape_ints(&s->arena, pass, &s->ids, s->T);
    sac_arena_shape_ints(&s->arena, pass, &s->places, s->T);
    sac_pass_write_ints(pass, s->ids, s->inputs);
    if (d->positions)
        sac_positions_place(pass, s->places, d->positions->value, s->T, d->first_place, NULL);
    sac_architecture_embed(d, &s->arena, &s->narrow, s->x, s->ids, s->places, s->T);
}

static void run_layers(replay *s)
{
    sac_pretrained_model *d = s->decoder;
    sac_pass *pass = &d->pass;
    const sac_multihead_tensors *t = s->tensors.attention;
    const sac_tensor memory = d->text_decoder.bridge.w ? s->c->layered.bridged : s->c->memory;
    sac_tensor x = s->x;
    sac_position_ids placing = {0};
    sac_architecture_place(d, &s->arena, &placing, 0, s->T, s->T, NULL);
    sac_captioner_scale_heads(s->c, &s->arena, &placing);
    for (int i = 0; i < d->layers && sac_pass_runs(pass); i++) {
        sac_transformer_run run = sac_pretrained_model_run(d, i, &placing);
        run.causal = true;
        run.cross_scale = sac_captioner_score_scale(s->c, i);
        run.memory_padding = s->c->hides ? s->c->mask.buffer : NULL;
        sac_transformer_layer_shape(pass, &s->arena, &d->layer[i], &run, s->T, s->S, &s->tensors);
        x = sac_transformer_layer_forward(pass, &d->layer[i], &run, x, memory, &s->tensors);
        const sac_tensor parts[LEFT] = {t[SAC_PART_SELF].query, t[SAC_PART_SELF].key,
                                        t[SAC_PART_CROSS].query, t[SAC_PART_CROSS].key};
        for (int k = 0; k < LEFT; k++)
            sac_pass_read(pass, parts[k], left_of(s, (size_t)i, k));
    }
}

static sac_status run(replay *s, sac_error *error)
{
    sac_pretrained_model *d = s->decoder;
    sac_device_lock(d->device);
    embed(s);
    run_layers(s);
    sac_status status = sac_pass_end(&d->pass, error);
    sac_arena_release(&s->arena);
    sac_device_unlock(d->device);
    return status;
}

static void end(replay *s)
{
    free(s->left);
    free(s->inputs);
}

/* `said` [count], behind what the captioner begins with. */
static sac_status begin(replay *s, captioner *c, const int *generation, size_t count,
                        sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    size_t begins;
    const int *before = sac_captioner_begins(c, &begins);
    *s = (replay){.c = c, .decoder = c->decoder, .S = c->seen, .T = begins + count};
    size_t most = s->S > s->T ? s->S : s->T;
    s->inputs = malloc((s->T + 1) * sizeof *s->inputs);
    s->left = calloc((size_t)d->layers * LEFT * most * sac_architecture_part_width(d, 0),
                     sizeof *s->left);
    if (!s->left || !s->inputs)
        return sac_no_memory(error, d->name);
    memcpy(s->inputs, before, begins * sizeof *before);
    s->inputs[begins] = c->generates.start(c).tokens.start;
    memcpy(s->inputs + begins + 1, generation, count * sizeof *generation);
    return run(s, error);
}

/* ---------------------------------------------------------------- weights */

/* Takes the map [steps,positions] of a head. Destroys the attention. */
typedef void take_map(void *to, size_t head, const float *map);
static sac_status read_maps(sac_attention *attention, size_t heads, size_t steps, size_t positions,
                            take_map *take, void *to, sac_error *error)
{
    float *map = malloc((steps * positions + 1) * sizeof *map);
    sac_status status = map ? SAC_OK : sac_no_memory(error, "attention");
    for (size_t head = 0; head < heads && status == SAC_OK; head++) {
        sac_tile tile = {.head = head, .rows = steps, .cols = positions};
        status = sac_attention_tile(attention, &tile, map, error);
        if (status == SAC_OK)
            take(to, head, map);
    }
    free(map);
    sac_attention_destroy(attention);
    return status;
}

/* Computes weights of a layer's own attention, or of that to what is encoded. */
static sac_status weigh(const replay *s, bool own, size_t layer, take_map *take, void *to,
                        sac_error *error)
{
    const sac_pretrained_model *d = s->decoder;
    const size_t width = sac_architecture_part_width(d, 0), positions = own ? s->T : s->S;
    const size_t asked[] = {s->T, width}, looked[] = {positions, width};
    sac_array queries =
        sac_array_view(SAC_F32, 2, asked, left_of(s, layer, own ? OWN_QUERY : CROSS_QUERY));
    sac_array keys =
        sac_array_view(SAC_F32, 2, looked, left_of(s, layer, own ? OWN_KEY : CROSS_KEY));
    const float scale = own ? d->scale[layer] : sac_captioner_score_scale(s->c, (int)layer);
    const size_t keys_seen[] = {1, positions};
    const sac_array hidden = sac_array_view(SAC_BOOL, 2, keys_seen, s->c->hidden);
    const sac_attention_spec spec = {
        .heads = d->run.heads, .causal = own, .use_scale = scale > 0, .scale = scale};
    const bool is_biased = own && d->has_biases;
    size_t shape[4] = {0};
    float *biases = is_biased ? sac_architecture_biases(d, (int)layer, 0, s->T, shape) : NULL;
    if (is_biased && !biases)
        return sac_no_memory(error, d->name);
    sac_array mask = sac_array_view(SAC_F32, 4, shape, biases);
    const sac_attention_input input = {.query = &queries,
                                       .key = &keys,
                                       .value = &keys,
                                       .key_padding_mask = !own && s->c->hides ? &hidden : NULL,
                                       .attn_mask = biases ? &mask : NULL};
    sac_attention *attention = NULL;
    sac_status status = sac_attention_create(d->device, &spec, &input, &attention, error);
    free(biases);
    return status == SAC_OK
               ? read_maps(attention, (size_t)d->run.heads, s->T, positions, take, to, error)
               : status;
}

/* ---------------------------------------------------------------- rows of a mean */

typedef struct mean_of {
    float *rows; /* [said,count], from the first column of the maps on */
    size_t generated, count, before, positions;
    float share;
} mean_of;

static void add_rows(void *to, size_t head, const float *map)
{
    const mean_of *mean = to;
    (void)head;
    for (size_t s = 0; s < mean->generated; s++)
        for (size_t i = 0; i < mean->positions; i++)
            mean->rows[s * mean->count + i] +=
                mean->share * map[(mean->before + s) * mean->positions + i];
}

sac_status sac_token_run_rows(captioner *c, const int *words, int count, sac_generation *generation,
                              sac_error *error)
{
    replay s;
    sac_status status = begin(&s, c, words, (size_t)count, error);
    const size_t layers = (size_t)c->decoder->layers;
    mean_of seen = {
        generation->rows,    (size_t)count, generation->count,
        s.T - (size_t)count, s.S,           1 / (float)(layers * (size_t)c->decoder->run.heads)};
    mean_of own = seen;
    own.rows += s.S;
    own.positions = s.T;
    for (size_t i = 0; i < layers && status == SAC_OK; i++) {
        status = weigh(&s, false, i, add_rows, &seen, error);
        if (status == SAC_OK)
            status = weigh(&s, true, i, add_rows, &own, error);
    }
    end(&s);
    return status;
}

/* ---------------------------------------------------------------- all heads */

typedef struct maps_of {
    sac_attention_kind *kind;
    size_t layer;
} maps_of;

static void keep_map(void *to, size_t head, const float *map)
{
    const maps_of *m = to;
    size_t size = m->kind->steps * m->kind->positions;
    memcpy(m->kind->weights + (m->layer * m->kind->heads + head) * size, map, size * sizeof *map);
}

static sac_status weigh_encoder(const sac_inference *source, maps_of *maps, sac_error *error)
{
    const sac_attention_kind *kind = maps->kind;
    sac_attention *attention;
    sac_status status = sac_inference_attention(source, (int)maps->layer, &attention, error);
    return status == SAC_OK ? read_maps(attention, kind->heads, kind->steps, kind->positions,
                                        keep_map, maps, error)
                            : status;
}

static sac_status weigh_all(const replay *s, const sac_inference *source, sac_attentions *a,
                            sac_error *error)
{
    sac_attention_kind *kind = a->kind;
    sac_status status = SAC_OK;
    for (size_t i = 0; i < kind[SAC_ENCODER_ATTENTION].layers && status == SAC_OK; i++)
        status = weigh_encoder(source, &(maps_of){&kind[SAC_ENCODER_ATTENTION], i}, error);
    for (size_t i = 0; i < kind[SAC_DECODER_ATTENTION].layers && status == SAC_OK; i++) {
        status = weigh(s, true, i, keep_map, &(maps_of){&kind[SAC_DECODER_ATTENTION], i}, error);
        if (status == SAC_OK)
            status = weigh(s, false, i, keep_map, &(maps_of){&kind[SAC_CROSS_ATTENTION], i}, error);
    }
    return status;
}

static sac_status make_kinds(const replay *s, const sac_inference *source, sac_attentions *a,
                             sac_error *error)
{
    const sac_pretrained_model *d = s->decoder;
    const size_t layers = (size_t)d->layers, heads = (size_t)d->run.heads;
    sac_status status =
        source ? sac_attentions_add(a, SAC_ENCODER_ATTENTION, (size_t)source->model->layers,
                                    (size_t)source->model->run.heads, s->S, s->S, error)
               : SAC_OK;
    if (status == SAC_OK)
        status = sac_attentions_add(a, SAC_DECODER_ATTENTION, layers, heads, s->T, s->T, error);
    return status == SAC_OK
               ? sac_attentions_add(a, SAC_CROSS_ATTENTION, layers, heads, s->T, s->S, error)
               : status;
}

/* Rows are the words that are generated, columns of the decoder the token before each. */
static sac_status name_kinds(const replay *s, const sac_inference *source, sac_attentions *a,
                             sac_error *error)
{
    const sac_pretrained_model *d = s->decoder;
    sac_attention_kind *own = &a->kind[SAC_DECODER_ATTENTION],
                       *cross = &a->kind[SAC_CROSS_ATTENTION];
    sac_status status =
        sac_architecture_label_tokens(d, s->inputs + 1, s->T, &own->step_labels, error);
    if (status == SAC_OK)
        status = sac_architecture_label_tokens(d, s->inputs, s->T, &own->position_labels, error);
    if (status == SAC_OK)
        status = sac_labels_copy(&own->step_labels, &cross->step_labels, error);
    if (status == SAC_OK && !source)
        status = sac_captioner_name_encoded(s->c, &cross->position_labels, error);
    sac_labels *read[] = {&a->kind[SAC_ENCODER_ATTENTION].step_labels,
                          &a->kind[SAC_ENCODER_ATTENTION].position_labels, &cross->position_labels};
    for (int i = 0; source && i < 3 && status == SAC_OK; i++)
        status = sac_architecture_label_tokens(source->model, source->ids, source->count, read[i],
                                               error);
    return status;
}

sac_status sac_token_run_attentions(captioner *c, const int *words, size_t count, sac_attentions *a,
                                    sac_error *error)
{
    sac_inference *source = NULL;
    replay s;
    sac_status status = begin(&s, c, words, count, error);
    if (status == SAC_OK && !sac_architecture_has_vision(c->model))
        status = sac_captioner_read(c, c->model, (sac_prompt){.ids = c->ids, .count = s.S}, &source,
                                    error);
    if (status == SAC_OK)
        status = make_kinds(&s, source, a, error);
    if (status == SAC_OK)
        status = weigh_all(&s, source, a, error);
    if (status == SAC_OK)
        status = name_kinds(&s, source, a, error);
    end(&s);
    sac_inference_free(source);
    return status;
}

sac_status sac_pretrained_captioner_attentions(captioner *c, const int *words, size_t count,
                                               sac_attentions *a, sac_error *error)
{
    const sac_text_decoder_class *class = c->decoder->text_decoder.class;
    *a = (sac_attentions){0};
    if (!class->attentions)
        return sac_fail(error, SAC_E_ARGUMENT, c->model->name, NULL,
                        "has no layers that attend to what it sees");
    if (count < 1 || count > SAC_MAX_TOKENS)
        return sac_fail(error, SAC_E_ARGUMENT, c->model->name, NULL,
                        "there are weights of 1 to %d tokens, not of %zu", SAC_MAX_TOKENS, count);
    sac_status status = class->attentions(c, words, count, a, error);
    if (status != SAC_OK)
        sac_attentions_free(a);
    return status;
}
