/* Decoders after GPT-2, each with a detail of its own: GPT-NeoX (Pythia, Biderman et al. 2023), whose
 * parts stand side by side and which turns a part of each head; OPT (Zhang et al. 2022); GPT-Neo
 * (Black et al. 2021), with windows and scores that are not scaled; BLOOM (2022), whose scores fall
 * with the distance. */
#include <cjson/cJSON.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

/* ---------------------------------------------------------------- GPT-NeoX */

#define ATTENTION_BIAS                                                                             \
    {                                                                                              \
        "attention_bias", true                                                                     \
    }
static const sac_description of_neox = {
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .hidden = "intermediate_size",
    .max_positions = "max_position_embeddings",
    .activation = "hidden_act",
    .epsilon = "layer_norm_eps",
    .prefix = {"gpt_neox.", ""},
    .words = "embed_in.weight",
    .last_norm = "final_layer_norm",
    .head = "embed_out.weight",
    .other_head = "lm_head.weight",
    .layer = "layers.%d",
    .attention = {{.fused = "attention.query_key_value", .out = "attention.dense"}},
    .by_heads = true,
    .up = "mlp.dense_h_to_4h",
    .down = "mlp.dense_4h_to_h",
    .norm = {[SAC_PART_SELF] = "input_layernorm", [SAC_PART_FORWARD] = "post_attention_layernorm"},
    .norm_first = true,
    .parallel = {"use_parallel_residual", true},
    .causal = {NULL, true},
    .bias = {ATTENTION_BIAS, ATTENTION_BIAS, ATTENTION_BIAS, ATTENTION_BIAS, SAC_BIASED},
    .rotary = true,
    .rope_base = "rotary_emb_base",
    .rope_part = "rotary_pct"};

static const sac_config_key sac_keys_of_neox[] = {
    COMMON,
    U("vocab_size", "50432"),
    U("hidden_size", "6144"),
    U("num_hidden_layers", "44"),
    U("num_attention_heads", "64"),
    U("intermediate_size", "24576"),
    U("hidden_act", "\"gelu\""),
    U("max_position_embeddings", "2048"),
    U("layer_norm_eps", "1e-5"),
    U("use_parallel_residual", "true"),
    U("attention_bias", "true"),
    U("rope_parameters", NULL),
    U("rope_scaling", NULL),
    U("rope_theta", NULL),
    U("rotary_emb_base", "10000"),
    U("rotary_pct", "0.25"),
    U("partial_rotary_factor", NULL),
    U("tie_word_embeddings", "false"),
    N("eos_token_id", "2"),
    H("is_decoder"),
    H("bos_token_id"),
    H("pad_token_id"),
    H("attention_dropout"),
    H("hidden_dropout"),
    END,
};

/* ---------------------------------------------------------------- OPT */

#define ENABLED                                                                                    \
    {                                                                                              \
        "enable_bias", true                                                                        \
    }
static const sac_description of_opt = {
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .hidden = "ffn_dim",
    .max_positions = "max_position_embeddings",
    .activation = "activation_function",
    .prefix = {"model.decoder.", "decoder.", ""},
    .words = "embed_tokens.weight",
    .positions = "embed_positions.weight",
    .word_width = "word_embed_proj_dim", /* of OPT-350m narrower than its layers */
    .projection = "project_in",
    .projects_words = true,
    .narrowing = "project_out",
    .skipped = 2,
    .last_norm = "final_layer_norm",
    .head = "lm_head.weight",
    .layer = "layers.%d",
    .attention = {{.query = "self_attn.q_proj",
                   .key = "self_attn.k_proj",
                   .value = "self_attn.v_proj",
                   .out = "self_attn.out_proj"}},
    .up = "fc1",
    .down = "fc2",
    .norm = {[SAC_PART_SELF] = "self_attn_layer_norm", [SAC_PART_FORWARD] = "final_layer_norm"},
    .norm_first = true,
    .norm_first_key = "do_layer_norm_before",
    .causal = {NULL, true},
    .bias = {ENABLED, ENABLED, ENABLED, ENABLED, ENABLED}};

