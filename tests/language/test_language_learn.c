/* A language model learns: its gradients are those of the same model in doubles and plain loops, and its loss falls. */
#include "gradients.h"
#include "models/head_history.h"
#include "models/train.h"
#include "test.h"
#include "tiny.h"

enum {
    B = 3,
    T = TINY_CONTEXT,
    D = TINY_WIDTH,
    H = TINY_HEADS,
    DEPTH = D / H,
    WORDS = 64,
    GATED = 24 /* 8/3 of D, up to a multiple of 8 */
};

/* ---------------------------------------------------------------- in doubles */

typedef struct reference {
    doubles d;
    sac_gpt_kind kind;
    const sac_gpt_batch *batch;
    int words;
} reference;

static const double *layer_of(const reference *r, int layer, const char *name)
{
    char full[80];
    snprintf(full, sizeof full, "transformer.h.%d.%s", layer, name);
    return doubles_of(&r->d, full);
}

static void norm(const double *gain, const double *bias, const double *x, double *y)
{
    double mean = 0, variance = 0;
    for (int i = 0; i < D; i++)
        mean += x[i] / D;
    for (int i = 0; i < D; i++)
        variance += (x[i] - mean) * (x[i] - mean) / D;
    for (int i = 0; i < D; i++)
        y[i] = gain[i] * (x[i] - mean) / sqrt(variance + 1e-5) + bias[i];
}

/* Of the last sequence of a batch. */
static double looked[TINY_LAYERS][H][T][T];

/* joined[i] of the rows qkv [T,3D], in which token i sees 0 … i. */
static void attend(int layer, double (*qkv)[3 * D], int i, double *joined)
{
    for (int h = 0; h < H; h++) {
        double weight[T], sum = 0;
        for (int j = 0; j <= i; j++) {
            double score = 0;
            for (int k = 0; k < DEPTH; k++)
                score += qkv[i][h * DEPTH + k] * qkv[j][D + h * DEPTH + k];
            sum += weight[j] = exp(score / sqrt(DEPTH));
        }
        for (int j = 0; j <= i; j++)
            looked[layer][h][i][j] = weight[j] / sum;
        for (int k = 0; k < DEPTH; k++) {
            joined[h * DEPTH + k] = 0;
            for (int j = 0; j <= i; j++)
                joined[h * DEPTH + k] += weight[j] / sum * qkv[j][2 * D + h * DEPTH + k];
        }
    }
}

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

static void run_layer(const reference *r, int layer, double (*x)[D])
{
    double qkv[T][3 * D] = {{0}}, normed[D], joined[D];
    for (int t = 0; t < T; t++) {
        norm(layer_of(r, layer, "ln_1.weight"), layer_of(r, layer, "ln_1.bias"), x[t], normed);
        linear(layer_of(r, layer, "attn.c_attn.weight"), layer_of(r, layer, "attn.c_attn.bias"),
               normed, D, 3 * D, qkv[t]);
    }
    for (int t = 0; t < T; t++) {
        double hidden[4 * D] = {0};
        attend(layer, qkv, t, joined);
        linear(layer_of(r, layer, "attn.c_proj.weight"), layer_of(r, layer, "attn.c_proj.bias"),
               joined, D, D, x[t]);
        norm(layer_of(r, layer, "ln_2.weight"), layer_of(r, layer, "ln_2.bias"), x[t], normed);
        linear(layer_of(r, layer, "mlp.c_fc.weight"), layer_of(r, layer, "mlp.c_fc.bias"), normed,
               D, 4 * D, hidden);
        for (int i = 0; i < 4 * D; i++)
            hidden[i] = gelu(hidden[i]);
        linear(layer_of(r, layer, "mlp.c_proj.weight"), layer_of(r, layer, "mlp.c_proj.bias"),
               hidden, 4 * D, D, x[t]);
    }
}

/* ---- LLaMA's */

static const double *llama_layer_of(const reference *r, int layer, const char *name)
{
    char full[80];
    snprintf(full, sizeof full, "model.layers.%d.%s.weight", layer, name);
    return doubles_of(&r->d, full);
}

static void rms_norm(const double *gain, const double *x, double *y)
{
    double squares = 0;
    for (int i = 0; i < D; i++)
        squares += x[i] * x[i] / D;
    for (int i = 0; i < D; i++)
        y[i] = gain[i] * x[i] / sqrt(squares + 1e-5);
}

/* Numbers i and i + DEPTH/2 of each head are a point that turns. */
static void turn(double *x, int place)
{
    for (int at = 0; at < D; at += DEPTH)
        for (int i = 0; i < DEPTH / 2; i++) {
            const double angle = place * pow(10000, -2.0 * i / DEPTH);
            const double a = x[at + i], b = x[at + i + DEPTH / 2];
            x[at + i] = a * cos(angle) - b * sin(angle);
            x[at + i + DEPTH / 2] = b * cos(angle) + a * sin(angle);
        }
}

