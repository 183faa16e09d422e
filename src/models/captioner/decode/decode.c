/* A picture is encoded once, and captioned any number of times. The sentences of a beam go through
 * the decoder as one batch over the same features. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "captioner/decode/encode.h"
#include "efficientnet/efficientnet.h"
#include "gemm/gemm_in_place.h"
#include "gemm/gemm_tiled.h"
#include "gemm/launch.h"
#include "models/stack.h"
#include "nn/attention/held.h"
#include "shapes/vocabulary.h"

/* ---------------------------------------------------------------- one launch for all steps */

/* The twin of cl/layers/caption_step.cl's `decoder`. */
typedef struct decoder {
    cl_uint embedding, hidden, keys, dim, depth, words;
    cl_uint table;
    cl_uint query, v, gate, gate_bias;
    cl_uint from_context, from_state;
    cl_uint out_state, out_context, out, out_bias;
    cl_uint start_state, state_bias, start_cell, cell_bias;
    cl_uint has_padding;
    cl_float scale;
    cl_uint padded;
    cl_uint rows;
    cl_uint pad, start, end;
    cl_uint masked, masked_count;
    cl_uint given;
    cl_uint held;
    cl_float penalty;
    cl_uint longest;
    cl_uint first, steps;
} decoder;

static cl_uint parameter_offset(const sac_parameter *parameter)
{
    return parameter ? parameter->value.at : 0;
}

static decoder describe_decoder_weights(const sac_captioner *c)
{
    const sac_captioner_weights *w = &c->weights;
    return (decoder){
        .embedding = (cl_uint)c->shape.embedding,
        .hidden = (cl_uint)c->shape.hidden,
        .keys = (cl_uint)c->cells,
        .dim = (cl_uint)c->keys,
        .depth = (cl_uint)c->depth,
        .words = (cl_uint)c->shape.vocabulary,
        .table = parameter_offset(w->embedding),
        .query = parameter_offset(w->query),
        .v = parameter_offset(w->v),
        .gate = parameter_offset(w->gate),
        .gate_bias = parameter_offset(w->gate_bias),
        .from_context = parameter_offset(w->from_context),
        .from_state = parameter_offset(w->from_state),
        .out_state = parameter_offset(w->output.state),
        .out_context = parameter_offset(w->output.context),
        .out = parameter_offset(w->output.out),
        .out_bias = parameter_offset(w->output.bias),
        .start_state = parameter_offset(w->state.weight),
        .state_bias = parameter_offset(w->state.bias),
        .start_cell = parameter_offset(w->cell.weight),
        .cell_bias = parameter_offset(w->cell.bias),
        .padded = (cl_uint)sac_captioner_padded_keys(c),
    };
}

/* All steps that are left, but one at a time where loops may not be long. */
static int steps_per_launch(sac_captioner *c, const sac_beam *beam)
{
    size_t limit = 0;
    sac_pass *pass = &c->base.pass;
    SAC_PASS_CALL(pass, sac_quirk_loop_limit(pass->device, &limit, &pass->error));
    return limit ? 1 : beam->options.length - beam->step;
}

/* The words that are masked in the decoder's input. */
static void describe_masked(const sac_captioner *c, decoder *d)
{
    const sac_dataset *dataset = sac_captioner_dataset(&c->shape);
    if (!dataset)
        return;
    d->masked = (cl_uint)dataset->masked.first;
    d->masked_count = c->shape.masks_colours ? (cl_uint)dataset->masked.count : 0;
}

static decoder decoder_arguments(sac_captioner *c, const sac_beam *beam,
                                 const sac_result_request *request)
{
    const sac_beam_options *o = &beam->options;
    decoder d = describe_decoder_weights(c);
    d.has_padding = request->hidden != NULL;
    d.scale = sac_captioner_attention(c, 1, request->temperature).spec.scale;
    d.rows = (cl_uint)o->width;
    d.pad = (cl_uint)o->pad;
    d.start = (cl_uint)o->start;
    d.end = (cl_uint)o->end;
    describe_masked(c, &d);
    d.given = (cl_uint)request->prefix_count;
    d.held = sac_gaze_is_held(&request->gaze) ? (cl_uint)request->gaze.from : CL_UINT_MAX;
    d.penalty = (float)o->length_penalty;
    d.longest = (cl_uint)o->length;
    d.first = (cl_uint)beam->step;
    d.steps = (cl_uint)steps_per_launch(c, beam);
    return d;
}

/* A search for one sentence, or for several: the kernel is compiled for either, since with both in
 * it a first caption takes 0.6 s longer. */
