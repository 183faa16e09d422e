/* The language model's mathematics: its parameters, forward and backward. */
#include <math.h>
#include <stdio.h>

#include "base/round.h"
#include "language/language.h"
#include "nn/attention/positions.h"
#include "nn/layers.h"
#include "nn/training.h"

/* ---------------------------------------------------------------- parameters */

const char *const sac_gpt_kinds[] = {[SAC_GPT_2] = "gpt2", [SAC_GPT_LLAMA] = "llama", NULL};

int sac_gpt_usual_hidden(const sac_gpt_sizes *sizes)
{
    const int width = sizes->width;
    return sizes->kind == SAC_GPT_LLAMA ? (int)sac_round_up((size_t)(8 * width + 2) / 3, 8)
                                        : 4 * width;
}

size_t sac_gpt_key_width(const sac_gpt_sizes *sizes)
{
    return (size_t)(sizes->width / sizes->heads * sizes->key_heads);
}

bool sac_gpt_heads_fit(const sac_gpt_sizes *sizes)
{
    const int depth = sizes->width / sizes->heads;
    return sizes->width % sizes->heads == 0 &&
           (sizes->kind == SAC_GPT_2 || (depth % 2 == 0 && depth <= SAC_ROTARY_DEPTH));
}

/* What is declared, and under which names. */
typedef struct declaring {
    const sac_gpt_sizes *sizes;
    const char *prefix;
    sac_parameters *p;
    sac_gpt_weights *w;
    char name[96]; /* the last one */
} declaring;

/* "transformer.h.0.NAME", "model.layers.0.NAME" */
static const char *layer_name(declaring *d, int layer, const char *name)
{
    snprintf(d->name, sizeof d->name, "%s%s.%d%s%s", d->prefix,
             d->sizes->kind == SAC_GPT_LLAMA ? "layers" : "h", layer, name[0] ? "." : "", name);
    return d->name;
}

static const char *outer_name(declaring *d, const char *name)
{
    snprintf(d->name, sizeof d->name, "%s%s", d->prefix, name);
    return d->name;
}

static const sac_parameter *declare_matrix(declaring *d, int layer, const char *name,
                                           float deviation, size_t out, size_t in)
{
    const sac_parameter *matrix = sac_parameter_add(d->p, layer_name(d, layer, name),
                                                    sac_init_uniform_std(deviation), 2, out, in);
    if (matrix)
        d->p->list[d->p->count - 1]->transposed = d->sizes->kind == SAC_GPT_2;
    return matrix;
}

static const sac_parameter *declare_bias(declaring *d, int layer, const char *name, size_t count)
{
    return sac_parameter_vector(d->p, layer_name(d, layer, name), count);
}

/* Matrices come first: these decay. Deviations are GPT-2's: 0.02, and of what joins the sum of all layers 1/√(2L) of
 * that, so that the sum is no larger with more of them. */
static void declare_matrices(declaring *d)
{
    const sac_gpt_sizes *sizes = d->sizes;
    const size_t D = (size_t)sizes->width, F = (size_t)sizes->hidden, K = sac_gpt_key_width(sizes);
    const float usual = 0.02f, joining = usual / sqrtf(2 * (float)sizes->layers);
    for (int i = 0; i < sizes->layers; i++) {
        sac_transformer_layer *l = &d->w->layer[i];
        sac_multihead *self = &l->attention[SAC_PART_SELF];
        *l = (sac_transformer_layer){0};
        if (sizes->kind == SAC_GPT_2) {
            d->w->fused[i] = declare_matrix(d, i, "attn.c_attn.weight", usual, 3 * D, D);
            self->out.w = declare_matrix(d, i, "attn.c_proj.weight", joining, D, D);
            l->in.w = declare_matrix(d, i, "mlp.c_fc.weight", usual, F, D);
            l->out.w = declare_matrix(d, i, "mlp.c_proj.weight", joining, D, F);
            continue;
        }
        self->query.w = declare_matrix(d, i, "self_attn.q_proj.weight", usual, D, D);
        self->key.w = declare_matrix(d, i, "self_attn.k_proj.weight", usual, K, D);
        self->value.w = declare_matrix(d, i, "self_attn.v_proj.weight", usual, K, D);
        self->out.w = declare_matrix(d, i, "self_attn.o_proj.weight", joining, D, D);
        l->gate.w = declare_matrix(d, i, "mlp.gate_proj.weight", usual, F, D);
        l->in.w = declare_matrix(d, i, "mlp.up_proj.weight", usual, F, D);
        l->out.w = declare_matrix(d, i, "mlp.down_proj.weight", joining, D, F);
    }
}

