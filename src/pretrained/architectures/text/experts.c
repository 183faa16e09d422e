/* LLaMA's kind with mixtures of experts in place of feed-forward networks: gpt-oss (OpenAI 2025),
  * whose heads have sinks and whose gates are bounded; Mixtral (Jiang et al. 2024), Qwen3's larger
 * ones, Qwen 1.5's and 2's, beside whose experts is one for all tokens, OLMoE (Muennighoff et al. 2024), and Llama 4
 * (Meta 2025; MobileLLM-R1 is one without experts), where tokens enter their experts times a share of its own. */
#include <cjson/cJSON.h>

#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define DESCRIBE                                                                                   \
    .width = "hidden_size", .layers = "num_hidden_layers", .heads = "num_attention_heads",         \
    .key_heads = "num_key_value_heads", .depth = "head_dim",                                       \
    .max_positions = "max_position_embeddings", .activation = "hidden_act",                        \
    .epsilon = "rms_norm_eps", .prefix = {"model.", ""}, .words = "embed_tokens.weight",           \
    .last_norm = "norm", .head = "lm_head.weight", .layer = "layers.%d",                           \
    .attention = {{.query = "self_attn.q_proj",                                                    \
                   .key = "self_attn.k_proj",                                                      \
                   .value = "self_attn.v_proj",                                                    \
                   .out = "self_attn.o_proj"}},                                                    \
    .norm =                                                                                        \
        {[SAC_PART_SELF] = "input_layernorm", [SAC_PART_FORWARD] = "post_attention_layernorm"},    \
    .norm_first = true, .rms = true, .causal = {NULL, true}, .rotary = true,                       \
    .experts_chosen = "num_experts_per_tok"
#define NORMS_OF_BOTH .query_norm = "self_attn.q_norm", .key_norm = "self_attn.k_norm"
#define EXPERTS_OF_QWEN                                                                            \
    .experts = {"num_local_experts", "num_experts"}, .router = "mlp.gate",                         \
    .expert = "mlp.experts.%d", .shares_of_chosen = {"norm_topk_prob", false},                     \
    .gate = "gate_proj", .up = "up_proj", .down = "down_proj"
#define ATTENTION_BIAS(otherwise)                                                                  \
    {"attention_bias", otherwise}, {"attention_bias", otherwise}, {"attention_bias", otherwise},   \
    {                                                                                              \
        "attention_bias", otherwise                                                                \
    }

static const sac_description of_gpt_oss = {DESCRIBE,
                                           .hidden = "intermediate_size",
                                           .bias = {ATTENTION_BIAS(true), SAC_BIASED},
                                           .sinks = "self_attn.sinks",
                                           .window = "sliding_window",
                                           .full_each = 2,
                                           .experts = {"num_local_experts"},
                                           .router = "mlp.router",
                                           .joint_up = "mlp.experts.gate_up_proj",
                                           .joint_down = "mlp.experts.down_proj",
                                           .expert = "mlp.experts.%d",
                                           .gate = "gate_proj",
                                           .up = "up_proj",
                                           .down = "down_proj",
                                           .shares_of_chosen = {NULL, true},
                                           .limit = "swiglu_limit",
                                           .steepness = "swiglu_alpha"};
static const sac_description of_mixtral = {DESCRIBE,
                                           .hidden = "intermediate_size",
                                           .window = "sliding_window",
                                           .experts = {"num_local_experts"},
                                           .router = "block_sparse_moe.gate",
                                           .expert = "block_sparse_moe.experts.%d",
                                           .shares_of_chosen = {NULL, true},
                                           .gate = "w1",
                                           .up = "w3",
                                           .down = "w2"};
static const sac_description of_qwen3_moe = {DESCRIBE,
                                             NORMS_OF_BOTH,
                                             EXPERTS_OF_QWEN,
                                             .norms_heads = true,
                                             .hidden = "moe_intermediate_size",
                                             .bias = {ATTENTION_BIAS(false)},
                                             .window = "sliding_window",
                                             .window_switch = "use_sliding_window"};
/* Matrices of all experts in one, the gate's and that beside it too. */
#define JOINT_EXPERTS                                                                              \
    .experts = {"num_local_experts", "num_experts"}, .router = "mlp.gate",                         \
    .expert = "mlp.experts.%d", .shares_of_chosen = {NULL, true}, .gate = "gate_proj",             \
    .up = "up_proj", .down = "down_proj", .joint_up = "mlp.experts.gate_up_proj",                  \
    .joint_down = "mlp.experts.down_proj", .joint_halves = true
