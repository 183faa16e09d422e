/* LLaMA's kind (Touvron et al. 2023): RMSNorm before each part and at the end, rotary positions,
 * gated feed-forward networks, and keys and values of fewer heads. LLaMA, SmolLM, Qwen2; Mistral
 * (Jiang et al. 2023) with a window, Qwen3 and OLMo 2 with norms of queries and keys, the latter
 * with norms behind its parts, Phi-3 with fused matrices, and SmolLM3, of which some layers have
 * no positions. */
#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define DESCRIBE_GATED                                                                             \
    .width = "hidden_size", .layers = "num_hidden_layers", .heads = "num_attention_heads",         \
    .key_heads = "num_key_value_heads", .depth = "head_dim", .hidden = "intermediate_size",        \
    .max_positions = "max_position_embeddings", .activation = "hidden_act",                        \
    .epsilon = "rms_norm_eps", .prefix = {"model.", ""}, .words = "embed_tokens.weight",           \
    .last_norm = "norm", .head = "lm_head.weight", .layer = "layers.%d", .down = "mlp.down_proj",  \
    .norm_first = true, .rms = true, .causal = {"is_causal", true}, .rotary = true
#define DESCRIBE_PARTS                                                                             \
    DESCRIBE_GATED, .gate = "mlp.gate_proj", .up = "mlp.up_proj",                                  \
                    .attention = {{.query = "self_attn.q_proj",                                    \
                                   .key = "self_attn.k_proj",                                      \
                                   .value = "self_attn.v_proj",                                    \
                                   .out = "self_attn.o_proj"}}
#define NORMS                                                                                      \
    .norm = {[SAC_PART_SELF] = "input_layernorm", [SAC_PART_FORWARD] = "post_attention_layernorm"}
#define DESCRIBE_LLAMA DESCRIBE_PARTS, NORMS
#define NORMS_OF_BOTH .query_norm = "self_attn.q_norm", .key_norm = "self_attn.k_norm"
#define WINDOW                                                                                     \
    .window = "sliding_window", .window_switch = "use_sliding_window",                             \
    .window_from = "max_window_layers"
#define ATTENTION_BIAS                                                                             \
    {                                                                                              \
        "attention_bias", false                                                                    \
    }
#define BIAS ATTENTION_BIAS, ATTENTION_BIAS, ATTENTION_BIAS, ATTENTION_BIAS

static const sac_description of_llama = {DESCRIBE_LLAMA, .bias = {BIAS, {"mlp_bias", false}}};
static const sac_description of_qwen2 = {DESCRIBE_LLAMA, WINDOW,
                                         .bias = {SAC_BIASED, SAC_BIASED, SAC_BIASED}};
static const sac_description of_qwen2_vl = {
    DESCRIBE_LLAMA, WINDOW, .bias = {SAC_BIASED, SAC_BIASED, SAC_BIASED}, .mrope = true};
static const sac_description of_qwen3 = {DESCRIBE_LLAMA, NORMS_OF_BOTH, WINDOW, .norms_heads = true,
                                         .bias = {BIAS}};
static const sac_description of_mistral = {DESCRIBE_LLAMA, .window = "sliding_window"};
static const sac_description of_phi3 = {
    DESCRIBE_GATED,
    NORMS,
    .attention = {{.fused = "self_attn.qkv_proj", .out = "self_attn.o_proj"}},
    .fused_gate = "mlp.gate_up_proj",
    .window = "sliding_window",
    .rope_part = "partial_rotary_factor"};
static const sac_description of_smollm3 = {DESCRIBE_LLAMA,
                                           .bias = {BIAS, {"mlp_bias", false}},
                                           .window = "sliding_window",
                                           .window_switch = "use_sliding_window",
                                           .window_no_rope = true,
                                           .no_rope = "no_rope_layers",
                                           .no_rope_every = "no_rope_layer_interval"};
static const sac_description of_olmo2 = {
    DESCRIBE_PARTS, NORMS_OF_BOTH,
    .after = {[SAC_PART_SELF] = "post_attention_layernorm",
              [SAC_PART_FORWARD] = "post_feedforward_layernorm"},
    .bias = {BIAS}};

#define OF_LLAMA                                                                                   \
    COMMON, U("hidden_size", "4096"), U("num_hidden_layers", "32"),                                \
        U("num_attention_heads", "32"), U("num_key_value_heads", NULL), U("head_dim", NULL),       \
        U("hidden_act", "\"silu\""), U("rms_norm_eps", "1e-6"), U("rope_parameters", NULL),        \
        U("rope_scaling", NULL), U("rope_theta", NULL), U("partial_rotary_factor", NULL),          \
        U("tie_word_embeddings", "false"), N("eos_token_id", NULL), U("is_causal", "true"),        \
        H("bos_token_id"), H("pad_token_id"), H("attention_dropout"),                              \
        H("pretraining_tp") /* how it is shared out */
#define WINDOW_KEYS                                                                                \
    U("use_sliding_window", "false"), N("sliding_window", "4096"), U("max_window_layers", "28"),   \
        U("layer_types", NULL)

