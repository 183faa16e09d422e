/* One batch, forward and backward. Where no recurrence forces the steps apart, their products are
 * one product over T·B rows: the words' part of the gates, the logits, and every gradient of a
 * weight. Rows whose sentence has ended hold zero gradients there, and activations left from
 * another batch, which the zeros cancel. */
#include <math.h>

#include "base/error.h"
#include "captioner/encoders/encoder.h"
#include "captioner/learn/activations.h"
#include "nn/training.h"

/* ---------------------------------------------------------------- layers */

size_t sac_captioner_place_count(const sac_captioner *c)
{
    const sac_dataset *dataset = sac_captioner_dataset(&c->shape);
    return dataset ? (size_t)dataset->longest : SAC_CAPTION_PLACES;
}

/* Which of its photograph's sentences a sentence is. */
static size_t index_among_captions(const sac_caption_batch *batch, size_t sentence)
{
    size_t place = 0;
    for (size_t i = 0; i < sentence; i++)
        place += batch->picture_of[i] == batch->picture_of[sentence];
    return place;
}

size_t sac_captioner_stack_sentences(const sac_caption_batch *batch)
{
    size_t most = 0;
    for (size_t b = 0; b < batch->size; b++) {
        size_t place = index_among_captions(batch, b);
        most = place + 1 > most ? place + 1 : most;
    }
    return most * batch->photographs;
}

/* Words and targets of the batch, which come by step, as rows; returns how many targets there are. */
static size_t copy_sentences_as_rows(const sac_captioner_stack_training *s,
                                     const sac_caption_batch *batch, int *wanted)
{
    size_t T = batch->steps, each = s->words.batch / batch->photographs, asked = 0;
    for (size_t i = 0; i < s->words.batch * T; i++) {
        s->inputs[i] = SAC_WORD_PAD;
        wanted[i] = -1;
    }
    for (size_t b = 0; b < batch->size; b++) {
        size_t row = ((size_t)batch->picture_of[b] * each + index_among_captions(batch, b)) * T;
        for (size_t t = 0; t < (size_t)batch->lengths[b]; t++) {
            int target = batch->targets[t * batch->size + b];
            s->inputs[row + t] = batch->inputs[t * batch->size + b];
            wanted[row + t] = target != SAC_WORD_PAD ? target : -1;
            asked += target != SAC_WORD_PAD;
        }
    }
    return asked;
}

void sac_captioner_stack_learn(sac_captioner *c, const sac_captioner_stack_training *s,
                               const sac_caption_batch *batch, const sac_caption_lesson *lesson,
                               int *wanted, sac_tensor features, sac_tensor dfeatures)
{
    sac_pass *pass = &c->base.pass;
    const sac_stack *stack = &c->weights.stack;
    const sac_stack_noise noise = {lesson->dropout, batch->seed};
    const sac_stack_memory memory = {.rows = features, .gradient = dfeatures};
    size_t own = copy_sentences_as_rows(s, batch, wanted);
    size_t words = batch->whole.samples ? batch->whole.words : own;
    sac_stack_upload(pass, stack, &(sac_stack_words){s->inputs, s->padding, NULL}, &s->words);
    sac_pass_write_ints(pass, s->targets, wanted);
    sac_tensor z = sac_stack_forward(pass, stack, &noise, &s->words, &memory);
    sac_stack_logits(pass, stack, s->logits, z);
    sac_smoothed_word_loss(pass, s->losses, s->logits, s->targets, 1 / (float)words,
                           lesson->smoothing);
    sac_stack_logits_backward(pass, stack, s->d, s->logits, z);
    sac_pass_fill(pass, dfeatures, 0);
    sac_stack_backward(pass, stack, &noise, &s->words, &memory, s->d, &s->gradients);
}

/* ---------------------------------------------------------------- the whole */

typedef sac_captioner_training activations;

