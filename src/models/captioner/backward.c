/* One batch, forward and backward. Where no recurrence forces the steps apart, their products are
 * one product over T·B rows: the words' part of the gates, the logits, and every gradient of a
 * weight. Rows whose sentence has ended hold zero gradients there, and whatever was in the memory
 * before as activations, which zero takes out. */
#include <math.h>

#include "base/error.h"
#include "captioner/activations.h"
#include "scenes/scene.h"

typedef sac_captioner_training activations;

/* A batch on its way, with the sizes at hand. */
typedef struct learning {
    sac_captioner *c;
    activations *t;
    const sac_caption_batch *batch;
    size_t size, steps, rows; /* B, T, T·B */
    size_t words, named;      /* that the losses are means over */
    size_t cells, depth, keys, hidden, embedding, vocabulary;
    bool bilinear, gazes; /* gazes: a loss asks something of the weights */
    sac_error *error;
} learning;

static const sac_span none = {0};

/* Where step `t` begins in a span [T,B,width]. */
static sac_span at_step(const learning *l, sac_span span, size_t t, size_t width)
{
    return sac_span_from(span, t * l->size * width);
}

/* n_t: lengths fall, so the sentences that reach step t are the first ones. */
static size_t rows_at(const learning *l, size_t t)
{
    size_t rows = 0;
    while (rows < l->size && (size_t)l->batch->lengths[rows] > t)
        rows++;
    return rows;
}

/* ---------------------------------------------------------------- the batch on the device */

/* What is to be said, and how much of it there is. */
static void prepare_words(learning *l)
{
    const sac_caption_batch *batch = l->batch;
    for (size_t i = 0; i < l->rows; i++) {
        bool spoken = (size_t)batch->lengths[i % l->size] > i / l->size;
        bool asked = spoken && batch->targets[i] != SAC_WORD_PAD;
        l->t->host_targets[i] = asked ? batch->targets[i] : -1;
        l->words += asked;
        l->named += spoken && batch->object_of_word[i] >= 0;
    }
}

static sac_status upload(learning *l)
{
    activations *t = l->t;
    const sac_caption_batch *batch = l->batch;
    sac_device *device = l->c->device;
    size_t side = (size_t)l->c->shape.side, bytes = l->rows * sizeof(int);
    prepare_words(l);
    sac_status status =
        sac_span_write(device, t->pictures, l->size * side * side * 3, batch->pictures, l->error);
    if (status == SAC_OK)
        status = sac_span_write(device, t->cover, l->size * SAC_SCENE_OBJECTS * l->cells,
                                batch->cover, l->error);
    if (status == SAC_OK)
        status = sac_buffer_write(device, t->inputs, 0, bytes, batch->inputs, l->error);
    if (status == SAC_OK)
        status = sac_buffer_write(device, t->targets, 0, bytes, t->host_targets, l->error);
    if (status == SAC_OK)
        status =
            sac_buffer_write(device, t->object_of_word, 0, bytes, batch->object_of_word, l->error);
    if (status == SAC_OK)
        status = sac_buffer_write(device, t->lengths, 0, l->size * sizeof(int), batch->lengths,
                                  l->error);
    return status;
}

/* ---------------------------------------------------------------- forward */

/* All words' rows of the embedding [T,B,M], and their part of the gates [T,B,4H]. */
static sac_status embed(learning *l)
{
    const sac_captioner_weights *w = &l->c->values;
    sac_embedding embedding = {l->rows, l->embedding, l->vocabulary};
    sac_linear word = {.rows = l->rows, .in = l->embedding, .out = 4 * l->hidden};
    sac_status status = sac_embedding_forward(l->c->device, &embedding, l->t->inputs, 0,
                                              w->embedding, l->t->embedded, l->error);
    if (status == SAC_OK)
        status = sac_linear_forward(l->c->device, &word, l->t->embedded, w->from_word, w->lstm_bias,
                                    l->t->gates, l->error);
    return status;
}