static const char *options_of(const sac_captioner *c, sac_normalizer normalizer, bool several)
{
#define OPTIONS(normalizer, additive)                                                              \
    {                                                                                              \
        " -DNORMALIZER=" normalizer " -DADDITIVE=" additive " -DTOGETHER=1",                       \
            " -DNORMALIZER=" normalizer " -DADDITIVE=" additive " -DTOGETHER=3"                    \
    }
    static const char *const options[][2][2] = {
        [SAC_NORMALIZER_SOFTMAX] = {OPTIONS("0", "0"), OPTIONS("0", "1")},
        [SAC_NORMALIZER_ENTMAX15] = {OPTIONS("1", "0"), OPTIONS("1", "1")},
        [SAC_NORMALIZER_SPARSEMAX] = {OPTIONS("2", "0"), OPTIONS("2", "1")}};
#undef OPTIONS
    return options[normalizer][c->shape.score == SAC_SCORE_ADDITIVE][several];
}

/* Announces the programs that encoding a picture and a search for several sentences need
 * (sac_kernel_expect). */
static void expect_caption_kernels(const sac_captioner *c)
{
    sac_device *device = c->base.pass.device;
    sac_device_set_any_group(device);
    sac_launch_items_expect(device, "panels");
    sac_gemm_in_place_expect(device, SAC_STORED_F32);
    sac_tiled_expect(device);
    if (c->shape.network.name[0]) {
        sac_efficientnet_expect(device);
        sac_launch_items_expect(device, "layers");
    }
    sac_launch_groups_expect(device, "layer_norm", "", false);
    sac_launch_groups_expect(device, "caption_step", options_of(c, c->shape.normalizer, true),
                             true);
}

/* The steps from beam->step on until the device thinks that the search is over, at least that one,
 * into decode->results. At step 0 it begins with the state the initial state, from the mean of the
 * features of the picture that was looked at, without the cells of decode->mask where
 * request->hidden is not NULL. With all cells hidden the mean is 0. Returns how many steps it may
 * take; enqueues. */
static int captioner_launch_steps(sac_captioner *c, const sac_beam *beam,
                                  const sac_result_request *request)
{
    struct sac_decode_buffers *s = c->decode;
    decoder d = decoder_arguments(c, beam, request);
    sac_arg args[] = {SAC_ARG(d),
                      SAC_ARG(c->base.parameters.values.buffer),
                      SAC_ARG(s->encoder.gates_of_word.buffer),
                      SAC_ARG(s->f.features.buffer),
                      SAC_ARG(s->f.keys.buffer),
                      SAC_ARG(s->mask.buffer),
                      SAC_ARG(s->given.buffer),
                      SAC_ARG(s->spot.buffer),
                      SAC_ARG(s->states.buffer),
                      SAC_ARG(s->results.buffer),
                      SAC_ARG(s->work.buffer)};
    sac_pass_groups(
        &c->base.pass, "caption_step",
        options_of(c, sac_result_normalizer(request, c->shape.normalizer), beam->options.width > 1),
        "mark_words", args, sizeof args / sizeof *args, 1);
    return (int)d.steps;
}

/* ---------------------------------------------------------------- layers */

enum { ROWS = SAC_BEAM_WIDTH };

/* ---------------------------------------------------------------- memory */

float *sac_captioner_stack_key(const sac_captioner *c, int layer)
{
    return c->decode->stack.key + (size_t)layer * (size_t)c->cells * (size_t)c->depth;
}

float *sac_captioner_stack_query(const sac_captioner *c, int step, int layer, int row)
{
    size_t place = (size_t)(step * c->shape.stack.layers + layer);
    return c->decode->stack.queries + (place * ROWS + (size_t)row) * (size_t)c->depth;
}

/* ---------------------------------------------------------------- where a person holds it */

static const float *make_spot(sac_captioner *c, const sac_result_request *request)
{
    sac_gaze_spot(&request->gaze, request->hidden, c->grid, c->grid, c->decode->spot_read);
    return c->decode->spot_read;
}

/* The keys stay, so that the weights of heads which are not held are what they are. */
static void hold_layer(sac_captioner *c, const float *spot, int layer)
{
    const size_t heads = (size_t)c->shape.stack.heads;
    const sac_held held = {
        .share = spot, .heads = c->decode->held + (size_t)layer * heads, .count = heads};
    sac_held_values(&c->base.pass, &held, c->decode->stack.words.memory_value[layer], heads);
}

