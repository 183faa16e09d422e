/* LLaVA 1.5 (Liu et al. 2023): the patches of CLIP's last layer but one, through two linear layers,
 * stand in a text that LLaMA's kind reads. LLaVA-NeXT (Liu et al. 2024): so do those of all tiles of a
 * picture, without what fills them up. LLaVA-OneVision (Li et al. 2024): of SigLIP's last layer, and
 * Qwen2 reads them. */
#include <stdio.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

static const char *const seen_names[6] = {"model.vision_tower.vision_model.",
                                          "vision_tower.vision_model.", "model.vision_tower.",
                                          "vision_tower."};

void sac_llava_keep_layers(sac_pretrained_model *m, sac_config *c, int usual)
{
    static const char name[] = "vision_feature_layer";
    int layer = sac_config_size_or(c, name, -m->layers, m->layers, usual);
    m->last_norm = (sac_layer_norm){0};
    int kept = layer < 0 ? m->layers + 1 + layer : layer;
    if (kept < 1)
        sac_config_refuse(c, name, "%d leaves no layers", layer);
    else
        m->layers = kept;
}

static void describe_vision(sac_pretrained_model *m, sac_config *c, const char *usual)
{
    static const char *const strategies[] = {"default", "full", NULL};
    sac_config vision = sac_config_inside(c, "vision_config");
    sac_description seen;
    bool all = sac_config_choice(c, "vision_feature_select_strategy", strategies) == 1;
    vision.status = c->status;
    if (sac_architecture_describe_part(&vision, usual, seen_names, &seen))
        sac_describe(m, &vision, &seen);
    c->status = vision.status;
    if (c->status == SAC_OK && all && m->vision_encoder.prefix)
        sac_config_refuse(
            c, "vision_feature_select_strategy",
            "\"full\" has the class token beside the patches, which is not supported");
    if (c->status == SAC_OK && !all && !m->vision_encoder.prefix)
        sac_config_refuse(c, "vision_feature_select_strategy",
                          "\"default\" leaves a class token out, and there is none");
}

const char *sac_llava_declare_projector(sac_pretrained_model *m, sac_config *c)
{
    static const char *const places[] = {"model.multi_modal_projector", "multi_modal_projector"};
    sac_pretrained_model *d = m->decoder;
    sac_connector *k = &d->text_decoder.connector;
    bool bias = sac_config_flag_or(c, "multimodal_projector_bias", true);
    bool is_new = sac_pretrained_find(m->files, "model.multi_modal_projector.linear_1.weight");
    const char *place = places[!is_new];
    const size_t in = (k->merge.w ? 1 : (size_t)(k->shuffle * k->shuffle)) * m->width;
    k->project[0] = sac_dense_declare(&d->parameters, place, "linear_1", d->width, in, bias);
    k->project[1] = sac_dense_declare(&d->parameters, place, "linear_2", d->width, d->width, bias);
    return place;
}

static void declare_kind(sac_pretrained_model *m, sac_config *c, const char *chat)
{
    sac_connector k = {.shuffle = 1,
                       .write = sac_make_picture_tokens,
                       .activation = sac_architecture_activation(c, "projector_hidden_act"),
                       .chat = chat};
    bool is_new = !sac_config_has(c, "image_token_index") && sac_config_has(c, "image_token_id");
    k.token = sac_config_size_or(c, is_new ? "image_token_id" : "image_token_index", 0,
                                 SAC_ARCHITECTURE_TOKENS, 32000);
    describe_vision(m, c, "clip_vision_model");
    if (m->staggers_patches) { /* Pixtral's */
        k.write = sac_make_picture_rows;
        k.chat = SAC_CHAT_OF_MISTRAL;
        m->vision_encoder.token_side = m->vision_encoder.patch_w;
    }
    if (c->status == SAC_OK)
        sac_llava_keep_layers(m, c, -2);
    if (c->status == SAC_OK)
        sac_architecture_add_prompted(m, c, "llama", &k);
    if (c->status == SAC_OK)
        sac_llava_declare_projector(m, c);
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    declare_kind(m, c, "USER: " SAC_CHAT_PICTURE "\n" SAC_CHAT_QUESTION " ASSISTANT:");
}

/* Behind each row of the joined picture. */
static void declare_row_end(sac_pretrained_model *m)
{
    static const char *const ends[] = {"model.image_newline", "image_newline", NULL};
    sac_pretrained_model *d = m->decoder;
    d->text_decoder.connector.row_end =
        sac_parameter_vector(&d->parameters, sac_architecture_find_name(m, ends), d->width);
}