static sac_layer_norm declare_norm(declaring *d, const char *layer, const char *name)
{
    const size_t D = (size_t)d->sizes->width;
    if (d->sizes->kind == SAC_GPT_LLAMA)
        return sac_rms_norm_declare(d->p, layer, name, D, d->sizes->epsilon);
    sac_layer_norm norm = sac_layer_norm_declare(d->p, layer, name, D);
    norm.epsilon = d->sizes->epsilon;
    return norm;
}

static void declare_vectors(declaring *d)
{
    const sac_gpt_sizes *sizes = d->sizes;
    const size_t D = (size_t)sizes->width, F = (size_t)sizes->hidden;
    const bool is_llama = sizes->kind == SAC_GPT_LLAMA;
    char layer[sizeof d->name];
    for (int i = 0; i < sizes->layers; i++) {
        sac_transformer_layer *l = &d->w->layer[i];
        snprintf(layer, sizeof layer, "%s", layer_name(d, i, ""));
        l->norm[SAC_PART_SELF] = declare_norm(d, layer, is_llama ? "input_layernorm" : "ln_1");
        if (!is_llama) {
            d->w->fused_bias[i] = declare_bias(d, i, "attn.c_attn.bias", 3 * D);
            l->attention[SAC_PART_SELF].out.b = declare_bias(d, i, "attn.c_proj.bias", D);
        }
        l->norm[SAC_PART_FORWARD] =
            declare_norm(d, layer, is_llama ? "post_attention_layernorm" : "ln_2");
        if (!is_llama) {
            l->in.b = declare_bias(d, i, "mlp.c_fc.bias", F);
            l->out.b = declare_bias(d, i, "mlp.c_proj.bias", D);
        }
    }
    d->w->norm = declare_norm(d, "", outer_name(d, is_llama ? "norm" : "ln_f"));
}

void sac_gpt_declare(const sac_gpt_sizes *sizes, const char *prefix, sac_parameters *p,
                     sac_gpt_weights *w)
{
    const size_t D = (size_t)sizes->width, V = (size_t)sizes->words;
    const sac_init init = sac_init_uniform_std(0.02f);
    const bool is_llama = sizes->kind == SAC_GPT_LLAMA;
    declaring d = {sizes, prefix ? prefix : is_llama ? "model." : "transformer.", p, w, ""};
    w->words = sac_parameter_add(p, outer_name(&d, is_llama ? "embed_tokens.weight" : "wte.weight"),
                                 init, 2, V, D);
    w->positions = is_llama ? NULL
                            : sac_parameter_add(p, outer_name(&d, "wpe.weight"), init, 2,
                                                (size_t)sizes->places, D);
    w->head = sizes->has_head ? sac_parameter_add(p, "lm_head.weight", init, 2, V, D) : w->words;
    declare_matrices(&d);
    p->decaying = p->count;
    declare_vectors(&d);
}

sac_tensor sac_gpt_cut(sac_tensor of, size_t first, size_t rows, size_t width)
{
    return of.buffer ? (sac_tensor){of.buffer, of.at + (cl_uint)first, rows, width, of.stored} : of;
}

void sac_gpt_bind(const sac_gpt_sizes *sizes, sac_gpt_weights *w)
{
    const size_t D = (size_t)sizes->width;
    for (int i = 0; i < sizes->layers && sizes->kind == SAC_GPT_2; i++) {
        sac_multihead *self = &w->layer[i].attention[SAC_PART_SELF];
        sac_dense *const parts[] = {&self->query, &self->key, &self->value};
        for (size_t k = 0; k < SAC_GPT_PARTS; k++) {
            sac_parameter *part = &w->part[i][k], *bias = &w->part_bias[i][k];
            *part = *w->fused[i];
            part->value = sac_gpt_cut(w->fused[i]->value, k * D * D, D, D);
            part->gradient = sac_gpt_cut(w->fused[i]->gradient, k * D * D, D, D);
            *bias = *w->fused_bias[i];
            bias->value = sac_gpt_cut(w->fused_bias[i]->value, k * D, 1, D);
            bias->gradient = sac_gpt_cut(w->fused_bias[i]->gradient, k * D, 1, D);
            *parts[k] = (sac_dense){part, bias};
        }
    }
}

/* ---------------------------------------------------------------- forward */

sac_transformer_run sac_gpt_run(const sac_gpt *l, const sac_gpt_tensors *t, float dropout,
                                uint64_t seed, int index)
{
    const bool is_llama = l->sizes.kind == SAC_GPT_LLAMA;
    return (sac_transformer_run){.batch = t->batch,
                                 .heads = l->sizes.heads,
                                 .key_heads = l->sizes.key_heads,
                                 .norm_first = true,
                                 .causal = true,
                                 .activation = is_llama ? SAC_SILU : SAC_GELU_TANH,
                                 .rotation = t->rotation,
                                 .dropout = dropout,
                                 .seed = seed * (SAC_GPT_LAYERS + 1) + (uint64_t)index + 1};
}

