/* Runs a source sentence and its translation through a translator, all tokens at once, and computes
 * the weights from the queries and keys of each layer. */
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/error.h"
#include "nn/layers.h"
#include "nn/positions.h"

/* What is read from each layer of the decoder. */
enum { OWN_QUERY, OWN_KEY, CROSS_QUERY, CROSS_KEY, LEFT };

typedef struct saying {
    sac_pretrained_model *decoder;
    size_t S, T;
    sac_arena arena;
    sac_ints ids, places;
    sac_tensor x, memory; /* [T,D], [S,D] */
    sac_tensor narrow;    /* [T,E] */
    sac_transformer_tensors tensors;
    float *left; /* [layers,LEFT,max(S,T),D] */
} saying;

static float *left_of(const saying *s, size_t layer, int which)
{
    size_t most = s->S > s->T ? s->S : s->T;
    return s->left +
           (layer * LEFT + (size_t)which) * most * sac_architecture_part_width(s->decoder, 0);
}

/* ---------------------------------------------------------------- forward */

static void embed(saying *s, const int *inputs)
{
    sac_pretrained_model *d = s->decoder;
    sac_pass *pass = &d->pass;
    sac_arena_shape(&s->arena, pass, &s->x, s->T, d->width);
    sac_arena_shape_ints(&s->arena, pass, &s->ids, s->T);
    sac_arena_shape_ints(&s->arena, pass, &s->places, s->T);
    sac_pass_write_ints(pass, s->ids, inputs);
    if (d->positions)
        sac_positions_place(pass, s->places, d->positions->value, s->T, d->first_place, NULL);
    sac_architecture_embed(d, &s->arena, &s->narrow, s->x, s->ids, s->places, s->T);
}

static void run_layers(saying *s)
{
    sac_pretrained_model *d = s->decoder;
    sac_pass *pass = &d->pass;
    const sac_multihead_tensors *t = s->tensors.attention;
    sac_tensor x = s->x;
    sac_placing placing = {0};
    sac_architecture_place(d, &s->arena, &placing, 0, s->T, s->T, NULL);
    for (int i = 0; i < d->layers && sac_pass_runs(pass); i++) {
        sac_transformer_run run = sac_pretrained_model_run(d, i, &placing);
        run.cross_scale = run.scale;
        sac_transformer_layer_shape(pass, &s->arena, &d->layer[i], &run, s->T, s->S, &s->tensors);
        x = sac_transformer_layer_forward(pass, &d->layer[i], &run, x, s->memory, &s->tensors);
        const sac_tensor parts[LEFT] = {t[SAC_PART_SELF].query, t[SAC_PART_SELF].key,
                                        t[SAC_PART_CROSS].query, t[SAC_PART_CROSS].key};
        for (int k = 0; k < LEFT; k++)
            sac_pass_read(pass, parts[k], left_of(s, (size_t)i, k));
    }
}

static sac_status say(saying *s, const sac_inference *source, const int *inputs, sac_error *error)
{
    sac_pretrained_model *d = s->decoder;
    sac_device_lock(d->device);
    sac_arena_shape(&s->arena, &d->pass, &s->memory, s->S, d->width);
    sac_pass_write(&d->pass, s->memory, source->left);
    embed(s, inputs);
    run_layers(s);
    sac_status status = sac_pass_end(&d->pass, error);
    sac_arena_release(&s->arena);
    sac_device_unlock(d->device);
    return status;
}

/* ---------------------------------------------------------------- weights */

/* Reads the maps of all heads of a layer. Destroys the attention. */
static sac_status read_maps(sac_attention *attention, sac_attention_kind *kind, size_t layer,
                            sac_error *error)
{
    size_t map = kind->steps * kind->positions;
    sac_status status = SAC_OK;
    for (size_t head = 0; head < kind->heads && status == SAC_OK; head++) {
        sac_tile tile = {.head = head, .rows = kind->steps, .cols = kind->positions};
        status = sac_attention_tile(attention, &tile,
                                    kind->weights + (layer * kind->heads + head) * map, error);
    }
    sac_attention_destroy(attention);
    return status;
}

static sac_status weigh_encoder(const sac_inference *source, sac_attention_kind *kind, size_t layer,
                                sac_error *error)
{
    sac_attention *attention;
    sac_status status = sac_inference_attention(source, (int)layer, &attention, error);
    return status == SAC_OK ? read_maps(attention, kind, layer, error) : status;
}

/* Computes weights from queries [steps,P] and keys [positions,P]. */
static sac_status weigh(const sac_pretrained_model *m, float *query, float *key, bool causal,
                        sac_attention_kind *kind, size_t layer, sac_error *error)
{
    const size_t width = sac_architecture_part_width(m, 0);
    const size_t asked[] = {kind->steps, width}, looked[] = {kind->positions, width};
    sac_array queries = sac_array_view(SAC_F32, 2, asked, query);
    sac_array keys = sac_array_view(SAC_F32, 2, looked, key);
    const float scale = m->scale[layer];
    const sac_attention_spec spec = {
        .heads = m->run.heads, .causal = causal, .use_scale = scale > 0, .scale = scale};
    const bool is_biased = causal && m->has_biases;
    size_t shape[4] = {0};
    float *biases =
        is_biased ? sac_architecture_biases(m, (int)layer, 0, kind->steps, shape) : NULL;
    if (is_biased && !biases)
        return sac_no_memory(error, m->name);
    sac_array mask = sac_array_view(SAC_F32, 4, shape, biases);
    const sac_attention_input input = {
        .query = &queries, .key = &keys, .value = &keys, .attn_mask = biases ? &mask : NULL};
    sac_attention *attention = NULL;
    sac_status status = sac_attention_create(m->device, &spec, &input, &attention, error);
    free(biases);
    return status == SAC_OK ? read_maps(attention, kind, layer, error) : status;
}