static void declare_next(sac_pretrained_model *m, sac_config *c)
{
    declare_kind(m, c, "[INST] " SAC_CHAT_PICTURE "\n" SAC_CHAT_QUESTION " [/INST]");
    m->vision_encoder.processor = "LlavaNextImageProcessor";
    if (c->status == SAC_OK)
        declare_row_end(m);
}

/* "anyres_max_9" */
static int read_most_tiles(sac_config *c)
{
    static const char name[] = "vision_aspect_ratio";
    int most = 0, end = 0;
    const char *text = sac_config_text(c, name);
    if (sscanf(text, "anyres_max_%3d%n", &most, &end) != 1 || text[end] || most < 1)
        sac_config_refuse(c, name, "\"%.40s\" is not supported; there is anyres_max_ with a number",
                          text);
    return most;
}

static void declare_onevision(sac_pretrained_model *m, sac_config *c)
{
    sac_connector k = {.shuffle = 1,
                       .write = sac_make_picture_tokens,
                       .activation = sac_architecture_activation(c, "projector_hidden_act"),
                       .most_tiles = read_most_tiles(c),
                       .chat = "<|im_start|>user " SAC_CHAT_PICTURE "\n" SAC_CHAT_QUESTION
                               "<|im_end|><|im_start|>assistant\n"};
    bool is_new = !sac_config_has(c, "image_token_index") && sac_config_has(c, "image_token_id");
    k.token = sac_config_size_or(c, is_new ? "image_token_id" : "image_token_index", 0,
                                 SAC_ARCHITECTURE_TOKENS, 151646);
    if (c->status == SAC_OK)
        describe_vision(m, c, "siglip_vision_model");
    if (c->status == SAC_OK)
        sac_llava_keep_layers(m, c, -1);
    m->vision_encoder.processor = "LlavaOnevisionImageProcessor";
    if (c->status == SAC_OK)
        sac_architecture_add_prompted(m, c, "qwen2", &k);
    if (c->status != SAC_OK)
        return;
    sac_llava_declare_projector(m, c);
    declare_row_end(m);
}

#define OF_LLAVA                                                                                   \
    COMMON, D("text_config", "{}"), D("vision_config", "{}"), U("image_token_index", NULL),        \
        U("image_token_id", NULL), U("projector_hidden_act", "\"gelu\""),                          \
        U("multimodal_projector_bias", "true"), U("tie_word_embeddings", "false")
static const sac_config_key sac_keys_of_llava_onevision[] = {
    OF_LLAVA,
    U("vision_feature_select_strategy", "\"full\""),
    U("vision_feature_layer", "-1"),
    U("vision_aspect_ratio", "\"anyres_max_9\""),
    H("image_grid_pinpoints"), /* the picture rules have them, too */
    H("video_token_index"),
    H("video_token_id"),
    H("ignore_index"),
    H("vocab_size"),
    H("pad_token_id"),
    H("use_image_newline_parameter"),
    END,
};
static const sac_config_key sac_keys_of_llava[] = {
    OF_LLAVA,
    U("vision_feature_select_strategy", "\"default\""),
    U("vision_feature_layer", "-2"),
    H("image_seq_length"),
    H("ignore_index"),
    H("vocab_size"),
    H("pad_token_id"),
    END,
};

static const sac_config_key sac_keys_of_llava_next[] = {
    D("vision_config", "{\"hidden_size\": 1024, \"intermediate_size\": 4096, "
                       "\"num_hidden_layers\": 24, \"num_attention_heads\": 16, "
                       "\"patch_size\": 14, \"image_size\": 336}"),
    OF_LLAVA,
    U("vision_feature_select_strategy", "\"default\""),
    U("vision_feature_layer", "-2"),
    H("image_grid_pinpoints"), /* the picture rules have them, too */
    H("image_seq_length"),
    H("ignore_index"),
    H("vocab_size"),
    H("pad_token_id"),
    H("use_image_newline_parameter"),
    END,
};

const sac_architecture sac_architecture_llava_next = {.types = {"llava_next"},
                                                      .keys = sac_keys_of_llava_next,
                                                      .architectures = {"LlavaNext"},
                                                      .declare = declare_next};
const sac_architecture sac_architecture_llava = {.types = {"llava"},
                                                 .keys = sac_keys_of_llava,
                                                 .architectures = {"LlavaForConditional"},
                                                 .declare = declare};
const sac_architecture sac_architecture_llava_onevision = {.types = {"llava_onevision"},
                                                           .keys = sac_keys_of_llava_onevision,
                                                           .architectures = {"LlavaOnevision"},
                                                           .declare = declare_onevision};
