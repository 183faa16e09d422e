/* Decoders whose parts stand side by side, x + f(norm(x)) + g(norm(x)), with one norm for both: GPT-J
 * (Wang and Komatsuzaki 2021), Phi-1 to 2 (Gunasekar et al. 2023), Falcon (Almazrouei et al. 2023),
 * StableLM (Bellagente et al. 2024), of which some have two norms and parts one behind the other, and
 * Command R (Cohere 2024). */
#include <cjson/cJSON.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define SELF_ATTENTION(last)                                                                       \
    .attention = {{.query = "self_attn.q_proj",                                                    \
                   .key = "self_attn.k_proj",                                                      \
                   .value = "self_attn.v_proj",                                                    \
                   .out = last}}
#define NORMS(self, forward) .norm = {[SAC_PART_SELF] = self, [SAC_PART_FORWARD] = forward}
#define DESCRIBE                                                                                   \
    .width = "hidden_size", .layers = "num_hidden_layers", .heads = "num_attention_heads",         \
    .key_heads = "num_key_value_heads", .hidden = "intermediate_size",                             \
    .max_positions = "max_position_embeddings", .activation = "hidden_act",                        \
    .epsilon = "layer_norm_eps", .prefix = {"model.", ""}, .words = "embed_tokens.weight",         \
    .head = "lm_head.weight", .layer = "layers.%d", .norm_first = true, .causal = {NULL, true},    \
    .rotary = true
#define SIDE_BY_SIDE .parallel = {NULL, true}
#define GATED .gate = "mlp.gate_proj", .up = "mlp.up_proj", .down = "mlp.down_proj"

#define COMMON_KEYS                                                                                \
    COMMON, U("rope_parameters", NULL), U("rope_scaling", NULL), U("rope_theta", NULL),            \
        U("tie_word_embeddings", "false"), H("bos_token_id"), H("pad_token_id"),                   \
        H("attention_dropout")

/* ---------------------------------------------------------------- Phi */

static const sac_description of_phi = {DESCRIBE,
                                       SELF_ATTENTION("self_attn.dense"),
                                       NORMS("input_layernorm", "input_layernorm"),
                                       SIDE_BY_SIDE,
                                       .last_norm = "final_layernorm",
                                       .head_bias = "lm_head.bias",
                                       .up = "mlp.fc1",
                                       .down = "mlp.fc2",
                                       .bias = SAC_ALL_BIASED,
                                       .rope_part = "partial_rotary_factor"};

static const sac_config_key sac_keys_of_phi[] = {
    COMMON_KEYS,
    U("vocab_size", "51200"),
    U("hidden_size", "2048"),
    U("intermediate_size", "8192"),
    U("num_hidden_layers", "24"),
    U("num_attention_heads", "32"),
    U("num_key_value_heads", NULL),
    U("hidden_act", "\"gelu_new\""),
    U("max_position_embeddings", "2048"),
    U("layer_norm_eps", "1e-5"),
    U("partial_rotary_factor", "0.5"),
    N("eos_token_id", "2"),
    O("qk_layernorm", "false"),
    H("resid_pdrop"),
    H("embd_pdrop"),
    END,
};

/* ---------------------------------------------------------------- StableLM */

#define DESCRIBE_STABLELM                                                                          \
    DESCRIBE, SELF_ATTENTION("self_attn.o_proj"), GATED,                                           \
        .last_norm = "norm",                                                                       \
        .bias = {{"use_qkv_bias", false}, {"use_qkv_bias", false}, {"use_qkv_bias", false}},       \
        .rope_part = "partial_rotary_factor"
static const sac_description of_stablelm = {DESCRIBE_STABLELM,
                                            NORMS("input_layernorm", "post_attention_layernorm")};
static const sac_description of_parallel_stablelm = {
    DESCRIBE_STABLELM, NORMS("input_layernorm", "input_layernorm"), SIDE_BY_SIDE};

static void declare_stablelm(sac_pretrained_model *m, sac_config *c)
{
    bool is_parallel = sac_config_flag_or(c, "use_parallel_residual", false);
    sac_describe(m, c, is_parallel ? &of_parallel_stablelm : &of_stablelm);
}

static const sac_config_key sac_keys_of_stablelm[] = {
    COMMON_KEYS,
    U("vocab_size", "50304"),
    U("hidden_size", "2560"),
    U("intermediate_size", "6912"),
    U("num_hidden_layers", "32"),
    U("num_attention_heads", "32"),
    U("num_key_value_heads", "32"),
    U("hidden_act", "\"silu\""),
    U("max_position_embeddings", "4096"),
    U("layer_norm_eps", "1e-5"),
    U("partial_rotary_factor", "0.25"),
    U("use_qkv_bias", "false"),
    U("use_parallel_residual", "false"),
    N("eos_token_id", "0"),
    O("qk_layernorm", "false"),
    H("hidden_dropout"),
    END,
};