static const sac_description of_qwen3_vl_moe = {DESCRIBE,
                                                NORMS_OF_BOTH,
                                                JOINT_EXPERTS,
                                                .norms_heads = true,
                                                .hidden = "moe_intermediate_size",
                                                .bias = {ATTENTION_BIAS(false)},
                                                .mrope = true,
                                                .mrope_interleaved = true};
#define QKV_BIAS                                                                                   \
    {                                                                                              \
        "qkv_bias", true                                                                           \
    }
static const sac_description of_qwen2_moe = {DESCRIBE,
                                             EXPERTS_OF_QWEN,
                                             .hidden = "moe_intermediate_size",
                                             .bias = {QKV_BIAS, QKV_BIAS, QKV_BIAS},
                                             .shared_expert = "mlp.shared_expert",
                                             .shared_hidden = "shared_expert_intermediate_size",
                                             .shared_gate = "mlp.shared_expert_gate"};
#define GATED_NETS                                                                                 \
    NORMS_OF_BOTH, .norms_heads = true, .norm_offset_one = true, .bias = {ATTENTION_BIAS(false)},  \
                   .rope_part = "partial_rotary_factor", .opened = true,                           \
                   .delta_net = "linear_attn"
#define SHARED_EXPERT                                                                              \
    .hidden = "moe_intermediate_size", .shared_expert = "mlp.shared_expert",                       \
    .shared_hidden = "shared_expert_intermediate_size", .shared_gate = "mlp.shared_expert_gate"
static const sac_description of_qwen3_next = {DESCRIBE, GATED_NETS, EXPERTS_OF_QWEN, SHARED_EXPERT};
#define TURNED .delta_apart = true, .mrope = true, .mrope_interleaved = true
static const sac_description of_qwen3_5 = {DESCRIBE,
                                           GATED_NETS,
                                           TURNED,
                                           .hidden = "intermediate_size",
                                           .gate = "mlp.gate_proj",
                                           .up = "mlp.up_proj",
                                           .down = "mlp.down_proj"};
static const sac_description of_qwen3_5_moe = {DESCRIBE, GATED_NETS, TURNED, SHARED_EXPERT,
                                               JOINT_EXPERTS};
static const sac_description of_olmoe = {DESCRIBE, NORMS_OF_BOTH, EXPERTS_OF_QWEN,
                                         .hidden = "intermediate_size",
                                         .bias = {ATTENTION_BIAS(false)}};

static const sac_description of_llama4 = {DESCRIBE,
                                          .hidden = "intermediate_size",
                                          .bias = {ATTENTION_BIAS(false)},
                                          .in_pairs = true,
                                          .no_rope = "no_rope_layers",
                                          .no_rope_every = "no_rope_layer_interval",
                                          .query_norm = "self_attn.q_norm",
                                          .key_norm = "self_attn.k_norm",
                                          .norms_heads = true,
                                          .norms_turned = "use_qk_norm",
                                          .experts = {"num_local_experts"},
                                          .expert_layers = "moe_layers",
                                          .expert_layers_every = "interleave_moe_layer_step",
                                          .dense = "feed_forward",
                                          .dense_hidden = "intermediate_size_mlp",
                                          .router = "feed_forward.router",
                                          .shares_by_sigmoid = true,
                                          .scales_input = true,
                                          .joint_up = "feed_forward.experts.gate_up_proj",
                                          .joint_down = "feed_forward.experts.down_proj",
                                          .joint_halves = true,
                                          .expert = "feed_forward.experts.%d",
                                          .shared_expert = "feed_forward.shared_expert",
                                          .shared_hidden = "intermediate_size",
                                          .gate = "gate_proj",
                                          .up = "up_proj",
                                          .down = "down_proj"};

/* Layers that are turned see the tokens of their chunk alone, and in the others scores grow with the place: neither acts in
 * a text of one chunk, and no longer one is read. */