static sac_status step_forward(learning *l, size_t t)
{
    activations *a = l->t;
    sac_captioner_step step = {
        .batch = rows_at(l, t),
        .words_done = true,
        .features = a->features,
        .keys = a->keys,
        .state = at_step(l, a->states, t, l->hidden),
        .cell = at_step(l, a->cells, t, l->hidden),
        .query = at_step(l, a->query, t, l->keys),
        .gate = at_step(l, a->gate, t, 1),
        .weights = at_step(l, a->weights, t, l->cells),
        .context = at_step(l, a->context, t, l->depth),
        .z = at_step(l, a->z, t, l->depth),
        .gates = at_step(l, a->gates, t, 4 * l->hidden),
        .next_state = at_step(l, a->states, t + 1, l->hidden),
        .next_cell = at_step(l, a->cells, t + 1, l->hidden),
    };
    return sac_captioner_step_forward(l->c, &step, l->error);
}

static sac_status forward(learning *l)
{
    activations *a = l->t;
    sac_status status = sac_captioner_encode(l->c, l->size, a->pictures, a->between, a->columns,
                                             a->features, a->keys, l->error);
    if (status == SAC_OK)
        status =
            sac_captioner_begin(l->c, l->size, a->features, a->mean, a->states, a->cells, l->error);
    if (status == SAC_OK)
        status = embed(l);
    for (size_t t = 0; status == SAC_OK && t < l->steps; t++)
        status = step_forward(l, t);
    if (status == SAC_OK)
        status =
            sac_captioner_logits(l->c, l->rows, a->embedded, at_step(l, a->states, 1, l->hidden),
                                 a->z, a->mixed, a->logits, l->error);
    return status;
}

/* ---------------------------------------------------------------- losses */

static sac_status run_losses(learning *l, float gaze_weight, float coverage_weight)
{
    activations *a = l->t;
    sac_word_loss words = {l->rows, l->vocabulary, 1 / (float)l->words};
    sac_gaze_loss gaze = {
        .steps = l->steps,
        .batch = l->size,
        .cells = l->cells,
        .objects = SAC_SCENE_OBJECTS,
        .coverage_weight = coverage_weight,
        .gaze_weight = l->named ? gaze_weight : 0,
        .named = l->named ? l->named : 1,
    };
    sac_status status =
        sac_word_loss_run(l->c->device, &words, a->targets, a->logits, a->word_loss, l->error);
    if (status == SAC_OK && l->gazes)
        status = sac_gaze_loss_run(l->c->device, &gaze, a->weights, a->lengths, a->object_of_word,
                                   a->cover, a->dweights, a->gaze_loss, l->error);
    return status;
}

static float sum(const float *x, size_t count)
{
    double all = 0;
    for (size_t i = 0; i < count; i++)
        all += x[i];
    return (float)all;
}

static sac_status read_losses(learning *l, float losses[3])
{
    float *host = l->t->losses;
    sac_status status = sac_span_read(l->c->device, l->t->word_loss, l->rows, host, l->error);
    if (status == SAC_OK && l->gazes)
        status =
            sac_span_read(l->c->device, l->t->gaze_loss, 2 * l->size, host + l->rows, l->error);
    if (status != SAC_OK)
        return status;
    losses[0] = sum(host, l->rows);
    losses[1] = l->gazes ? sum(host + l->rows, l->size) : 0;
    losses[2] = l->gazes ? sum(host + l->rows + l->size, l->size) : 0;
    return SAC_OK;
}

/* ---------------------------------------------------------------- backward: the decoder */

/* dx [rows,in] += dy [rows,out] W. */
static sac_status add_input(learning *l, size_t rows, size_t in, size_t out, sac_span dy,
                            sac_span w, sac_span dx)
{
    sac_product product = {.m = rows, .n = in, .k = out, .accumulate = true};
    return sac_product_run(l->c->device, &product, dy, w, dx, l->error);
}

/* dW [out,in] += dyᵀ [out,T·B] x [T·B,in]: all steps at once. */
static sac_status add_weight(learning *l, size_t in, size_t out, sac_span dy, sac_span x,
                             sac_span dw)
{
    sac_product product = {
        .m = out, .n = in, .k = l->rows, .transpose_a = true, .accumulate = true};
    return sac_product_run(l->c->device, &product, dy, x, dw, l->error);
}

/* dlogits → mixed → embedded, s[t] and z[t] of all steps: these begin the gradients of all three.
 */
