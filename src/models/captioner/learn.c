/* One batch, forward and backward. Where no recurrence forces the steps apart, their products are
 * one product over T·B rows: the words' part of the gates, the logits, and every gradient of a
 * weight. Rows whose sentence has ended hold zero gradients there, and activations left from
 * another batch, which the zeros cancel. */
#include <math.h>

#include "base/error.h"
#include "captioner/activations.h"

typedef sac_captioner_training activations;

/* A batch on its way. */
typedef struct learning {
    sac_captioner *c;
    sac_pass *pass;
    activations *a;
    const sac_captioner_weights *w;
    const sac_caption_batch *batch;
    size_t B, T;         /* pictures, and steps of the longest sentence */
    size_t words, named; /* that the losses are means over */
    bool attention_loss; /* a loss depends on the attention's weights */
} learning;

static const sac_tensor none = {0};

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
static size_t rows_at(const learning *l, size_t t)
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
        bool spoken = (size_t)batch->lengths[i % l->B] > i / l->B;
        bool asked = spoken && batch->targets[i] != SAC_WORD_PAD;
        l->a->host_targets[i] = asked ? batch->targets[i] : -1;
        l->words += asked;
        l->named += spoken && batch->object_of_word[i] >= 0;
    }
    sac_convolution first = sac_captioner_layer(&l->c->shape, 0, l->B);
    sac_convolution_write(l->pass, &first, a->f.pictures, l->batch->pictures);
    sac_pass_write(l->pass, a->cover, l->batch->cover);
    sac_pass_write_ints(l->pass, a->inputs, l->batch->inputs);
    sac_pass_write_ints(l->pass, a->targets, a->host_targets);
    sac_pass_write_ints(l->pass, a->object_of_word, l->batch->object_of_word);
    sac_pass_write_ints(l->pass, a->lengths, l->batch->lengths);
}

/* ---------------------------------------------------------------- forward */

static void step_forward(learning *l, size_t t)
{
    activations *a = l->a;
    size_t n = rows_at(l, t);
    sac_captioner_step step = {
        .features = a->f.features,
        .keys = a->f.keys,
        .state = at_step(l, a->states, t, n),
        .cell = at_step(l, a->cell_states, t, n),
        .query = at_step(l, a->query, t, n),
        .beta = at_step(l, a->beta, t, n),
        .weights = at_step(l, a->weights, t, n),
        .context = at_step(l, a->context, t, n),
        .z = at_step(l, a->z, t, n),
        .gates = at_step(l, a->gates, t, n),
        .next_state = at_step(l, a->states, t + 1, n),
        .next_cell = at_step(l, a->cell_states, t + 1, n),
    };
    sac_captioner_step_forward(l->c, &step);
}

static sac_deep_output_tensors outputs(const learning *l)
{
    const activations *a = l->a;
    return (sac_deep_output_tensors){a->logits, a->mixed, a->embedded, after_steps(l, a->states),
                                     a->z};
}

static void forward(learning *l)
{
    activations *a = l->a;
    sac_captioner_encode(l->c, &a->f);
    sac_captioner_begin(l->c, &a->f, at_step(l, a->states, 0, l->B),
                        at_step(l, a->cell_states, 0, l->B));
    sac_embedding_forward(l->pass, a->embedded, l->w->embedding, a->inputs); /* [T,B,M] */
    sac_linear_forward(l->pass, a->gates, a->embedded, l->w->from_word,
                       l->w->lstm_bias); /* [T,B,4H] */
    for (size_t t = 0; t < l->T; t++)
        step_forward(l, t);
    sac_deep_output_tensors output = outputs(l);
    sac_deep_output_forward(l->pass, &l->w->output, &output);
}

/* ---------------------------------------------------------------- losses */

