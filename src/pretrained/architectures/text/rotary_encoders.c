/* Encoders that turn queries and keys by positions, where BERT adds those to words: RoFormer (Su et al.
 * 2021), ESM-2, which reads proteins (Lin et al. 2022), and what embeds texts: nomic-embed (Nussbaum et
 * al. 2024), GTE (Zhang et al. 2024) and Jina's third (Sturua et al. 2024). */
#include <cjson/cJSON.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define SIZES                                                                                      \
    .width = "hidden_size", .layers = "num_hidden_layers", .heads = "num_attention_heads",         \
    .hidden = "intermediate_size", .max_positions = "max_position_embeddings",                     \
    .activation = "hidden_act", .epsilon = "layer_norm_eps"
#define WORDS                                                                                      \
    .words = "embeddings.word_embeddings.weight",                                                  \
    .kinds = "embeddings.token_type_embeddings.weight", .kind_count = "type_vocab_size"
#define ATTENTION_OF_BERT                                                                          \
    .attention = {{.query = "attention.self.query",                                                \
                   .key = "attention.self.key",                                                    \
                   .value = "attention.self.value",                                                \
                   .out = "attention.output.dense"}},                                              \
    .up = "intermediate.dense", .down = "output.dense"

#define COMMON_KEYS                                                                                \
    COMMON, U("hidden_size", "768"), U("num_hidden_layers", "12"), U("num_attention_heads", "12"), \
        U("intermediate_size", "3072"), H("hidden_dropout_prob"),                                  \
        H("attention_probs_dropout_prob"), H("bos_token_id"), H("eos_token_id"),                   \
        H("pad_token_id"), H("tie_word_embeddings")
#define EMBEDDING_KEYS                                                                             \
    U("type_vocab_size", "1"), U("layer_norm_eps", "1e-12"), U("rope_parameters", NULL),           \
        U("rope_scaling", NULL), U("partial_rotary_factor", NULL), COMMON_KEYS

/* ---------------------------------------------------------------- RoFormer */

static const sac_description of_roformer = {
    SIZES,
    WORDS,
    ATTENTION_OF_BERT,
    .prefix = {"roformer.", ""},
    .word_width = "embedding_size",
    .first_norm = "embeddings.LayerNorm",
    .projection = "embeddings_project",
    .layer = "encoder.layer.%d",
    .norm =
        {[SAC_PART_SELF] = "attention.output.LayerNorm", [SAC_PART_FORWARD] = "output.LayerNorm"},
    .causal = {"is_decoder", false},
    .crosses = "add_cross_attention",
    .classifier = "classifier.out_proj",
    .pooler = "classifier.dense",
    .pooled = SAC_GELU,
    .bias = SAC_ALL_BIASED,
    .rotary = true,
    .in_pairs = true};

static const sac_config_key sac_keys_of_roformer[] = {
    COMMON_KEYS,
    U("vocab_size", "50000"),
    U("embedding_size", NULL),
    U("hidden_act", "\"gelu\""),
    U("max_position_embeddings", "1536"),
    U("type_vocab_size", "2"),
    U("layer_norm_eps", "1e-12"),
    U("is_decoder", "false"),
    U("add_cross_attention", "false"),
    O("rotary_value", "false"),
    END,
};

/* ---------------------------------------------------------------- nomic-embed */

#define LAYERS_OF_NOMIC                                                                            \
    WORDS, .prefix = {"nomic_bert.", "bert.", ""}, .first_norm = "emb_ln",                         \
           .layer = "encoder.layers.%d",                                                           \
           .attention = {{.fused = "attn.Wqkv", .out = "attn.out_proj"}}, .up = "mlp.fc11",        \
           .gate = "mlp.fc12", .down = "mlp.fc2",                                                  \
           .norm = {[SAC_PART_SELF] = "norm1", [SAC_PART_FORWARD] = "norm2"}, .rotary = true
static const sac_description of_nomic = {SIZES, LAYERS_OF_NOMIC, .depth = "head_dim"};
/* The keys that the files of before transformers' class have. */
static const sac_description of_early_nomic = {LAYERS_OF_NOMIC,
                                               .width = "n_embd",
                                               .layers = "n_layer",
                                               .heads = "n_head",
                                               .hidden = "n_inner",
                                               .max_positions = "n_positions",
                                               .activated = SAC_SILU,
                                               .epsilon = "layer_norm_epsilon",
                                               .rope_base = "rotary_emb_base"};

static void declare_nomic(sac_pretrained_model *m, sac_config *c)
{
    sac_describe(m, c, sac_config_has(c, "n_embd") ? &of_early_nomic : &of_nomic);
}

