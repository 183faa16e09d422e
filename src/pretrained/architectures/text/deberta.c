/* DeBERTa (He et al. 2021): BERT's layers, whose scores have terms of trained vectors of the distance, with
 * the query's content and with the key's. In v2 a convolution of the words is added behind the first layer. */
#include <stdio.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define DESCRIBE                                                                                   \
    .width = "hidden_size", .layers = "num_hidden_layers", .heads = "num_attention_heads",         \
    .hidden = "intermediate_size", .max_positions = "max_position_embeddings",                     \
    .activation = "hidden_act", .epsilon = "layer_norm_eps", .prefix = {"deberta.", ""},           \
    .words = "embeddings.word_embeddings.weight",                                                  \
    .positions = "embeddings.position_embeddings.weight",                                          \
    .kinds = "embeddings.token_type_embeddings.weight", .kind_count = "type_vocab_size",           \
    .first_norm = "embeddings.LayerNorm", .layer = "encoder.layer.%d", .up = "intermediate.dense", \
    .down = "output.dense",                                                                        \
    .norm =                                                                                        \
        {[SAC_PART_SELF] = "attention.output.LayerNorm", [SAC_PART_FORWARD] = "output.LayerNorm"}, \
    .distances = "encoder.rel_embeddings.weight", .spans = "max_relative_positions",               \
    .distance_terms = "pos_att_type"

static const sac_description of_deberta = {
    DESCRIBE,
    .attention = {{.fused = "attention.self.in_proj",
                   .bias = {"attention.self.q_bias", NULL, "attention.self.v_bias"},
                   .out = "attention.output.dense"}},
    .by_heads = true,
    .bias = {[SAC_BIAS_OUT] = SAC_BIASED, [SAC_BIAS_FORWARD] = SAC_BIASED},
    .distance_key = "attention.self.pos_proj",
    .distance_key_unbiased = true,
    .distance_query = "attention.self.pos_q_proj"};
static const sac_description of_deberta_v2 = {DESCRIBE,
                                              .depth = "attention_head_size",
                                              .attention = {{.query = "attention.self.query_proj",
                                                             .key = "attention.self.key_proj",
                                                             .value = "attention.self.value_proj",
                                                             .out = "attention.output.dense"}},
                                              .bias = SAC_ALL_BIASED,
                                              .distance_norm = "encoder.LayerNorm",
                                              .distance_buckets = "position_buckets",
                                              .distance_shares = "share_att_key",
                                              .distance_key = "attention.self.pos_key_proj",
                                              .distance_query = "attention.self.pos_query_proj"};

/* The convolution behind the first layer. */
static void declare_convolution(sac_pretrained_model *m, sac_config *c)
{
    static const char *const prefixes[] = {"deberta.", "", NULL};
    static const char name[] = "encoder.conv.conv.weight";
    const char *prefix = sac_pretrained_prefix(m->files, prefixes, name);
    char full[96];
    int taps = sac_config_size_or(c, "conv_kernel_size", 0, 1024, 0);
    if (c->status != SAC_OK || taps == 0)
        return;
    if (taps % 2 == 0)
        sac_config_refuse(c, "conv_kernel_size", "%d is not odd", taps);
    snprintf(full, sizeof full, "%sencoder.conv.conv", prefix);
    m->widened =
        sac_sound_layer_declare(m, c, full, "weight", m->width, m->width, (size_t)taps, true);
    m->widened.around = (size_t)taps / 2;
    m->widened.activation =
        sac_config_has(c, "conv_act") ? sac_architecture_activation(c, "conv_act") : SAC_TANH;
    snprintf(full, sizeof full, "%sencoder.conv.LayerNorm.weight", prefix);
    m->widen_norm.gain = sac_parameter_vector(&m->parameters, full, m->width);
    snprintf(full, sizeof full, "%sencoder.conv.LayerNorm.bias", prefix);
    m->widen_norm.bias = sac_parameter_vector(&m->parameters, full, m->width);
    m->widen_norm.epsilon = sac_config_number_or(c, "layer_norm_eps", 1e-7f);
}

static void declare(sac_pretrained_model *m, sac_config *c, sac_description own)
{
    int width = sac_config_size(c, "hidden_size", 1, SAC_ARCHITECTURE_WIDTH);
    int words = sac_config_size_or(c, "embedding_size", 1, SAC_ARCHITECTURE_WIDTH, width);
    if (words != width)
        sac_config_refuse(c, "embedding_size",
                          "%d is not the width, %d, which is all that is supported", words, width);
    if (!sac_config_flag_or(c, "relative_attention", false))
        sac_config_refuse(c, "relative_attention", "is not true, which is all that is supported");
    if (!sac_config_flag_or(c, "position_biased_input", true))
        own.positions = NULL;
    if (sac_config_size_or(c, "type_vocab_size", 0, 1024, 0) == 0)
        own.kinds = own.kind_count = NULL;
    sac_describe(m, c, &own);
}

static void declare_deberta(sac_pretrained_model *m, sac_config *c)
{
    declare(m, c, of_deberta);
}

static void declare_deberta_v2(sac_pretrained_model *m, sac_config *c)
{
    sac_description own = of_deberta_v2;
    if (!strstr(sac_config_text(c, "norm_rel_ebd"), "layer_norm"))
        own.distance_norm = NULL;
    declare(m, c, own);
    declare_convolution(m, c);
}

#define OF_BOTH                                                                                    \
    COMMON, U("embedding_size", NULL), U("hidden_act", "\"gelu\""),                                \
        U("max_position_embeddings", "512"), U("type_vocab_size", "0"),                            \
        U("layer_norm_eps", "1e-7"), U("relative_attention", "false"),                             \
        U("max_relative_positions", "-1"), U("position_biased_input", "true"),                     \
        U("pos_att_type", NULL), H("hidden_dropout_prob"), H("attention_probs_dropout_prob"),      \
        H("pooler_dropout"), H("pooler_hidden_act"), H("pooler_hidden_size"), H("legacy"),         \
        H("pad_token_id"), H("bos_token_id"), H("eos_token_id"), H("tie_word_embeddings")

static const sac_config_key sac_keys_of_deberta[] = {
    OF_BOTH,
    U("vocab_size", "50265"),
    U("hidden_size", "768"),
    U("num_hidden_layers", "12"),
    U("num_attention_heads", "12"),
    U("intermediate_size", "3072"),
    O("talking_head", "false"),
    H("padding_idx"),
    END,
};
static const sac_config_key sac_keys_of_deberta_v2[] = {
    OF_BOTH,
    U("vocab_size", "128100"),
    U("hidden_size", "1536"),
    U("num_hidden_layers", "24"),
    U("num_attention_heads", "24"),
    U("attention_head_size", NULL),
    U("intermediate_size", "6144"),
    U("position_buckets", "-1"),
    U("share_att_key", "false"),
    U("norm_rel_ebd", "\"none\""),
    U("conv_kernel_size", "0"),
    U("conv_act", NULL),
    O("conv_groups", "1"),
    END,
};

const sac_architecture sac_architecture_deberta = {.types = {"deberta"},
                                                   .keys = sac_keys_of_deberta,
                                                   .architectures = {"DebertaFor", "DebertaModel"},
                                                   .mark = "attention.self.in_proj.weight",
                                                   .declare = declare_deberta};
const sac_architecture sac_architecture_deberta_v2 = {.types = {"deberta-v2"},
                                                      .keys = sac_keys_of_deberta_v2,
                                                      .architectures = {"DebertaV2", "DebertaV3"},
                                                      .mark = "attention.self.query_proj.weight",
                                                      .declare = declare_deberta_v2};
