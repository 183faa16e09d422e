/* BLIP (Li et al. 2022) as a captioner: a vision transformer encodes the picture, and a BERT with
 * cross-attention to its output generates the caption. */
#include <stdio.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"
#include "architectures/vision/vision_transformer.h"

static const sac_vision_names of_blip = {
    .prefix = {"vision_model."},
    .class_token = "embeddings.class_embedding",
    .positions = "embeddings.position_embedding",
    .patches = "embeddings.patch_embedding",
    .layer = "encoder.layers.%d",
    .query = "self_attn.query",
    .key = "self_attn.key",
    .value = "self_attn.value",
    .out = "self_attn.projection",
    .norm = {"layer_norm1", "layer_norm2"},
    .up = "mlp.fc1",
    .down = "mlp.fc2",
    .last = "post_layernorm",
    .processor = "BlipImageProcessor",
    .side = 384,
    .epsilon = 1e-5f,
};

/* ---------------------------------------------------------------- the decoder */

/* The matrix of the logits is that of the word embeddings, unless the file has both. Their bias may
 * have either of two names. */
static void declare_head(sac_pretrained_model *m, bool tied)
{
    static const char place[] = "text_decoder.cls.predictions.";
    sac_parameters *p = &m->parameters;
    char head[64], own_bias[64], bias[64];
    snprintf(head, sizeof head, "%sdecoder.weight", place);
    snprintf(own_bias, sizeof own_bias, "%sdecoder.bias", place);
    snprintf(bias, sizeof bias, "%sbias", place);
    bool has_own = sac_pretrained_find(m->files, own_bias) != NULL;
    bool has_both = has_own && sac_pretrained_find(m->files, bias);
    if (sac_architecture_owns_head(m, head, "text_decoder.bert.embeddings.word_embeddings.weight",
                                   tied))
        m->head =
            sac_parameter_weight(p, "cls.predictions.decoder.weight", m->vocabulary, m->width);
    bool takes_own = has_both ? sac_architecture_owns_head(m, own_bias, bias, tied) : has_own;
    m->text_decoder.bias = sac_parameter_vector(
        p, takes_own ? "cls.predictions.decoder.bias" : "cls.predictions.bias", m->vocabulary);
}

static void declare_decoder(sac_pretrained_model *m, sac_config *c)
{
    sac_parameters *p = &m->parameters;
    sac_text_decoder *v = &m->text_decoder;
    sac_config_follow(c, sac_keys_of_blip_text);
    float epsilon = sac_config_number_or(c, "layer_norm_eps", 1e-12f);
    bool tied = sac_config_flag_or(c, "tie_word_embeddings", true);
    /* config.json leaves out what is as BLIP's authors had it in their first model. */
    m->width = (size_t)sac_config_size_or(c, "hidden_size", 1, SAC_ARCHITECTURE_WIDTH, 768);
    m->layers = sac_config_size_or(c, "num_hidden_layers", 1, SAC_ARCHITECTURE_LAYERS, 12);
    m->vocabulary = (size_t)sac_config_size_or(c, "vocab_size", 1, SAC_ARCHITECTURE_TOKENS, 30524);
    m->hidden =
        (size_t)sac_config_size_or(c, "intermediate_size", 1, 8 * SAC_ARCHITECTURE_WIDTH, 3072);
    m->places = (size_t)sac_config_size_or(c, "max_position_embeddings", 1, 1 << 20, 512);
    int heads = sac_config_size_or(c, "num_attention_heads", 1, SAC_ARCHITECTURE_WIDTH, 8);
    if (m->width % (size_t)heads != 0)
        sac_config_refuse(c, "num_attention_heads", "%d heads do not divide a width of %zu", heads,
                          m->width);
    m->run = (sac_transformer_run){
        .batch = 1,
        .heads = heads,
        .causal = true,
        .activation = sac_architecture_activation_or(c, "hidden_act", SAC_GELU),
    };
    m->text_decoder.memory =
        (size_t)sac_config_size_or(c, "encoder_hidden_size", 1, SAC_ARCHITECTURE_WIDTH, 768);
    if (m->text_decoder.memory != m->text_decoder.seen)
        sac_config_refuse(c, "encoder_hidden_size", "is %zu, and what is seen is %zu wide",
                          m->text_decoder.memory, m->text_decoder.seen);
    if (c->status != SAC_OK)
        return;
    sac_bert_declare_decoder(m, epsilon);
    v->change =
        sac_dense_declare(p, "cls.predictions", "transform.dense", m->width, m->width, true);
    v->changed = sac_layer_norm_declare(p, "cls.predictions", "transform.LayerNorm", m->width);
    v->changed.epsilon = epsilon;
    declare_head(m, tied || m->text_decoder.is_tied); /* either may tie them */
    sac_architecture_read_search(m, c, "bos_token_id", "sep_token_id");
}

