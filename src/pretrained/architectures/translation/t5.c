/* T5 (Raffel et al. 2020), its version 1.1, FLAN-T5, mT5 and UMT5: an encoder and a decoder whose
 * scores are not scaled and fall with the distance of two tokens by trained numbers, one for each
 * head and bucket of distances. All layers share those of the first; UMT5 has some in each. */
#include <cjson/cJSON.h>

#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define ATTENTION(name)                                                                            \
    {                                                                                              \
        .query = name ".q", .key = name ".k", .value = name ".v", .out = name ".o"                 \
    }
#define PLAIN(part) .up = part ".DenseReluDense.wi", .down = part ".DenseReluDense.wo"
#define GATED(part)                                                                                \
    .gate = part ".DenseReluDense.wi_0", .up = part ".DenseReluDense.wi_1",                        \
    .down = part ".DenseReluDense.wo"
#define OF_T5(half, count)                                                                         \
    .prefix = {"", "language_model."}, .width = "d_model", .layers = count, .heads = "num_heads",  \
    .depth = "d_kv", .hidden = "d_ff", .epsilon = "layer_norm_epsilon", .activation = ACTIVATION,  \
    .layer = half ".block.%d", .last_norm = half ".final_layer_norm", .norm_first = true,          \
    .rms = true, .is_unscaled = true,                                                              \
    .relative = "layer.0.SelfAttention.relative_attention_bias.weight",                            \
    .buckets = "relative_attention_num_buckets", .max_distance = "relative_attention_max_distance"
#define OF_ENCODER                                                                                 \
    OF_T5("encoder", "num_layers"),                                                                \
        .attention = {ATTENTION("layer.0.SelfAttention")},                                         \
        .norm = {                                                                                  \
            [SAC_PART_SELF] = "layer.0.layer_norm", [SAC_PART_FORWARD] = "layer.1.layer_norm"}
#define OF_DECODER                                                                                 \
    OF_T5("decoder", "num_decoder_layers"),                                                        \
        .attention = {ATTENTION("layer.0.SelfAttention"), ATTENTION("layer.1.EncDecAttention")},   \
        .norm = {"layer.0.layer_norm", "layer.1.layer_norm", "layer.2.layer_norm"},                \
        .causal = {NULL, true}

/* Made out of feed_forward_proj, "relu" or "gated-gelu". */
#define ACTIVATION "dense_act_fn"

static const sac_description plain_encoder = {OF_ENCODER, PLAIN("layer.1")};
static const sac_description gated_encoder = {OF_ENCODER, GATED("layer.1")};
static const sac_description plain_decoder = {OF_DECODER, PLAIN("layer.2")};
static const sac_description gated_decoder = {OF_DECODER, GATED("layer.2")};

/* Behind `language_model.` in BLIP-2. */
static const char *const heads[] = {"lm_head.weight", "language_model.lm_head.weight", NULL};
static const char *const words[] = {"shared.weight",
                                    "encoder.embed_tokens.weight",
                                    "decoder.embed_tokens.weight",
                                    "lm_head.weight",
                                    "language_model.shared.weight",
                                    "language_model.encoder.embed_tokens.weight",
                                    "language_model.decoder.embed_tokens.weight",
                                    "language_model.lm_head.weight",
                                    NULL};

/* True where the feed-forward network is gated. */
static bool split_gated_activation(sac_config *c)
{
    const char *kind = sac_config_text(c, "feed_forward_proj");
    bool gated = strncmp(kind, "gated-", 6) == 0;
    const char *own = gated ? kind + 6 : kind;
    cJSON_DeleteItemFromObjectCaseSensitive(c->json, ACTIVATION);
    cJSON_AddStringToObject(c->json, ACTIVATION,
                            gated && strcmp(own, "gelu") == 0 ? "gelu_new" : own);
    return gated;
}

/* The first version multiplied the last state by 1/√D before it compared it with the words; from 1.1
 * on there is a head, which "tie_word_embeddings": false shows. */
