/* Gemma 2 to 4 (Gemma Team 2024 to 2026): LLaMA's kind with norms before and behind each part, whose
 * gains count from 1, words scaled by their width, and layers with a window between those that see
 * all. Gemma 2 caps scores and logits; Gemma 3 norms queries and keys, and turns them by another
 * base where there is a window. In Gemma 4 gains are as they are, values are normed too, heads of layers that see all are wider
 * and turned in part; small models have words of each layer and last layers that share keys, a large one has experts beside the
 * feed-forward network. */
#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define BIAS                                                                                       \
    {                                                                                              \
        "attention_bias", false                                                                    \
    }
#define DESCRIBE_PARTS                                                                             \
    .width = "hidden_size", .layers = "num_hidden_layers", .heads = "num_attention_heads",         \
    .key_heads = "num_key_value_heads", .depth = "head_dim", .hidden = "intermediate_size",        \
    .max_positions = "max_position_embeddings", .epsilon = "rms_norm_eps",                         \
    .prefix = {"model.", "model.language_model.", "language_model.model.", ""},                    \
    .words = "embed_tokens.weight", .last_norm = "norm", .head = "lm_head.weight",                 \
    .layer = "layers.%d",                                                                          \
    .attention = {{.query = "self_attn.q_proj",                                                    \
                   .key = "self_attn.k_proj",                                                      \
                   .value = "self_attn.v_proj",                                                    \
                   .out = "self_attn.o_proj"}},                                                    \
    .gate = "mlp.gate_proj", .up = "mlp.up_proj", .down = "mlp.down_proj", .norm_first = true,     \
    .rms = true, .words_by_width = true, .causal = {NULL, true}, .bias = {BIAS, BIAS, BIAS, BIAS}, \
    .rotary = true
#define DESCRIBE_LAYERS                                                                            \
    DESCRIBE_PARTS, .activation = "hidden_activation",                                             \
                    .norm = {[SAC_PART_SELF] = "input_layernorm",                                  \
                             [SAC_PART_FORWARD] = "pre_feedforward_layernorm"},                    \
                    .after = {[SAC_PART_SELF] = "post_attention_layernorm",                        \
                              [SAC_PART_FORWARD] = "post_feedforward_layernorm"},                  \
                    .logit_cap = "final_logit_softcapping", .window = "sliding_window"
#define DESCRIBE_GEMMA                                                                             \
    DESCRIBE_LAYERS, .scale_by = "query_pre_attn_scalar", .softcap = "attn_logit_softcapping",     \
                     .norm_offset_one = true
#define DESCRIBE_NORMED_HEADS                                                                      \
    .query_norm = "self_attn.q_norm", .key_norm = "self_attn.k_norm", .norms_heads = true,         \
    .full_each = 6, .both_ways = "use_bidirectional_attention"

static const sac_description of_gemma2 = {DESCRIBE_GEMMA, .full_each = 2};
static const sac_description of_gemma3 = {DESCRIBE_GEMMA, DESCRIBE_NORMED_HEADS,
                                          .full_every = "sliding_window_pattern",
                                          .local_base = "rope_local_base_freq"};
static const sac_description of_gemma4 = {DESCRIBE_LAYERS,
                                          DESCRIBE_NORMED_HEADS,
                                          .value_norm = "self_attn.v_norm",
                                          .is_unscaled = true,
                                          .last_is_full = true,
                                          .window_inclusive = true,
                                          .local_base = "rope_theta",
                                          .full_depth = "global_head_dim",
                                          .full_key_heads = "num_global_key_value_heads",
                                          .full_joined = "attention_k_eq_v",
                                          .layer_sizes = "per_layer_config",
                                          .lent_layers = "num_kv_shared_layers",
                                          .lent_wider = "use_double_wide_mlp",
                                          .times = "layer_scalar",
                                          .layer_words = "embed_tokens_per_layer.weight",
                                          .layer_words_project = "per_layer_model_projection",
                                          .layer_words_norm = "per_layer_projection_norm",
                                          .layer_words_width = "hidden_size_per_layer_input",
                                          .layer_words_count = "vocab_size_per_layer_input",
                                          .words_in = "per_layer_input_gate",
                                          .words_out = "per_layer_projection",
                                          .words_norm = "post_per_layer_input_norm",
                                          .experts = {"num_experts"},
                                          .experts_switch = "enable_moe_block",
                                          .experts_chosen = "top_k_experts",
                                          .expert_hidden = "moe_intermediate_size",
                                          .expert = "experts.%d",
                                          .joint_up = "experts.gate_up_proj",
                                          .joint_down = "experts.down_proj",
                                          .joint_halves = true,
                                          .shares_of_chosen = {NULL, true},
                                          .router = "router.proj",
                                          .router_norm = "router.scale",
                                          .shares_each = "router.per_expert_scale",
                                          .beside = "post_feedforward_layernorm_1",
                                          .experts_entry = "pre_feedforward_layernorm_2",
                                          .experts_exit = "post_feedforward_layernorm_2"};

/* Gemma 1 (Gemma Team 2024): norms before each part alone. Early files name the exact GELU, and mean
 * the other one. */
static const sac_description of_gemma = {
    DESCRIBE_PARTS, .norm_offset_one = true,
    .norm = {[SAC_PART_SELF] = "input_layernorm", [SAC_PART_FORWARD] = "post_attention_layernorm"},
    .activated = SAC_GELU_TANH};

