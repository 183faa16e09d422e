/* Encoders that turn queries and keys by positions, where BERT adds those to words: RoFormer (Su et al.
 * 2021), ESM-2, which reads proteins (Lin et al. 2022), and what embeds texts: nomic-embed (Nussbaum et
 * al. 2024), GTE (Zhang et al. 2024) and Jina's third (Sturua et al. 2024). */
#include <stdlib.h>
#include <string.h>

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

/* ---------------------------------------------------------------- ESM-2 */

static const sac_description of_esm = {
    ATTENTION_OF_BERT,
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .hidden = "intermediate_size",
    .max_positions = "max_position_embeddings",
    .activated = SAC_GELU,
    .epsilon = "layer_norm_eps",
    .prefix = {"esm.", ""},
    .words = "embeddings.word_embeddings.weight",
    .last_norm = "encoder.emb_layer_norm_after",
    .layer = "encoder.layer.%d",
    .norm = {[SAC_PART_SELF] = "attention.LayerNorm", [SAC_PART_FORWARD] = "LayerNorm"},
    .norm_first = true,
    .causal = {"is_decoder", false},
    .crosses = "add_cross_attention",
    .bias = SAC_ALL_BIASED,
    .rotary = true};

static void declare_contacts(sac_pretrained_model *m)
{
    static const char *const weights[] = {"esm.contact_head.regression.weight",
                                          "contact_head.regression.weight", NULL};
    static const char *const biases[] = {"esm.contact_head.regression.bias",
                                         "contact_head.regression.bias", NULL};
    const char *weight = sac_architecture_find_name(m, weights);
    if (!sac_pretrained_find(m->files, weight))
        return;
    m->contacts.w =
        sac_parameter_matrix(&m->parameters, weight, 1, (size_t)m->layers * (size_t)m->run.heads);
    m->contacts.b = sac_parameter_vector(&m->parameters, sac_architecture_find_name(m, biases), 1);
}

/* In training 12 % of the residues were masked, and with them their words; so words are smaller where
 * none is. Frequencies are those of the file, which may have been rounded. */
static void declare_esm(sac_pretrained_model *m, sac_config *c)
{
    /* The last two as transformers 5.24 writes them. */
    static const char *const frequencies[] = {
        "esm.rotary_embeddings.inv_freq",
        "rotary_embeddings.inv_freq",
        "esm.encoder.layer.0.attention.self.rotary_embeddings.inv_freq",
        "encoder.layer.0.attention.self.rotary_embeddings.inv_freq",
        "esm.encoder.layer.*.attention.self.rotary_embeddings.inv_freq",
        "encoder.layer.*.attention.self.rotary_embeddings.inv_freq",
        NULL};
    sac_config_choice(c, "position_embedding_type", (const char *const[]){"rotary", NULL});
    sac_describe(m, c, &of_esm);
    if (c->status != SAC_OK)
        return;
    const char *name = sac_architecture_find_name(m, frequencies);
    const size_t count = m->rope.rotary.depth / 2;
    float *stored = NULL;
    if (sac_pretrained_find(m->files, name))
        c->status = sac_pretrained_floats(m->files, "", name, 1, &count, &stored, c->error);
    if (c->status == SAC_OK && stored)
        memcpy(m->rope.rotary.frequency, stored, count * sizeof *stored);
    free(stored);
    declare_contacts(m);
    if (!sac_config_flag_or(c, "token_dropout", false))
        return;
    m->word_scale = 1 - 0.15f * 0.8f;
    m->dropped_word = sac_config_size_or(c, "mask_token_id", 0, SAC_ARCHITECTURE_TOKENS, -1);
}

static const sac_config_key sac_keys_of_esm[] = {
    COMMON_KEYS,
    U("vocab_size", NULL),
    U("max_position_embeddings", "1026"),
    U("layer_norm_eps", "1e-12"),
    U("rope_theta", "10000"),
    N("token_dropout", "false"),
    U("mask_token_id", NULL),
    N("is_decoder", "false"),
    N("add_cross_attention", "false"),
    N("position_embedding_type", "\"absolute\""),
    O("emb_layer_norm_before", "[false, null]"),
    O("is_folding_model", "[false, null]"),
    H("esmfold_config"),
    H("vocab_list"),
    H("hidden_act"), /* of GELU, whatever it has */
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
const sac_architecture sac_architecture_esm = {.types = {"esm"},
                                               .keys = sac_keys_of_esm,
                                               .architectures = {"Esm"},
                                               .mark = "encoder.emb_layer_norm_after.weight",
                                               .declare = declare_esm};