/* A batch on its way. */
typedef struct learning {
    sac_captioner *c;
    sac_pass *pass;
    activations *a;
    const sac_captioner_weights *w;
    const sac_caption_batch *batch;
    size_t B, T;                    /* pictures, and steps of the longest sentence */
    size_t words, named, sentences; /* that the losses are means over */
    bool attention_loss;            /* a loss depends on the attention's weights */
    const sac_caption_lesson *lesson;
} learning;

static const sac_tensor none = {0};

/* What is dropped: each use has a key of its own. */
enum { OF_FEATURES, OF_WORDS, OF_OUTPUT };
static sac_dropout dropout_of(const learning *l, uint32_t use)
{
    float share = use == OF_FEATURES ? l->lesson->grid_dropout : l->lesson->dropout;
    return sac_dropout_of(share, l->batch->seed, use);
}

static void apply_dropout(const learning *l, uint32_t use, sac_tensor x)
{
    sac_dropout dropout = dropout_of(l, use);
    if (dropout.p > 0)
        sac_dropout_run(l->pass, &dropout, x, x);
}

/* The first `rows` rows of step t in a tensor [T,B,width]. */
static sac_tensor at_step(const learning *l, sac_tensor x, size_t t, size_t rows)
{
    return sac_tensor_rows(x, t * l->B, rows);
}

/* The steps 1 … T of a tensor [T+1,B,width]. */
static sac_tensor after_steps(const learning *l, sac_tensor x)
{
    return sac_tensor_rows(x, l->B, l->T * l->B);
}

/* n_t: lengths fall, so the sentences that reach step t are the first ones. */
static size_t sentence_count_at_step(const learning *l, size_t t)
{
    size_t rows = 0;
    while (rows < l->B && (size_t)l->batch->lengths[rows] > t)
        rows++;
    return rows;
}

/* ---------------------------------------------------------------- the batch on the device */

static void upload(learning *l)
{
    activations *a = l->a;
    /* The target words, and how many there are. */
    const sac_caption_batch *batch = l->batch;
    for (size_t i = 0; i < l->T * l->B; i++) {
        bool is_word = (size_t)batch->lengths[i % l->B] > i / l->B;
        bool asked = is_word && batch->targets[i] != SAC_WORD_PAD;
        l->a->host_targets[i] = asked ? batch->targets[i] : -1;
        l->words += asked;
        l->named += is_word && batch->object_of_word[i] >= 0;
    }
    l->sentences = l->B;
    if (batch->whole.samples) {
        l->words = batch->whole.words;
        l->named = batch->whole.named;
        l->sentences = batch->whole.samples;
    }
    if (!l->lesson->encoded)
        l->c->encoder->write(l->c, &a->f, batch->photographs ? batch->grids : batch->pictures);
    for (size_t i = 0; i < l->T * l->B && batch->factors; i++)
        a->host_factors[i] = batch->factors[i % l->B];
    if (batch->factors)
        sac_pass_write(l->pass, a->factors, a->host_factors);
    if (batch->photographs)
        sac_pass_write_ints(l->pass, a->picture_of, batch->picture_of);
    if (batch->cover)
        sac_pass_write(l->pass, a->cover, batch->cover);
    sac_pass_write_ints(l->pass, a->inputs, l->batch->inputs);
    sac_pass_write_ints(l->pass, a->targets, a->host_targets);
    sac_pass_write_ints(l->pass, a->object_of_word, l->batch->object_of_word);
    sac_pass_write_ints(l->pass, a->lengths, l->batch->lengths);
}

/* ---------------------------------------------------------------- forward */

static sac_captioner_step step_of(const learning *l, size_t t)
{
    const activations *a = l->a;
    const size_t n = sentence_count_at_step(l, t);
    return (sac_captioner_step){
        .features = a->features,
        .keys = a->keys,
        .state = at_step(l, a->states, t, n),
        .cell = at_step(l, a->cell_states, t, n),
        .query = at_step(l, a->query, t, n),
        .beta = at_step(l, a->beta, t, n),
        .weights = at_step(l, a->weights, t, n),
        .scores = l->attention_loss ? at_step(l, a->scores, t, n) : none,
        .context = at_step(l, a->context, t, n),
        .z = at_step(l, a->z, t, n),
        .gates = at_step(l, a->gates, t, n),
        .next_state = at_step(l, a->states, t + 1, n),
        .next_cell = at_step(l, a->cell_states, t + 1, n),
    };
}