static void locate_decoder(void *context, const sac_parameter *parameter, sac_tensor_place *place)
{
    bool is_head = strncmp(parameter->name, "cls.", 4) == 0;
    (void)context;
    snprintf(place->name, sizeof place->name, "text_decoder.%s%.77s", is_head ? "" : "bert.",
             parameter->name);
}

static const sac_architecture decoder_of_blip = {.declare = declare_decoder,
                                                 .locate = locate_decoder};

/* ---------------------------------------------------------------- both */

static void declare(sac_pretrained_model *m, sac_config *c)
{
    bool tied = sac_config_flag_or(c, "tie_word_embeddings", true);
    /* Refuses BLIP models for other tasks, whose output is no caption. */
    static const char *const others[] = {"BlipForQuestionAnswering", "BlipForImageTextRetrieval",
                                         "BlipModel"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (sac_architecture_is(c, others[i]))
            sac_config_refuse(c, "architectures",
                              "%s says no captions; give a BlipForConditionalGeneration",
                              others[i]);
    if (sac_pretrained_has_ending(m->files, "text_encoder.embeddings.word_embeddings.weight"))
        sac_config_refuse(c, "architectures",
                          "the weights are of a BLIP that reads a question or a text beside the "
                          "picture; give a BlipForConditionalGeneration");
    if (c->status != SAC_OK)
        return;
    sac_config vision = sac_config_inside(c, "vision_config");
    sac_config_follow(&vision, sac_keys_of_blip_vision);
    sac_vision_declare(m, &vision, &of_blip, false);
    sac_config text = sac_config_inside(c, "text_config");
    text.status = vision.status;
    sac_architecture_add_decoder(m, &decoder_of_blip, tied, &text);
    c->status = text.status;
}

/* Query, key and value projections are rows of one matrix. */
static void locate(void *context, const sac_parameter *parameter, sac_tensor_place *place)
{
    static const char *const parts[] = {"self_attn.query.", "self_attn.key.", "self_attn.value."};
    const sac_pretrained_model *m = context;
    for (size_t i = 0; i < 3; i++) {
        char *at = strstr(place->name, parts[i]);
        if (!at)
            continue;
        snprintf(at, sizeof place->name - (size_t)(at - place->name), "self_attn.qkv.%s",
                 parameter->rank == 2 ? "weight" : "bias");
        place->first = i * m->width;
        place->all = 3 * m->width;
    }
}

static const sac_config_key sac_keys_of_blip[] = {COMMON,
                                                  U("text_config", "{}"),
                                                  U("vision_config", "{}"),
                                                  U("tie_word_embeddings", "true"),
                                                  H("projection_dim"),
                                                  H("logit_scale_init_value"),
                                                  H("image_text_hidden_size"),
                                                  H("label_smoothing"),
                                                  H("initializer_factor"),
                                                  END};
const sac_config_key sac_keys_of_blip_vision[] = {SEEN,
                                                  U("image_size", "384"),
                                                  U("intermediate_size", "3072"),
                                                  U("layer_norm_eps", "1e-5"),
                                                  H("projection_dim"),
                                                  END};
const sac_config_key sac_keys_of_blip_text[] = {COMMON,
                                                U("vocab_size", "30524"),
                                                U("hidden_size", "768"),
                                                U("encoder_hidden_size", "768"),
                                                U("intermediate_size", "3072"),
                                                U("num_hidden_layers", "12"),
                                                U("num_attention_heads", "8"),
                                                U("max_position_embeddings", "512"),
                                                U("hidden_act", "\"gelu\""),
                                                U("layer_norm_eps", "1e-12"),
                                                U("bos_token_id", "30522"),
                                                U("eos_token_id", "2"),
                                                U("pad_token_id", "0"),
                                                U("sep_token_id", "102"),
                                                U("tie_word_embeddings", "true"),
                                                O("is_decoder", "true"),
                                                O("position_embedding_type", "\"absolute\""),
                                                H("projection_dim"),
                                                H("hidden_dropout_prob"),
                                                H("attention_probs_dropout_prob"),
                                                H("label_smoothing"),
                                                END};

const sac_architecture sac_architecture_blip = {.types = {"blip"},
                                                .keys = sac_keys_of_blip,
                                                .architectures = {"Blip"},
                                                .mark = "text_decoder.cls.predictions.bias",
                                                .declare = declare,
                                                .locate = locate};
