/* BLIP (Li et al. 2022) as a captioner: a vision transformer encodes the picture, and a BERT with
 * cross-attention to its output generates the caption. */
#include "architectures/architecture.h"
#include "architectures/config_keys.h"

#define QKV_BIAS                                                                                   \
    {                                                                                              \
        "qkv_bias", true                                                                           \
    }

/* Query, key and value projections are rows of one matrix. */
const sac_description sac_blip_vision = {
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .hidden = "intermediate_size",
    .activation = "hidden_act",
    .epsilon = "layer_norm_eps",
    .prefix = {"vision_model."},
    .class_token = "embeddings.class_embedding",
    .positions = "embeddings.position_embedding",
    .patches = "embeddings.patch_embedding",
    .last_norm = "post_layernorm",
    .layer = "encoder.layers.%d",
    .attention = {{.fused = "self_attn.qkv", .out = "self_attn.projection"}},
    .up = "mlp.fc1",
    .down = "mlp.fc2",
    .norm = {[SAC_PART_SELF] = "layer_norm1", [SAC_PART_FORWARD] = "layer_norm2"},
    .norm_first = true,
    .bias = {QKV_BIAS, QKV_BIAS, QKV_BIAS, SAC_BIASED, SAC_BIASED},
    .processor = "BlipImageProcessor"};

static const sac_description of_text = {
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .hidden = "intermediate_size",
    .max_positions = "max_position_embeddings",
    .activation = "hidden_act",
    .epsilon = "layer_norm_eps",
    .prefix = {"text_decoder.bert."},
    .words = "embeddings.word_embeddings.weight",
    .positions = "embeddings.position_embeddings.weight",
    .first_norm = "embeddings.LayerNorm",
    .layer = "encoder.layer.%d",
    .attention = {{.query = "attention.self.query",
                   .key = "attention.self.key",
                   .value = "attention.self.value",
                   .out = "attention.output.dense"},
                  {.query = "crossattention.self.query",
                   .key = "crossattention.self.key",
                   .value = "crossattention.self.value",
                   .out = "crossattention.output.dense"}},
    .up = "intermediate.dense",
    .down = "output.dense",
    .norm = {"attention.output.LayerNorm", "crossattention.output.LayerNorm", "output.LayerNorm"},
    .causal = {NULL, true},
    .bias = SAC_ALL_BIASED};

/* ---------------------------------------------------------------- the decoder */

#define PLACE "text_decoder.cls.predictions"

/* The matrix of the logits is that of the word embeddings, unless the file has both. Their bias may
 * have either of two names. */
static void declare_head(sac_pretrained_model *m, bool tied)
{
    static const char head[] = PLACE ".decoder.weight";
    static const char own_bias[] = PLACE ".decoder.bias", bias[] = PLACE ".bias";
    bool has_own = sac_pretrained_find(m->files, own_bias) != NULL;
    bool has_both = has_own && sac_pretrained_find(m->files, bias);
    if (sac_architecture_owns_head(m, head, m->words->name, tied))
        m->head = sac_parameter_weight(&m->parameters, head, m->vocabulary, m->width);
    bool takes_own = has_both ? sac_architecture_owns_head(m, own_bias, bias, tied) : has_own;
    m->text_decoder.bias =
        sac_parameter_vector(&m->parameters, takes_own ? own_bias : bias, m->vocabulary);
}

