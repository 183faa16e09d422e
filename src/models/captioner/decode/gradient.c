/* What counted for each word of a caption, by the gradient of its log probability with respect to the cells, once
 * backward through the decoder. The sentence stands in the batch as often as it has words, T, and each copy asks for
 * another word: of an LSTM copy i asks for word T − 1 − i and ends there, as sentences learn in falling order of
 * length. Hidden cells are left out. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "captioner/decode/encode.h"

typedef struct asking {
    sac_captioner *c;
    sac_pass *pass;
    sac_arena arena;
    const int *words; /* [T] */
    size_t T, N;      /* words and copies; cells that are seen */
    float temperature;
    sac_tensor features, dfeatures; /* [T,N,D] */
} asking;

static sac_tensor allocate_tensor(asking *a, size_t rows, size_t width)
{
    sac_tensor x = {0};
    sac_arena_shape(&a->arena, a->pass, &x, rows, width);
    return x;
}

static sac_ints upload_ints(asking *a, const int *numbers, size_t count)
{
    sac_ints x = {0};
    sac_arena_shape_ints(&a->arena, a->pass, &x, count);
    sac_pass_write_ints(a->pass, x, numbers);
    return x;
}

/* The decoder's input before word t. */
static int decoder_input_word(const asking *a, size_t t)
{
    const sac_dataset *dataset = sac_captioner_dataset(&a->c->shape);
    const int word = t ? a->words[t - 1] : SAC_WORD_START;
    const bool masked = dataset && a->c->shape.masks_colours && word >= dataset->masked.first &&
                        word < dataset->masked.first + dataset->masked.count;
    return masked ? SAC_WORD_PAD : word;
}

/* −log p of the words that the copies ask for: logits [T,V] become its gradient. */
static void word_loss_gradient(asking *a, sac_tensor logits, const int *targets)
{
    sac_smoothed_word_loss(a->pass, allocate_tensor(a, a->T, 1), logits,
                           upload_ints(a, targets, a->T), 1, 0);
}

/* ---------------------------------------------------------------- an LSTM */

/* [T,T,·] is by step: row t·T + i is step t of copy i, which steps before T − i have. */
typedef struct lstm {
    sac_tensor keys, dkeys;           /* [T,N,A] */
    sac_tensor state, dstate, cell;   /* [T+1,T,H] */
    sac_tensor dcell;                 /* [T,H] */
    sac_tensor query, beta, weights;  /* [T,T,·] */
    sac_tensor context, z, dz, gates; /* [T,T,·] */
    sac_tensor dgates, dquery, dbeta; /* [T,·] */
} lstm;

static lstm lstm_create(asking *a)
{
    const sac_captioner *c = a->c;
    const size_t T = a->T, H = (size_t)c->shape.hidden, D = (size_t)c->depth, A = (size_t)c->keys;
    return (lstm){.keys = c->weights.key ? allocate_tensor(a, T * a->N, A) : a->features,
                  .dkeys = allocate_tensor(a, T * a->N, A),
                  .state = allocate_tensor(a, (T + 1) * T, H),
                  .dstate = allocate_tensor(a, (T + 1) * T, H),
                  .cell = allocate_tensor(a, (T + 1) * T, H),
                  .dcell = allocate_tensor(a, T, H),
                  .query = allocate_tensor(a, T * T, A),
                  .beta = allocate_tensor(a, T * T, 1),
                  .weights = allocate_tensor(a, T * T, a->N),
                  .context = allocate_tensor(a, T * T, D),
                  .z = allocate_tensor(a, T * T, D),
                  .dz = allocate_tensor(a, T * T, D),
                  .gates = allocate_tensor(a, T * T, 4 * H),
                  .dgates = allocate_tensor(a, T, 4 * H),
                  .dquery = allocate_tensor(a, T, A),
                  .dbeta = allocate_tensor(a, T, 1)};
}

/* The first rows of step t, of the copies that reach it. */
static sac_tensor at_step(const asking *a, sac_tensor x, size_t t, size_t rows)
{
    return sac_tensor_rows(x, t * a->T, rows);
}

static sac_captioner_step step_of(const asking *a, const lstm *s, size_t t)
{
    const size_t n = a->T - t;
    return (sac_captioner_step){.temperature = a->temperature,
                                .features = sac_tensor_rows(a->features, 0, n * a->N),
                                .keys = sac_tensor_rows(s->keys, 0, n * a->N),
                                .state = at_step(a, s->state, t, n),
                                .cell = at_step(a, s->cell, t, n),
                                .query = at_step(a, s->query, t, n),
                                .beta = at_step(a, s->beta, t, n),
                                .weights = at_step(a, s->weights, t, n),
                                .context = at_step(a, s->context, t, n),
                                .z = at_step(a, s->z, t, n),
                                .gates = at_step(a, s->gates, t, n),
                                .next_state = at_step(a, s->state, t + 1, n),
                                .next_cell = at_step(a, s->cell, t + 1, n)};
}