static void run_llama_layer(const reference *r, int layer, double (*x)[D])
{
    static const char *const parts[] = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"};
    double qkv[T][3 * D] = {{0}}, normed[D], joined[D];
    for (int t = 0; t < T; t++) {
        rms_norm(llama_layer_of(r, layer, "input_layernorm"), x[t], normed);
        for (int k = 0; k < 3; k++)
            linear(llama_layer_of(r, layer, parts[k]), NULL, normed, D, D, qkv[t] + k * D);
        turn(qkv[t], t);
        turn(qkv[t] + D, t);
    }
    for (int t = 0; t < T; t++) {
        double gate[GATED] = {0}, up[GATED] = {0};
        attend(layer, qkv, t, joined);
        linear(llama_layer_of(r, layer, "self_attn.o_proj"), NULL, joined, D, D, x[t]);
        rms_norm(llama_layer_of(r, layer, "post_attention_layernorm"), x[t], normed);
        linear(llama_layer_of(r, layer, "mlp.gate_proj"), NULL, normed, D, GATED, gate);
        linear(llama_layer_of(r, layer, "mlp.up_proj"), NULL, normed, D, GATED, up);
        for (int i = 0; i < GATED; i++)
            up[i] *= gate[i] * sigmoid(gate[i]);
        linear(llama_layer_of(r, layer, "mlp.down_proj"), NULL, up, GATED, D, x[t]);
    }
}

/* ---- both */

static double loss_in_doubles(const void *self)
{
    const reference *r = self;
    const bool is_llama = r->kind == SAC_GPT_LLAMA;
    const double *table =
        doubles_of(&r->d, is_llama ? "model.embed_tokens.weight" : "transformer.wte.weight");
    const double *places = is_llama ? NULL : doubles_of(&r->d, "transformer.wpe.weight");
    double loss = 0;
    for (int b = 0; b < B; b++) {
        double x[T][D], z[D];
        for (int t = 0; t < T; t++)
            for (int i = 0; i < D; i++)
                x[t][i] =
                    table[r->batch->words[b * T + t] * D + i] + (is_llama ? 0 : places[t * D + i]);
        for (int layer = 0; layer < TINY_LAYERS; layer++)
            (is_llama ? run_llama_layer : run_layer)(r, layer, x);
        for (int t = 0; t < T; t++) {
            double logits[WORDS] = {0};
            if (is_llama)
                rms_norm(doubles_of(&r->d, "model.norm.weight"), x[t], z);
            else
                norm(doubles_of(&r->d, "transformer.ln_f.weight"),
                     doubles_of(&r->d, "transformer.ln_f.bias"), x[t], z);
            linear(table, NULL, z, D, r->words, logits);
            loss += surprise_of(logits, r->words, r->batch->targets[b * T + t]) / (B * T);
        }
    }
    return loss;
}

/* ---------------------------------------------------------------- */

static sac_batch_maker maker;

static const sac_gpt_batch *batch_of(const sac_gpt *l, size_t number)
{
    if (!maker.self)
        OK(sac_gpt_batches(&l->base, NULL, B, 5, &maker, &failure));
    return maker.make(maker.self, number, (int)(number % SAC_BATCH_SLOTS), &failure);
}

static void finish(sac_gpt *l)
{
    maker.destroy(maker.self);
    maker = (sac_batch_maker){0};
    sac_model_destroy(&l->base);
}

static void check_gradients(sac_gpt_kind kind)
{
    sac_gpt *l = tiny_language_of(kind);
    reference r = {.kind = kind, .batch = batch_of(l, 0), .words = l->sizes.words};
    float loss;
    assert_true(r.words <= WORDS);
    doubles_share(&r.d, &l->base, 11);
    OK(sac_parameters_zero_gradients(&l->base.parameters, &failure));
    OK(sac_gpt_learn(l, r.batch, 0, &loss, &failure));
    assert_float_equal(loss, loss_in_doubles(&r), 1e-5);
    gradients_check(&r.d, loss_in_doubles, &r);
    doubles_free(&r.d);
    finish(l);
}

TEST(gradients_of_gpt_2_are_those_of_the_same_model_in_doubles)
{
    check_gradients(SAC_GPT_2);
}

TEST(gradients_of_llama_are_those_of_the_same_model_in_doubles)
{
    check_gradients(SAC_GPT_LLAMA);
}

