/* Pixtral (Agrawal et al. 2024) and Mistral 3: a vision transformer sees a picture in its own size, whose rows each end with a token of
 * their own in the prompt. In Mistral 3 patches by fours become a token. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

/* ---------------------------------------------------------------- what sees */

static const sac_description of_pixtral = {
    .width = "hidden_size",
    .layers = "num_hidden_layers",
    .heads = "num_attention_heads",
    .hidden = "intermediate_size",
    .activation = "hidden_act",
    .epsilon_of = 1e-5f,
    .prefix = {"vision_encoder.", ""},
    .patches = "patch_conv",
    .patches_unbiased = true,
    .any_size = true,
    .first_norm = "ln_pre",
    .rms = true,
    .layer = "transformer.layers.%d",
    .attention = {{.query = "attention.q_proj",
                   .key = "attention.k_proj",
                   .value = "attention.v_proj",
                   .out = "attention.o_proj"}},
    .norm = {[SAC_PART_SELF] = "attention_norm", [SAC_PART_FORWARD] = "ffn_norm"},
    .norm_first = true,
    .gate = "feed_forward.gate_proj",
    .up = "feed_forward.up_proj",
    .down = "feed_forward.down_proj",
    .turns_patches = true,
    .counts_patches = true,
    .staggers_patches = true,
    .processor = "PixtralImageProcessor"};

static const sac_config_key sac_keys_of_pixtral[] = {
    COMMON,
    U("hidden_size", "1024"),
    U("intermediate_size", "4096"),
    U("num_hidden_layers", "24"),
    U("num_attention_heads", "16"),
    U("num_channels", "3"),
    U("patch_size", "16"),
    U("hidden_act", "\"gelu\""),
    U("rope_parameters", NULL),
    U("rope_theta", NULL),
    H("head_dim"),
    H("image_size"),
    H("attention_dropout"),
    END,
};

const sac_architecture sac_architecture_pixtral = {.types = {"pixtral"},
                                                   .keys = sac_keys_of_pixtral,
                                                   .architectures = {"PixtralVisionModel"},
                                                   .describes = &of_pixtral};

/* ---------------------------------------------------------------- a picture in the prompt */

char *sac_make_picture_rows(const sac_tokenizer *tokenizer, int token,
                            const sac_picture_tiles *tiles, size_t each)
{
    const char *word = sac_tokenizer_token(tokenizer, token);
    const double form = (double)tiles->image->width / tiles->image->height;
    const size_t across = (size_t)lround(sqrt((double)each * form));
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 1; out && i <= each; i++)
        fprintf(out, "%s%s", word ? word : "",
                i == each         ? "[IMG_END]"
                : i % across == 0 ? "[IMG_BREAK]"
                                  : "");
    return out && fclose(out) == 0 ? text : (free(text), NULL);
}

/* ---------------------------------------------------------------- Mistral 3 */

static void declare_vision(sac_pretrained_model *m, sac_config *c)
{
    static const char *const names[6] = {"model.vision_tower.", "vision_tower."};
    sac_config vision = sac_config_inside(c, "vision_config");
    sac_description seen;
    if (sac_architecture_describe_part(&vision, "pixtral", names, &seen))
        sac_describe(m, &vision, &seen);
    c->status = vision.status;
}

/* Before patches are joined each goes through a norm, which is the last of what sees. */
static void declare_merger(sac_pretrained_model *m)
{
    sac_pretrained_model *d = m->decoder;
    sac_connector *k = &d->text_decoder.connector;
    const bool is_new = sac_pretrained_has(
        m->files, "model.multi_modal_projector.patch_merger.merging_layer.weight");
    const char *place = is_new ? "model.multi_modal_projector" : "multi_modal_projector";
    m->last_norm =
        sac_rms_norm_declare(&m->parameters, place, "norm", m->width, d->last_norm.epsilon);
    k->by_number = true;
    k->merge = sac_dense_declare(&d->parameters, place, "patch_merger.merging_layer", m->width,
                                 (size_t)(k->shuffle * k->shuffle) * m->width, false);
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    sac_connector k = {.write = sac_make_picture_rows,
                       .activation = sac_architecture_activation(c, "projector_hidden_act"),
                       .chat = SAC_CHAT_OF_MISTRAL};
    const bool is_new =
        !sac_config_has(c, "image_token_index") && sac_config_has(c, "image_token_id");
    k.token = sac_config_size_or(c, is_new ? "image_token_id" : "image_token_index", 0,
                                 SAC_ARCHITECTURE_TOKENS, 10);
    k.shuffle = sac_config_size(c, "spatial_merge_size", 1, 16);
    if (c->status == SAC_OK)
        declare_vision(m, c);
    m->vision_encoder.token_side = k.shuffle * m->vision_encoder.patch_w;
    if (c->status == SAC_OK)
        sac_llava_keep_layers(m, c, -1);
    if (c->status == SAC_OK)
        sac_architecture_add_prompted(m, c, "mistral", &k);
    if (c->status != SAC_OK)
        return;
    declare_merger(m);
    sac_llava_declare_projector(m, c);
}

static const sac_config_key sac_keys_of_mistral3[] = {
    COMMON,
    D("text_config", "{}"),
    D("vision_config", "{}"),
    U("image_token_index", NULL),
    U("image_token_id", NULL),
    U("projector_hidden_act", "\"gelu\""),
    U("vision_feature_layer", "-1"),
    U("multimodal_projector_bias", "false"),
    U("spatial_merge_size", "2"),
    U("tie_word_embeddings", "true"),
    END,
};

const sac_architecture sac_architecture_mistral3 = {.types = {"mistral3"},
                                                    .keys = sac_keys_of_mistral3,
                                                    .architectures = {"Mistral3"},
                                                    .declare = declare};