static sac_status logits_backward(learning *l)
{
    activations *a = l->t;
    const sac_captioner_weights *w = &l->c->values, *d = &l->c->gradients;
    sac_device *device = l->c->device;
    sac_linear out = {.rows = l->rows, .in = l->embedding, .out = l->vocabulary};
    sac_linear state = {.rows = l->rows, .in = l->hidden, .out = l->embedding};
    sac_linear context = {.rows = l->rows, .in = l->depth, .out = l->embedding};
    sac_status status = sac_linear_backward(device, &out, a->mixed, w->out, a->logits, a->dembedded,
                                            d->out, d->out_bias, l->error);
    if (status == SAC_OK)
        status = sac_linear_backward(
            device, &state, at_step(l, a->states, 1, l->hidden), w->out_state, a->dembedded,
            at_step(l, a->dstates, 1, l->hidden), d->out_state, none, l->error);
    if (status == SAC_OK)
        status = sac_linear_backward(device, &context, a->z, w->out_context, a->dembedded, a->dz,
                                     d->out_context, none, l->error);
    return status;
}

/* Zeroes what the steps add to, and what they leave out in rows that have ended. */
static sac_status clear(learning *l)
{
    activations *a = l->t;
    const struct {
        sac_span span;
        size_t floats;
    } all[] = {
        {a->dstates, l->size * l->hidden},
        {a->dcell, l->size * l->hidden},
        {a->dgates, l->rows * 4 * l->hidden},
        {a->dquery, l->rows * l->keys},
        {a->dgate, l->rows},
        {a->dfeatures, l->size * l->cells * l->depth},
        {a->dkeys, l->size * l->cells * l->keys},
    };
    sac_status status = SAC_OK;
    for (size_t i = 0; status == SAC_OK && i < sizeof all / sizeof *all; i++)
        status = sac_span_fill(l->c->device, all[i].span, all[i].floats, 0, l->error);
    return status;
}

static sac_status gaze_backward(learning *l, size_t t, size_t rows)
{
    activations *a = l->t;
    sac_gaze gaze = sac_captioner_gaze(l->c, rows);
    sac_gaze_spans spans = {
        .features = a->features,
        .keys = l->bilinear ? a->features : a->keys,
        .v = l->c->values.v,
        .query = at_step(l, a->query, t, l->keys),
        .gate = at_step(l, a->gate, t, 1),
        .weights = at_step(l, a->weights, t, l->cells),
        .context = at_step(l, a->context, t, l->depth),
        .z = at_step(l, a->z, t, l->depth),
    };
    sac_gaze_gradients gradients = {
        .dz = at_step(l, a->dz, t, l->depth),
        .dweights = l->gazes ? at_step(l, a->dweights, t, l->cells) : none,
        .dfeatures = a->dfeatures,
        .dkeys = a->dkeys,
        .dv = l->c->gradients.v,
        .dquery = at_step(l, a->dquery, t, l->keys),
        .dgate = at_step(l, a->dgate, t, 1),
        .scratch = a->scratch,
    };
    return sac_gaze_backward(l->c->device, &gaze, &spans, &gradients, l->error);
}

/* What query, gate and LSTM ask of the state before step t. */
static sac_status state_backward(learning *l, size_t t, size_t rows)
{
    activations *a = l->t;
    const sac_captioner_weights *w = &l->c->values;
    sac_span dstate = at_step(l, a->dstates, t, l->hidden);
    sac_status status = add_input(l, rows, l->hidden, 4 * l->hidden,
                                  at_step(l, a->dgates, t, 4 * l->hidden), w->from_state, dstate);
    if (status == SAC_OK)
        status = add_input(l, rows, l->hidden, l->keys, at_step(l, a->dquery, t, l->keys), w->query,
                           dstate);
    if (status == SAC_OK)
        status = add_input(l, rows, l->hidden, 1, at_step(l, a->dgate, t, 1), w->gate, dstate);
    return status;
}

