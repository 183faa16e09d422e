/* Models that read a picture and a question in one text: what they have in common, whatever sees and
 * whatever reads. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/captioning/chat.h"
#include "base/error.h"

/* The table of the architecture that a part is of, by its model_type, or else `usual`; its names of
 * tensors begin with one of `prefix`. False: it is none, and that is refused. */
static bool describe_part(sac_config *c, const char *usual, const char *const prefix[4],
                          sac_description *description)
{
    const char *type = sac_config_text(c, "model_type");
    const sac_architecture *found = sac_architecture_find(type[0] ? type : usual);
    if (!found || !found->describes) {
        sac_config_refuse(c, "model_type", "\"%.60s\" is no part of such a model here", type);
        return false;
    }
    sac_config_follow(c, found->keys);
    *description = *found->describes;
    memcpy(description->prefix, prefix, 4 * sizeof *prefix);
    return c->status == SAC_OK;
}

static void declare_decoder(sac_pretrained_model *m, sac_config *c)
{
    static const char *const prefix[4] = {"model.text_model.", "model.language_model.",
                                          "language_model.model."};
    sac_text_decoder *t = &m->text_decoder;
    sac_description words;
    t->class = &sac_text_decoder_of_prompts;
    if (!describe_part(c, "llama", prefix, &words))
        return;
    words.head = "lm_head.weight";
    words.other_head = "language_model.lm_head.weight";
    sac_describe(m, c, &words);
    if (c->status == SAC_OK)
        sac_architecture_read_answers(m, c);
    if (c->status == SAC_OK && !m->tells_next)
        sac_config_refuse(c, "architectures", "it has no head that says what comes next");
}

static const sac_architecture decoder_of_prompts = {.declare = declare_decoder};

/* What the whole's config says counts. */
static void hand_down(const sac_config *whole, sac_config *part, const char *name)
{
    cJSON *own = cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(whole->json, name), true);
    if (!own || !cJSON_IsObject(part->json)) {
        cJSON_Delete(own);
        return;
    }
    cJSON_DeleteItemFromObjectCaseSensitive(part->json, name);
    if (!cJSON_AddItemToObject(part->json, name, own))
        cJSON_Delete(own);
}

void sac_architecture_add_prompted(sac_pretrained_model *m, sac_config *c,
                                   const sac_connector *connector)
{
    sac_config text = sac_config_inside(c, "text_config");
    text.status = c->status;
    hand_down(c, &text, "tie_word_embeddings");
    sac_architecture_add_decoder(m, &decoder_of_prompts, false, &text);
    c->status = text.status;
    if (c->status != SAC_OK)
        return;
    sac_text_decoder *t = &m->decoder->text_decoder;
    char told[120] = "";
    t->connector = *connector;
    snprintf(t->chat, sizeof t->chat, "%s", connector->chat);
    c->status = sac_chat_read(m->folder, t->chat, sizeof t->chat, told, sizeof told, c->error);
    if (told[0])
        sac_pretrained_model_tell(m, "%s; the question is put as this kind of model has it", told);
}