/* ---------------------------------------------------------------- GPT-J */

static const sac_description of_gptj = {.width = "n_embd",
                                        .layers = "n_layer",
                                        .heads = "n_head",
                                        .hidden = "n_inner",
                                        .max_positions = "n_positions",
                                        .activation = "activation_function",
                                        .epsilon = "layer_norm_epsilon",
                                        .prefix = {"transformer.", ""},
                                        .words = "wte.weight",
                                        .last_norm = "ln_f",
                                        .head = "lm_head.weight",
                                        .head_bias = "lm_head.bias",
                                        .layer = "h.%d",
                                        .attention = {{.query = "attn.q_proj",
                                                       .key = "attn.k_proj",
                                                       .value = "attn.v_proj",
                                                       .out = "attn.out_proj"}},
                                        .up = "mlp.fc_in",
                                        .down = "mlp.fc_out",
                                        NORMS("ln_1", "ln_1"),
                                        SIDE_BY_SIDE,
                                        .norm_first = true,
                                        .causal = {NULL, true},
                                        .bias = {[SAC_BIAS_FORWARD] = SAC_BIASED},
                                        .rotary = true,
                                        .rope_numbers = "rotary_dim",
                                        .in_pairs = true};

static const sac_config_key sac_keys_of_gptj[] = {
    COMMON,
    U("vocab_size", "50400"),
    U("n_positions", "2048"),
    U("n_embd", "4096"),
    U("n_layer", "28"),
    U("n_head", "16"),
    U("n_inner", NULL),
    U("rotary_dim", "64"),
    U("activation_function", "\"gelu_new\""),
    U("layer_norm_epsilon", "1e-5"),
    U("tie_word_embeddings", "false"),
    N("eos_token_id", "50256"),
    H("bos_token_id"),
    H("pad_token_id"),
    H("resid_pdrop"),
    H("embd_pdrop"),
    H("attn_pdrop"),
    END,
};

/* ---------------------------------------------------------------- Falcon */

#define FALCON_BIAS                                                                                \
    {                                                                                              \
        "bias", false                                                                              \
    }
#define DESCRIBE_FALCON                                                                            \
    .width = "hidden_size", .layers = "num_hidden_layers", .heads = "num_attention_heads",         \
    .key_heads = "num_kv_heads", .hidden = "ffn_hidden_size",                                      \
    .max_positions = "max_position_embeddings", .activation = "activation",                        \
    .epsilon = "layer_norm_epsilon", .prefix = {"transformer.", ""},                               \
    .words = "word_embeddings.weight", .last_norm = "ln_f", .head = "lm_head.weight",              \
    .layer = "h.%d",                                                                               \
    .attention = {{.fused = "self_attention.query_key_value", .out = "self_attention.dense"}},     \
    .by_heads = true, .up = "mlp.dense_h_to_4h", .down = "mlp.dense_4h_to_h", .norm_first = true,  \
    .causal = {NULL, true},                                                                        \
    .bias = {FALCON_BIAS, FALCON_BIAS, FALCON_BIAS, FALCON_BIAS, FALCON_BIAS}, .rotary = true
static const sac_description of_falcon = {
    DESCRIBE_FALCON, NORMS("input_layernorm", "input_layernorm"), SIDE_BY_SIDE};
static const sac_description of_falcon_with_two_norms = {DESCRIBE_FALCON,
                                                         NORMS("ln_attn", "ln_mlp"), SIDE_BY_SIDE};
static const sac_description of_serial_falcon = {
    DESCRIBE_FALCON, NORMS("input_layernorm", "post_attention_layernorm")};

/* Falcon 7B has one head of keys, and 40B and 2 have as many as they name; those have two norms, or as
 * many as they name. */
static void declare_falcon(sac_pretrained_model *m, sac_config *c)
{
    static const char heads[] = "num_kv_heads";
    bool is_new = sac_config_flag_or(c, "new_decoder_architecture", false);
    bool is_parallel = is_new || sac_config_flag_or(c, "parallel_attn", false);
    int norms = sac_config_size_or(c, "num_ln_in_parallel_attn", 1, 2, is_new ? 2 : 1);
    if (!is_new) {
        cJSON_DeleteItemFromObjectCaseSensitive(c->json, heads);
        if (sac_config_flag_or(c, "multi_query", false))
            cJSON_AddNumberToObject(c->json, heads, 1);
    }
    sac_describe(m, c,
                 !is_parallel          ? &of_serial_falcon
                 : is_new && norms > 1 ? &of_falcon_with_two_norms
                                       : &of_falcon);
}