static void declare_llama4(sac_pretrained_model *m, sac_config *c)
{
    bool is_chunked = false, is_unturned = false;
    sac_describe(m, c, &of_llama4);
    if (c->status != SAC_OK)
        return;
    const cJSON *types = cJSON_GetObjectItemCaseSensitive(c->json, "layer_types");
    if (cJSON_IsArray(types) && cJSON_GetArraySize(types) != m->layers)
        sac_config_refuse(c, "layer_types", "names %d layers of %d", cJSON_GetArraySize(types),
                          m->layers);
    const int chunk = sac_config_size_or(c, "attention_chunk_size", 1, 1 << 30, 0);
    for (int i = 0; i < m->layers && c->status == SAC_OK; i++) {
        const char *type = cJSON_GetStringValue(cJSON_GetArrayItem(types, i));
        const bool is_turned = m->turn[i] != SAC_ROPE_NONE;
        const bool chunks = type ? strcmp(type, "chunked_attention") == 0 : is_turned && chunk;
        if (type && !chunks && strcmp(type, "full_attention") != 0)
            sac_config_refuse(c, "layer_types",
                              "\"%.40s\" is not supported; there are full_attention, "
                              "chunked_attention",
                              type);
        if (chunks && !chunk)
            sac_config_refuse(c, "layer_types",
                              "layer %d is chunked, and there is no "
                              "attention_chunk_size",
                              i);
        is_chunked |= chunks;
        is_unturned |= !is_turned;
    }
    if (is_chunked && (size_t)chunk < m->max_positions)
        m->max_positions = (size_t)chunk;
    if (is_unturned && sac_config_flag_or(c, "attn_temperature_tuning", true)) {
        const size_t from = (size_t)sac_config_size(c, "floor_scale", 2, 1 << 30);
        if (from <= m->max_positions)
            m->max_positions = from - 1;
    }
}

#define OF_ALL                                                                                     \
    COMMON, U("hidden_size", "4096"), U("num_hidden_layers", "32"),                                \
        U("num_attention_heads", "32"), U("num_key_value_heads", NULL), U("head_dim", NULL),       \
        U("hidden_act", "\"silu\""), U("rms_norm_eps", "1e-5"), U("rope_parameters", NULL),        \
        U("rope_scaling", NULL), U("rope_theta", NULL), U("partial_rotary_factor", NULL),          \
        U("tie_word_embeddings", "false"), N("eos_token_id", NULL), H("bos_token_id"),             \
        H("pad_token_id"), H("attention_dropout"), H("router_aux_loss_coef"),                      \
        H("output_router_logits"), H("router_jitter_noise")