static sac_deep_output_tensors outputs(const learning *l)
{
    const activations *a = l->a;
    return (sac_deep_output_tensors){a->logits,   a->mixed,
                                     a->embedded, after_steps(l, a->states),
                                     a->z,        dropout_of(l, OF_OUTPUT)};
}

static void encode(learning *l)
{
    sac_dropout of_features = dropout_of(l, OF_FEATURES);
    sac_captioner_encode(l->c, &l->a->f, of_features.p > 0 ? &of_features : NULL);
}

/* The first states of all sentences, from features that are there. */
static void compute_initial_states(learning *l)
{
    activations *a = l->a;
    if (l->batch->photographs) {
        /* Each sentence gets its photograph's. */
        size_t cells = (size_t)l->c->cells, P = l->batch->photographs;
        sac_gather_rows(l->pass, sac_tensor_shaped(a->features, l->B, cells * a->features.width),
                        sac_tensor_shaped(a->f.features, P, cells * a->features.width),
                        a->picture_of);
        sac_gather_rows(l->pass, sac_tensor_shaped(a->keys, l->B, cells * a->keys.width),
                        sac_tensor_shaped(a->f.keys, P, cells * a->keys.width), a->picture_of);
    }
    sac_mean_cells_forward(l->pass, a->mean, a->features); /* [B,D] */
    sac_captioner_begin_from_mean(l->c, a->mean, at_step(l, a->states, 0, l->B),
                                  at_step(l, a->cell_states, 0, l->B));
}

static void forward(learning *l)
{
    activations *a = l->a;
    if (!l->lesson->encoded)
        encode(l);
    compute_initial_states(l);
    sac_embedding_forward(l->pass, a->embedded, l->w->embedding, a->inputs); /* [T,B,M] */
    apply_dropout(l, OF_WORDS, a->embedded);
    sac_linear_forward(l->pass, a->gates, a->embedded, l->w->from_word,
                       l->w->lstm_bias); /* [T,B,4H] */
    for (size_t t = 0; t < l->T; t++) {
        const sac_captioner_step step = step_of(l, t);
        sac_captioner_step_forward(l->c, &step);
    }
    sac_deep_output_tensors output = outputs(l);
    sac_deep_output_forward(l->pass, &l->w->output, &output);
}

/* ---------------------------------------------------------------- losses */

static void run_losses(learning *l)
{
    activations *a = l->a;
    sac_attention_loss gaze = {
        .normalizer = l->c->shape.normalizer,
        .steps = l->T,
        .batch = l->B,
        .cells = (size_t)l->c->cells,
        .objects = sac_captioner_place_count(l->c),
        .doubly_stochastic_weight =
            fmaxf(l->lesson->doubly_stochastic, 0) * (float)l->B / (float)l->sentences,
        .supervision_weight = l->named ? fmaxf(l->lesson->supervision, 0) : 0,
        .named = l->named ? l->named : 1,
    };
    sac_attention_truth truth = {a->lengths, a->object_of_word, a->cover};
    sac_attention_loss_tensors tensors = {a->weights, a->scores, a->dweights, a->dscores,
                                          a->attention_loss};
    if (l->batch->factors)
        sac_policy_loss(l->pass, &l->lesson->policy, a->word_loss, a->logits, a->targets,
                        a->factors);
    else
        sac_smoothed_word_loss(l->pass, a->word_loss, a->logits, a->targets, 1 / (float)l->words,
                               l->lesson->smoothing);
    if (l->attention_loss)
        sac_attention_loss_run(l->pass, &gaze, &tensors, &truth);
}

