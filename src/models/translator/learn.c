/* One batch, forward and backward. Where no recurrence forces the steps apart, their products are
 * one product over T·B rows: the words' part of the gates, the logits, and every gradient of a
 * weight. The decoder takes all rows to the last step: batches are of sentences of about one
 * length, and where a translation has ended nothing is asked, so that all gradients are 0. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/round.h"
#include "nn/training.h"
#include "translator/learn.h"

/* ---------------------------------------------------------------- activations */

/* The tensors that the forward pass of a batch leaves on the device for the backward pass, and
 * their gradients. The memory is that of the largest batch so far; smaller ones use the front of
 * each tensor. */

/* B sentences of up to S words, T words of the longest translation. */
typedef struct sac_translator_training {
    sac_arena arena;
    size_t batch, source_steps, steps; /* that there is memory for */
    float *losses;                     /* [T·B + 2·B], host */

    sac_translator_source source;
    sac_ints inputs, targets, linked, lengths; /* [T,B], [B] */
    sac_tensor links;                          /* [B,T,S] */
    sac_tensor states;                         /* [T+1,B,H]: before step t at t */
    sac_tensor embedded, mixed;                /* [T,B,E] */
    sac_tensor query, weights, scores;         /* [T,B,A], [T,B,S] */
    sac_tensor context;                        /* [T,B,2H] */
    sac_tensor gates, recurrent, logits;       /* [T,B,3H], [T,B,V] */
    sac_tensor word_loss, alignment_loss;      /* [T,B], [2,B] */

    sac_tensor dstates, dembedded, dquery, dweights, dscores, dcontext, dgates, drecurrent;
    sac_tensor dfeatures, dkeys, dlast; /* as those of the source */
    sac_gru_sequence_gradients dthere, dback;
} sac_translator_training;

typedef sac_translator_training activations;

static void shape_direction(sac_translator *t, activations *a, const sac_gru_sequence *s,
                            sac_gru_sequence_gradients *d)
{
    sac_pass *pass = &t->base.pass;
    sac_arena_shape(&a->arena, pass, &d->dh, s->h.rows, s->h.width);
    sac_arena_shape(&a->arena, pass, &d->dgates, s->gates.rows, s->gates.width);
    sac_arena_shape(&a->arena, pass, &d->drecurrent, s->gates.rows, s->gates.width);
    sac_arena_shape(&a->arena, pass, &d->dx, s->x.rows, s->x.width);
}

static void shape_source(sac_translator *t, activations *a, size_t batch, size_t steps)
{
    sac_pass *pass = &t->base.pass;
    sac_translator_shape_source(t, &a->arena, batch, steps, &a->source);
    shape_direction(t, a, &a->source.there, &a->dthere);
    shape_direction(t, a, &a->source.back, &a->dback);
    sac_arena_shape(&a->arena, pass, &a->dfeatures, batch * steps, sac_translator_depth(t));
    sac_arena_shape(&a->arena, pass, &a->dkeys, batch * steps, a->source.keys.width);
    sac_arena_shape(&a->arena, pass, &a->dlast, batch, sac_translator_depth(t));
}

static void shape_all(sac_translator *t, activations *a, size_t batch, size_t source_steps,
                      size_t steps)
{
    shape_source(t, a, batch, source_steps);
    sac_pass *pass = &t->base.pass;
    sac_arena_shape_ints(&a->arena, pass, &a->inputs, steps * batch);
    sac_arena_shape_ints(&a->arena, pass, &a->targets, steps * batch);
    sac_arena_shape_ints(&a->arena, pass, &a->linked, steps * batch);
    sac_arena_shape_ints(&a->arena, pass, &a->lengths, batch);
    sac_arena_shape(&a->arena, pass, &a->links, batch * steps, source_steps);
    /* Pairs of a value and its gradient, which have one shape. */
    size_t rows = steps * batch, hidden = (size_t)t->shape.hidden, depth = 2 * hidden;
    size_t keys = sac_translator_key_width(&t->shape), embedding = (size_t)t->shape.embedding;
    const struct {
        sac_tensor *value, *gradient;
        size_t rows, width;
    } all[] = {
        {&a->states, &a->dstates, rows + batch, hidden},
        {&a->embedded, &a->dembedded, rows, embedding},
        {&a->mixed, NULL, rows, embedding},
        {&a->query, &a->dquery, rows, keys ? keys : 1},
        {&a->weights, &a->dweights, rows, source_steps},
        {&a->scores, &a->dscores, rows, source_steps},
        {&a->context, &a->dcontext, rows, depth},
        {&a->gates, &a->dgates, rows, 3 * hidden},
        {&a->recurrent, &a->drecurrent, rows, 3 * hidden},
        {&a->logits, NULL, rows, (size_t)t->shape.target_words},
        {&a->word_loss, NULL, rows, 1},
        {&a->alignment_loss, NULL, 2, batch},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sac_arena_shape(&a->arena, &t->base.pass, all[i].value, all[i].rows, all[i].width);
        if (all[i].gradient)
            sac_arena_shape(&a->arena, &t->base.pass, all[i].gradient, all[i].rows, all[i].width);
    }
}