/* Which heads a request holds. */
static sac_status find_held_heads(sac_captioner *c, const sac_result_request *request,
                                  sac_error *error)
{
    const size_t layers = (size_t)c->shape.stack.layers, heads = (size_t)c->shape.stack.heads;
    if (!sac_gaze_is_held(&request->gaze))
        return SAC_OK;
    if (sac_captioner_has_layers(&c->shape))
        return sac_gaze_find_heads(&request->gaze, layers, heads, c->decode->held, error);
    return request->gaze.heads[0]
               ? sac_fail(error, SAC_E_ARGUMENT, "gaze", "leave the heads out",
                          "%s: the model looks once a word, and has no heads", request->gaze.heads)
               : SAC_OK;
}

/* ---------------------------------------------------------------- one word of all sentences */

sac_status sac_captioner_stack_step(void *self, const sac_beam *beam,
                                    const sac_result_request *request,
                                    const sac_step_result *result, sac_error *error)
{
    sac_captioner *c = self;
    sac_pass *pass = &c->base.pass;
    assert(c->decode); /* it has looked */
    sac_captioner_stack_decoding *s = &c->decode->stack;
    const bool is_held = sac_gaze_is_held(&request->gaze);
    if (beam->step == 0) {
        /* Keys and values of the picture that was encoded last. */
        struct sac_decode_buffers *d = c->decode;
        sac_stack_decoding_begin(pass, &c->weights.stack, d->f.features, &d->stack.words);
        for (int i = 0; i < c->shape.stack.layers; i++)
            sac_pass_read(pass, d->stack.words.memory_key[i], sac_captioner_stack_key(c, i));
    }
    if (is_held && beam->step == request->gaze.from) {
        const float *spot = make_spot(c, request);
        for (int i = 0; i < c->shape.stack.layers; i++)
            hold_layer(c, spot, i);
    }
    sac_stack_decoding_step(pass, &c->weights.stack, beam, request, &s->words, result->logits);
    for (int i = 0; i < c->shape.stack.layers; i++)
        sac_pass_read(pass, s->words.step.layer[i].attention[SAC_PART_CROSS].query,
                      sac_captioner_stack_query(c, beam->step, i, 0));
    return sac_pass_end(pass, error);
}

/* ---------------------------------------------------------------- where the words looked */

/* Adds to weights [N] `share` of those of a head, of the word that came from `row` of a step. */
static void add_head(const sac_captioner *c, const sac_result_request *request, int step, int row,
                     int layer, int head, float share, float *map, float *weights)
{
    const sac_head_view view = {.query = sac_captioner_stack_query(c, step, layer, row),
                                .key = sac_captioner_stack_key(c, layer),
                                .queries = 1,
                                .keys = (size_t)c->cells,
                                .width = (size_t)c->depth,
                                .heads = (size_t)c->shape.stack.heads,
                                .hidden = request->hidden,
                                .temperature = request->temperature,
                                .normalizer = sac_result_normalizer(request, c->shape.normalizer)};
    const bool is_held = sac_gaze_is_held(&request->gaze) && step >= request->gaze.from &&
                         c->decode->held[layer * c->shape.stack.heads + head];
    if (is_held)
        memcpy(map, c->decode->spot_read, (size_t)c->cells * sizeof *map);
    else
        sac_head_weights(&view, (size_t)head, map);
    for (int n = 0; n < c->cells; n++)
        weights[n] += share * map[n];
}

/* Means over the layers and heads that are requested (0: all, else counted from 1). */
sac_status sac_captioner_stack_attention(void *self, const sac_result_request *request,
                                         const int *words, const int *rows, int count,
                                         float *weights, float *gates, sac_error *error)
{
    const sac_captioner *c = self;
    int layers = c->shape.stack.layers, heads = c->shape.stack.heads;
    int layer = request->layer ? request->layer - 1 : 0,
        layer_end = request->layer ? layer + 1 : layers;
    int head = request->head ? request->head - 1 : 0, head_end = request->head ? head + 1 : heads;
    float share = 1 / (float)((layer_end - layer) * (head_end - head));
    size_t cells = (size_t)c->cells;
    (void)words;
    if (layer_end > layers || head_end > heads)
        return sac_fail(error, SAC_E_ARGUMENT, "caption", NULL,
                        "there is no head %d of layer %d; the model has %d layers of %d heads",
                        head + 1, layer + 1, layers, heads);
    float *map = malloc(cells * sizeof *map);
    if (!map)
        return sac_no_memory(error, "captioner");
    memset(weights, 0, (size_t)count * cells * sizeof *weights);
    for (int t = 0; t < count; t++) {
        gates[t] = 1;
        for (int i = layer; i < layer_end; i++)
            for (int h = head; h < head_end; h++)
                add_head(c, request, t, rows[t], i, h, share, map, weights + (size_t)t * cells);
    }
    free(map);
    return SAC_OK;
}