static const sac_config_key sac_keys_of_falcon[] = {
    U("tie_word_embeddings", "true"),
    COMMON_KEYS,
    U("vocab_size", "65024"),
    U("hidden_size", "4544"),
    U("num_hidden_layers", "32"),
    U("num_attention_heads", "71"),
    U("num_kv_heads", NULL),
    U("ffn_hidden_size", NULL),
    U("activation", "\"gelu\""),
    U("max_position_embeddings", "2048"),
    U("layer_norm_epsilon", "1e-5"),
    N("new_decoder_architecture", "false"),
    N("multi_query", "true"),
    N("parallel_attn", "true"),
    U("num_ln_in_parallel_attn", NULL),
    N("bias", "false"),
    N("eos_token_id", "11"),
    O("alibi", "[false, null]"),
    H("hidden_dropout"),
    H("apply_residual_connection_post_layernorm"),
    END,
};

/* ---------------------------------------------------------------- Command R */

#define COHERE_BIAS                                                                                \
    {                                                                                              \
        "attention_bias", false                                                                    \
    }
#define DESCRIBE_COHERE                                                                            \
    DESCRIBE, SELF_ATTENTION("self_attn.o_proj"), GATED,                                           \
        NORMS("input_layernorm", "input_layernorm"), SIDE_BY_SIDE,                                 \
        .last_norm = "norm", .norms_unbiased = true,                                               \
        .bias = {COHERE_BIAS, COHERE_BIAS, COHERE_BIAS, COHERE_BIAS}, .in_pairs = true,            \
        .logit_times = "logit_scale"
static const sac_description of_cohere = {DESCRIBE_COHERE};
/* Its layers with a window are turned, and the others not. */
static const sac_description of_cohere2 = {DESCRIBE_COHERE, .window = "sliding_window",
                                           .full_every = "sliding_window_pattern", .full_each = 4,
                                           .full_no_rope = true};

#define OF_COHERE                                                                                  \
    U("tie_word_embeddings", "true"), COMMON_KEYS, U("vocab_size", "256000"),                      \
        U("hidden_size", "8192"), U("intermediate_size", "22528"), U("num_hidden_layers", "40"),   \
        U("num_attention_heads", "64"), U("num_key_value_heads", NULL),                            \
        U("hidden_act", "\"silu\""), U("max_position_embeddings", "8192"),                         \
        U("layer_norm_eps", "1e-5"), N("logit_scale", "0.0625"), U("attention_bias", "false"),     \
        U("partial_rotary_factor", NULL), N("eos_token_id", "255001")

static const sac_config_key sac_keys_of_cohere[] = {
    U("rope_theta", "500000"),
    OF_COHERE,
    O("use_qk_norm", "[false, null]"),
    END,
};
static const sac_config_key sac_keys_of_cohere2[] = {
    U("logit_scale", "0.0625"),
    OF_COHERE,
    U("sliding_window", "4096"),
    U("sliding_window_pattern", NULL),
    U("layer_types", NULL),
    H("head_dim"),
    END,
};

const sac_architecture sac_architecture_phi = {.types = {"phi"},
                                               .keys = sac_keys_of_phi,
                                               .architectures = {"PhiFor", "PhiModel"},
                                               .describes = &of_phi};
const sac_architecture sac_architecture_stablelm = {.types = {"stablelm"},
                                                    .keys = sac_keys_of_stablelm,
                                                    .architectures = {"StableLm"},
                                                    .declare = declare_stablelm};
const sac_architecture sac_architecture_gptj = {.types = {"gptj"},
                                                .keys = sac_keys_of_gptj,
                                                .architectures = {"GPTJ"},
                                                .mark = "h.0.mlp.fc_in.weight",
                                                .describes = &of_gptj};
const sac_architecture sac_architecture_falcon = {.types = {"falcon"},
                                                  .keys = sac_keys_of_falcon,
                                                  .architectures = {"Falcon"},
                                                  .declare = declare_falcon};
const sac_architecture sac_architecture_cohere = {.types = {"cohere"},
                                                  .keys = sac_keys_of_cohere,
                                                  .architectures = {"CohereFor", "CohereModel"},
                                                  .describes = &of_cohere};
const sac_architecture sac_architecture_cohere2 = {.types = {"cohere2"},
                                                   .keys = sac_keys_of_cohere2,
                                                   .architectures = {"Cohere2"},
                                                   .describes = &of_cohere2};