static void declare_decoder(sac_pretrained_model *m, sac_config *c)
{
    sac_parameters *p = &m->parameters;
    sac_text_decoder *v = &m->text_decoder;
    sac_config_apply_keys(c, sac_keys_of_blip_text);
    bool tied = sac_config_flag_or(c, "tie_word_embeddings", true);
    v->memory =
        (size_t)sac_config_size_or(c, "encoder_hidden_size", 1, SAC_ARCHITECTURE_WIDTH, 768);
    if (v->memory != v->seen)
        sac_config_refuse(c, "encoder_hidden_size", "is %zu, and what is seen is %zu wide",
                          v->memory, v->seen);
    sac_describe(m, c, &of_text);
    if (c->status != SAC_OK)
        return;
    v->change = sac_dense_declare(p, PLACE, "transform.dense", m->width, m->width, true);
    v->changed = sac_layer_norm_declare(p, PLACE, "transform.LayerNorm", m->width);
    v->changed.epsilon = sac_config_number_or(c, "layer_norm_eps", 1e-12f);
    declare_head(m, tied || v->is_tied); /* either may tie them */
    sac_architecture_read_search(m, c, "bos_token_id", "sep_token_id");
}

static const sac_architecture decoder_of_blip = {.declare = declare_decoder};

/* ---------------------------------------------------------------- both */

static void declare(sac_pretrained_model *m, sac_config *c)
{
    bool tied = sac_config_flag_or(c, "tie_word_embeddings", true);
    /* Refuses BLIP models for other tasks, whose output is no caption. */
    static const char *const others[] = {"BlipForQuestionAnswering", "BlipForImageTextRetrieval",
                                         "BlipModel"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (sac_architecture_name_has(c, others[i]))
            sac_config_refuse(c, "architectures",
                              "%s generates no captions; give a BlipForConditionalGeneration",
                              others[i]);
    if (sac_pretrained_has_ending(m->files, "text_encoder.embeddings.word_embeddings.weight"))
        sac_config_refuse(c, "architectures",
                          "the weights are of a BLIP that reads a question or a text beside the "
                          "picture; give a BlipForConditionalGeneration");
    if (c->status != SAC_OK)
        return;
    sac_config vision = sac_config_inside(c, "vision_config");
    sac_config_apply_keys(&vision, sac_keys_of_blip_vision);
    sac_describe(m, &vision, &sac_blip_vision);
    sac_config text = sac_config_inside(c, "text_config");
    text.status = vision.status;
    sac_architecture_add_decoder(m, &decoder_of_blip, tied, &text);
    c->status = text.status;
}

static const sac_config_key sac_keys_of_blip[] = {
    COMMON,
    D("text_config", "{}"),
    D("vision_config", "{}"),
    U("tie_word_embeddings", "true"),
    H("projection_dim"),
    H("logit_scale_init_value"),
    H("image_text_hidden_size"),
    H("label_smoothing"),
    H("initializer_factor"),
    END,
};
const sac_config_key sac_keys_of_blip_vision[] = {
    SEEN,
    U("image_size", "384"),
    U("intermediate_size", "3072"),
    U("layer_norm_eps", "1e-5"),
    H("projection_dim"),
    END,
};
const sac_config_key sac_keys_of_blip_text[] = {
    COMMON,
    U("vocab_size", "30524"),
    U("hidden_size", "768"),
    U("encoder_hidden_size", "768"),
    U("intermediate_size", "3072"),
    U("num_hidden_layers", "12"),
    U("num_attention_heads", "8"),
    U("max_position_embeddings", "512"),
    U("hidden_act", "\"gelu\""),
    U("layer_norm_eps", "1e-12"),
    N("bos_token_id", "30522"),
    N("eos_token_id", "2"),
    N("pad_token_id", "0"),
    N("sep_token_id", "102"),
    U("tie_word_embeddings", "true"),
    O("is_decoder", "true"),
    O("position_embedding_type", "\"absolute\""),
    H("projection_dim"),
    H("hidden_dropout_prob"),
    H("attention_probs_dropout_prob"),
    H("label_smoothing"),
    END,
};

const sac_architecture sac_architecture_blip = {.types = {"blip"},
                                                .keys = sac_keys_of_blip,
                                                .architectures = {"Blip"},
                                                .mark = "text_decoder.cls.predictions.bias",
                                                .part_generates = true,
                                                .declare = declare};