sac_status sac_captioner_head_maps(sac_captioner *c, const sac_result_request *request, int layer,
                                   int count, float *maps, sac_error *error)
{
    sac_result_request one = *request;
    int rows[SAC_MAX_TOKENS];
    float gates[SAC_MAX_TOKENS];
    sac_status status = SAC_OK;
    for (int t = 0; t < count; t++)
        rows[t] = sac_generated_step_at(c->base.generation, t).row;
    one.layer = layer + 1;
    for (one.head = 1; one.head <= c->shape.stack.heads && status == SAC_OK; one.head++) {
        status = sac_captioner_stack_attention(c, &one, NULL, rows, count, maps, gates, error);
        maps += (size_t)count * (size_t)c->cells;
    }
    return status;
}

/* ---------------------------------------------------------------- words: looking */

sac_status sac_captioner_encode_square(sac_captioner *c, const sac_image *square, sac_error *error)
{
    int side = c->shape.side;
    if (square->width != side || square->height != side)
        return sac_fail(error, SAC_E_SHAPE, "picture", NULL,
                        "is %d × %d; the model looks at %d × %d", square->width, square->height,
                        side, side);
    sac_status status = sac_decode_buffers_prepare(c, error);
    if (status != SAC_OK)
        return status;
    expect_caption_kernels(c);
    sac_captioner_encode_picture(c, square->rgba);
    return sac_pass_end(&c->base.pass, error);
}

/* ---------------------------------------------------------------- one word of all sentences */

static float *result_of(const sac_captioner *c, const sac_beam *beam, int step, int row)
{
    size_t index = (size_t)(step * beam->options.width + row);
    return c->decode->results_read + index * c->decode->results.width;
}

static sac_row_end *row_end_of(const sac_captioner *c, const sac_beam *beam, int step, int row)
{
    return (sac_row_end *)(result_of(c, beam, step, row) + c->decode->results.width) - 1;
}

static int result_row_count(const sac_captioner *c, const sac_beam *beam, int step)
{
    int rows = 0;
    while (rows < beam->options.width && row_end_of(c, beam, step, rows)->word >= 0)
        rows++;
    return rows;
}

/* Whether the device has gone on to this step with the sentences of the search. */
static bool device_follows_search(const sac_captioner *c, const sac_beam *beam)
{
    int words[SAC_BEAM_WIDTH], parents[SAC_BEAM_WIDTH];
    bool same = result_row_count(c, beam, beam->step) == beam->rows;
    sac_beam_last_words(beam, words, parents);
    for (int i = 0; same && i < beam->rows; i++) {
        const sac_row_end *row = row_end_of(c, beam, beam->step, i);
        same = (int)row->word == words[i] && (int)row->parent == parents[i];
    }
    return same;
}

/* Writes the search's sentences to the device: it adds up scores in float32, and the search in
 * float64, so that they may differ where scores are nearly equal. */
static void correct_rows(sac_captioner *c, const sac_beam *beam)
{
    size_t width = (size_t)beam->options.width;
    for (int i = 0; i < beam->options.width; i++) {
        const sac_beam_row *row = &beam->row[beam->step][i];
        *row_end_of(c, beam, beam->step, i) =
            i < beam->rows
                ? (sac_row_end){0, (float)row->word, (float)row->parent, (float)row->score}
                : (sac_row_end){.word = -1};
    }
    sac_pass_write(&c->base.pass,
                   sac_tensor_rows(c->decode->results, (size_t)beam->step * width, width),
                   result_of(c, beam, beam->step, 0));
}

/* The steps from this one on, as far as the device takes them, and the rows that would follow. */
static void run_steps_on_device(sac_captioner *c, const sac_beam *beam,
                                const sac_result_request *request)
{
    struct sac_decode_buffers *s = c->decode;
    size_t width = (size_t)beam->options.width;
    int end = beam->step + captioner_launch_steps(c, beam, request);
    sac_tensor rows = sac_tensor_rows(s->results, (size_t)beam->step * width,
                                      (size_t)(end + 1 - beam->step) * width);
    sac_pass_read(&c->base.pass, rows, result_of(c, beam, beam->step, 0));
    s->known = beam->step;
    while (sac_pass_runs(&c->base.pass) && s->known < end &&
           result_row_count(c, beam, s->known) > 0)
        s->known++;
}