static void read_losses(learning *l, float losses[3])
{
    float *words = l->a->losses, *gaze = words + l->T * l->B;
    sac_pass_read(l->pass, l->a->word_loss, words);
    if (l->attention_loss)
        sac_pass_read(l->pass, l->a->attention_loss, gaze);
    if (!sac_pass_runs(l->pass))
        return;
    losses[0] = sac_loss_sum(words, l->T * l->B);
    losses[1] = l->attention_loss ? sac_loss_sum(gaze, l->B) : 0;
    losses[2] = l->attention_loss ? sac_loss_sum(gaze + l->B, l->B) : 0;
}

/* ---------------------------------------------------------------- backward: the decoder */

/* These begin the gradients of embedded, s[t] and z[t] of all steps. */
static void output_backward(learning *l)
{
    const activations *a = l->a;
    sac_deep_output_tensors x = outputs(l);
    sac_deep_output_tensors dx = {.logits = a->logits, /* [T,B,V]: the loss left it there */
                                  .mixed = a->dembedded,
                                  .state = after_steps(l, a->dstates),
                                  .context = a->dz};
    sac_deep_output_backward(l->pass, &l->w->output, &x, &dx);
}

static void step_backward(learning *l, size_t t)
{
    activations *a = l->a;
    const size_t n = sentence_count_at_step(l, t);
    const sac_captioner_step step = step_of(l, t);
    const sac_captioner_step_gradients gradients = {
        .next_state = at_step(l, a->dstates, t + 1, n),
        .cell = at_step(l, a->dcell, 0, n),
        .z = at_step(l, a->dz, t, n),
        .weights = l->attention_loss ? at_step(l, a->dweights, t, n) : none,
        .scores = l->attention_loss ? at_step(l, a->dscores, t, n) : none,
        .state = at_step(l, a->dstates, t, n),
        .features = a->dfeatures,
        .keys = a->dkeys,
        .gates = at_step(l, a->dgates, t, n),
        .query = at_step(l, a->dquery, t, n),
        .beta = at_step(l, a->dbeta, t, n),
    };
    sac_captioner_step_backward(l->c, &step, &gradients);
}

/* The gradients of the weights that every step used, all steps at once: dW [out,in] += dyᵀ
 * [out,T·B] x [T·B,in]. */
static void step_weights_backward(learning *l)
{
    activations *a = l->a;
    const sac_captioner_weights *w = l->w;
    sac_tensor before = sac_tensor_rows(a->states, 0, l->T * l->B); /* s[t−1] */
    sac_linear_backward_weights(l->pass, a->dgates, before, w->from_state, NULL);
    sac_linear_backward_weights(l->pass, a->dgates, a->z, w->from_context, NULL);
    sac_linear_backward_weights(l->pass, a->dquery, before, w->query, NULL);
    sac_linear_backward_weights(l->pass, a->dbeta, before, w->gate, w->gate_bias);
    sac_linear_backward_weights(l->pass, a->dgates, a->embedded, w->from_word, w->lstm_bias);
    sac_linear_backward_add(l->pass, a->dembedded, a->dgates, w->from_word);
    apply_dropout(l, OF_WORDS, a->dembedded);
    sac_embedding_backward(l->pass, w->embedding, a->dembedded, a->inputs);
}

/* ---------------------------------------------------------------- backward: the encoder */

static void keys_backward(learning *l)
{
    activations *a = l->a;
    if (!l->w->key) { /* features are the keys */
        sac_add(l->pass, a->df_features, a->df_keys);
        return;
    }
    sac_linear_backward_weights(l->pass, a->df_keys, a->f.features, l->w->key, l->w->key_bias);
    sac_linear_backward_add(l->pass, a->df_features, a->df_keys, l->w->key);
}