static sac_status create(sac_translator *t, size_t batch, size_t source_steps, size_t steps,
                         sac_error *error)
{
    activations *a = calloc(1, sizeof *a);
    t->training = a;
    if (a) {
        *a = (activations){.batch = batch, .source_steps = source_steps, .steps = steps};
        a->losses = malloc((batch * steps + 2 * batch) * sizeof *a->losses);
    }
    if (!a || !a->losses)
        return sac_no_memory(error, "training");
    shape_all(t, a, batch, source_steps, steps);
    return sac_pass_end(&t->base.pass, error);
}

/* Gives translator->training the shapes of the batch, and memory where it has too little. */
static sac_status translator_training_prepare(sac_translator *t, const sac_sentence_batch *batch,
                                              sac_error *error)
{
    activations *a = t->training;
    size_t size = batch->source.batch, source_steps = batch->source.steps, steps = batch->steps;
    sac_status status = SAC_OK;
    if (!a || a->batch < size || a->source_steps < source_steps || a->steps < steps) {
        size_t most = sac_larger(size, a ? a->batch : 0);
        size_t longest_source = sac_larger(source_steps, a ? a->source_steps : 0);
        size_t longest = sac_larger(steps, a ? a->steps : 0);
        sac_translator_training_destroy(a);
        status = create(t, most, longest_source, longest, error);
    }
    if (status == SAC_OK) {
        shape_all(t, t->training, size, source_steps, steps);
    } else {
        sac_translator_training_destroy(t->training);
        t->training = NULL;
    }
    return status;
}

void sac_translator_training_destroy(activations *a)
{
    if (!a)
        return;
    sac_arena_release(&a->arena);
    free(a->losses);
    free(a);
}

/* ---------------------------------------------------------------- learn */

typedef sac_translator_training activations;

/* A batch on its way. */
typedef struct learning {
    sac_translator *t;
    sac_pass *pass;
    activations *a;
    const sac_translator_weights *w;
    const sac_sentence_batch *batch;
    size_t B, S, T;
    size_t words, linked; /* that the losses are means over */
    float alignment;      /* factor of that loss; 0: none */
    float dropout;
} learning;

/* What is dropped; those of the encoder are in the order of sac_translator_source. */
enum { OF_THERE, OF_BACK, OF_FEATURES, OF_WORDS, OF_OUTPUT };
static sac_dropout dropout_of(const learning *l, uint32_t use)
{
    return sac_dropout_of(l->dropout, l->batch->number, use);
}

/* The same backward as forward. */
static void apply_dropout(learning *l, uint32_t use, sac_tensor x)
{
    sac_dropout dropout = dropout_of(l, use);
    if (dropout.p > 0)
        sac_dropout_run(l->pass, &dropout, x, x);
}

static const sac_tensor none = {0};

/* Step t of a tensor [T,B,width]. */
static sac_tensor at_step(const learning *l, sac_tensor x, size_t t)
{
    return sac_tensor_rows(x, t * l->B, l->B);
}

/* The steps 1 … T of a tensor [T+1,B,width]. */
static sac_tensor after_steps(const learning *l, sac_tensor x)
{
    return sac_tensor_rows(x, l->B, l->T * l->B);
}

static void upload(learning *l)
{
    activations *a = l->a;
    const sac_sentence_batch *batch = l->batch;
    for (size_t i = 0; i < l->T * l->B; i++) {
        l->words += batch->targets[i] >= 0;
        l->linked += batch->linked[i] >= 0;
    }
    if (batch->whole.samples) {
        l->words = batch->whole.words;
        l->linked = batch->whole.named;
    }
    sac_pass_write_ints(l->pass, a->inputs, batch->inputs);
    sac_pass_write_ints(l->pass, a->targets, batch->targets);
    if (l->alignment > 0) {
        sac_pass_write_ints(l->pass, a->linked, batch->linked);
        sac_pass_write_ints(l->pass, a->lengths, batch->lengths);
        sac_pass_write(l->pass, a->links, batch->links);
    }
}

/* ---------------------------------------------------------------- forward */