static const sac_config_key sac_keys_of_nomic[] = {
    U("type_vocab_size", "2"),
    EMBEDDING_KEYS,
    U("vocab_size", "30528"),
    U("hidden_act", "\"silu\""),
    U("max_position_embeddings", "2048"),
    U("rope_theta", "1000"),
    U("head_dim", NULL),
    U("n_embd", NULL),
    U("n_layer", NULL),
    U("n_head", NULL),
    U("n_inner", NULL),
    U("n_positions", NULL),
    U("layer_norm_epsilon", NULL),
    U("rotary_emb_base", NULL),
    O("activation_function", "\"swiglu\""),
    O("causal", "false"),
    O("prenorm", "false"),
    O("parallel_block", "false"),
    O("qkv_proj_bias", "false"),
    O("mlp_fc1_bias", "false"),
    O("mlp_fc2_bias", "false"),
    O("use_rms_norm", "[false, null]"),
    O("rotary_emb_fraction", "1"),
    O("rotary_emb_interleaved", "false"),
    O("rotary_emb_scale_base", "null"),
    O("rotary_scaling_factor", "null"),
    O("scale_attn_weights", "true"),
    O("scale_attn_by_inverse_layer_idx", "false"),
    H("max_trained_positions"),
    H("parallel_block_tied_norm"),
    H("reorder_and_upcast_attn"),
    H("fused_bias_fc"),
    H("fused_dropout_add_ln"),
    H("dense_seq_output"),
    H("pad_vocab_size_multiple"),
    H("last_layer_subset"),
    H("use_xentropy"),
    END,
};

/* ---------------------------------------------------------------- GTE */

static const sac_description of_gte = {
    SIZES,
    WORDS,
    .prefix = {"gte.", "new.", ""},
    .first_norm = "embeddings.LayerNorm",
    .layer = "encoder.layer.%d",
    .attention = {{.fused = "attention.qkv_proj", .out = "attention.o_proj"}},
    .fused_gate = "mlp.up_gate_proj",
    .up_first = true,
    .down = "mlp.down_proj",
    .norm = {[SAC_PART_SELF] = "attn_ln", [SAC_PART_FORWARD] = "mlp_ln"},
    .classifier = "classifier",
    .pooler = "pooler.dense",
    .pools_inside = true,
    .pooled = SAC_TANH,
    .bias = SAC_ALL_BIASED,
    .up_unbiased = true,
    .rotary = true};

static const sac_config_key sac_keys_of_gte[] = {
    EMBEDDING_KEYS,
    U("vocab_size", "250048"),
    U("hidden_act", "\"gelu\""),
    U("max_position_embeddings", "8192"),
    U("rope_theta", "160000"),
    END,
};

/* ---------------------------------------------------------------- Jina's third */

static const sac_description of_jina3 = {
    SIZES,
    WORDS,
    .prefix = {"roberta.", ""},
    .first_norm = "emb_ln",
    .layer = "encoder.layers.%d",
    .attention = {{.fused = "mixer.Wqkv", .out = "mixer.out_proj"}},
    .up = "mlp.fc1",
    .down = "mlp.fc2",
    .norm = {[SAC_PART_SELF] = "norm1", [SAC_PART_FORWARD] = "norm2"},
    .classifier = "classifier.out_proj",
    .pooler = "classifier.dense",
    .pooled = SAC_TANH,
    .bias = SAC_ALL_BIASED,
    .rotary = true};

static const sac_config_key sac_keys_of_jina3[] = {
    U("hidden_size", "1024"),
    U("num_hidden_layers", "24"),
    U("num_attention_heads", "16"),
    U("intermediate_size", "4096"),
    U("layer_norm_eps", "1e-5"),
    EMBEDDING_KEYS,
    U("vocab_size", "250002"),
    U("hidden_act", "\"gelu\""),
    U("max_position_embeddings", "8194"),
    U("rope_theta", "20000"),
    END,
};

const sac_architecture sac_architecture_roformer = {.types = {"roformer"},
                                                    .keys = sac_keys_of_roformer,
                                                    .architectures = {"RoFormer"},
                                                    .mark = "encoder.embed_positions.weight",
                                                    .describes = &of_roformer};
const sac_architecture sac_architecture_nomic_bert = {.types = {"nomic_bert"},
                                                      .keys = sac_keys_of_nomic,
                                                      .architectures = {"NomicBert"},
                                                      .mark = "encoder.layers.0.mlp.fc11.weight",
                                                      .declare = declare_nomic};
const sac_architecture sac_architecture_gte = {.types = {"gte"},
                                               .keys = sac_keys_of_gte,
                                               .architectures = {"Gte"},
                                               .mark = "encoder.layer.0.mlp.up_gate_proj.weight",
                                               .describes = &of_gte};
const sac_architecture sac_architecture_jina_embeddings_v3 = {
    .types = {"jina_embeddings_v3"},
    .keys = sac_keys_of_jina3,
    .architectures = {"JinaEmbeddingsV3"},
    .mark = "encoder.layers.0.mixer.Wqkv.weight",
    .describes = &of_jina3};