/* The gradients of a photograph's features are the sums of its sentences'. */
static void sum_sentence_gradients(const learning *l)
{
    activations *a = l->a;
    size_t cells = (size_t)l->c->cells, P = l->batch->photographs;
    size_t width = cells * a->features.width, key_width = cells * a->keys.width;
    sac_pass_fill(l->pass, a->df_features, 0);
    sac_pass_fill(l->pass, a->df_keys, 0);
    sac_gather_rows_backward(l->pass, sac_tensor_shaped(a->df_features, P, width),
                             sac_tensor_shaped(a->dfeatures, l->B, width), a->picture_of);
    sac_gather_rows_backward(l->pass, sac_tensor_shaped(a->df_keys, P, key_width),
                             sac_tensor_shaped(a->dkeys, l->B, key_width), a->picture_of);
}

static void encoder_backward(learning *l)
{
    /* s₀, c₀ = tanh(W · mean h + b) → features */
    activations *a = l->a;
    const sac_captioner_weights *w = l->w;
    sac_pass *pass = l->pass;
    sac_tensor dstate = at_step(l, a->dstates, 0, l->B);
    sac_captioner_mean_backward(l->c, a->dmean, dstate, a->dcell, at_step(l, a->states, 0, l->B),
                                at_step(l, a->cell_states, 0, l->B));
    sac_linear_backward_weights(pass, dstate, a->mean, w->state.weight, w->state.bias);
    sac_linear_backward_weights(pass, a->dcell, a->mean, w->cell.weight, w->cell.bias);
    sac_mean_cells_backward(pass, a->dfeatures, a->dmean);
    if (l->batch->photographs)
        sum_sentence_gradients(l);
    keys_backward(l);
    apply_dropout(l, OF_FEATURES, a->df_features);
    l->c->encoder->backward(l->c, a);
}

/* ---------------------------------------------------------------- a decoder of layers */