/* From the words that are asked for to the states and contexts of their steps: rows `asked` [T] of [T,T,·]. */
static void output_backward(asking *a, const lstm *s, sac_tensor embedded, sac_ints asked)
{
    const sac_captioner *c = a->c;
    const size_t T = a->T, H = (size_t)c->shape.hidden, D = (size_t)c->depth;
    const size_t M = (size_t)c->shape.embedding;
    const sac_tensor after = sac_tensor_rows(s->state, T, T * T);
    sac_tensor dafter = sac_tensor_rows(s->dstate, T, T * T);
    const sac_deep_output_tensors x = {.logits = allocate_tensor(a, T, (size_t)c->shape.vocabulary),
                                       .mixed = allocate_tensor(a, T, M),
                                       .embedded = allocate_tensor(a, T, M),
                                       .state = allocate_tensor(a, T, H),
                                       .context = allocate_tensor(a, T, D)};
    const sac_deep_output_tensors dx = {.logits = x.logits,
                                        .mixed = allocate_tensor(a, T, M),
                                        .state = allocate_tensor(a, T, H),
                                        .context = allocate_tensor(a, T, D)};
    int targets[SAC_MAX_TOKENS];
    for (size_t i = 0; i < T; i++)
        targets[i] = a->words[T - 1 - i];
    sac_gather_rows(a->pass, x.embedded, embedded, asked);
    sac_gather_rows(a->pass, x.state, after, asked);
    sac_gather_rows(a->pass, x.context, s->z, asked);
    sac_deep_output_forward(a->pass, &c->weights.output, &x);
    word_loss_gradient(a, x.logits, targets);
    sac_deep_output_backward(a->pass, &c->weights.output, &x, &dx);
    sac_gather_rows_backward(a->pass, dafter, dx.state, asked);
    sac_gather_rows_backward(a->pass, s->dz, dx.context, asked);
}

static void steps_backward(asking *a, const lstm *s, sac_tensor mean)
{
    const sac_captioner_weights *w = &a->c->weights;
    sac_tensor dmean = allocate_tensor(a, mean.rows, mean.width);
    for (size_t t = a->T; t-- > 0;) {
        const size_t n = a->T - t;
        const sac_captioner_step step = step_of(a, s, t);
        const sac_captioner_step_gradients gradients = {
            .next_state = at_step(a, s->dstate, t + 1, n),
            .cell = sac_tensor_rows(s->dcell, 0, n),
            .z = at_step(a, s->dz, t, n),
            .state = at_step(a, s->dstate, t, n),
            .features = sac_tensor_rows(a->dfeatures, 0, n * a->N),
            .keys = sac_tensor_rows(s->dkeys, 0, n * a->N),
            .gates = sac_tensor_rows(s->dgates, 0, n),
            .query = sac_tensor_rows(s->dquery, 0, n),
            .beta = sac_tensor_rows(s->dbeta, 0, n)};
        sac_captioner_step_backward(a->c, &step, &gradients);
    }
    sac_captioner_mean_backward(a->c, dmean, at_step(a, s->dstate, 0, a->T), s->dcell,
                                at_step(a, s->state, 0, a->T), at_step(a, s->cell, 0, a->T));
    sac_mean_cells_backward(a->pass, a->dfeatures, dmean);
    if (w->key)
        sac_linear_backward_add(a->pass, a->dfeatures, s->dkeys, w->key);
    else
        sac_add(a->pass, a->dfeatures, s->dkeys);
}

static void differentiate_lstm(asking *a, int *numbers)
{
    sac_captioner *c = a->c;
    const sac_captioner_weights *w = &c->weights;
    const size_t T = a->T;
    const lstm s = lstm_create(a);
    sac_tensor mean = allocate_tensor(a, T, (size_t)c->depth);
    sac_tensor embedded = allocate_tensor(a, T * T, (size_t)c->shape.embedding);
    for (size_t i = 0; i < T * T; i++)
        numbers[i] = decoder_input_word(a, i / T);
    sac_embedding_forward(a->pass, embedded, w->embedding, upload_ints(a, numbers, T * T));
    sac_linear_forward(a->pass, s.gates, embedded, w->from_word, w->lstm_bias);
    if (w->key)
        sac_linear_forward(a->pass, s.keys, a->features, w->key, w->key_bias);
    sac_mean_cells_forward(a->pass, mean, a->features);
    sac_captioner_begin_from_mean(c, mean, at_step(a, s.state, 0, T), at_step(a, s.cell, 0, T));
    for (size_t t = 0; t < T; t++) {
        const sac_captioner_step step = step_of(a, &s, t);
        sac_captioner_step_forward(c, &step);
    }
    for (size_t i = 0; i < T; i++)
        numbers[i] = (int)((T - 1 - i) * T + i);
    output_backward(a, &s, embedded, upload_ints(a, numbers, T));
    steps_backward(a, &s, mean);
}