/* Of the tokens in their places; layers have the seeds after it. */
static sac_dropout word_dropout(float dropout, uint64_t seed)
{
    return sac_dropout_of(dropout, seed * (SAC_GPT_LAYERS + 1), 0);
}

void sac_gpt_shape(sac_gpt *l, sac_arena *arena, size_t batch, size_t steps, sac_gpt_tensors *t)
{
    sac_pass *pass = &l->base.pass;
    const size_t rows = batch * steps, width = (size_t)l->sizes.width;
    t->batch = batch;
    t->steps = steps;
    const sac_transformer_run run = sac_gpt_run(l, t, 0, 0, 0);
    sac_arena_shape_ints(arena, pass, &t->words, rows);
    sac_arena_shape_ints(arena, pass, &t->places, rows);
    if (l->sizes.kind == SAC_GPT_LLAMA)
        sac_arena_shape(arena, pass, &t->rotation, steps, width / (size_t)l->sizes.heads);
    sac_arena_shape(arena, pass, &t->x, rows, width);
    for (int i = 0; i < l->sizes.layers; i++)
        sac_transformer_layer_shape(pass, arena, &l->weights.layer[i], &run, steps, 0,
                                    &t->layer[i]);
    sac_arena_shape(arena, pass, &t->normed, rows, width);
    sac_arena_shape(arena, pass, &t->logits, rows, (size_t)l->sizes.words);
}

void sac_gpt_place(sac_gpt *l, const sac_gpt_tensors *t, size_t first)
{
    sac_pass *pass = &l->base.pass;
    if (l->weights.positions) {
        sac_positions_place(pass, t->places, l->weights.positions->value, t->steps, first, NULL);
    } else {
        const sac_rotary rotary = sac_rotary_of(t->rotation.width, (double)l->sizes.rotary_base);
        sac_rotary_place(pass, &rotary, t->rotation, first);
    }
}

void sac_gpt_embed(sac_gpt *l, const sac_gpt_tensors *t)
{
    sac_embedding_forward(&l->base.pass, t->x, l->weights.words, t->words);
    if (l->weights.positions)
        sac_positions_add(&l->base.pass, t->x, 1, l->weights.positions->value, t->places);
}

void sac_gpt_logits(sac_gpt *l, sac_tensor x, const sac_gpt_tensors *t)
{
    sac_layer_norm_forward(&l->base.pass, &l->weights.norm, t->normed, x);
    sac_linear_forward(&l->base.pass, t->logits, t->normed, l->weights.head, NULL);
}

void sac_gpt_forward(sac_gpt *l, float dropout, uint64_t seed, const sac_gpt_tensors *t)
{
    sac_pass *pass = &l->base.pass;
    const sac_dropout of_words = word_dropout(dropout, seed);
    sac_tensor x = t->x;
    sac_gpt_embed(l, t);
    if (dropout > 0)
        sac_dropout_run(pass, &of_words, x, x);
    for (int i = 0; i < l->sizes.layers; i++) {
        const sac_transformer_run run = sac_gpt_run(l, t, dropout, seed, i);
        x = sac_transformer_layer_forward(pass, &l->weights.layer[i], &run, x, (sac_tensor){0},
                                          &t->layer[i]);
    }
    sac_gpt_logits(l, x, t);
}

/* ---------------------------------------------------------------- backward */

/* What layer `index` reads, and the last norm (index L). */
static sac_tensor layer_input(const sac_gpt_tensors *t, int index)
{
    return index ? t->layer[index - 1].sum[SAC_PART_FORWARD] : t->x;
}

void sac_gpt_backward(sac_gpt *l, float dropout, uint64_t seed, const sac_gpt_tensors *t,
                      sac_tensor d, const sac_transformer_gradients *gradients)
{
    sac_pass *pass = &l->base.pass;
    const sac_gpt_weights *w = &l->weights;
    const sac_dropout of_words = word_dropout(dropout, seed);
    sac_linear_backward_weights(pass, t->logits, t->normed, w->head, NULL);
    sac_linear_backward_input(pass, d, t->logits, w->head);
    sac_layer_norm_backward(pass, &w->norm, d, layer_input(t, l->sizes.layers));
    for (int i = l->sizes.layers - 1; i >= 0; i--) {
        const sac_transformer_run run = sac_gpt_run(l, t, dropout, seed, i);
        sac_transformer_layer_backward(pass, &w->layer[i], &run, d, (sac_tensor){0},
                                       layer_input(t, i), (sac_tensor){0}, &t->layer[i], gradients);
    }
    if (dropout > 0)
        sac_dropout_run(pass, &of_words, d, d);
    sac_embedding_backward(pass, w->words, d, t->words);
    if (w->positions)
        sac_embedding_backward(pass, w->positions, d, t->places);
}