static void learn_by_layers(learning *l, float losses[3])
{
    activations *a = l->a;
    const sac_captioner_stack_training *s = &a->stack;
    l->c->encoder->write(l->c, &a->f, l->batch->grids);
    encode(l);
    sac_captioner_stack_learn(l->c, s, l->batch, l->lesson, a->host_targets, a->f.features,
                              a->df_features);
    apply_dropout(l, OF_FEATURES, a->df_features);
    l->c->encoder->backward(l->c, a);
    sac_pass_read(l->pass, s->losses, a->losses);
    losses[0] = sac_pass_runs(l->pass) ? sac_loss_sum(a->losses, s->losses.rows) : 0;
    losses[1] = losses[2] = 0;
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

static learning learning_of(sac_captioner *c, const sac_caption_batch *batch,
                            const sac_caption_lesson *lesson)
{
    return (learning){
        .c = c,
        .pass = &c->base.pass,
        .a = c->training,
        .w = &c->weights,
        .batch = batch,
        .B = batch->size,
        .T = batch->steps,
        .attention_loss = lesson->supervision > 0 || lesson->doubly_stochastic > 0,
        .lesson = lesson,
    };
}

sac_status sac_captioner_learn(sac_captioner *c, const sac_caption_batch *batch,
                               const sac_caption_lesson *lesson, float losses[3], sac_error *error)
{
    bool layers = sac_captioner_has_layers(&c->shape);
    size_t sentences = layers ? sac_captioner_stack_sentences(batch) : batch->size;
    sac_status status = check(batch, error);
    if (status == SAC_OK)
        status = sac_captioner_training_prepare(
            c, sentences, batch->steps, batch->photographs ? batch->photographs : batch->size,
            error);
    if (status != SAC_OK)
        return status;
    learning l = learning_of(c, batch, lesson);
    if (layers) {
        learn_by_layers(&l, losses);
        return sac_pass_end(l.pass, error);
    }
    upload(&l);
    forward(&l);
    run_losses(&l);
    /* Zeroes what the steps add to, and what they leave out in rows that have ended. */
    activations *a = l.a;
    const sac_tensor all[] = {at_step(&l, a->dstates, 0, l.B),
                              a->dcell,
                              a->dgates,
                              a->dquery,
                              a->dbeta,
                              a->dfeatures,
                              a->dkeys};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sac_pass_fill(l.pass, all[i], 0);
    output_backward(&l);
    for (size_t t = l.T; t-- > 0;)
        step_backward(&l, t);
    step_weights_backward(&l);
    encoder_backward(&l);
    read_losses(&l, losses);
    return sac_pass_end(l.pass, error);
}

/* ---------------------------------------------------------------- drawing */

/* The words of step t of all sentences. */
static sac_ints words_at(const learning *l, sac_ints words, size_t t)
{
    return sac_ints_from(words, t * l->B, l->B);
}

/* Step t, and the words that are drawn at it: the targets, from those of the step before. */
static void sample_step(learning *l, const sac_word_draw *draw, size_t t)
{
    activations *a = l->a;
    sac_ints before = t ? words_at(l, a->targets, t - 1) : words_at(l, a->inputs, 0);
    sac_tensor embedded = at_step(l, a->embedded, t, l->B), gates = at_step(l, a->gates, t, l->B);
    sac_embedding_forward(l->pass, embedded, l->w->embedding, before);
    sac_linear_forward(l->pass, gates, embedded, l->w->from_word, l->w->lstm_bias);
    const sac_captioner_step step = step_of(l, t);
    sac_captioner_step_forward(l->c, &step);
    const sac_deep_output_tensors output = {.logits = at_step(l, a->logits, t, l->B),
                                            .mixed = at_step(l, a->mixed, t, l->B),
                                            .embedded = embedded,
                                            .state = at_step(l, a->states, t + 1, l->B),
                                            .context = at_step(l, a->z, t, l->B)};
    sac_deep_output_forward(l->pass, &l->w->output, &output);
    sac_draw_words(l->pass, draw, t, output.logits, before, words_at(l, a->targets, t));
}

/* The words of step t come from the device; whether all sentences have ended. */
static bool read_drawn_and_check_end(learning *l, size_t t, const sac_word_draw *draw, int *words)
{
    const sac_ints drawn = words_at(l, l->a->targets, t);
    sac_pass *pass = l->pass;
    SAC_PASS_CALL(pass, sac_buffer_read(pass->device, drawn.buffer, drawn.at * sizeof(int),
                                        drawn.count * sizeof(int), words + t * l->B, &pass->error));
    bool ended = true;
    for (size_t b = 0; b < l->B && sac_pass_runs(pass) && ended; b++)
        ended = words[t * l->B + b] == draw->end || words[t * l->B + b] == draw->pad;
    return ended;
}

sac_status sac_captioner_sample_words(sac_captioner *c, const sac_caption_batch *batch,
                                      const sac_caption_lesson *lesson, const sac_word_draw *draw,
                                      int *words, sac_error *error)
{
    sac_status status = check(batch, error);
    if (status == SAC_OK)
        status =
            sac_captioner_training_prepare(c, batch->size, batch->steps, batch->photographs, error);
    if (status != SAC_OK)
        return status;
    learning l = learning_of(c, batch, lesson);
    for (size_t b = 0; b < l.B; b++)
        l.a->host_targets[b] = SAC_WORD_START;
    c->encoder->write(c, &l.a->f, batch->grids);
    sac_pass_write_ints(l.pass, l.a->picture_of, batch->picture_of);
    sac_pass_write_ints(l.pass, words_at(&l, l.a->inputs, 0), l.a->host_targets);
    encode(&l);
    compute_initial_states(&l);
    for (size_t i = 0; i < l.T * l.B; i++)
        words[i] = draw->pad;
    bool ended = false;
    for (size_t t = 0; t < l.T && !ended && sac_pass_runs(l.pass); t++) {
        sample_step(&l, draw, t);
        ended = read_drawn_and_check_end(&l, t, draw, words);
    }
    return sac_pass_end(l.pass, error);
}