static void step_forward(learning *l, size_t t)
{
    activations *a = l->a;
    sac_translator_step step = {
        .features = a->source.features,
        .keys = a->source.keys,
        .padding = a->source.padding.buffer,
        .state = at_step(l, a->states, t),
        .query = at_step(l, a->query, t),
        .weights = at_step(l, a->weights, t),
        .scores = l->alignment > 0 ? at_step(l, a->scores, t) : none,
        .context = at_step(l, a->context, t),
        .gates = at_step(l, a->gates, t),
        .recurrent = at_step(l, a->recurrent, t),
        .next_state = at_step(l, a->states, t + 1),
    };
    sac_translator_decoder_step_forward(l->t, &step);
}

static sac_deep_output_tensors outputs(const learning *l)
{
    const activations *a = l->a;
    return (sac_deep_output_tensors){a->logits,   a->mixed,
                                     a->embedded, after_steps(l, a->states),
                                     a->context,  dropout_of(l, OF_OUTPUT)};
}

static void forward(learning *l)
{
    activations *a = l->a;
    const sac_translator_weights *w = l->w;
    for (uint32_t use = 0; use < SAC_TRANSLATOR_DROPOUTS; use++)
        a->source.dropout[use] = dropout_of(l, use);
    sac_translator_encode(l->t, &l->batch->source, &a->source, at_step(l, a->states, 0));
    sac_embedding_forward(l->pass, a->embedded, w->target, a->inputs); /* [T,B,E] */
    apply_dropout(l, OF_WORDS, a->embedded);
    sac_linear_forward(l->pass, a->gates, a->embedded, w->from_word, w->word_bias); /* [T,B,3H] */
    for (size_t t = 0; t < l->T && !w->query; t++)
        sac_pass_copy(l->pass, at_step(l, a->context, t), a->source.last);
    for (size_t t = 0; t < l->T; t++)
        step_forward(l, t);
    sac_deep_output_tensors output = outputs(l);
    sac_deep_output_forward(l->pass, &w->output, &output);
}

/* ---------------------------------------------------------------- losses */

static void read_losses(learning *l, float losses[2])
{
    float *words = l->a->losses, *alignment = words + l->T * l->B;
    sac_pass_read(l->pass, l->a->word_loss, words);
    if (l->alignment > 0)
        sac_pass_read(l->pass, l->a->alignment_loss, alignment);
    if (!sac_pass_runs(l->pass))
        return;
    losses[0] = sac_loss_sum(words, l->T * l->B);
    losses[1] = l->alignment > 0 ? sac_loss_sum(alignment + l->B, l->B) : 0;
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
                                  .context = a->dcontext};
    sac_deep_output_backward(l->pass, &l->w->output, &x, &dx);
}

static void attention_backward(learning *l, size_t t)
{
    activations *a = l->a;
    sac_attention_layer layer = sac_translator_attention(l->t, l->B, 1);
    sac_attention_tensors tensors = {
        .query = at_step(l, a->query, t),
        .key = a->source.keys,
        .value = a->source.features,
        .output = at_step(l, a->context, t),
        .weights = at_step(l, a->weights, t),
    };
    sac_attention_layer_gradients gradients = {
        .doutput = at_step(l, a->dcontext, t),
        .dquery = at_step(l, a->dquery, t),
        .dkey = a->dkeys,
        .dvalue = a->dfeatures,
        .dscores = l->alignment > 0 ? at_step(l, a->dscores, t) : none,
    };
    sac_attention_layer_backward(l->pass, &layer, &tensors, &gradients);
}

/* ds[t+1] → dgates, drecurrent → dz[t] → dquery → ds[t] */
static void step_backward(learning *l, size_t t)
{
    activations *a = l->a;
    const sac_translator_weights *w = l->w;
    sac_tensor dgates = at_step(l, a->dgates, t), drecurrent = at_step(l, a->drecurrent, t);
    sac_tensor dstate = at_step(l, a->dstates, t), dafter = at_step(l, a->dstates, t + 1);
    sac_gru_backward(l->pass, dgates, drecurrent, dafter, dafter, at_step(l, a->gates, t),
                     at_step(l, a->recurrent, t), at_step(l, a->states, t));
    sac_add(l->pass, dstate, dafter);
    sac_linear_backward_add(l->pass, dstate, drecurrent, w->from_state);
    sac_linear_backward_add(l->pass, at_step(l, a->dcontext, t), dgates, w->from_context);
    if (!w->query) {
        sac_add(l->pass, a->dlast, at_step(l, a->dcontext, t));
        return;
    }
    attention_backward(l, t);
    sac_linear_backward_add(l->pass, dstate, at_step(l, a->dquery, t), w->query);
}

/* The gradients of the weights that every step used, all steps at once: dW [out,in] += dyᵀ
 * [out,T·B] x [T·B,in]. */