static const sac_config_key sac_keys_of_opt[] = {
    COMMON,
    U("vocab_size", "50272"),
    U("hidden_size", "768"),
    U("num_hidden_layers", "12"),
    U("num_attention_heads", "12"),
    U("ffn_dim", "3072"),
    U("max_position_embeddings", "2048"),
    U("activation_function", "\"relu\""),
    U("do_layer_norm_before", "true"),
    U("word_embed_proj_dim", NULL),
    U("enable_bias", "true"),
    U("tie_word_embeddings", "true"),
    N("eos_token_id", "2"),
    O("layer_norm_elementwise_affine", "true"),
    O("_remove_final_layer_norm", "false"),
    H("bos_token_id"),
    H("pad_token_id"),
    H("dropout"),
    H("attention_dropout"),
    H("activation_dropout"),
    H("layerdrop"),
    H("init_std"),
    H("prefix"),
    END,
};

/* ---------------------------------------------------------------- GPT-Neo */

static const sac_description of_neo = {
    .width = "hidden_size",
    .layers = "num_layers",
    .heads = "num_heads",
    .hidden = "intermediate_size",
    .max_positions = "max_position_embeddings",
    .activation = "activation_function",
    .epsilon = "layer_norm_epsilon",
    .prefix = {"transformer.", ""},
    .words = "wte.weight",
    .positions = "wpe.weight",
    .last_norm = "ln_f",
    .head = "lm_head.weight",
    .layer = "h.%d",
    .attention = {{.query = "attn.attention.q_proj",
                   .key = "attn.attention.k_proj",
                   .value = "attn.attention.v_proj",
                   .out = "attn.attention.out_proj"}},
    .up = "mlp.c_fc",
    .down = "mlp.c_proj",
    .norm = {[SAC_PART_SELF] = "ln_1", [SAC_PART_FORWARD] = "ln_2"},
    .norm_first = true,
    .is_unscaled = true,
    .causal = {NULL, true},
    .bias = {[SAC_BIAS_OUT] = SAC_BIASED, [SAC_BIAS_FORWARD] = SAC_BIASED}};

/* attention_types: [[["global", "local"], 12]], so many times those layers; of the local ones each
 * token sees the last window_size. */
static void declare_neo(sac_pretrained_model *m, sac_config *c)
{
    static const char name[] = "attention_types";
    const cJSON *group, *type;
    int layers = sac_config_size(c, "num_layers", 1, SAC_ARCHITECTURE_LAYERS), at = 0;
    int window = sac_config_size(c, "window_size", 1, 1 << 30);
    cJSON_ArrayForEach(group, cJSON_GetObjectItemCaseSensitive(c->json, name))
    {
        const cJSON *times = cJSON_GetArrayItem(group, 1);
        int count = cJSON_IsNumber(times) && times->valuedouble <= layers ? times->valueint : 0;
        for (int i = 0; i < count; i++)
            cJSON_ArrayForEach(type, cJSON_GetArrayItem(group, 0))
            {
                const char *text = cJSON_IsString(type) ? type->valuestring : "";
                if (at < layers && text[0] == 'l')
                    m->window[at] = (size_t)window;
                at++;
            }
    }
    if (at != layers)
        sac_config_refuse(c, name, "names %d layers of %d", at, layers);
    sac_describe(m, c, &of_neo);
}

static const sac_config_key sac_keys_of_neo[] = {
    COMMON,
    U("vocab_size", "50257"),
    U("hidden_size", "2048"),
    U("num_layers", "24"),
    U("num_heads", "16"),
    U("intermediate_size", NULL),
    U("max_position_embeddings", "2048"),
    U("activation_function", "\"gelu_new\""),
    U("layer_norm_epsilon", "1e-5"),
    U("window_size", "256"),
    D("attention_types", "[[[\"global\", \"local\"], 12]]"),
    U("tie_word_embeddings", "true"),
    N("eos_token_id", "50256"),
    H("attention_layers"), /* the same, as a list */
    H("bos_token_id"),
    H("pad_token_id"),
    H("attention_dropout"),
    H("embed_dropout"),
    H("resid_dropout"),
    H("gradient_checkpointing"),
    H("summary_type"),
    H("summary_use_proj"),
    H("summary_activation"),
    H("summary_proj_to_labels"),
    H("summary_first_dropout"),
    END,
};

