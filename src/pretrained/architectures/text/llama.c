/* LLaMA's kind (Touvron et al. 2023): RMSNorm before each part and at the end, rotary positions,
 * gated feed-forward networks, and keys and values of fewer heads. LLaMA, SmolLM, Qwen2; Mistral
 * (Jiang et al. 2023) with a window, Qwen3 and OLMo 2 with norms of queries and keys, the latter
 * with norms behind its parts, as OLMo 3, which has windows, OLMo 1 with norms that are not trained,
 * Phi-3 with fused matrices, SmolLM3, of which some layers have no positions, Granite (IBM 2024),
 * which multiplies words, scores, parts and logits, StarCoder 2 with the layers of before, ERNIE 4.5
 * and GLM, which turn numbers next to each other, and EuroBERT (Boizard et al. 2025), whose
 * tokens see all others. */
#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define DESCRIBE_DECODER                                                                           \
    .width = "hidden_size", .layers = "num_hidden_layers", .heads = "num_attention_heads",         \
    .key_heads = "num_key_value_heads", .depth = "head_dim", .hidden = "intermediate_size",        \
    .max_positions = "max_position_embeddings", .activation = "hidden_act",                        \
    .prefix = {"model.", ""}, .words = "embed_tokens.weight", .last_norm = "norm",                 \
    .head = "lm_head.weight", .layer = "layers.%d", .norm_first = true,                            \
    .causal = {"is_causal", true}, .rotary = true
#define DESCRIBE_GATED                                                                             \
    DESCRIBE_DECODER, .epsilon = "rms_norm_eps", .rms = true, .down = "mlp.down_proj"
#define SELF_ATTENTION                                                                             \
    .attention = {{.query = "self_attn.q_proj",                                                    \
                   .key = "self_attn.k_proj",                                                      \
                   .value = "self_attn.v_proj",                                                    \
                   .out = "self_attn.o_proj"}}
#define GATED .gate = "mlp.gate_proj", .up = "mlp.up_proj"
#define DESCRIBE_PARTS DESCRIBE_GATED, GATED, SELF_ATTENTION
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
static const sac_description of_qwen3_vl = {DESCRIBE_LLAMA,      NORMS_OF_BOTH,
                                            .norms_heads = true, .bias = {BIAS},
                                            .mrope = true,       .mrope_interleaved = true};
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
#define DESCRIBE_OLMO2                                                                             \
    DESCRIBE_PARTS, NORMS_OF_BOTH,                                                                 \
        .after = {[SAC_PART_SELF] = "post_attention_layernorm",                                    \
                  [SAC_PART_FORWARD] = "post_feedforward_layernorm"},                              \
        .bias = {BIAS}
static const sac_description of_olmo2 = {DESCRIBE_OLMO2};
/* What stretches positions is of the layers without a window. */
static const sac_description of_olmo3 = {DESCRIBE_OLMO2, .window = "sliding_window", .full_each = 4,
                                         .local_base = "rope_theta"};
static const sac_description of_olmo = {DESCRIBE_DECODER,
                                        SELF_ATTENTION,
                                        GATED,
                                        .down = "mlp.down_proj",
                                        NORMS,
                                        .bias = {BIAS},
                                        .norms_without_gain = true,
                                        .norms_unbiased = true};
static const sac_description of_granite = {DESCRIBE_LLAMA,
                                           .bias = {BIAS, {"mlp_bias", false}},
                                           .words_times = "embedding_multiplier",
                                           .scale_times = "attention_multiplier",
                                           .parts_times = "residual_multiplier",
                                           .logit_over = "logits_scaling"};
#define USE_BIAS(otherwise)                                                                        \
    {                                                                                              \
        "use_bias", otherwise                                                                      \
    }
#define ALL_BIASED_BY_KEY(otherwise)                                                               \
    {                                                                                              \
        USE_BIAS(otherwise), USE_BIAS(otherwise), USE_BIAS(otherwise), USE_BIAS(otherwise),        \
            USE_BIAS(otherwise)                                                                    \
    }
static const sac_description of_starcoder2 = {DESCRIBE_DECODER,
                                              SELF_ATTENTION,
                                              NORMS,
                                              .epsilon = "norm_epsilon",
                                              .up = "mlp.c_fc",
                                              .down = "mlp.c_proj",
                                              .bias = ALL_BIASED_BY_KEY(true),
                                              .window = "sliding_window"};
static const sac_description of_ernie4_5 = {DESCRIBE_LLAMA, .bias = ALL_BIASED_BY_KEY(false),
                                            .in_pairs = true};
#define DESCRIBE_GLM                                                                               \
    DESCRIBE_GATED, SELF_ATTENTION, NORMS,                                                         \
        .fused_gate = "mlp.gate_up_proj",                                                          \
        .bias = {ATTENTION_BIAS, ATTENTION_BIAS, ATTENTION_BIAS}, .in_pairs = true,                \
        .rope_part = "partial_rotary_factor"