static void step_weights_backward(learning *l)
{
    activations *a = l->a;
    const sac_translator_weights *w = l->w;
    sac_tensor before = sac_tensor_rows(a->states, 0, l->T * l->B); /* s[t−1] */
    sac_linear_backward_weights(l->pass, a->drecurrent, before, w->from_state, w->state_bias);
    sac_linear_backward_weights(l->pass, a->dgates, a->context, w->from_context, NULL);
    if (w->query)
        sac_linear_backward_weights(l->pass, a->dquery, before, w->query, NULL);
    sac_linear_backward_weights(l->pass, a->dgates, a->embedded, w->from_word, w->word_bias);
    sac_linear_backward_add(l->pass, a->dembedded, a->dgates, w->from_word);
    apply_dropout(l, OF_WORDS, a->dembedded);
    sac_embedding_backward(l->pass, w->target, a->dembedded, a->inputs);
}

static void decoder_backward(learning *l)
{
    activations *a = l->a;
    const sac_tensor zero[] = {at_step(l, a->dstates, 0), a->dfeatures, a->dkeys, a->dlast};
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
        sac_pass_fill(l->pass, zero[i], 0);
    output_backward(l);
    for (size_t t = l->T; t-- > 0;)
        step_backward(l, t);
    step_weights_backward(l);
}

/* ---------------------------------------------------------------- backward: the encoder */

static void keys_backward(learning *l)
{
    activations *a = l->a;
    if (!l->w->key) { /* features are the keys */
        sac_add(l->pass, a->dfeatures, a->dkeys);
        return;
    }
    sac_linear_backward_weights(l->pass, a->dkeys, a->source.features, l->w->key, l->w->key_bias);
    sac_linear_backward_add(l->pass, a->dfeatures, a->dkeys, l->w->key);
}

static void encoder_backward(learning *l)
{
    activations *a = l->a;
    const sac_translator_weights *w = l->w;
    sac_sequence_lengths lengths = {l->S, l->B, l->batch->source.lengths};
    /* s[0] = tanh(W · last + b) → last */
    sac_tensor dstate = at_step(l, a->dstates, 0);
    sac_tanh_backward(l->pass, dstate, at_step(l, a->states, 0));
    sac_linear_backward_weights(l->pass, dstate, a->source.last, l->w->start, l->w->start_bias);
    sac_linear_backward_add(l->pass, a->dlast, dstate, l->w->start);
    keys_backward(l);
    apply_dropout(l, OF_FEATURES, a->dfeatures);
    sac_join_directions_backward(l->pass, a->dthere.dh, a->dback.dh, a->dfeatures, a->dlast,
                                 a->source.lengths);
    sac_gru_sequence_backward(l->pass, &w->there, &lengths, &a->source.there, &a->dthere);
    sac_gru_sequence_backward(l->pass, &w->back, &lengths, &a->source.back, &a->dback);
    apply_dropout(l, OF_THERE, a->dthere.dx);
    apply_dropout(l, OF_BACK, a->dback.dx);
    sac_embedding_backward(l->pass, w->source, a->dthere.dx, a->source.words);
    sac_embedding_backward(l->pass, w->source, a->dback.dx, a->source.reversed);
}

/* ---------------------------------------------------------------- */

sac_status sac_translator_learn(sac_translator *t, const sac_sentence_batch *batch,
                                const sac_translator_lesson *lesson, float losses[2],
                                sac_error *error)
{
    sac_status status = translator_training_prepare(t, batch, error);
    if (status != SAC_OK)
        return status;
    learning l = {
        .t = t,
        .pass = &t->base.pass,
        .a = t->training,
        .w = &t->weights,
        .batch = batch,
        .B = batch->source.batch,
        .S = batch->source.steps,
        .T = batch->steps,
        .alignment = t->weights.query ? lesson->alignment : 0,
        .dropout = lesson->dropout,
    };
    upload(&l);
    forward(&l);
    activations *a = l.a;
    sac_attention_loss loss = {
        .normalizer = t->shape.normalizer,
        .steps = l.T,
        .batch = l.B,
        .cells = l.S,
        .objects = l.T,
        .supervision_weight = l.alignment,
        .named = l.linked,
    };
    sac_attention_truth truth = {a->lengths, a->linked, a->links};
    sac_attention_loss_tensors tensors = {a->weights, a->scores, a->dweights, a->dscores,
                                          a->alignment_loss};
    sac_word_loss(l.pass, a->word_loss, a->logits, a->targets, 1 / (float)l.words);
    if (l.alignment > 0)
        sac_attention_loss_run(l.pass, &loss, &tensors, &truth);
    decoder_backward(&l);
    encoder_backward(&l);
    read_losses(&l, losses);
    return sac_pass_end(l.pass, error);
}
