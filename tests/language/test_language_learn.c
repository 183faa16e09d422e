/* A language model learns: its gradients are those of the same model in doubles and plain loops, and its loss falls. */
#include "gradients.h"
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

/* joined[i] of the rows qkv [T,3D], in which token i sees 0 … i. */
static void attend(double (*qkv)[3 * D], int i, double *joined)
{
    for (int h = 0; h < H; h++) {
        double weight[T], sum = 0;
        for (int j = 0; j <= i; j++) {
            double score = 0;
            for (int k = 0; k < DEPTH; k++)
                score += qkv[i][h * DEPTH + k] * qkv[j][D + h * DEPTH + k];
            sum += weight[j] = exp(score / sqrt(DEPTH));
        }
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
        attend(qkv, t, joined);
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
        attend(qkv, t, joined);
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
    reference r = {.kind = kind, .batch = batch_of(l, 0), .words = (int)l->tokens.count};
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