static sac_status weigh_all(const saying *s, const sac_inference *source, sac_attentions *a,
                            sac_error *error)
{
    sac_attention_kind *kind = a->kind;
    sac_status status = SAC_OK;
    for (size_t i = 0; i < kind[SAC_ENCODER_ATTENTION].layers && status == SAC_OK; i++)
        status = weigh_encoder(source, &kind[SAC_ENCODER_ATTENTION], i, error);
    for (size_t i = 0; i < kind[SAC_DECODER_ATTENTION].layers && status == SAC_OK; i++) {
        status = weigh(s->decoder, left_of(s, i, OWN_QUERY), left_of(s, i, OWN_KEY), true,
                       &kind[SAC_DECODER_ATTENTION], i, error);
        if (status == SAC_OK)
            status = weigh(s->decoder, left_of(s, i, CROSS_QUERY), left_of(s, i, CROSS_KEY), false,
                           &kind[SAC_CROSS_ATTENTION], i, error);
    }
    return status;
}

/* ---------------------------------------------------------------- memory and names */

static sac_status make_kind(const sac_pretrained_model *m, int which, size_t steps,
                            size_t positions, sac_attentions *a, sac_error *error)
{
    sac_attention_kind *kind = &a->kind[which];
    *kind = (sac_attention_kind){.name = sac_attention_kind_names[which],
                                 .layers = (size_t)m->layers,
                                 .heads = (size_t)m->run.heads,
                                 .steps = steps,
                                 .positions = positions};
    kind->weights = calloc(kind->layers * kind->heads * steps * positions, sizeof *kind->weights);
    return kind->weights ? SAC_OK : sac_no_memory(error, m->name);
}

static sac_status make_kinds(const saying *s, const sac_inference *source, sac_attentions *a,
                             sac_error *error)
{
    sac_status status = make_kind(source->model, SAC_ENCODER_ATTENTION, s->S, s->S, a, error);
    if (status == SAC_OK)
        status = make_kind(s->decoder, SAC_DECODER_ATTENTION, s->T, s->T, a, error);
    if (status == SAC_OK)
        status = make_kind(s->decoder, SAC_CROSS_ATTENTION, s->T, s->S, a, error);
    return status;
}

/* Rows are the words that are generated, columns of the decoder the token before each. */
static sac_status name_kinds(const sac_inference *source, const int *inputs, const int *words,
                             sac_attentions *a, sac_error *error)
{
    sac_status status = SAC_OK;
    for (int k = 0; k < SAC_ATTENTION_KINDS && status == SAC_OK; k++) {
        sac_attention_kind *kind = &a->kind[k];
        bool reads = k == SAC_ENCODER_ATTENTION, looks_back = k == SAC_DECODER_ATTENTION;
        status = reads ? sac_architecture_label_tokens(source->model, source->ids, kind->steps,
                                                       &kind->step_labels, error)
                       : sac_architecture_label_tokens(source->model->decoder, words, kind->steps,
                                                       &kind->step_labels, error);
        if (status == SAC_OK)
            status =
                looks_back
                    ? sac_architecture_label_tokens(source->model->decoder, inputs, kind->positions,
                                                    &kind->position_labels, error)
                    : sac_architecture_label_tokens(source->model, source->ids, kind->positions,
                                                    &kind->position_labels, error);
    }
    return status;
}

/* ---------------------------------------------------------------- all of it */

sac_status sac_architecture_sentence_attentions(sac_pretrained_model *m, const int *read,
                                                size_t read_count, const int *said,
                                                size_t said_count, sac_attentions *a,
                                                sac_error *error)
{
    sac_inference *source;
    *a = (sac_attentions){0};
    if (said_count < 1 || said_count > SAC_MAX_TOKENS)
        return sac_fail(error, SAC_E_ARGUMENT, m->name, NULL,
                        "there are weights of 1 to %d tokens, not of %zu", SAC_MAX_TOKENS,
                        said_count);
    sac_status status = sac_inference_read_tokens(m, read, read_count, &source, error);
    if (status != SAC_OK)
        return status;
    saying s = {.decoder = m->decoder, .S = source->count, .T = said_count};
    const sac_pretrained_model *d = s.decoder;
    size_t most = s.S > s.T ? s.S : s.T;
    int inputs[SAC_MAX_TOKENS] = {d->text_decoder.search.start};
    memcpy(inputs + 1, said, (s.T - 1) * sizeof *said);
    s.left =
        calloc((size_t)d->layers * LEFT * most * sac_architecture_part_width(d, 0), sizeof *s.left);
    status = s.left ? make_kinds(&s, source, a, error) : sac_no_memory(error, d->name);
    if (status == SAC_OK)
        status = say(&s, source, inputs, error);
    if (status == SAC_OK)
        status = weigh_all(&s, source, a, error);
    if (status == SAC_OK)
        status = name_kinds(source, inputs, said, a, error);
    free(s.left);
    if (status != SAC_OK)
        sac_attentions_free(a);
    sac_inference_free(source);
    return status;
}