#define OF_GEMMA                                                                                   \
    COMMON, U("hidden_size", "2304"), U("num_hidden_layers", "26"), U("num_attention_heads", "8"), \
        U("num_key_value_heads", "4"), U("head_dim", "256"), U("intermediate_size", "9216"),       \
        U("rms_norm_eps", "1e-6"), U("hidden_activation", "\"gelu_pytorch_tanh\""),                \
        U("rope_parameters", NULL), U("rope_scaling", NULL), U("partial_rotary_factor", NULL),     \
        U("tie_word_embeddings", "true"), U("attention_bias", "false"),                            \
        U("query_pre_attn_scalar", "256"), U("sliding_window", "4096"), U("layer_types", NULL),    \
        N("eos_token_id", "1"), O("use_bidirectional_attention", "[false, null]"),                 \
        H("hidden_act"), H("bos_token_id"), H("pad_token_id"), H("attention_dropout"),             \
        H("cache_implementation")

static const sac_config_key sac_keys_of_gemma[] = {
    COMMON,
    U("hidden_size", "3072"),
    U("num_hidden_layers", "28"),
    U("num_attention_heads", "16"),
    U("num_key_value_heads", "16"),
    U("head_dim", "256"),
    U("intermediate_size", "24576"),
    U("rms_norm_eps", "1e-6"),
    U("hidden_act", "\"gelu_pytorch_tanh\""),
    U("hidden_activation", NULL),
    U("rope_parameters", NULL),
    U("rope_scaling", NULL),
    U("rope_theta", "10000"),
    U("partial_rotary_factor", NULL),
    U("tie_word_embeddings", "true"),
    U("attention_bias", "false"),
    U("vocab_size", "256000"),
    U("max_position_embeddings", "8192"),
    N("eos_token_id", "1"),
    O("use_bidirectional_attention", "[false, null]"),
    H("bos_token_id"),
    H("pad_token_id"),
    H("attention_dropout"),
    END,
};
static const sac_config_key sac_keys_of_gemma2[] = {
    OF_GEMMA,
    U("vocab_size", "256000"),
    U("max_position_embeddings", "8192"),
    U("rope_theta", "10000"),
    N("attn_logit_softcapping", "50"),
    N("final_logit_softcapping", "30"),
    END,
};
static const sac_config_key sac_keys_of_gemma3[] = {
    N("use_bidirectional_attention", "false"),
    OF_GEMMA,
    U("vocab_size", "262208"),
    U("max_position_embeddings", "131072"),
    U("rope_theta", "1000000"),
    U("rope_local_base_freq", "10000"),
    U("attn_logit_softcapping", NULL),
    U("final_logit_softcapping", NULL),
    U("sliding_window_pattern", NULL),
    U("_sliding_window_pattern", NULL),
    END,
};

static const sac_config_key sac_keys_of_gemma4[] = {
    COMMON,
    U("hidden_size", "2304"),
    U("num_hidden_layers", "30"),
    U("num_attention_heads", "8"),
    U("num_key_value_heads", "4"),
    U("head_dim", "256"),
    U("global_head_dim", "512"),
    U("num_global_key_value_heads", NULL),
    U("per_layer_config", NULL),
    U("intermediate_size", "9216"),
    U("rms_norm_eps", "1e-6"),
    U("hidden_activation", "\"gelu_pytorch_tanh\""),
    D("rope_parameters",
      "{\"sliding_attention\": {\"rope_type\": \"default\", \"rope_theta\": 10000},"
      " \"full_attention\": {\"rope_type\": \"proportional\","
      " \"partial_rotary_factor\": 0.25, \"rope_theta\": 1000000}}"),
    U("tie_word_embeddings", "true"),
    U("attention_bias", "false"),
    U("sliding_window", "512"),
    U("layer_types", NULL),
    U("final_logit_softcapping", NULL),
    U("use_bidirectional_attention", NULL),
    U("vocab_size", "262144"),
    U("max_position_embeddings", "131072"),
    U("vocab_size_per_layer_input", "262144"),
    U("hidden_size_per_layer_input", "256"),
    U("attention_k_eq_v", "false"),
    U("num_kv_shared_layers", "0"),
    U("use_double_wide_mlp", "false"),
    U("enable_moe_block", "false"),
    U("num_experts", NULL),
    U("top_k_experts", NULL),
    U("moe_intermediate_size", NULL),
    N("eos_token_id", "1"),
    N("pad_token_id", "0"),
    H("bos_token_id"),
    H("attention_dropout"),
    END,
};

static void declare_first_gemma(sac_pretrained_model *m, sac_config *c)
{
    static const char *const known[] = {"gelu_pytorch_tanh", "gelu", NULL};
    sac_config_choice(c, "hidden_act", known);
    if (sac_config_has(c, "hidden_activation"))
        sac_config_choice(c, "hidden_activation", known);
    sac_describe(m, c, &of_gemma);
}

const sac_architecture sac_architecture_gemma = {.types = {"gemma"},
                                                 .keys = sac_keys_of_gemma,
                                                 .architectures = {"GemmaFor", "GemmaModel"},
                                                 .describes = &of_gemma,
                                                 .declare = declare_first_gemma};
const sac_architecture sac_architecture_gemma2 = {.types = {"gemma2"},
                                                  .keys = sac_keys_of_gemma2,
                                                  .architectures = {"Gemma2"},
                                                  .mark =
                                                      "layers.0.pre_feedforward_layernorm.weight",
                                                  .describes = &of_gemma2};
const sac_architecture sac_architecture_gemma3 = {
    .types = {"gemma3_text"},
    .keys = sac_keys_of_gemma3,
    .architectures = {"Gemma3ForCausalLM", "Gemma3Text"},
    .describes = &of_gemma3};
const sac_architecture sac_architecture_gemma4 = {
    .types = {"gemma4_text"},
    .keys = sac_keys_of_gemma4,
    .architectures = {"Gemma4ForCausalLM", "Gemma4Text"},
    .describes = &of_gemma4};