/* ---------------------------------------------------------------- layers */

/* A word sees those before it alone, so that all copies are whole. */
static void differentiate_layers(asking *a, int *numbers)
{
    sac_captioner *c = a->c;
    sac_pass *pass = a->pass;
    const sac_stack *stack = &c->weights.stack;
    const sac_stack_noise quiet = {0};
    const size_t T = a->T, D = (size_t)c->depth;
    const sac_stack_memory memory = {
        .rows = a->features, .gradient = a->dfeatures, .temperature = a->temperature};
    sac_stack_tensors words = {0};
    sac_transformer_gradients gradients = {0};
    sac_tensor asked_z = allocate_tensor(a, T, D), dasked_z = allocate_tensor(a, T, D),
               dz = allocate_tensor(a, T * T, D);
    sac_tensor logits = allocate_tensor(a, T, (size_t)c->shape.vocabulary);
    int targets[SAC_MAX_TOKENS];
    uint8_t *padding = calloc(T * T, 1);
    if (!padding)
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, "captioner"));
    sac_stack_shape(pass, &a->arena, stack, T, T, T, a->N, &words);
    sac_stack_shape_gradients(pass, &a->arena, stack, T, T, T, a->N, &gradients);
    for (size_t i = 0; i < T * T; i++)
        numbers[i] = decoder_input_word(a, i % T);
    sac_stack_upload(pass, stack, &(sac_stack_words){numbers, padding, NULL}, &words);
    sac_tensor z = sac_stack_forward(pass, stack, &quiet, &words, &memory);
    for (size_t i = 0; i < T; i++) {
        numbers[i] = (int)(i * T + T - 1 - i);
        targets[i] = a->words[T - 1 - i];
    }
    sac_ints asked = upload_ints(a, numbers, T);
    sac_gather_rows(pass, asked_z, z, asked);
    sac_stack_logits(pass, stack, logits, asked_z);
    word_loss_gradient(a, logits, targets);
    sac_stack_logits_backward(pass, stack, dasked_z, logits, asked_z);
    sac_gather_rows_backward(pass, dz, dasked_z, asked);
    sac_stack_backward(pass, stack, &quiet, &words, &memory, dz, &gradients);
    free(padding);
}

/* ---------------------------------------------------------------- either */

/* counts[t,n] ← Σ_d −∂(−log p of word t)/∂h[n,d] · h[n,d], of the cells that are seen. */
static void sum_gradient_times_input(asking *a, const int *seen, float *counts)
{
    const size_t T = a->T, N = a->N, D = a->features.width, cells = (size_t)a->c->cells;
    float *h = malloc(N * D * sizeof *h), *dh = malloc(T * N * D * sizeof *dh);
    if (!h || !dh)
        SAC_PASS_CALL(a->pass, sac_no_memory(&a->pass->error, "captioner"));
    sac_pass_read(a->pass, sac_tensor_rows(a->features, 0, N), h);
    sac_pass_read(a->pass, a->dfeatures, dh);
    for (size_t i = 0; i < T * N && sac_pass_runs(a->pass); i++) {
        double sum = 0;
        for (size_t d = 0; d < D; d++)
            sum -= (double)dh[i * D + d] * (double)h[i % N * D + d];
        counts[(T - 1 - i / N) * cells + (size_t)seen[i % N]] = (float)sum;
    }
    free(h);
    free(dh);
}

sac_status sac_captioner_gradient(sac_captioner *c, const sac_result_request *request,
                                  const int *words, int count, float *counts, sac_error *error)
{
    const size_t cells = (size_t)c->cells, T = (size_t)count;
    asking a = {
        .c = c, .pass = &c->base.pass, .words = words, .T = T, .temperature = request->temperature};
    int *numbers = malloc((T * (cells + T) + 1) * sizeof *numbers),
        *seen = malloc(cells * sizeof *seen);
    memset(counts, 0, T * cells * sizeof *counts);
    for (int i = 0; seen && i < c->cells; i++)
        if (!request->hidden || !request->hidden[i])
            seen[a.N++] = i;
    if (!numbers || !seen)
        SAC_PASS_CALL(a.pass, sac_no_memory(&a.pass->error, "captioner"));
    else if (T && a.N) {
        a.features = allocate_tensor(&a, T * a.N, (size_t)c->depth);
        a.dfeatures = allocate_tensor(&a, T * a.N, (size_t)c->depth);
        for (size_t i = 0; i < T * a.N; i++)
            numbers[i] = seen[i % a.N];
        sac_gather_rows(a.pass, a.features, c->decode->f.features,
                        upload_ints(&a, numbers, T * a.N));
        (sac_captioner_has_layers(&c->shape) ? differentiate_layers : differentiate_lstm)(&a,
                                                                                          numbers);
        sum_gradient_times_input(&a, seen, counts);
    }
    sac_arena_release(&a.arena);
    free(numbers);
    free(seen);
    return sac_pass_end(a.pass, error);
}