static void learn_with_dropout(sac_model *model, const void *batch, float losses[3])
{
    OK(sac_gpt_learn((sac_gpt *)model, batch, 0.2f, losses, &failure));
}

TEST(a_batch_leaves_nothing_behind)
{
    sac_gpt *l = tiny_language();
    OK(sac_parameters_zero_gradients(&l->base.parameters, &failure));
    check_nothing_is_left_behind(&l->base, learn_with_dropout, batch_of(l, 0), batch_of(l, 1));
    finish(l);
}

/* Two that share a batch have the losses and gradients of one that has all of it. */
TEST(the_shares_of_a_batch_add_up_to_it)
{
    sac_gpt *l = tiny_language();
    float whole, part[2];
    OK(sac_parameters_zero_gradients(&l->base.parameters, &failure));
    OK(sac_gpt_learn(l, batch_of(l, 4), 0, &whole, &failure));
    float *of_whole = gradients_read(&l->base);
    OK(sac_parameters_zero_gradients(&l->base.parameters, &failure));
    for (size_t i = 0; i < 2; i++) {
        maker.destroy(maker.self);
        maker = (sac_batch_maker){0};
        l->base.share = (sac_batch_share){i, 2};
        OK(sac_gpt_learn(l, batch_of(l, 4), 0, &part[i], &failure));
    }
    float *of_parts = gradients_read(&l->base);
    assert_float_equal(whole, part[0] + part[1], 1e-6);
    for (size_t i = 0; i < l->base.parameters.floats; i++)
        assert_float_equal(of_whole[i], of_parts[i], 1e-6);
    free(of_whole);
    free(of_parts);
    finish(l);
}

/* ---------------------------------------------------------------- heads */

static int number_of_token(const sac_gpt *l, const char *text)
{
    for (int i = 0;; i++) {
        char *shown = sac_tokenizer_show(l->tokenizer, i);
        const bool same = strcmp(shown, text) == 0;
        free(shown);
        if (same)
            return i;
    }
}

/* The means over what each kind looks at, written down once more: T tokens, of which the second half is the first. */
static void score_in_doubles(double (*w)[T], double scores[SAC_TRAINING_KINDS])
{
    enum { ONCE = T / 2 };
    memset(scores, 0, SAC_TRAINING_KINDS * sizeof *scores);
    for (int i = 0; i < T; i++) {
        scores[0] += i ? w[i][i - 1] / (T - 1) : 0;
        scores[1] += i >= ONCE ? w[i][i - ONCE + 1] / ONCE : 0;
        scores[2] += i >= ONCE ? w[i][i - ONCE] / ONCE : 0;
        scores[3] += w[i][0] / T;
    }
}

static void check_heads(sac_gpt_kind kind)
{
    sac_gpt *l = tiny_language_of(kind);
    sac_attention_kind a;
    reference r = {.kind = kind, .words = l->sizes.words};
    int words[B * T];
    float scores[TINY_LAYERS * H * SAC_TRAINING_KINDS];
    doubles_share(&r.d, &l->base, 21);
    OK(sac_gpt_attend(l, &a, &failure));
    assert_true(a.layers == TINY_LAYERS && a.heads == H && a.steps == T && a.positions == T);
    for (int i = 0; i < B * T; i++)
        words[i] = number_of_token(l, a.position_labels.text[i % T]);
    assert_memory_equal(words, words + T / 2, T / 2 * sizeof *words);
    assert_true(words[0] != words[1] && words[1] != words[2] && words[0] != words[2]);
    r.batch = &(sac_gpt_batch){.batch = B, .steps = T, .words = words, .targets = words};
    (void)loss_in_doubles(&r);
    OK(sac_heads_measure(&a, scores, &failure));
    for (int m = 0; m < TINY_LAYERS * H; m++) {
        double(*w)[T] = looked[m / H][m % H], wanted[SAC_TRAINING_KINDS];
        for (int i = 0; i < T * T; i++)
            assert_float_equal(a.weights[m * T * T + i], (i % T <= i / T ? w[i / T][i % T] : 0),
                               1e-5);
        score_in_doubles(w, wanted);
        for (int k = 0; k < SAC_TRAINING_KINDS; k++)
            assert_float_equal(scores[m * SAC_TRAINING_KINDS + k], wanted[k], 1e-5);
    }
    free(a.weights);
    sac_labels_free(&a.position_labels);
    doubles_free(&r.d);
    sac_model_destroy(&l->base);
}

TEST(scores_of_heads_are_those_of_the_weights_in_doubles)
{
    check_heads(SAC_GPT_2);
    check_heads(SAC_GPT_LLAMA);
}

/* ---- an induction head by hand */

enum { MADE_CONTEXT = 16, MADE_WIDTH = 64 };