static const sac_description of_glm = {DESCRIBE_GLM};
static const sac_description of_glm4 = {
    DESCRIBE_GLM,
    .after = {
        [SAC_PART_SELF] = "post_self_attn_layernorm", [SAC_PART_FORWARD] = "post_mlp_layernorm"}};

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
    H("use_mrope"), /* of files of 2024; its class has no such positions */
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
static const sac_config_key sac_keys_of_qwen3_vl_text[] = {
    U("head_dim", "128"),
    U("rope_theta", "500000"),
    D("num_key_value_heads", "32"),
    OF_LLAMA,
    U("vocab_size", "151936"),
    U("intermediate_size", "22016"),
    U("max_position_embeddings", "128000"),
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
#define OF_OLMO2                                                                                   \
    U("rms_norm_eps", "1e-5"), N("eos_token_id", "50279"), OF_LLAMA, U("vocab_size", "50304"),     \
        U("intermediate_size", "11008"), U("max_position_embeddings", "2048"),                     \
        U("attention_bias", "false")
static const sac_config_key sac_keys_of_olmo2[] = {
    OF_OLMO2,
    END,
};
static const sac_config_key sac_keys_of_olmo3[] = {
    U("rope_theta", "500000"), OF_OLMO2, U("sliding_window", "4096"), U("layer_types", NULL), END,
};
static const sac_config_key sac_keys_of_olmo[] = {
    H("rms_norm_eps"),
    OF_OLMO2,
    O("clip_qkv", "null"),
    END,
};
static const sac_config_key sac_keys_of_granite[] = {
    N("eos_token_id", "2"),
    OF_LLAMA,
    U("vocab_size", "32000"),
    U("intermediate_size", "11008"),
    U("max_position_embeddings", "2048"),
    U("attention_bias", "false"),
    U("mlp_bias", "false"),
    U("embedding_multiplier", "1"),
    U("attention_multiplier", "1"),
    U("residual_multiplier", "1"),
    U("logits_scaling", "1"),
    END,
};
static const sac_config_key sac_keys_of_starcoder2[] = {
    U("hidden_size", "3072"),
    U("num_hidden_layers", "30"),
    U("num_attention_heads", "24"),
    U("num_key_value_heads", "2"),
    U("hidden_act", "\"gelu_pytorch_tanh\""),
    U("tie_word_embeddings", "true"),
    N("eos_token_id", "50256"),
    OF_LLAMA,
    U("vocab_size", "49152"),
    U("intermediate_size", "12288"),
    U("max_position_embeddings", "4096"),
    U("norm_epsilon", "1e-5"),
    U("use_bias", "true"),
    U("sliding_window", NULL),
    U("layer_types", NULL),
    H("residual_dropout"),
    H("embedding_dropout"),
    END,
};
static const sac_config_key sac_keys_of_ernie4_5[] = {
    U("hidden_size", "1024"),
    U("num_hidden_layers", "18"),
    U("num_attention_heads", "16"),
    N("num_key_value_heads", "2"),
    N("head_dim", "128"),
    U("rms_norm_eps", "1e-5"),
    U("rope_theta", "500000"),
    U("tie_word_embeddings", "true"),
    N("eos_token_id", "2"),
    OF_LLAMA,
    U("vocab_size", "103424"),
    U("intermediate_size", "3072"),
    U("max_position_embeddings", "131072"),
    N("use_bias", "false"),
    END,
};
static const sac_config_key sac_keys_of_glm[] = {
    U("num_hidden_layers", "40"),
    U("num_key_value_heads", "2"),
    U("head_dim", "128"),
    U("rms_norm_eps", "1.5625e-7"),
    U("partial_rotary_factor", "0.5"),
    D("eos_token_id", "[151329, 151336, 151338]"),
    OF_LLAMA,
    U("vocab_size", "151552"),
    U("intermediate_size", "13696"),
    U("max_position_embeddings", "131072"),
    U("attention_bias", "true"),
    END,
};
static const sac_config_key sac_keys_of_eurobert[] = {
    U("hidden_size", "768"),
    U("num_hidden_layers", "12"),
    U("num_attention_heads", "12"),
    U("rms_norm_eps", "1e-5"),
    U("is_causal", "false"),
    H("eos_token_id"),
    OF_LLAMA,
    U("vocab_size", "128256"),
    U("intermediate_size", "3072"),
    U("max_position_embeddings", "8192"),
    U("attention_bias", "false"),
    U("mlp_bias", "false"),
    H("mask_token_id"),
    H("classifier_pooling"),
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
const sac_architecture sac_architecture_qwen3_vl_text = {
    .types = {"qwen3_vl_text"}, .keys = sac_keys_of_qwen3_vl_text, .describes = &of_qwen3_vl};
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
const sac_architecture sac_architecture_olmo3 = {.types = {"olmo3"},
                                                 .keys = sac_keys_of_olmo3,
                                                 .architectures = {"Olmo3For", "Olmo3Model"},
                                                 .describes = &of_olmo3};
const sac_architecture sac_architecture_olmo = {.types = {"olmo"},
                                                .keys = sac_keys_of_olmo,
                                                .architectures = {"OlmoFor", "OlmoModel"},
                                                .describes = &of_olmo};
const sac_architecture sac_architecture_granite = {.types = {"granite"},
                                                   .keys = sac_keys_of_granite,
                                                   .architectures = {"GraniteFor", "GraniteModel"},
                                                   .describes = &of_granite};
const sac_architecture sac_architecture_starcoder2 = {.types = {"starcoder2"},
                                                      .keys = sac_keys_of_starcoder2,
                                                      .architectures = {"Starcoder2"},
                                                      .describes = &of_starcoder2};
const sac_architecture sac_architecture_ernie4_5 = {
    .types = {"ernie4_5"},
    .keys = sac_keys_of_ernie4_5,
    .architectures = {"Ernie4_5For", "Ernie4_5Model"},
    .describes = &of_ernie4_5};
const sac_architecture sac_architecture_glm = {.types = {"glm"},
                                               .keys = sac_keys_of_glm,
                                               .architectures = {"GlmFor", "GlmModel"},
                                               .describes = &of_glm};
const sac_architecture sac_architecture_glm4 = {.types = {"glm4"},
                                                .keys = sac_keys_of_glm,
                                                .architectures = {"Glm4For", "Glm4Model"},
                                                .describes = &of_glm4};
const sac_architecture sac_architecture_eurobert = {.types = {"eurobert"},
                                                    .keys = sac_keys_of_eurobert,
                                                    .architectures = {"EuroBert"},
                                                    .describes = &of_llama};