static void declare_head(sac_pretrained_model *m, sac_config *c)
{
    bool tied = sac_config_flag_or(c, "tie_word_embeddings", true);
    bool scales = sac_config_flag_or(c, "scale_decoder_outputs", tied);
    const char *head = sac_architecture_find_name(m, heads);
    const char *own = sac_architecture_find_name(m, words);
    if (sac_pretrained_find(m->files, head) && sac_architecture_owns_head(m, head, own, scales))
        m->head = sac_parameter_weight(&m->parameters, head, m->vocabulary, m->width);
    m->text_decoder.narrows = scales;
}

static void declare_decoder(sac_pretrained_model *m, sac_config *c)
{
    if (!sac_config_has(c, "num_decoder_layers"))
        cJSON_AddNumberToObject(c->json, "num_decoder_layers",
                                sac_config_size(c, "num_layers", 1, SAC_ARCHITECTURE_LAYERS));
    sac_describe(m, c, split_gated_activation(c) ? &gated_decoder : &plain_decoder);
    if (c->status != SAC_OK)
        return;
    declare_head(m, c);
    sac_architecture_read_search(m, c, "decoder_start_token_id", "eos_token_id");
}

static void declare_encoder(sac_pretrained_model *m, sac_config *c)
{
    sac_describe(m, c, split_gated_activation(c) ? &gated_encoder : &plain_encoder);
    if (c->status == SAC_OK)
        m->words = sac_parameter_weight(&m->parameters, sac_architecture_find_name(m, words),
                                        m->vocabulary, m->width);
}

const sac_architecture sac_t5_encoder = {.declare = declare_encoder};
const sac_architecture sac_t5_decoder = {.declare = declare_decoder};

static void declare(sac_pretrained_model *m, sac_config *c)
{
    declare_encoder(m, c);
    if (c->status != SAC_OK)
        return;
    if (!sac_pretrained_has_ending(m->files, "decoder.final_layer_norm.weight")) {
        sac_pretrained_model_note(m, "it has no decoder; its encoder is shown");
        return;
    }
    sac_architecture_add_decoder(m, &sac_t5_decoder, true, c);
    if (m->decoder)
        m->decoder->words = m->words;
}

/* mT5 never scales, whatever its files have for tied words. */
static void declare_mt5(sac_pretrained_model *m, sac_config *c)
{
    cJSON_DeleteItemFromObjectCaseSensitive(c->json, "scale_decoder_outputs");
    cJSON_AddBoolToObject(c->json, "scale_decoder_outputs", false);
    declare(m, c);
}

/* The first entry of a name wins. */
#define KEYS                                                                                       \
    COMMON, U("vocab_size", "32128"), U("d_model", "512"), U("d_kv", "64"), U("d_ff", "2048"),     \
        U("num_layers", "6"), U("num_decoder_layers", NULL), U("num_heads", "8"),                  \
        U("relative_attention_num_buckets", "32"), U("relative_attention_max_distance", "128"),    \
        U("layer_norm_epsilon", "1e-6"), U("feed_forward_proj", "\"relu\""),                       \
        U("tie_word_embeddings", NULL), U("scale_decoder_outputs", NULL),                          \
        U("decoder_start_token_id", "0"), N("pad_token_id", "0"), N("eos_token_id", "1"),          \
        H("dense_act_fn"), H("is_gated_act"), H("dropout_rate"), H("initializer_factor"),          \
        H("is_decoder"), H("bos_token_id"), END

const sac_config_key sac_keys_of_t5[] = {
    KEYS,
};
static const sac_config_key keys_of_mt5[] = {
    U("vocab_size", "250112"),
    U("d_ff", "1024"),
    U("num_layers", "8"),
    U("num_heads", "6"),
    U("feed_forward_proj", "\"gated-gelu\""),
    N("decoder_start_token_id", "0"),
    KEYS,
};

const sac_architecture sac_architecture_t5 = {.types = {"t5"},
                                              .keys = sac_keys_of_t5,
                                              .architectures = {"T5"},
                                              .mark = "DenseReluDense.wo.weight",
                                              .declare = declare};
const sac_architecture sac_architecture_umt5 = {
    .types = {"umt5"}, .keys = keys_of_mt5, .architectures = {"UMT5"}, .declare = declare};
const sac_architecture sac_architecture_mt5 = {
    .types = {"mt5"}, .keys = keys_of_mt5, .architectures = {"MT5"}, .declare = declare_mt5};
