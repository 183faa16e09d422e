/* Gemma 2 and 3 (Gemma Team 2024, 2025): LLaMA's kind with norms before and behind each part, whose
 * gains count from 1, words scaled by their width, and layers with a window between those that see
 * all. Gemma 2 caps scores and logits; Gemma 3 norms queries and keys, and turns them by another
 * base where there is a window. */
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
    .prefix = {"model.", "language_model.model.", ""}, .words = "embed_tokens.weight",             \
    .last_norm = "norm", .head = "lm_head.weight", .layer = "layers.%d",                           \
    .attention = {{.query = "self_attn.q_proj",                                                    \
                   .key = "self_attn.k_proj",                                                      \
                   .value = "self_attn.v_proj",                                                    \
                   .out = "self_attn.o_proj"}},                                                    \
    .gate = "mlp.gate_proj", .up = "mlp.up_proj", .down = "mlp.down_proj", .norm_first = true,     \
    .rms = true, .norm_offset_one = true, .words_by_width = true, .causal = {NULL, true},          \
    .bias = {BIAS, BIAS, BIAS, BIAS}, .rotary = true
#define DESCRIBE_GEMMA                                                                             \
    DESCRIBE_PARTS, .activation = "hidden_activation",                                             \
                    .norm = {[SAC_PART_SELF] = "input_layernorm",                                  \
                             [SAC_PART_FORWARD] = "pre_feedforward_layernorm"},                    \
                    .after = {[SAC_PART_SELF] = "post_attention_layernorm",                        \
                              [SAC_PART_FORWARD] = "post_feedforward_layernorm"},                  \
                    .scale_by = "query_pre_attn_scalar", .softcap = "attn_logit_softcapping",      \
                    .logit_cap = "final_logit_softcapping", .window = "sliding_window"

static const sac_description of_gemma2 = {DESCRIBE_GEMMA, .full_each = 2};
static const sac_description of_gemma3 = {DESCRIBE_GEMMA,
                                          .query_norm = "self_attn.q_norm",
                                          .key_norm = "self_attn.k_norm",
                                          .norms_heads = true,
                                          .full_every = "sliding_window_pattern",
                                          .full_each = 6,
                                          .local_base = "rope_local_base_freq",
                                          .both_ways = "use_bidirectional_attention"};

/* Gemma 1 (Gemma Team 2024): norms before each part alone. Early files name the exact GELU, and mean
 * the other one. */
static const sac_description of_gemma = {
    DESCRIBE_PARTS,
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