/* What differs from the others stands first. */
static const sac_config_key sac_keys_of_gpt_oss[] = {
    U("hidden_size", "2880"),
    U("num_hidden_layers", "36"),
    U("num_attention_heads", "64"),
    N("num_key_value_heads", "8"),
    U("head_dim", "64"),
    U("rope_theta", "150000"),
    U("rope_scaling", "{\"rope_type\": \"yarn\", \"factor\": 32.0, \"beta_fast\": 32.0, "
                      "\"beta_slow\": 1.0, \"truncate\": false, "
                      "\"original_max_position_embeddings\": 4096}"),
    OF_ALL,
    U("vocab_size", "201088"),
    U("intermediate_size", "2880"),
    U("max_position_embeddings", "131072"),
    U("sliding_window", "128"),
    U("layer_types", NULL),
    U("num_local_experts", "128"),
    U("num_experts_per_tok", "4"),
    U("swiglu_alpha", "1.702"),
    U("swiglu_limit", "7.0"),
    U("attention_bias", "true"),
    H("initial_context_length"),
    H("experts_per_token"),
    END,
};
static const sac_config_key sac_keys_of_mixtral[] = {
    N("eos_token_id", "2"),
    N("num_key_value_heads", "8"),
    OF_ALL,
    U("vocab_size", "32000"),
    U("intermediate_size", "14336"),
    U("max_position_embeddings", "131072"),
    U("sliding_window", NULL),
    U("num_local_experts", "8"),
    U("num_experts_per_tok", "2"),
    END,
};
static const sac_config_key sac_keys_of_qwen3_moe[] = {
    U("hidden_size", "2048"),
    U("num_hidden_layers", "24"),
    U("num_key_value_heads", "4"),
    U("rms_norm_eps", "1e-6"),
    OF_ALL,
    U("vocab_size", "151936"),
    H("intermediate_size"), /* of what O rules out */
    U("moe_intermediate_size", "768"),
    U("max_position_embeddings", "32768"),
    N("sliding_window", "4096"),
    U("use_sliding_window", "false"),
    H("max_window_layers"),
    U("num_local_experts", NULL),
    U("num_experts", "128"),
    U("num_experts_per_tok", "8"),
    U("norm_topk_prob", "false"),
    O("decoder_sparse_step", "1"),
    O("mlp_only_layers", "[[], null]"),
    U("attention_bias", "false"),
    END,
};
static const sac_config_key sac_keys_of_qwen3_vl_moe_text[] = {
    U("hidden_size", "2048"),
    U("num_hidden_layers", "24"),
    U("num_attention_heads", "16"),
    N("num_key_value_heads", "16"),
    D("head_dim", NULL),
    U("rms_norm_eps", "1e-6"),
    U("rope_theta", "500000"),
    U("tie_word_embeddings", "true"),
    OF_ALL,
    U("vocab_size", "151936"),
    H("intermediate_size"), /* of what O rules out */
    U("moe_intermediate_size", "1408"),
    U("max_position_embeddings", "128000"),
    H("sliding_window"), /* of no layer */
    U("num_local_experts", NULL),
    U("num_experts", "60"),
    U("num_experts_per_tok", "4"),
    O("decoder_sparse_step", "1"),
    O("mlp_only_layers", "[[], null]"),
    U("attention_bias", "false"),
    END,
};
static const sac_config_key sac_keys_of_qwen2_moe[] = {
    U("hidden_size", "2048"),
    U("num_hidden_layers", "24"),
    U("num_attention_heads", "16"),
    U("num_key_value_heads", "16"),
    U("rms_norm_eps", "1e-6"),
    OF_ALL,
    U("vocab_size", "151936"),
    H("intermediate_size"), /* of what O rules out, as what follows */
    H("max_window_layers"),
    H("sliding_window"),
    H("layer_types"),
    U("moe_intermediate_size", "1408"),
    U("shared_expert_intermediate_size", "5632"),
    U("max_position_embeddings", "32768"),
    U("num_local_experts", NULL),
    U("num_experts", "60"),
    U("num_experts_per_tok", "4"),
    U("norm_topk_prob", "false"),
    U("qkv_bias", "true"),
    O("use_sliding_window", "false"),
    O("decoder_sparse_step", "1"),
    O("mlp_only_layers", "[[], null]"),
    END,
};
#define OF_NETS                                                                                    \
    U("head_dim", "256"), U("rms_norm_eps", "1e-6"), U("partial_rotary_factor", "0.25"),           \
        O("hidden_act", "\"silu\""), /* the nets' own */                                           \
        OF_ALL, U("max_position_embeddings", "32768"), U("attention_bias", "false"),               \
        U("layer_types", NULL), U("full_attention_interval", NULL),                                \
        U("linear_conv_kernel_dim", "4"), U("linear_key_head_dim", "128"),                         \
        U("linear_value_head_dim", "128"), U("linear_num_key_heads", "16"),                        \
        U("linear_num_value_heads", "32")
#define OF_SHARED_EXPERT(chosen, count)                                                            \
    U("moe_intermediate_size", "512"), U("shared_expert_intermediate_size", "512"),                \
        U("num_local_experts", NULL), U("num_experts", count), U("num_experts_per_tok", chosen)
static const sac_config_key sac_keys_of_qwen3_next[] = {
    U("hidden_size", "2048"),
    U("num_hidden_layers", "48"),
    U("num_attention_heads", "16"),
    U("num_key_value_heads", "2"),
    OF_NETS,
    OF_SHARED_EXPERT("10", "512"),
    U("vocab_size", "151936"),
    H("intermediate_size"), /* of what O rules out */
    U("norm_topk_prob", "true"),
    O("decoder_sparse_step", "1"),
    O("mlp_only_layers", "[[], null]"),
    END,
};
static const sac_config_key sac_keys_of_qwen3_5_text[] = {
    U("hidden_size", "4096"),
    U("num_attention_heads", "16"),
    U("num_key_value_heads", "4"),
    OF_NETS,
    U("vocab_size", "248320"),
    U("intermediate_size", "12288"),
    END,
};
static const sac_config_key sac_keys_of_qwen3_5_moe_text[] = {
    U("hidden_size", "2048"),
    U("num_hidden_layers", "40"),
    U("num_attention_heads", "16"),
    U("num_key_value_heads", "2"),
    OF_NETS,
    OF_SHARED_EXPERT("8", "256"),
    U("vocab_size", "248320"),
    END,
};
static const sac_config_key sac_keys_of_olmoe[] = {
    U("hidden_size", "2048"),
    U("num_hidden_layers", "16"),
    U("num_attention_heads", "16"),
    N("eos_token_id", "50279"),
    OF_ALL,
    U("vocab_size", "50304"),
    U("intermediate_size", "2048"),
    U("max_position_embeddings", "4096"),
    U("num_local_experts", NULL),
    U("num_experts", "64"),
    U("num_experts_per_tok", "8"),
    U("norm_topk_prob", "false"),
    U("attention_bias", "false"),
    O("clip_qkv", "null"),
    END,
};