/* ---------------------------------------------------------------- BLOOM */

#define DESCRIBE_BLOOM                                                                             \
    .layers = "n_layer", .heads = "n_head", .activated = SAC_GELU_TANH,                            \
    .epsilon = "layer_norm_epsilon", .prefix = {"transformer.", ""},                               \
    .words = "word_embeddings.weight", .first_norm = "word_embeddings_layernorm",                  \
    .last_norm = "ln_f", .head = "lm_head.weight", .layer = "h.%d",                                \
    .attention = {{.fused = "self_attention.query_key_value", .out = "self_attention.dense"}},     \
    .by_heads = true, .up = "mlp.dense_h_to_4h", .down = "mlp.dense_4h_to_h",                      \
    .norm =                                                                                        \
        {[SAC_PART_SELF] = "input_layernorm", [SAC_PART_FORWARD] = "post_attention_layernorm"},    \
    .norm_first = true, .causal = {NULL, true}, .alibi = true, .bias = SAC_ALL_BIASED

static const sac_description of_bloom = {DESCRIBE_BLOOM, .width = "hidden_size"};
static const sac_description of_early_bloom = {DESCRIBE_BLOOM, .width = "n_embed"};

static void declare_bloom(sac_pretrained_model *m, sac_config *c)
{
    sac_describe(m, c, sac_config_has(c, "n_embed") ? &of_early_bloom : &of_bloom);
}

static const sac_config_key sac_keys_of_bloom[] = {
    COMMON,
    U("vocab_size", "250880"),
    U("hidden_size", "64"),
    U("n_embed", NULL),
    U("n_layer", "2"),
    U("n_head", "8"),
    U("layer_norm_epsilon", "1e-5"),
    U("tie_word_embeddings", "true"),
    N("eos_token_id", "2"),
    O("apply_residual_connection_post_layernorm", "false"),
    H("slow_but_exact"),
    H("pretraining_tp"),
    H("num_attention_heads"), /* n_head again */
    H("seq_length"),
    H("offset_alibi"),
    H("skip_bias_add"),
    H("skip_bias_add_qkv"),
    H("masked_softmax_fusion"),
    H("attention_softmax_in_fp32"),
    H("bias_dropout_fusion"),
    H("unk_token_id"),
    H("bos_token_id"),
    H("pad_token_id"),
    H("attention_dropout"),
    H("hidden_dropout"),
    END,
};

const sac_architecture sac_architecture_gpt_neox = {.types = {"gpt_neox"},
                                                    .keys = sac_keys_of_neox,
                                                    .architectures = {"GPTNeoX"},
                                                    .mark = "embed_in.weight",
                                                    .describes = &of_neox};
const sac_architecture sac_architecture_opt = {.types = {"opt"},
                                               .keys = sac_keys_of_opt,
                                               .architectures = {"OPT"},
                                               .mark = "decoder.embed_positions.weight",
                                               .describes = &of_opt};
const sac_architecture sac_architecture_gpt_neo = {.types = {"gpt_neo"},
                                                   .keys = sac_keys_of_neo,
                                                   .architectures = {"GPTNeoFor", "GPTNeoModel"},
                                                   .mark = "h.0.attn.attention.q_proj.weight",
                                                   .declare = declare_neo};
const sac_architecture sac_architecture_bloom = {.types = {"bloom"},
                                                 .keys = sac_keys_of_bloom,
                                                 .architectures = {"Bloom"},
                                                 .mark = "word_embeddings_layernorm.weight",
                                                 .declare = declare_bloom};