/* What differs from LLaMA stands first. */
static const sac_config_key sac_keys_of_llama[] = {
    N("eos_token_id", "2"),
    OF_LLAMA,
    U("vocab_size", "32000"),
    U("intermediate_size", "11008"),
    U("max_position_embeddings", "2048"),
    U("attention_bias", "false"),
    U("mlp_bias", "false"),
    END,
};
static const sac_config_key sac_keys_of_qwen2[] = {
    OF_LLAMA,
    WINDOW_KEYS,
    U("vocab_size", "151936"),
    U("intermediate_size", "22016"),
    U("max_position_embeddings", "32768"),
    END,
};
static const sac_config_key sac_keys_of_qwen2_vl_text[] = {
    U("hidden_size", "8192"),
    U("num_hidden_layers", "80"),
    U("num_attention_heads", "64"),
    N("num_key_value_heads", "8"),
    U("rms_norm_eps", "1e-5"),
    N("max_window_layers", "80"),
    N("use_sliding_window", "false"),
    U("rope_theta", "1000000"),
    N("eos_token_id", "151645"),
    OF_LLAMA,
    WINDOW_KEYS,
    U("vocab_size", "152064"),
    U("intermediate_size", "29568"),
    U("max_position_embeddings", "32768"),
    END,
};
static const sac_config_key sac_keys_of_qwen3[] = {
    U("head_dim", "128"),
    OF_LLAMA,
    WINDOW_KEYS,
    U("vocab_size", "151936"),
    U("intermediate_size", "22016"),
    U("max_position_embeddings", "32768"),
    U("attention_bias", "false"),
    END,
};
static const sac_config_key sac_keys_of_mistral[] = {
    N("eos_token_id", "2"),
    N("num_key_value_heads", "8"),
    OF_LLAMA,
    U("vocab_size", "32000"),
    U("intermediate_size", "14336"),
    U("max_position_embeddings", "131072"),
    N("sliding_window", "4096"),
    U("layer_types", NULL),
    END,
};
static const sac_config_key sac_keys_of_phi3[] = {
    U("hidden_size", "3072"),
    U("rms_norm_eps", "1e-5"),
    N("eos_token_id", "32000"),
    OF_LLAMA,
    U("vocab_size", "32064"),
    U("intermediate_size", "8192"),
    U("max_position_embeddings", "4096"),
    U("original_max_position_embeddings", "4096"),
    U("sliding_window", NULL),
    O("attention_bias", "false"),
    O("mlp_bias", "false"),
    O("lm_head_bias", "false"),
    O("full_attn_mod", "1"),
    H("interpolate_factor"),
    H("embd_pdrop"),
    H("resid_pdrop"),
    END,
};
static const sac_config_key sac_keys_of_smollm3[] = {
    U("hidden_size", "2048"),
    U("num_hidden_layers", "36"),
    U("num_attention_heads", "16"),
    N("num_key_value_heads", "4"),
    U("tie_word_embeddings", "true"),
    U("rope_theta", "2000000"),
    N("eos_token_id", "128001"),
    H("max_window_layers"),
    U("sliding_window", NULL),
    OF_LLAMA,
    WINDOW_KEYS,
    U("vocab_size", "128256"),
    U("intermediate_size", "11008"),
    U("max_position_embeddings", "32768"),
    U("attention_bias", "false"),
    U("mlp_bias", "false"),
    U("no_rope_layers", NULL),
    U("no_rope_layer_interval", "4"),
    END,
};
static const sac_config_key sac_keys_of_olmo2[] = {
    U("rms_norm_eps", "1e-5"),
    N("eos_token_id", "50279"),
    OF_LLAMA,
    U("vocab_size", "50304"),
    U("intermediate_size", "11008"),
    U("max_position_embeddings", "2048"),
    U("attention_bias", "false"),
    END,
};

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
/* What reads in Qwen2-VL and Qwen2.5-VL. */
const sac_architecture sac_architecture_qwen2_vl_text = {
    .types = {"qwen2_vl_text", "qwen2_5_vl_text"},
    .keys = sac_keys_of_qwen2_vl_text,
    .describes = &of_qwen2_vl};
const sac_architecture sac_architecture_qwen3 = {.types = {"qwen3"},
                                                 .keys = sac_keys_of_qwen3,
                                                 .architectures = {"Qwen3For", "Qwen3Model"},
                                                 .describes = &of_qwen3};
const sac_architecture sac_architecture_mistral = {.types = {"mistral"},
                                                   .keys = sac_keys_of_mistral,
                                                   .architectures = {"MistralFor", "MistralModel"},
                                                   .describes = &of_mistral};
const sac_architecture sac_architecture_phi3 = {.types = {"phi3"},
                                                .keys = sac_keys_of_phi3,
                                                .architectures = {"Phi3For", "Phi3Model"},
                                                .mark = "layers.0.mlp.gate_up_proj.weight",
                                                .describes = &of_phi3};
const sac_architecture sac_architecture_smollm3 = {.types = {"smollm3"},
                                                   .keys = sac_keys_of_smollm3,
                                                   .architectures = {"SmolLM3"},
                                                   .describes = &of_smollm3};
const sac_architecture sac_architecture_olmo2 = {.types = {"olmo2"},
                                                 .keys = sac_keys_of_olmo2,
                                                 .architectures = {"Olmo2"},
                                                 .mark = "layers.0.self_attn.q_norm.weight",
                                                 .describes = &of_olmo2};
