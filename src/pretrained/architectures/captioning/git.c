/* GIT (Wang et al. 2022): CLIP's vision transformer sees, and its states stand before the words in one
 * text, which a BERT without other attention reads: what was seen sees itself, and a word all of it
 * and the words before it. */
#include "architectures/architecture.h"
#include "architectures/config_keys.h"

static const sac_description of_text = {
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .hidden = "intermediate_size",
    .max_positions = "max_position_embeddings",
    .activation = "hidden_act",
    .epsilon = "layer_norm_eps",
    .prefix = {"git."},
    .words = "embeddings.word_embeddings.weight",
    .positions = "embeddings.position_embeddings.weight",
    .first_norm = "embeddings.LayerNorm",
    .layer = "encoder.layer.%d",
    .attention = {{.query = "attention.self.query",
                   .key = "attention.self.key",
                   .value = "attention.self.value",
                   .out = "attention.output.dense"}},
    .up = "intermediate.dense",
    .down = "output.dense",
    .norm =
        {[SAC_PART_SELF] = "attention.output.LayerNorm", [SAC_PART_FORWARD] = "output.LayerNorm"},
    .causal = {NULL, true},
    .bias = SAC_ALL_BIASED};

static const sac_config_key keys_of_git_vision[] = {
    U("hidden_act", "\"quick_gelu\""),
    SEEN,
    U("intermediate_size", "3072"),
    U("image_size", "224"),
    U("num_channels", "3"),
    U("layer_norm_eps", "1e-5"),
    END,
};

/* `c` is that of both. */
static void declare_decoder(sac_pretrained_model *m, sac_config *c)
{
    sac_text_decoder *v = &m->text_decoder;
    sac_config vision = sac_config_inside(c, "vision_config");
    sac_describe(m, c, &of_text);
    if (c->status != SAC_OK)
        return;
    v->joins = true;
    v->memory = m->width;
    v->bridge = sac_dense_declare(&m->parameters, "git.visual_projection.visual_projection", "0",
                                  m->width, v->seen, true);
    v->bridged = sac_layer_norm_declare(&m->parameters, "git.visual_projection.visual_projection",
                                        "1", m->width);
    v->bridged.epsilon = sac_config_number_or(&vision, "layer_norm_eps", 1e-5f);
    bool tied = sac_config_flag_or(c, "tie_word_embeddings", false);
    if (sac_architecture_owns_head(m, "output.weight", m->words->name, tied))
        m->head = sac_parameter_weight(&m->parameters, "output.weight", m->vocabulary, m->width);
    v->bias = sac_parameter_vector(&m->parameters, "output.bias", m->vocabulary);
    sac_architecture_read_search(m, c, "bos_token_id", "eos_token_id");
}

static const sac_architecture decoder_of_git = {.declare = declare_decoder};

static void declare(sac_pretrained_model *m, sac_config *c)
{
    sac_config vision = sac_config_inside(c, "vision_config");
    sac_description seen = sac_clip_vision;
    seen.prefix[0] = "git.image_encoder.vision_model.";
    seen.prefix[1] = NULL;
    seen.last_norm = "post_layernorm";
    sac_config_apply_keys(&vision, keys_of_git_vision);
    sac_describe(m, &vision, &seen);
    c->status = vision.status;
    sac_architecture_add_decoder(m, &decoder_of_git, false, c);
}

/* Pictures alone, and no frames of a film. */
static const sac_config_key keys_of_git[] = {
    COMMON,
    D("vision_config", "{}"),
    U("vocab_size", "30522"),
    U("hidden_size", "768"),
    U("num_hidden_layers", "6"),
    U("num_attention_heads", "12"),
    U("intermediate_size", "3072"),
    U("hidden_act", "\"gelu\""),
    U("max_position_embeddings", "1024"),
    U("layer_norm_eps", "1e-12"),
    N("pad_token_id", "0"),
    N("bos_token_id", "101"),
    N("eos_token_id", "102"),
    U("tie_word_embeddings", "false"),
    O("num_image_with_embedding", "[0, null]"),
    O("position_embedding_type", "\"absolute\""),
    H("hidden_dropout_prob"),
    H("attention_probs_dropout_prob"),
    END,
};

const sac_architecture sac_architecture_git = {
    .types = {"git"}, .keys = keys_of_git, .architectures = {"GitForCausalLM"}, .declare = declare};
