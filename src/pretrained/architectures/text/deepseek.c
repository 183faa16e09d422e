/* DeepSeek-V2 (2024) and V3 (2025), and models of their kind as Moonlight: heads whose keys and values are made of one
 * narrow vector of a token, in keys beside a part that all heads share, which alone is turned; and many small experts, some
 * for all tokens, behind first layers that have none. Keys and values are computed whole, of as many heads as there are
 * queries. */
#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define ATTENTION_BIAS                                                                             \
    {                                                                                              \
        "attention_bias", false                                                                    \
    }
/* Their norms of latents do not follow rms_norm_eps. */
#define DESCRIBE                                                                                   \
    .width = "hidden_size", .layers = "num_hidden_layers", .heads = "num_attention_heads",         \
    .unturned = "qk_nope_head_dim", .rope_numbers = "qk_rope_head_dim",                            \
    .value_depth = "v_head_dim", .hidden = "moe_intermediate_size",                                \
    .max_positions = "max_position_embeddings", .activation = "hidden_act",                        \
    .epsilon = "rms_norm_eps", .prefix = {"model.", ""}, .words = "embed_tokens.weight",           \
    .last_norm = "norm", .head = "lm_head.weight", .layer = "layers.%d",                           \
    .attention = {{.query = "self_attn.q_proj", .out = "self_attn.o_proj"}},                       \
    .query_latent = {"self_attn.q_a_proj", "self_attn.q_a_layernorm", "self_attn.q_b_proj",        \
                     "q_lora_rank", 1e-6f},                                                        \
    .key_latent = {"self_attn.kv_a_proj_with_mqa", "self_attn.kv_a_layernorm",                     \
                   "self_attn.kv_b_proj", "kv_lora_rank", 1e-6f},                                  \
    .bias = {ATTENTION_BIAS, ATTENTION_BIAS, ATTENTION_BIAS, ATTENTION_BIAS},                      \
    .norm =                                                                                        \
        {[SAC_PART_SELF] = "input_layernorm", [SAC_PART_FORWARD] = "post_attention_layernorm"},    \
    .norm_first = true, .rms = true, .causal = {NULL, true}, .rotary = true, .in_pairs = true,     \
    .rope_scales_scores = true, .experts = {"n_routed_experts"},                                   \
    .experts_chosen = "num_experts_per_tok", .expert_layers_from = "first_k_dense_replace",        \
    .dense = "mlp", .dense_hidden = "intermediate_size", .router = "mlp.gate",                     \
    .expert = "mlp.experts.%d", .shared_expert = "mlp.shared_experts",                             \
    .shared_hidden = "moe_intermediate_size", .shared_count = "n_shared_experts",                  \
    .gate = "gate_proj", .up = "up_proj", .down = "down_proj",                                     \
    .shares_times = "routed_scaling_factor", .expert_groups = "n_group",                           \
    .groups_chosen = "topk_group"

static const sac_description of_deepseek_v2 = {DESCRIBE, .groups_method = "topk_method"};
static const sac_description of_deepseek_v3 = {DESCRIBE, .in_pairs_key = "rope_interleave",
                                               .shares_by_sigmoid = true,
                                               .shares_of_chosen = {"norm_topk_prob", false},
                                               .correction = "mlp.gate.e_score_correction_bias"};

/* Those of the first folders, for code of their own, are known here too. */
#define OF_BOTH                                                                                    \
    COMMON, U("num_key_value_heads", NULL), H("head_dim"), H("qk_head_dim"),                       \
        U("hidden_act", "\"silu\""), U("rms_norm_eps", "1e-6"), U("rope_parameters", NULL),        \
        U("rope_scaling", NULL), U("rope_theta", NULL), U("tie_word_embeddings", "false"),         \
        U("attention_bias", "false"), U("kv_lora_rank", "512"), N("q_lora_rank", "1536"),          \
        U("qk_nope_head_dim", "128"), U("qk_rope_head_dim", "64"), U("v_head_dim", "128"),         \
        H("bos_token_id"), H("pad_token_id"), H("attention_dropout"), H("output_router_logits"),   \
        H("pretraining_tp"), H("aux_loss_alpha"), H("seq_aux"), H("ep_size"),                      \
        O("moe_layer_freq", "1")

static const sac_config_key sac_keys_of_deepseek_v2[] = {
    OF_BOTH,
    U("vocab_size", "102400"),
    U("hidden_size", "4096"),
    U("intermediate_size", "11008"),
    U("moe_intermediate_size", "1407"),
    U("num_hidden_layers", "32"),
    U("num_attention_heads", "32"),
    U("max_position_embeddings", "2048"),
    N("eos_token_id", "2"),
    O("mlp_bias", "false"),
    U("first_k_dense_replace", "0"),
    U("n_routed_experts", "64"),
    U("n_shared_experts", "2"),
    U("num_experts_per_tok", NULL),
    U("routed_scaling_factor", "1.0"),
    U("n_group", NULL),
    U("topk_group", NULL),
    U("topk_method", "\"greedy\""),
    O("norm_topk_prob", "[false, null]"),
    O("scoring_func", "\"softmax\""),
    END,
};
static const sac_config_key sac_keys_of_deepseek_v3[] = {
    OF_BOTH,
    U("vocab_size", "129280"),
    U("hidden_size", "7168"),
    U("intermediate_size", "18432"),
    U("moe_intermediate_size", "2048"),
    U("num_hidden_layers", "61"),
    U("num_attention_heads", "128"),
    U("max_position_embeddings", "4096"),
    N("eos_token_id", "1"),
    U("first_k_dense_replace", "3"),
    U("n_routed_experts", "256"),
    U("n_shared_experts", "1"),
    U("num_experts_per_tok", "8"),
    U("routed_scaling_factor", "2.5"),
    U("n_group", "8"),
    U("topk_group", "4"),
    N("norm_topk_prob", "true"),
    N("rope_interleave", "true"),
    H("num_nextn_predict_layers"), /* of layers behind the last, which predict later tokens */
    H("num_mtp_layers"),
    O("topk_method", "\"noaux_tc\""),
    O("scoring_func", "\"sigmoid\""),
    END,
};

const sac_architecture sac_architecture_deepseek_v2 = {.types = {"deepseek_v2"},
                                                       .keys = sac_keys_of_deepseek_v2,
                                                       .architectures = {"DeepseekV2"},
                                                       .describes = &of_deepseek_v2};
const sac_architecture sac_architecture_deepseek_v3 = {.types = {"deepseek_v3"},
                                                       .keys = sac_keys_of_deepseek_v3,
                                                       .architectures = {"DeepseekV3"},
                                                       .mark = "mlp.gate.e_score_correction_bias",
                                                       .describes = &of_deepseek_v3};