/* Uploads what is given before a search begins: hidden cells, where it is held, and the prefix. */
static void upload_request(sac_captioner *c, const sac_result_request *request)
{
    sac_ints given = sac_ints_from(c->decode->given, 0, c->decode->given.count);
    given.count = (size_t)request->prefix_count;
    c->decode->known = 0;
    if (request->hidden)
        sac_pass_write_bytes(&c->base.pass, c->decode->mask, request->hidden);
    if (sac_gaze_is_held(&request->gaze))
        sac_pass_write(&c->base.pass, c->decode->spot, make_spot(c, request));
    if (request->prefix_count > 0)
        sac_pass_write_ints(&c->base.pass, given, request->prefix);
}

static void copy_step(sac_captioner *c, const sac_beam *beam, const sac_step_result *result)
{
    size_t words = (size_t)c->shape.vocabulary, cells = (size_t)c->cells, keys = (size_t)c->keys;
    for (int i = 0; i < beam->rows; i++) {
        const float *row = result_of(c, beam, beam->step, i);
        memcpy(result->logits + (size_t)i * words, row, words * sizeof *row);
        memcpy(result->weights + (size_t)i * cells, row + words, cells * sizeof *row);
        memcpy(sac_decoded_query(c, beam->step, i), row + words + cells, keys * sizeof *row);
        result->gate[i] = row_end_of(c, beam, beam->step, i)->gate;
    }
}

/* One launch and one read for a sentence: a launch takes as long as a word's arithmetic. The device
 * goes ahead and chooses for itself the words that go on; the search follows, and where it chooses
 * otherwise, the device takes that step anew. */
sac_status sac_captioner_decode_step(void *self, const sac_beam *beam,
                                     const sac_result_request *request,
                                     const sac_step_result *result, sac_error *error)
{
    sac_captioner *c = self;
    assert(c->decode); /* it has looked */
    if (beam->step == 0)
        upload_request(c, request);
    bool followed = beam->step == 0 || device_follows_search(c, beam);
    if (!followed)
        correct_rows(c, beam);
    if (!followed || beam->step >= c->decode->known)
        run_steps_on_device(c, beam, request);
    if (sac_pass_runs(&c->base.pass))
        copy_step(c, beam, result);
    return sac_pass_end(&c->base.pass, error);
}

/* Words and marks of photographs' captions have the numbers that those of scenes have. */
static_assert((int)SAC_WORD_PAD == SAC_VOCABULARY_PAD &&
                  (int)SAC_WORD_START == SAC_VOCABULARY_START &&
                  (int)SAC_WORD_END == SAC_VOCABULARY_END,
              "one order of marks");
sac_sequence sac_captioner_start(const void *self)
{
    const sac_captioner *c = self;
    return (sac_sequence){.tokens = {.vocabulary = c->shape.vocabulary,
                                     .length = sac_captioner_longest(&c->shape),
                                     .pad = SAC_WORD_PAD,
                                     .start = SAC_WORD_START,
                                     .end = SAC_WORD_END,
                                     .no_repeat = c->shape.no_repeat,
                                     .length_penalty = (double)c->shape.length_penalty,
                                     .rules = &c->rules},
                          .grid_w = c->grid,
                          .grid_h = c->grid};
}

/* In place of attention α: (gradient × cell)+, for relevance times α, each map's sum 1. */
static sac_status replace_by_attribution(sac_captioner *c, const sac_result_request *request,
                                         sac_result *caption, sac_error *error)
{
    const size_t cells = (size_t)c->cells, count = (size_t)caption->count;
    const bool weighs = request->attribution == SAC_ATTRIBUTION_RELEVANCE;
    int words[SAC_MAX_TOKENS];
    float *counts = malloc((count * cells + 1) * sizeof *counts);
    if (!counts)
        return sac_no_memory(error, "captioner");
    sac_status status =
        sac_captioner_gradient(c, request, words, sac_result_tokens(caption, words), counts, error);
    for (size_t i = 0; i < count * cells && status == SAC_OK; i++)
        caption->weights[i] = fmaxf(counts[i], 0) * (weighs ? caption->weights[i] : 1);
    free(counts);
    if (status == SAC_OK)
        sac_result_finish_maps(caption, request->attribution);
    return status;
}

sac_status sac_captioner_generate(sac_captioner *c, const sac_result_request *request,
                                  sac_result *caption, sac_error *error)
{
    sac_status status = find_held_heads(c, request, error);
    if (status == SAC_OK)
        status = sac_model_decode(&c->base, request, caption, error);
    if (status == SAC_OK && (request->attribution == SAC_ATTRIBUTION_GRADIENT ||
                             request->attribution == SAC_ATTRIBUTION_RELEVANCE))
        status = replace_by_attribution(c, request, caption, error);
    if (status != SAC_OK)
        sac_result_free(caption);
    return status;
}