static const sac_config_key sac_keys_of_llama4[] = {
    U("hidden_size", "5120"),
    U("num_hidden_layers", "48"),
    U("num_attention_heads", "40"),
    N("num_key_value_heads", "8"),
    N("head_dim", "128"),
    U("rope_theta", "500000"),
    N("eos_token_id", "2"),
    OF_ALL,
    U("vocab_size", "202048"),
    U("intermediate_size", "8192"),
    U("intermediate_size_mlp", "16384"),
    U("max_position_embeddings", "131072"),
    U("num_local_experts", "16"),
    U("num_experts_per_tok", "1"),
    U("moe_layers", NULL),
    U("interleave_moe_layer_step", "1"),
    U("use_qk_norm", "true"),
    U("no_rope_layers", NULL),
    U("no_rope_layer_interval", "4"),
    U("attention_chunk_size", "8192"),
    U("layer_types", NULL),
    U("attn_temperature_tuning", "true"),
    U("floor_scale", "8192"),
    H("attn_scale"), /* of texts that are longer than one that is read */
    U("attention_bias", "false"),
    END,
};

const sac_architecture sac_architecture_gpt_oss = {.types = {"gpt_oss"},
                                                   .keys = sac_keys_of_gpt_oss,
                                                   .architectures = {"GptOss"},
                                                   .mark = "layers.0.self_attn.sinks",
                                                   .describes = &of_gpt_oss};
const sac_architecture sac_architecture_mixtral = {.types = {"mixtral"},
                                                   .keys = sac_keys_of_mixtral,
                                                   .architectures = {"Mixtral"},
                                                   .mark = "layers.0.block_sparse_moe.gate.weight",
                                                   .describes = &of_mixtral};
const sac_architecture sac_architecture_qwen3_moe = {.types = {"qwen3_moe"},
                                                     .keys = sac_keys_of_qwen3_moe,
                                                     .architectures = {"Qwen3Moe"},
                                                     .describes = &of_qwen3_moe};
/* What reads in the larger Qwen3-VL. */
const sac_architecture sac_architecture_qwen3_vl_moe_text = {.types = {"qwen3_vl_moe_text"},
                                                             .keys = sac_keys_of_qwen3_vl_moe_text,
                                                             .describes = &of_qwen3_vl_moe};
/* What reads in Qwen3.5, dense or with experts. */
const sac_architecture sac_architecture_qwen3_5_text = {
    .types = {"qwen3_5_text"},
    .keys = sac_keys_of_qwen3_5_text,
    .architectures = {"Qwen3_5ForCausalLM", "Qwen3_5TextModel"},
    .describes = &of_qwen3_5};
const sac_architecture sac_architecture_qwen3_5_moe_text = {
    .types = {"qwen3_5_moe_text"},
    .keys = sac_keys_of_qwen3_5_moe_text,
    .architectures = {"Qwen3_5MoeForCausalLM", "Qwen3_5MoeTextModel"},
    .describes = &of_qwen3_5_moe};
/* Three of four layers are gated delta nets. */
const sac_architecture sac_architecture_qwen3_next = {.types = {"qwen3_next"},
                                                      .keys = sac_keys_of_qwen3_next,
                                                      .architectures = {"Qwen3Next"},
                                                      .mark = "linear_attn.in_proj_qkvz.weight",
                                                      .describes = &of_qwen3_next};
const sac_architecture sac_architecture_olmoe = {.types = {"olmoe"},
                                                 .keys = sac_keys_of_olmoe,
                                                 .architectures = {"Olmoe"},
                                                 .describes = &of_olmoe};
const sac_architecture sac_architecture_llama4 = {
    .types = {"llama4_text"},
    .keys = sac_keys_of_llama4,
    .architectures = {"Llama4ForCausalLM", "Llama4TextModel"},
    .declare = declare_llama4};
const sac_architecture sac_architecture_qwen2_moe = {.types = {"qwen2_moe"},
                                                     .keys = sac_keys_of_qwen2_moe,
                                                     .architectures = {"Qwen2Moe"},
                                                     .mark =
                                                         "layers.0.mlp.shared_expert_gate.weight",
                                                     .describes = &of_qwen2_moe};
