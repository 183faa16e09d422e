/* What models that read a picture, or a sound, and a question in one text have in common, whatever sees and whatever reads: the
 * prompt, by the chat template of a folder, and their parts. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/error.h"
#include "tokenizers/chat/conversation.h"

#define P SAC_CHAT_PICTURE
#define Q SAC_CHAT_QUESTION

/* ---------------------------------------------------------------- prompts */

/* One message of a person: pictures or a sound, and a question about them. */
static cJSON *make_message(int pictures, bool is_sound)
{
    cJSON *messages = cJSON_CreateArray(), *message = cJSON_CreateObject();
    cJSON_AddStringToObject(message, "role", "user");
    cJSON *content = cJSON_AddArrayToObject(message, "content"), *item;
    for (int i = 0; i <= pictures; i++) {
        cJSON_AddItemToArray(content, item = cJSON_CreateObject());
        cJSON_AddStringToObject(item, "type",
                                i == pictures ? "text"
                                : is_sound    ? "audio"
                                              : "image");
        if (i < pictures && is_sound)
            cJSON_AddStringToObject(item, "audio_url", ""); /* by which some templates know it */
        if (i == pictures)
            cJSON_AddStringToObject(item, "text", Q);
    }
    cJSON_AddItemToArray(messages, message);
    return messages;
}

/* Puts P in place of each `mark`, in place; returns how many there were. */
static int mark_pictures(char *text, const char *mark)
{
    const size_t size = strlen(mark);
    int count = 0;
    char *to = text;
    while (*text)
        if (size && strncmp(text, mark, size) == 0) {
            *to++ = P[0];
            text += size;
            count++;
        } else
            *to++ = *text++;
    *to = '\0';
    return count;
}

/* The prompt that the folder's template makes of so many pictures and a question. *form stays NULL, and `why` has the reason,
 * where there is no template, or none that gives each its place. */
static sac_status render_form(const sac_pretrained_model *m, int pictures, char **form, char *why,
                              size_t room, sac_error *error)
{
    const sac_connector *k = &m->decoder->text_decoder.connector;
    const char *mark = k->mark ? k->mark : sac_tokenizer_token(m->tokenizer, k->token);
    const char *file = NULL;
    sac_error problem = {0};
    char *text = NULL;
    const bool is_sound = sac_architecture_has_audio(m);
    cJSON *messages = make_message(pictures, is_sound);
    sac_status status = sac_messages_render(m->folder, sac_pretrained_gguf_keys(m->files), messages,
                                            &text, &file, &problem);
    cJSON_Delete(messages);
    if (status != SAC_OK && status != SAC_E_FORMAT) {
        if (error)
            *error = problem;
        return status;
    }
    if (status != SAC_OK)
        snprintf(why, room, "its chat template is not followed (%.100s)", problem.what);
    else if (!text)
        snprintf(why, room, "it has no chat template");
    else if (mark_pictures(text, mark ? mark : "") != pictures || !strstr(text, Q))
        snprintf(why, room, "its chat template (%.40s) has no place for %s", file,
                 is_sound       ? "a sound and a question"
                 : pictures > 1 ? "several pictures and a question"
                                : "a picture and a question");
    else {
        *form = text;
        return SAC_OK;
    }
    free(text);
    return SAC_OK;
}

sac_status sac_chat_read(sac_pretrained_model *m, sac_error *error)
{
    sac_text_decoder *t = &m->decoder->text_decoder;
    char why[200] = "", *form = NULL;
    if (t->question != SAC_ASKED_IN_PROMPT || t->connector.is_bare)
        return SAC_OK;
    sac_status status = render_form(m, 1, &form, why, sizeof why, error);
    if (form && strlen(form) < sizeof t->chat)
        memcpy(t->chat, form, strlen(form) + 1);
    else if (form)
        snprintf(why, sizeof why, "its chat template makes more than %zu bytes",
                 sizeof t->chat - 1);
    if (why[0])
        sac_pretrained_model_note(m, "%s; the question takes this kind of model's usual form", why);
    free(form);
    return status;
}

sac_status sac_chat_form(const sac_pretrained_model *m, int pictures, char **form, sac_error *error)
{
    char why[200] = "";
    *form = NULL;
    sac_status status = m->decoder->text_decoder.connector.is_bare
                            ? SAC_OK
                            : render_form(m, pictures, form, why, sizeof why, error);
    return status != SAC_OK || *form
               ? status
               : sac_fail(error, SAC_E_ARGUMENT, m->name, "give one picture at a time",
                          "is given %d pictures together, and %s", pictures,
                          why[0] ? why : "its prompt has one");
}

char *sac_chat_fill(const char *prompt, const char *const *pictures, const char *question)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (; *prompt; prompt++)
        if (*prompt == P[0])
            fputs(*pictures++, out);
        else if (*prompt == Q[0])
            fputs(question, out);
        else
            fputc(*prompt, out);
    return fclose(out) == 0 ? text : (free(text), NULL);
}

/* ---------------------------------------------------------------- models with a picture in their prompt */

bool sac_architecture_describe_part(sac_config *c, const char *usual, const char *const prefix[6],
                                    sac_description *description)
{
    const char *type = sac_config_text(c, "model_type");
    const sac_architecture *found = sac_architecture_find(type[0] ? type : usual);
    if (!found || !found->describes) {
        sac_config_refuse(c, "model_type", "\"%.60s\" is no part of such a model here", type);
        return false;
    }
    sac_config_apply_keys(c, found->keys);
    *description = *found->describes;
    memcpy(description->prefix, prefix, 6 * sizeof *prefix);
    return c->status == SAC_OK;
}

char *sac_make_picture_tokens(const sac_tokenizer *tokenizer, int token,
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

static void declare_reader(sac_pretrained_model *m, sac_config *c)
{
    static const char *const prefix[6] = {"language_model.model.", "model.language_model.",
                                          "language_model.", "model."};
    sac_description words;
    if (!sac_architecture_describe_part(c, "", prefix, &words))
        return;
    words.head = words.other_head = NULL;
    sac_describe(m, c, &words);
}

static const sac_architecture reader_of_prompts = {.declare = declare_reader};

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
static void copy_tied_head_flag(sac_config *whole, sac_config *part)
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
    copy_tied_head_flag(c, &text);
    if (connector->only_reads)
        sac_architecture_add_part(m, &m->reader, &reader_of_prompts, &text);
    else
        sac_architecture_add_decoder(m, &decoder_of_prompts, false, &text);
    c->status = text.status;
    if (c->status != SAC_OK)
        return;
    sac_text_decoder *t = &(connector->only_reads ? m->reader : m->decoder)->text_decoder;
    t->connector = *connector;
    snprintf(t->chat, sizeof t->chat, "%s", connector->chat);
}
