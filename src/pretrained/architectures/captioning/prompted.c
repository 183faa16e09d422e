/* Models that read a picture and a question in one text: what they have in common, whatever sees and
 * whatever reads. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/captioning/chat.h"
#include "base/error.h"

bool sac_architecture_describe_part(sac_config *c, const char *usual, const char *const prefix[6],
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
    memcpy(description->prefix, prefix, 6 * sizeof *prefix);
    return c->status == SAC_OK;
}

char *sac_write_picture_tokens(const sac_tokenizer *tokenizer, int token,
                               const sac_picture_tiles *tiles, size_t each)
{
    const char *word = sac_tokenizer_token(tokenizer, token);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    (void)tiles; /* one */
    for (size_t i = 0; out && i < each; i++)
        fputs(word ? word : "", out);
    return out && fclose(out) == 0 ? text : (free(text), NULL);
}

static void declare_decoder(sac_pretrained_model *m, sac_config *c)
{
    static const char *const prefix[6] = {"model.text_model.", "model.language_model.", "model.",
                                          "language_model.model.", "language_model.model.decoder."};
    sac_text_decoder *t = &m->text_decoder;
    sac_description words;
    t->question = SAC_ASKED_IN_PROMPT;
    if (!sac_architecture_describe_part(c, "", prefix, &words))
        return;
    words.head = "lm_head.weight";
    words.other_head = "language_model.lm_head.weight";
    sac_describe(m, c, &words);
    if (c->status == SAC_OK)
        sac_architecture_read_answers(m, c);
    if (c->status == SAC_OK && !m->predicts_next)
        sac_config_refuse(c, "architectures", "it has no head that predicts the next token");
}

static const sac_architecture decoder_of_prompts = {.declare = declare_decoder};

/* Either config may tie the head to the words. */
static void hand_down_tie(sac_config *whole, sac_config *part)
{
    static const char name[] = "tie_word_embeddings";
    if (!sac_config_flag_or(whole, name, false) || !cJSON_IsObject(part->json))
        return;
    cJSON_DeleteItemFromObjectCaseSensitive(part->json, name);
    if (!cJSON_AddBoolToObject(part->json, name, true))
        part->status = sac_no_memory(part->error, name);
}

void sac_architecture_add_prompted(sac_pretrained_model *m, sac_config *c, const char *usual,
                                   const sac_connector *connector)
{
    sac_config text = sac_config_inside(c, "text_config");
    text.status = c->status;
    if (cJSON_IsObject(text.json) && !sac_config_has(&text, "model_type"))
        cJSON_AddStringToObject(text.json, "model_type", usual);
    hand_down_tie(c, &text);
    sac_architecture_add_decoder(m, &decoder_of_prompts, false, &text);
    c->status = text.status;
    if (c->status != SAC_OK)
        return;
    sac_text_decoder *t = &m->decoder->text_decoder;
    char note[120] = "";
    t->connector = *connector;
    snprintf(t->chat, sizeof t->chat, "%s", connector->chat);
    if (connector->is_bare)
        return;
    c->status = sac_chat_read(m->folder, t->chat, sizeof t->chat, note, sizeof note, c->error);
    if (note[0])
        sac_pretrained_model_note(m, "%s; the question takes this kind of model's usual form",
                                  note);
}
