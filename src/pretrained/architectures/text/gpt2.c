/* GPT-2 (Radford et al. 2019) and DistilGPT-2: a layer norm before each part and one at the end; a
 * token sees none after it, and the last predicts the next token. */
#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define DESCRIBE_GPT2                                                                              \
    .width = "n_embd", .layers = "n_layer", .heads = "n_head", .hidden = "n_inner",                \
    .max_positions = "n_positions", .activation = "activation_function",                           \
    .epsilon = "layer_norm_epsilon", .words = "wte.weight", .positions = "wpe.weight",             \
    .last_norm = "ln_f", .layer = "h.%d", .up = "mlp.c_fc", .down = "mlp.c_proj",                  \
    .transposed = true, .norm_first = true, .causal = {NULL, true}, .bias = SAC_ALL_BIASED,        \
    .scaled = "scale_attn_weights", .scale_falls = "scale_attn_by_inverse_layer_idx"
#define SELF_ATTENTION                                                                             \
    {                                                                                              \
        .fused = "attn.c_attn", .out = "attn.c_proj"                                               \
    }

static const sac_description of_gpt2 = {
    DESCRIBE_GPT2,
    .prefix = {"transformer.", ""},
    .head = "lm_head.weight",
    .attention = {SELF_ATTENTION},
    .norm = {[SAC_PART_SELF] = "ln_1", [SAC_PART_FORWARD] = "ln_2"},
    .crosses = "add_cross_attention"};

/* The decoder of a model that sees, of which transformers' class has the head. */
const sac_description sac_gpt2_as_decoder = {DESCRIBE_GPT2, .prefix = {"decoder.transformer."},
                                             .attention = {SELF_ATTENTION,
                                                           {.query = "crossattention.q_attn",
                                                            .fused = "crossattention.c_attn",
                                                            .out = "crossattention.c_proj"}},
                                             .norm = {"ln_1", "ln_cross_attn", "ln_2"}};

/* Scores in float32 are what is computed here anyway (reorder_and_upcast_attn). */
const sac_config_key sac_keys_of_gpt2[] = {
    COMMON,
    U("vocab_size", "50257"),
    U("n_positions", "1024"),
    U("n_embd", "768"),
    U("n_layer", "12"),
    U("n_head", "12"),
    U("n_inner", NULL),
    U("activation_function", "\"gelu_new\""),
    U("layer_norm_epsilon", "1e-5"),
    U("scale_attn_weights", "true"),
    U("scale_attn_by_inverse_layer_idx", "false"),
    U("add_cross_attention", "false"),
    U("tie_word_embeddings", "true"),
    N("eos_token_id", "50256"),
    H("reorder_and_upcast_attn"),
    H("is_decoder"),
    H("bos_token_id"),
    H("pad_token_id"),
    H("resid_pdrop"),
    H("embd_pdrop"),
    H("attn_pdrop"),
    H("summary_type"),
    H("summary_use_proj"),
    H("summary_activation"),
    H("summary_proj_to_labels"),
    H("summary_first_dropout"),
    END,
};

const sac_architecture sac_architecture_gpt2 = {.types = {"gpt2"},
                                                .keys = sac_keys_of_gpt2,
                                                .architectures = {"GPT2"},
                                                .mark = "wte.weight",
                                                .describes = &of_gpt2};
