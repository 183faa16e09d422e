/* LLaMA's kind (Touvron et al. 2023): RMSNorm before each part and at the end, rotary positions,
 * gated feed-forward networks, and keys and values of fewer heads. LLaMA, SmolLM, Qwen2. */
#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define DESCRIBE_LLAMA                                                                             \
    .width = "hidden_size", .layers = "num_hidden_layers", .heads = "num_attention_heads",         \
    .key_heads = "num_key_value_heads", .depth = "head_dim", .hidden = "intermediate_size",        \
    .places = "max_position_embeddings", .activation = "hidden_act", .epsilon = "rms_norm_eps",    \
    .prefix = {"model.", ""}, .words = "embed_tokens.weight", .last_norm = "norm",                 \
    .head = "lm_head.weight", .layer = "layers.%d",                                                \
    .attention = {{.query = "self_attn.q_proj",                                                    \
                   .key = "self_attn.k_proj",                                                      \
                   .value = "self_attn.v_proj",                                                    \
                   .out = "self_attn.o_proj"}},                                                    \
    .gate = "mlp.gate_proj", .up = "mlp.up_proj", .down = "mlp.down_proj",                         \
    .norm =                                                                                        \
        {[SAC_PART_SELF] = "input_layernorm", [SAC_PART_FORWARD] = "post_attention_layernorm"},    \
    .norm_first = true, .rms = true, .causal = {"is_causal", true}, .rotary = true

#define ATTENTION_BIAS                                                                             \
    {                                                                                              \
        "attention_bias", false                                                                    \
    }
static const sac_description of_llama = {
    DESCRIBE_LLAMA,
    .bias = {ATTENTION_BIAS, ATTENTION_BIAS, ATTENTION_BIAS, ATTENTION_BIAS, {"mlp_bias", false}}};
static const sac_description of_qwen2 = {
    DESCRIBE_LLAMA, .bias = {SAC_BIASED, SAC_BIASED, SAC_BIASED}, .window = "sliding_window",
    .window_switch = "use_sliding_window", .window_from = "max_window_layers"};

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
                                                 .describes = &of_llama};
const sac_architecture sac_architecture_qwen2 = {.types = {"qwen2"},
                                                 .keys = sac_keys_of_qwen2,
                                                 .architectures = {"Qwen2"},
                                                 .mark = "layers.0.self_attn.q_proj.bias",
                                                 .describes = &of_qwen2};