static sac_status step_backward(learning *l, size_t t)
{
    activations *a = l->t;
    size_t rows = rows_at(l, t);
    sac_lstm lstm = {.batch = rows, .hidden = l->hidden};
    sac_span dgates = at_step(l, a->dgates, t, 4 * l->hidden);
    sac_status status = sac_lstm_backward(
        l->c->device, &lstm, at_step(l, a->gates, t, 4 * l->hidden),
        at_step(l, a->cells, t, l->hidden), at_step(l, a->cells, t + 1, l->hidden),
        at_step(l, a->dstates, t + 1, l->hidden), a->dcell, dgates, a->dcell, l->error);
    if (status == SAC_OK)
        status = add_input(l, rows, l->depth, 4 * l->hidden, dgates, l->c->values.from_context,
                           at_step(l, a->dz, t, l->depth));
    if (status == SAC_OK)
        status = gaze_backward(l, t, rows);
    if (status == SAC_OK)
        status = state_backward(l, t, rows);
    return status;
}

/* The gradients of the weights that every step used. */
static sac_status step_weights_backward(learning *l)
{
    activations *a = l->t;
    const sac_captioner_weights *d = &l->c->gradients;
    size_t gates = 4 * l->hidden;
    sac_status status = add_weight(l, l->hidden, gates, a->dgates, a->states, d->from_state);
    if (status == SAC_OK)
        status = add_weight(l, l->depth, gates, a->dgates, a->z, d->from_context);
    if (status == SAC_OK)
        status = add_weight(l, l->hidden, l->keys, a->dquery, a->states, d->query);
    if (status == SAC_OK)
        status = add_weight(l, l->hidden, 1, a->dgate, a->states, d->gate);
    if (status == SAC_OK)
        status = sac_sum_rows(l->c->device, l->rows, 1, a->dgate, d->gate_bias, l->error);
    return status;
}

static sac_status embed_backward(learning *l)
{
    activations *a = l->t;
    const sac_captioner_weights *d = &l->c->gradients;
    sac_embedding embedding = {l->rows, l->embedding, l->vocabulary};
    sac_linear word = {
        .rows = l->rows, .in = l->embedding, .out = 4 * l->hidden, .accumulate = true};
    sac_status status =
        sac_linear_backward(l->c->device, &word, a->embedded, l->c->values.from_word, a->dgates,
                            a->dembedded, d->from_word, d->lstm_bias, l->error);
    if (status == SAC_OK)
        status = sac_embedding_backward(l->c->device, &embedding, a->inputs, 0, a->dembedded,
                                        d->embedding, l->error);
    return status;
}

static sac_status decoder_backward(learning *l)
{
    sac_status status = clear(l);
    if (status == SAC_OK)
        status = logits_backward(l);
    for (size_t t = l->steps; status == SAC_OK && t-- > 0;)
        status = step_backward(l, t);
    if (status == SAC_OK)
        status = step_weights_backward(l);
    if (status == SAC_OK)
        status = embed_backward(l);
    return status;
}

/* ---------------------------------------------------------------- backward: the encoder */

/* dmean [B,D] from the first state or cell, whose gradient `dy` [B,H] becomes that of the sum. */
static sac_status begin_backward(learning *l, sac_span w, sac_span y, sac_span dy, bool accumulate,
                                 sac_span dw, sac_span db)
{
    sac_linear layer = {
        .rows = l->size, .in = l->depth, .out = l->hidden, .accumulate = accumulate};
    sac_status status = sac_tanh_backward(l->c->device, l->size * l->hidden, y, dy, l->error);
    if (status == SAC_OK)
        status = sac_linear_backward(l->c->device, &layer, l->t->mean, w, dy, l->t->dmean, dw, db,
                                     l->error);
    return status;
}

static sac_status start_backward(learning *l)
{
    activations *a = l->t;
    const sac_captioner_weights *w = &l->c->values, *d = &l->c->gradients;
    sac_status status = begin_backward(l, w->state.weight, a->states, a->dstates, false,
                                       d->state.weight, d->state.bias);
    if (status == SAC_OK)
        status = begin_backward(l, w->cell.weight, a->cells, a->dcell, true, d->cell.weight,
                                d->cell.bias);
    if (status == SAC_OK)
        status = sac_mean_cells_backward(l->c->device, l->size, l->cells, l->depth, a->dmean,
                                         a->dfeatures, l->error);
    return status;
}

