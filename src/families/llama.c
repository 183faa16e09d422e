/* LLaMA's kind (Touvron et al. 2023): RMSNorm before each part and at the end, rotary positions,
 * gated feed-forward networks, and keys and values of fewer heads. LLaMA, SmolLM, Qwen2. */
#include <math.h>
#include <stdio.h>

#include "families/text.h"

/* ---------------------------------------------------------------- positions */

/* LLaMA 3.1's: slow turns are slower by `factor`, fast ones stay, those between are mixed. */
static void slow_down(sac_rotary *rotary, sac_config *c)
{
    double factor = (double)sac_config_number_or(c, "factor", 8);
    double low = (double)sac_config_number_or(c, "low_freq_factor", 1);
    double high = (double)sac_config_number_or(c, "high_freq_factor", 4);
    double places = sac_config_size_or(c, "original_max_position_embeddings", 1, 1 << 24, 8192);
    if (!(factor >= 1 && high > low))
        sac_config_refuse(c, "factor", "these are no numbers to slow turns down by");
    for (size_t i = 0; i < rotary->depth / 2; i++) {
        double turns = places * (double)rotary->frequency[i] / (2 * acos(-1));
        double stays = fmin(fmax((turns - low) / (high - low), 0), 1);
        rotary->frequency[i] *= (float)(stays + (1 - stays) / factor);
    }
}

/* `rope_parameters`, or `rope_scaling` and a base beside it. */
static void read_rotary(sac_family_model *m, sac_config *c, size_t depth)
{
    static const char *const types[] = {"", "default", "linear", "llama3", NULL};
    const char *name = sac_config_has(c, "rope_parameters") ? "rope_parameters" : "rope_scaling";
    sac_config inside = sac_config_inside(c, name);
    float base = sac_config_number_or(c, "rope_theta", 10000);
    base = sac_config_number_or(&inside, "rope_theta", base);
    int type = sac_config_choice(
        &inside, sac_config_has(&inside, "rope_type") ? "rope_type" : "type", types);
    if (depth % 2 || depth > SAC_ROTARY_DEPTH || !(base > 1)) {
        sac_config_refuse(c, "rope_theta", "no rotary positions turn heads of %zu by %g", depth,
                          (double)base);
        return;
    }
    m->rotary = sac_rotary_of(depth, (double)base);
    if (type == 2)
        for (size_t i = 0; i < depth / 2; i++)
            m->rotary.frequency[i] /= fmaxf(1, sac_config_number_or(&inside, "factor", 1));
    if (type == 3)
        slow_down(&m->rotary, &inside);
    if (c->status == SAC_OK)
        c->status = inside.status;
}

/* ---------------------------------------------------------------- tensors */

typedef struct kind {
    size_t query, key; /* numbers of a token: of queries, and of keys and values */
    bool attention_bias, out_bias, forward_bias;
    float epsilon;
    const char *prefix;
} kind;

static void declare_layer(sac_family_model *m, const kind *k, int i)
{
    sac_parameters *p = &m->parameters;
    size_t D = m->width, F = m->hidden;
    bool bias = k->attention_bias;
    char layer[40];
    snprintf(layer, sizeof layer, "%slayers.%d", k->prefix, i);
    m->layer[i] = (sac_transformer_layer){
        .attention[SAC_PART_SELF] =
            {.query = sac_dense_declare(p, layer, "self_attn.q_proj", k->query, D, bias),
             .key = sac_dense_declare(p, layer, "self_attn.k_proj", k->key, D, bias),
             .value = sac_dense_declare(p, layer, "self_attn.v_proj", k->key, D, bias),
             .out = sac_dense_declare(p, layer, "self_attn.o_proj", D, k->query, k->out_bias)},
        .gate = sac_dense_declare(p, layer, "mlp.gate_proj", F, D, k->forward_bias),
        .in = sac_dense_declare(p, layer, "mlp.up_proj", F, D, k->forward_bias),
        .out = sac_dense_declare(p, layer, "mlp.down_proj", D, F, k->forward_bias),
        .norm[SAC_PART_SELF] = sac_rms_norm_declare(p, layer, "input_layernorm", D, k->epsilon),
        .norm[SAC_PART_FORWARD] =
            sac_rms_norm_declare(p, layer, "post_attention_layernorm", D, k->epsilon)};
}

static void declare_all(sac_family_model *m, sac_config *c, const kind *k)
{
    char name[64];
    sac_parameters *p = &m->parameters;
    bool has_head = sac_pretrained_find(m->files, "lm_head.weight");
    snprintf(name, sizeof name, "%sembed_tokens.weight", k->prefix);
    m->words = sac_parameter_weight(p, name, m->vocabulary, m->width);
    for (int i = 0; i < m->layers; i++)
        declare_layer(m, k, i);
    m->last_norm =
        sac_rms_norm_declare(p, "", *k->prefix ? "model.norm" : "norm", m->width, k->epsilon);
    if (!sac_config_flag_or(c, "tie_word_embeddings", !has_head))
        m->head = sac_parameter_weight(p, "lm_head.weight", m->vocabulary, m->width);
}

/* ---------------------------------------------------------------- config.json */

static void read_sizes(sac_family_model *m, sac_config *c, kind *k)
{
    sac_family_text_sizes(m, c, "hidden_size", "num_hidden_layers", "num_attention_heads");
    int heads = m->run.heads;
    m->run.key_heads = sac_config_size_or(c, "num_key_value_heads", 1, heads, heads);
    if (heads % m->run.key_heads != 0)
        sac_config_refuse(c, "num_key_value_heads", "%d do not divide %d heads", m->run.key_heads,
                          heads);
    int depth = sac_config_size_or(c, "head_dim", 1, SAC_ROTARY_DEPTH, (int)m->width / heads);
    m->hidden = (size_t)sac_config_size(c, "intermediate_size", 1, 8 * SAC_FAMILY_WIDTH);
    m->places = (size_t)sac_config_size(c, "max_position_embeddings", 1, 1 << 24);
    k->query = (size_t)depth * (size_t)heads;
    k->key = (size_t)depth * (size_t)m->run.key_heads;
    k->epsilon = sac_config_number_or(c, "rms_norm_eps", 1e-6f);
    read_rotary(m, c, (size_t)depth);
}

static void declare(sac_family_model *m, sac_config *c, kind *k)
{
    static const char *const prefixes[] = {"model.", "", NULL};
    m->run.causal = m->run.norm_first = true;
    m->run.activation = sac_family_activation(c, "hidden_act");
    if (m->run.activation != SAC_SILU)
        sac_config_refuse(c, "hidden_act", "must be silu here");
    read_sizes(m, c, k);
    sac_family_read_ends(m, c);
    k->prefix = sac_pretrained_prefix(m->files, prefixes, "embed_tokens.weight");
    declare_all(m, c, k);
}

static void declare_llama(sac_family_model *m, sac_config *c)
{
    kind k = {.forward_bias = sac_config_flag_or(c, "mlp_bias", false)};
    k.attention_bias = k.out_bias = sac_config_flag_or(c, "attention_bias", false);
    declare(m, c, &k);
}

static void declare_qwen2(sac_family_model *m, sac_config *c)
{
    kind k = {.attention_bias = true};
    if (sac_config_flag_or(c, "use_sliding_window", false))
        sac_config_refuse(c, "use_sliding_window", "must be false here");
    declare(m, c, &k);
}

const sac_family sac_family_llama = {{"llama"}, declare_llama, NULL};
const sac_family sac_family_qwen2 = {{"qwen2"}, declare_qwen2, NULL};