/* rows of a matrix [·,MADE_WIDTH]: row `out` takes number `in`. */
static void connect(float *matrix, int out, int in, float by)
{
    matrix[out * MADE_WIDTH + in] = by;
}

static void write_by_hand(const sac_parameter *p, const float *numbers)
{
    OK(sac_span_write(device, sac_tensor_span(p->value), p->count, numbers, &failure));
}

/* A token's number and its place are each one of its numbers; layer 0 looks at the place before, and notes the token
 * there; layer 1 looks at where its own token is noted. */
TEST(a_head_that_looks_for_what_followed_is_found)
{
    sac_model *model;
    char text[2 * sizeof tiny_text];
    snprintf(text, sizeof text, "%s%s", tiny_text, tiny_text);
    tiny_write(tiny_path("long"), text, strlen(text));
    sac_model_values values = tiny_values(tiny_path("long"));
    tiny_set(&values, "context", MADE_CONTEXT);
    tiny_set(&values, "heads", 1);
    tiny_set(&values, "width", MADE_WIDTH);
    OK(sac_language_class.create(device, &values, 3, &model, &failure));
    sac_gpt *l = (sac_gpt *)model;
    const int V = l->sizes.words;
    float *zeros = calloc(4 * MADE_WIDTH * MADE_WIDTH, sizeof *zeros),
          *made = calloc(4 * MADE_WIDTH * MADE_WIDTH, sizeof *made);
    assert_true(V + MADE_CONTEXT <= MADE_WIDTH - V); /* tokens, places, tokens before */
    for (int i = 0; i < V; i++)
        connect(made, i, i, 1);
    write_by_hand(l->weights.words, made);
    memset(made, 0, MADE_CONTEXT * MADE_WIDTH * sizeof *made);
    for (int i = 0; i < MADE_CONTEXT; i++)
        connect(made, i, V + i, 1);
    write_by_hand(l->weights.positions, made);
    for (int layer = 0; layer < 2; layer++) {
        const sac_transformer_layer *at = &l->weights.layer[layer];
        float *query = calloc(3 * MADE_WIDTH * MADE_WIDTH, sizeof *query),
              *key = query + MADE_WIDTH * MADE_WIDTH, *value = key + MADE_WIDTH * MADE_WIDTH;
        for (int i = 0; i < (layer ? V : MADE_CONTEXT); i++) {
            if (layer == 0 && i > 0)
                connect(query, i - 1, V + i, 10);
            if (layer == 0)
                connect(key, i, V + i, 1);
            if (layer == 1)
                connect(query, i, i, 10);
            if (layer == 1)
                connect(key, i, MADE_WIDTH - V + i, 1);
        }
        for (int i = 0; i < V && layer == 0; i++)
            connect(value, MADE_WIDTH - V + i, i, 0.3f);
        write_by_hand(l->weights.fused[layer], query);
        memset(made, 0, MADE_WIDTH * MADE_WIDTH * sizeof *made);
        for (int i = 0; i < MADE_WIDTH && layer == 0; i++)
            connect(made, i, i, 1);
        write_by_hand(at->attention[SAC_PART_SELF].out.w, made);
        write_by_hand(at->out.w, zeros); /* the network adds nothing */
        free(query);
    }
    sac_attention_kind a;
    float scores[2 * SAC_TRAINING_KINDS];
    OK(sac_gpt_attend(l, &a, &failure));
    assert_int_equal(a.steps, MADE_CONTEXT);
    OK(sac_heads_measure(&a, scores, &failure));
    assert_true(scores[0] > 0.99f); /* layer 0: the previous token … */
    assert_true(scores[1] < 0.2f);
    /* … layer 1: induction, but for the first token, before which there is none, so that it notes itself: half. */
    assert_float_equal(scores[SAC_TRAINING_KINDS + 1], (7 + 0.5) / 8, 0.02);
    assert_true(scores[SAC_TRAINING_KINDS] < 0.2f);
    free(a.weights);
    sac_labels_free(&a.position_labels);
    free(made);
    free(zeros);
    sac_model_destroy(model);
}

TEST(a_batch_that_is_seen_again_and_again_is_learnt_by_heart)
{
    sac_gpt *l = tiny_language();
    sac_model_values values = sac_model_defaults(&sac_language_class);
    sac_losses losses = {0};
    OK(sac_parameters_zero_gradients(&l->base.parameters, &failure));
    for (size_t step = 1; step <= 200; step++)
        OK(sac_training_step(&l->base, batch_of(l, 0), &values, 1e-2f, 1e-2f, step, &losses, NULL,
                             &failure));
    assert_true(losses.total < 1);
    finish(l);
}

TEST_MAIN(tiny_open, tiny_close)