static sac_status keys_backward(learning *l)
{
    activations *a = l->t;
    sac_linear layer = {
        .rows = l->size * l->cells, .in = l->depth, .out = l->keys, .accumulate = true};
    if (l->bilinear) /* features are the keys: dfeatures += dkeys */
        return sac_add_rows(l->c->device, 1, layer.rows * l->depth, a->dfeatures, a->dkeys,
                            l->error);
    return sac_linear_backward(l->c->device, &layer, a->features, l->c->values.key, a->dkeys,
                               a->dfeatures, l->c->gradients.key, l->c->gradients.key_bias,
                               l->error);
}

static sac_status convolutions_backward(learning *l)
{
    activations *a = l->t;
    sac_captioner *c = l->c;
    sac_span dy = a->dfeatures;
    sac_status status = SAC_OK;
    for (int i = c->shape.layers; status == SAC_OK && i-- > 0;) {
        sac_convolution layer = sac_captioner_layer(&c->shape, i, l->size);
        sac_span x = i ? a->between[i - 1] : a->pictures;
        sac_span dx = i ? a->dbetween[i % 2] : none;
        status = sac_convolution_backward(
            c->device, &layer, x, c->values.encoder[i].weight, a->between[i], a->columns, dy, dx,
            c->gradients.encoder[i].weight, c->gradients.encoder[i].bias, l->error);
        dy = dx;
    }
    return status;
}

static sac_status encoder_backward(learning *l)
{
    sac_layer_norm norm = sac_captioner_norm(l->c, l->size);
    sac_span last = l->t->between[l->c->shape.layers - 1];
    sac_status status = start_backward(l);
    if (status == SAC_OK)
        status = keys_backward(l);
    if (status == SAC_OK)
        status = sac_layer_norm_backward(l->c->device, &norm, last, l->t->dfeatures,
                                         l->t->norm_scratch, l->error);
    if (status == SAC_OK)
        status = convolutions_backward(l);
    return status;
}

/* ---------------------------------------------------------------- */

static sac_status check(const sac_caption_batch *batch, sac_error *error)
{
    bool fits = batch->size > 0 && batch->steps > 0;
    for (size_t i = 0; fits && i < batch->size; i++) {
        int length = batch->lengths[i], before = i ? batch->lengths[i - 1] : (int)batch->steps;
        fits = length > 0 && length <= before;
    }
    return fits ? SAC_OK
                : sac_fail(error, SAC_E_ARGUMENT, "batch", "put longer sentences first",
                           "its sentences are empty or not in falling order of length");
}

static learning begin(sac_captioner *c, const sac_caption_batch *batch, bool gazes,
                      sac_error *error)
{
    return (learning){
        .c = c,
        .t = c->training,
        .batch = batch,
        .size = batch->size,
        .steps = batch->steps,
        .rows = batch->size * batch->steps,
        .cells = (size_t)c->cells,
        .depth = (size_t)c->depth,
        .keys = (size_t)c->keys,
        .hidden = (size_t)c->shape.hidden,
        .embedding = (size_t)c->shape.embedding,
        .vocabulary = (size_t)c->shape.vocabulary,
        .bilinear = c->shape.score == SAC_SCORE_BILINEAR,
        .gazes = gazes,
        .error = error,
    };
}

sac_status sac_captioner_learn(sac_captioner *c, const sac_caption_batch *batch, float gaze_weight,
                               float coverage_weight, float losses[3], sac_error *error)
{
    sac_status status = check(batch, error);
    if (status == SAC_OK)
        status = sac_captioner_training_reserve(c, batch->size, batch->steps, error);
    if (status != SAC_OK)
        return status;
    learning l = begin(c, batch, gaze_weight > 0 || coverage_weight > 0, error);
    status = upload(&l);
    if (status == SAC_OK)
        status = forward(&l);
    if (status == SAC_OK)
        status = run_losses(&l, fmaxf(gaze_weight, 0), fmaxf(coverage_weight, 0));
    if (status == SAC_OK)
        status = decoder_backward(&l);
    if (status == SAC_OK)
        status = encoder_backward(&l);
    if (status == SAC_OK)
        status = read_losses(&l, losses);
    return status;
}
