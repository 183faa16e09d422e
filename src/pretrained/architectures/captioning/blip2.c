/* BLIP-2 (Li et al. 2023): BLIP's vision transformer, a Q-Former whose trained queries gather what it saw, and
 * OPT or T5, which reads what they gathered before its text. OPT goes on with it; T5's encoder reads both
 * (captioning/joint_decoder.c), and its decoder attends to what came out. */
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

static const sac_description of_queries = {.width = "hidden_size",
                                           .layers = "num_hidden_layers",
                                           .heads = "num_attention_heads",
                                           .hidden = "intermediate_size",
                                           .activation = "hidden_act",
                                           .epsilon = "layer_norm_eps",
                                           .prefix = {"qformer."},
                                           .layer = "encoder.layer.%d",
                                           .attention = {{.query = "attention.attention.query",
                                                          .key = "attention.attention.key",
                                                          .value = "attention.attention.value",
                                                          .out = "attention.output.dense"},
                                                         {.query = "crossattention.attention.query",
                                                          .key = "crossattention.attention.key",
                                                          .value = "crossattention.attention.value",
                                                          .out = "crossattention.output.dense"}},
                                           .crosses_each = "cross_attention_frequency",
                                           .up = "intermediate_query.dense",
                                           .down = "output_query.dense",
                                           .norm = {"attention.output.LayerNorm",
                                                    "crossattention.output.LayerNorm",
                                                    "output_query.LayerNorm"},
                                           .bias = SAC_ALL_BIASED,
                                           .custom_embedding = true};

const sac_config_key sac_keys_of_blip2_vision[] = {
    COMMON,
    U("hidden_size", "1408"),
    U("num_hidden_layers", "39"),
    U("num_attention_heads", "16"),
    U("intermediate_size", "6144"),
    U("image_size", "224"),
    U("patch_size", "14"),
    U("hidden_act", "\"gelu\""),
    U("layer_norm_eps", "1e-6"),
    U("qkv_bias", "true"),
    H("attention_dropout"),
    H("dropout"),
    H("initializer_factor"),
    H("num_channels"),
    H("projection_dim"),
    END,
};
const sac_config_key sac_keys_of_blip2_queries[] = {
    COMMON,
    U("hidden_size", "768"),
    U("num_hidden_layers", "12"),
    U("num_attention_heads", "12"),
    U("intermediate_size", "3072"),
    U("hidden_act", "\"gelu\""),
    U("layer_norm_eps", "1e-12"),
    U("cross_attention_frequency", "2"),
    H("encoder_hidden_size"), /* that of the vision encoder */
    O("use_qformer_text_input", "false"),
    O("position_embedding_type", "\"absolute\""),
    H("vocab_size"),
    H("hidden_dropout_prob"),
    H("attention_probs_dropout_prob"),
    H("max_position_embeddings"),
    H("pad_token_id"),
    END,
};

enum { QUERIES = 4096 };

static void declare_queries(sac_pretrained_model *m, sac_config *c)
{
    sac_config_apply_keys(c, sac_keys_of_blip2_queries);
    m->text_decoder.memory = m->text_decoder.seen;
    sac_describe(m, c, &of_queries);
    m->first_norm = sac_layer_norm_declare(&m->parameters, "qformer", "layernorm", m->width);
    m->first_norm.epsilon = sac_config_number_or(c, "layer_norm_eps", 1e-12f);
}

static const sac_architecture queries = {.declare = declare_queries};

static bool has_t5_decoder(sac_config *c)
{
    sac_config text = sac_config_inside(c, "text_config");
    return strcmp(sac_config_text(&text, "model_type"), "t5") == 0;
}

static void add_t5(sac_pretrained_model *m, sac_config *c, const sac_connector *connector)
{
    sac_config text = sac_config_inside(c, "text_config");
    sac_config_apply_keys(&text, sac_keys_of_t5);
    sac_architecture_add_part(m, &m->text_encoder, &sac_t5_encoder, &text);
    sac_architecture_add_decoder(m, &sac_t5_decoder, true, &text);
    c->status = text.status;
    if (c->status != SAC_OK)
        return;
    sac_pretrained_model *d = m->decoder;
    d->words = m->text_encoder->words;
    d->text_decoder.question = SAC_ASKED_OF_ENCODER;
    d->text_decoder.seen = d->text_decoder.memory = d->width;
    d->text_decoder.connector = *connector;
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    sac_config vision = sac_config_inside(c, "vision_config"),
               gathers = sac_config_inside(c, "qformer_config");
    sac_connector k = {.shuffle = 1,
                       .write = sac_make_picture_tokens,
                       .chat = SAC_CHAT_PICTURE "</s>" SAC_CHAT_QUESTION,
                       .first = "a photo of",
                       .is_bare = true};
    bool is_new = !sac_config_has(c, "image_token_index") && sac_config_has(c, "image_token_id");
    k.token = sac_config_size(c, is_new ? "image_token_id" : "image_token_index", 0,
                              SAC_ARCHITECTURE_TOKENS);
    int count = sac_config_size(c, "num_query_tokens", 1, QUERIES);
    sac_config_apply_keys(&vision, sac_keys_of_blip2_vision);
    vision.status = vision.status == SAC_OK ? c->status : vision.status;
    if (vision.status == SAC_OK)
        sac_describe(m, &vision, &sac_blip_vision);
    gathers.status = vision.status;
    if (gathers.status == SAC_OK)
        sac_architecture_add_part(m, &m->resampler, &queries, &gathers);
    c->status = gathers.status;
    if (c->status != SAC_OK)
        return;
    sac_pretrained_model *q = m->resampler;
    q->detector.queries = (size_t)count;
    q->detector.places = sac_parameter_add(&q->parameters, "query_tokens", sac_init_constant(0), 3,
                                           (size_t)1, (size_t)count, q->width);
    if (has_t5_decoder(c))
        add_t5(m, c, &k);
    else
        sac_architecture_add_prompted(m, c, "opt", &k);
    if (c->status != SAC_OK)
        return;
    sac_pretrained_model *d = m->decoder;
    d->text_decoder.connector.project[0] =
        sac_dense_declare(&d->parameters, "", "language_projection", d->width, q->width, true);
}

static const sac_config_key sac_keys_of_blip2[] = {
    COMMON,
    D("text_config", "{}"),
    D("vision_config", "{}"),
    D("qformer_config", "{}"),
    U("num_query_tokens", "32"),
    U("image_token_index", NULL),
    U("image_token_id", NULL),
    U("tie_word_embeddings", "false"),
    H("image_text_hidden_size"),
    H("initializer_factor"),
    H("use_decoder_only_language_model"),
    END,
};

const sac_architecture sac_architecture_blip2 = {.types = {"blip-2"},
                                                 .keys = sac_keys_of_blip2,
                                                 .architectures = {"Blip2ForConditional"},
                                                 .part_generates = true,
                                                 .declare = declare};
