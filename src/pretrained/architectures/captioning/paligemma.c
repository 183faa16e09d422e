/* PaliGemma (Beyer et al. 2024): SigLIP's patches, through one linear layer, and behind them a
 * question, of which Gemma's layers see all at once; the answer alone is read from left to right. */
#include <cjson/cJSON.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

static const char *const seen_names[6] = {"model.vision_tower.vision_model.",
                                          "vision_tower.vision_model.", "model.vision_tower.",
                                          "vision_tower."};

static void describe_vision(sac_pretrained_model *m, sac_config *c)
{
    sac_config vision = sac_config_inside(c, "vision_config");
    sac_description seen;
    if (sac_architecture_describe_part(&vision, "siglip_vision_model", seen_names, &seen))
        sac_describe(m, &vision, &seen);
    c->status = vision.status;
}

/* In such a model it concerns the prompt alone, which sees all of itself in any case. */
static void remove_direction_setting(sac_config *c)
{
    sac_config text = sac_config_inside(c, "text_config");
    if (cJSON_IsObject(text.json))
        cJSON_DeleteItemFromObjectCaseSensitive(text.json, "use_bidirectional_attention");
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    sac_connector k = {.shuffle = 1,
                       .write = sac_make_picture_tokens,
                       .chat = SAC_CHAT_PICTURE "<bos>" SAC_CHAT_QUESTION "\n",
                       .is_bare = true,
                       .is_bidirectional = true};
    bool is_new = !sac_config_has(c, "image_token_index") && sac_config_has(c, "image_token_id");
    k.token = sac_config_size_or(c, is_new ? "image_token_id" : "image_token_index", 0,
                                 SAC_ARCHITECTURE_TOKENS, 256000);
    remove_direction_setting(c);
    describe_vision(m, c);
    if (c->status == SAC_OK)
        sac_architecture_add_prompted(m, c, "gemma", &k);
    if (c->status != SAC_OK)
        return;
    sac_pretrained_model *d = m->decoder;
    bool has_model =
        sac_pretrained_find(m->files, "model.multi_modal_projector.linear.weight") != NULL;
    d->text_decoder.connector.project[0] = sac_dense_declare(
        &d->parameters, has_model ? "model.multi_modal_projector" : "multi_modal_projector",
        "linear", d->width, m->width, true);
}

static const sac_config_key sac_keys_of_paligemma[] = {
    COMMON,
    D("text_config", "{}"),
    D("vision_config", "{}"),
    U("image_token_index", NULL),
    U("image_token_id", NULL),
    U("tie_word_embeddings", "true"),
    H("vocab_size"),
    H("projection_dim"),
    H("hidden_size"),
    H("ignore_index"),
    H("bos_token_id"),
    H("eos_token_id"),
    H("pad_token_id"),
    END,
};

const sac_architecture sac_architecture_paligemma = {.types = {"paligemma"},
                                                     .keys = sac_keys_of_paligemma,
                                                     .architectures = {"PaliGemma"},
                                                     .declare = declare};
