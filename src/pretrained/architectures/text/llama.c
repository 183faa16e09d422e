/* LLaMA's kind (Touvron et al. 2023): RMSNorm before each part and at the end, rotary positions,
 * gated feed-forward networks, and keys and values of fewer heads. LLaMA, SmolLM, Qwen2. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

/* ---------------------------------------------------------------- tensors */

typedef struct kind {
    size_t query, key; /* numbers of a token: of queries, and of keys and values */
    bool attention_bias, out_bias, forward_bias;
    float epsilon;
    const char *prefix;
} kind;

static void declare_layer(sac_pretrained_model *m, const kind *k, int i)
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

/* ---------------------------------------------------------------- config.json */

static void declare(sac_pretrained_model *m, sac_config *c, kind *k)
{
    static const char *const prefixes[] = {"model.", "", NULL};
    m->run.norm_first = true;
    m->run.causal = sac_config_flag_or(c, "is_causal", true);
    m->run.activation = sac_architecture_activation_or(c, "hidden_act", SAC_SILU);
    bool has_depth = sac_config_has(c, "head_dim");
    sac_architecture_text_sizes(m, c, "hidden_size", "num_hidden_layers",
                                has_depth ? NULL : "num_attention_heads");
    if (has_depth) /* of its own, whatever the width */
        m->run.heads = sac_config_size(c, "num_attention_heads", 1, SAC_ARCHITECTURE_WIDTH);
    int heads = m->run.heads;
    m->run.key_heads = sac_config_size_or(c, "num_key_value_heads", 1, heads, heads);
    if (heads % m->run.key_heads != 0)
        sac_config_refuse(c, "num_key_value_heads", "%d do not divide %d heads", m->run.key_heads,
                          heads);
    int depth = sac_config_size_or(c, "head_dim", 1, SAC_ROTARY_DEPTH, (int)m->width / heads);
    m->hidden = (size_t)sac_config_size(c, "intermediate_size", 1, 8 * SAC_ARCHITECTURE_WIDTH);
    m->places = (size_t)sac_config_size(c, "max_position_embeddings", 1, 1 << 24);
    k->query = (size_t)depth * (size_t)heads;
    k->key = (size_t)depth * (size_t)m->run.key_heads;
    k->epsilon = sac_config_number_or(c, "rms_norm_eps", 1e-6f);
    sac_architecture_read_rope(m, c, (size_t)depth);
    sac_architecture_read_ends(m, c);
    k->prefix = sac_pretrained_prefix(m->files, prefixes, "embed_tokens.weight");
    char name[64];
    sac_parameters *p = &m->parameters;
    snprintf(name, sizeof name, "%sembed_tokens.weight", k->prefix);
    m->words = sac_parameter_weight(p, name, m->vocabulary, m->width);
    for (int i = 0; i < m->layers; i++)
        declare_layer(m, k, i);
    m->last_norm =
        sac_rms_norm_declare(p, "", *k->prefix ? "model.norm" : "norm", m->width, k->epsilon);
    sac_architecture_declare_head(m, c, name, false);
}

static void declare_llama(sac_pretrained_model *m, sac_config *c)
{
    kind k = {.forward_bias = sac_config_flag_or(c, "mlp_bias", false)};
    k.attention_bias = k.out_bias = sac_config_flag_or(c, "attention_bias", false);
    declare(m, c, &k);
}

/* Layers that see a window of tokens alone: those that layer_types names, or else all from
 * max_window_layers on. */
static void read_windows(sac_pretrained_model *m, sac_config *c)
{
    static const char *const kinds[] = {"full_attention", "sliding_attention", NULL};
    bool slides = sac_config_flag_or(c, "use_sliding_window", false);
    int window = slides ? sac_config_size_or(c, "sliding_window", 1, 1 << 30, 0) : 0;
    int first = sac_config_size_or(c, "max_window_layers", 0, 1 << 20, 28);
    const cJSON *types = cJSON_GetObjectItemCaseSensitive(c->json, "layer_types");
    if (cJSON_IsArray(types) && cJSON_GetArraySize(types) != m->layers)
        sac_config_refuse(c, "layer_types", "names %d layers of %d", cJSON_GetArraySize(types),
                          m->layers);
    for (int i = 0; i < m->layers && c->status == SAC_OK; i++) {
        const cJSON *type = cJSON_GetArrayItem(types, i);
        bool is_told = cJSON_IsString(type);
        bool is_window = is_told ? strcmp(type->valuestring, kinds[1]) == 0 : i >= first;
        if (is_told && !is_window && strcmp(type->valuestring, kinds[0]) != 0)
            sac_config_refuse(c, "layer_types", "\"%.40s\" is not supported; there are %s, %s",
                              type->valuestring, kinds[0], kinds[1]);
        if (is_window && is_told && !window)
            sac_config_refuse(c, "layer_types",
                              "layer %d slides, and there is no sliding_window with "
                              "use_sliding_window",
                              i);
        m->window[i] = is_window ? (size_t)window : 0;
    }
}

static void declare_qwen2(sac_pretrained_model *m, sac_config *c)
{
    kind k = {.attention_bias = true};
    declare(m, c, &k);
    read_windows(m, c);
}

#define OF_LLAMA                                                                                   \
    COMMON, U("hidden_size", "4096"), U("num_hidden_layers", "32"),                                \
        U("num_attention_heads", "32"), U("num_key_value_heads", NULL), U("head_dim", NULL),       \
        U("hidden_act", "\"silu\""), U("rms_norm_eps", "1e-6"), U("rope_parameters", NULL),        \
        U("rope_scaling", NULL), U("rope_theta", NULL), U("partial_rotary_factor", NULL),          \
        U("tie_word_embeddings", "false"), U("eos_token_id", NULL), U("is_causal", "true"),        \
        H("bos_token_id"), H("pad_token_id"), H("attention_dropout")

static const sac_config_key sac_keys_of_llama[] = {OF_LLAMA,
                                                   U("vocab_size", "32000"),
                                                   U("intermediate_size", "11008"),
                                                   U("max_position_embeddings", "2048"),
                                                   U("attention_bias", "false"),
                                                   U("mlp_bias", "false"),
                                                   H("pretraining_tp"), /* how it is shared out */
                                                   END};
static const sac_config_key sac_keys_of_qwen2[] = {OF_LLAMA,
                                                   U("vocab_size", "151936"),
                                                   U("intermediate_size", "22016"),
                                                   U("max_position_embeddings", "32768"),
                                                   U("use_sliding_window", "false"),
                                                   U("sliding_window", NULL),
                                                   U("max_window_layers", "28"),
                                                   U("layer_types", NULL),
                                                   END};

const sac_architecture sac_architecture_llama = {.types = {"llama"},
                                                 .keys = sac_keys_of_llama,
                                                 .architectures = {"Llama"},
                                                 .mark = "layers.0.mlp.gate_proj.weight",
                                                 .declare = declare_llama};
const sac_architecture sac_architecture_qwen2 = {.types = {"qwen2"},
                                                 .keys = sac_keys_of_qwen2,
                                                 .architectures = {"Qwen2"},
                                                 .mark = "layers.0.self_attn.q_proj.bias",
                                                 .declare = declare_qwen2};