static void run_losses(learning *l, float supervision_weight, float doubly_stochastic_weight)
{
    activations *a = l->a;
    sac_attention_loss gaze = {
        .steps = l->T,
        .batch = l->B,
        .cells = (size_t)l->c->cells,
        .objects = (size_t)sac_captioner_dataset(&l->c->shape)->longest,
        .doubly_stochastic_weight = doubly_stochastic_weight,
        .supervision_weight = l->named ? supervision_weight : 0,
        .named = l->named ? l->named : 1,
    };
    sac_attention_truth truth = {a->lengths, a->object_of_word, a->cover};
    sac_word_loss(l->pass, a->word_loss, a->logits, a->targets, 1 / (float)l->words);
    if (l->attention_loss)
        sac_attention_loss_run(l->pass, &gaze, a->attention_loss, a->dweights, a->weights, &truth);
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

static void attention_backward(learning *l, size_t t, size_t n)
{
    activations *a = l->a;
    sac_attention_layer layer = sac_captioner_attention(l->c, n, 1);
    sac_attention_tensors tensors = {
        .query = at_step(l, a->query, t, n),
        .key = a->f.keys,
        .value = a->f.features,
        .output = at_step(l, a->z, t, n),
        .weights = at_step(l, a->weights, t, n),
        .gate = at_step(l, a->beta, t, n),
        .context = at_step(l, a->context, t, n),
    };
    sac_attention_layer_gradients gradients = {
        .doutput = at_step(l, a->dz, t, n),
        .dquery = at_step(l, a->dquery, t, n),
        .dkey = a->dkeys,
        .dvalue = a->dfeatures,
        .dweights = l->attention_loss ? at_step(l, a->dweights, t, n) : none,
        .dgate = at_step(l, a->dbeta, t, n),
    };
    sac_attention_layer_backward(l->pass, &layer, &tensors, &gradients);
}

/* ds[t+1], dc → dgates → dz[t] → dquery, dβ → ds[t] */
static void step_backward(learning *l, size_t t)
{
    activations *a = l->a;
    const sac_captioner_weights *w = l->w;
    size_t n = rows_at(l, t);
    sac_tensor dgates = at_step(l, a->dgates, t, n), dstate = at_step(l, a->dstates, t, n);
    sac_tensor dcell = at_step(l, a->dcell, 0, n);
    sac_lstm_backward(l->pass, dgates, dcell, at_step(l, a->dstates, t + 1, n), dcell,
                      at_step(l, a->gates, t, n), at_step(l, a->cell_states, t + 1, n),
                      at_step(l, a->cell_states, t, n));
    sac_linear_backward_add(l->pass, at_step(l, a->dz, t, n), dgates, w->from_context);
    attention_backward(l, t, n);
    sac_linear_backward_add(l->pass, dstate, dgates, w->from_state);
    sac_linear_backward_add(l->pass, dstate, at_step(l, a->dquery, t, n), w->query);
    sac_linear_backward_add(l->pass, dstate, at_step(l, a->dbeta, t, n), w->gate);
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
    sac_embedding_backward(l->pass, w->embedding, a->dembedded, a->inputs);
}

/* ---------------------------------------------------------------- backward: the encoder */

static void keys_backward(learning *l)
{
    activations *a = l->a;
    if (!l->w->key) { /* features are the keys */
        sac_add(l->pass, a->dfeatures, a->dkeys);
        return;
    }
    sac_linear_backward_weights(l->pass, a->dkeys, a->f.features, l->w->key, l->w->key_bias);
    sac_linear_backward_add(l->pass, a->dfeatures, a->dkeys, l->w->key);
}

static void convolutions_backward(learning *l)
{
    activations *a = l->a;
    int last = l->c->shape.layers - 1;
    sac_convolution layer = sac_captioner_layer(&l->c->shape, last, l->B), below = layer;
    sac_convolution_begin_backward(l->pass, &layer, a->slopes[last], a->dfeatures,
                                   a->f.layer[last]);
    for (int i = last; i >= 0; i--, layer = below) {
        if (i)
            below = sac_captioner_layer(&l->c->shape, i - 1, l->B);
        sac_convolution_backward(l->pass, &layer, &below, i ? a->slopes[i - 1] : none, a->slopes[i],
                                 i ? a->f.layer[i - 1] : a->f.pictures, l->w->encoder[i].weight,
                                 l->w->encoder[i].bias);
    }
}

static void encoder_backward(learning *l)
{
    /* s₀, c₀ = tanh(W · mean h + b) → features */
    activations *a = l->a;
    const sac_captioner_weights *w = l->w;
    sac_pass *pass = l->pass;
    sac_tensor dstate = at_step(l, a->dstates, 0, l->B);
    sac_tanh_backward(pass, dstate, at_step(l, a->states, 0, l->B));
    sac_linear_backward_weights(pass, dstate, a->f.mean, w->state.weight, w->state.bias);
    sac_linear_backward_input(pass, a->dmean, dstate, w->state.weight);
    sac_tanh_backward(pass, a->dcell, at_step(l, a->cell_states, 0, l->B));
    sac_linear_backward_weights(pass, a->dcell, a->f.mean, w->cell.weight, w->cell.bias);
    sac_linear_backward_add(pass, a->dmean, a->dcell, w->cell.weight);
    sac_mean_cells_backward(pass, a->dfeatures, a->dmean);
    keys_backward(l);
    sac_layer_norm_backward(l->pass, &l->w->norm, l->a->dfeatures,
                            l->a->f.layer[l->c->shape.layers - 1]);
    convolutions_backward(l);
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

sac_status sac_captioner_learn(sac_captioner *c, const sac_caption_batch *batch,
                               float supervision_weight, float doubly_stochastic_weight,
                               float losses[3], sac_error *error)
{
    sac_status status = check(batch, error);
    if (status == SAC_OK)
        status = sac_captioner_training_prepare(c, batch->size, batch->steps, error);
    if (status != SAC_OK)
        return status;
    learning l = {
        .c = c,
        .pass = &c->base.pass,
        .a = c->training,
        .w = &c->weights,
        .batch = batch,
        .B = batch->size,
        .T = batch->steps,
        .attention_loss = supervision_weight > 0 || doubly_stochastic_weight > 0,
    };
    upload(&l);
    forward(&l);
    run_losses(&l, fmaxf(supervision_weight, 0), fmaxf(doubly_stochastic_weight, 0));
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
