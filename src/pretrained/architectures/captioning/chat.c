/* What models that read a picture and a question in one text have in common, whatever sees and whatever reads: the
 * templates of chats in a folder, of which the common ones are known, and their parts. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/error.h"
#include "tokenizers/chat/conversation.h"

#define P SAC_CHAT_PICTURE
#define Q SAC_CHAT_QUESTION

/* ---------------------------------------------------------------- templates that are known */

/* By what stands in them; the first that has all of it. */
static const struct {
    const char *marks[4];
    bool has_head; /* what stands before the first loop begins the prompt */
    const char *prompt;
} kinds[] = {
    {{"capitalize", "<end_of_utterance>", "Assistant:"},
     true,
     "User:" P Q "<end_of_utterance>\nAssistant:"},
    {{"USER", "ASSISTANT:"}, false, "USER: " P "\n" Q " ASSISTANT:"},
    {{"upper", "ASSISTANT:"}, false, "USER: " P "\n" Q " ASSISTANT:"},
    {{"[INST] ", " [/INST]"}, false, "[INST] " P "\n" Q " [/INST]"},
    {{"<|vision_start|>", "<|im_start|>", "You are a helpful assistant."},
     false,
     "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\n"
     "<|vision_start|>" P "<|vision_end|>" Q "<|im_end|>\n<|im_start|>assistant\n"},
    {{"<|vision_start|>", "<|im_start|>"},
     false,
     "<|im_start|>user\n<|vision_start|>" P "<|vision_end|>" Q
     "<|im_end|>\n<|im_start|>assistant\n"},
    {{"<|im_start|>", "<|im_end|>", "+ ' '"},
     false,
     "<|im_start|>user " P "\n" Q "<|im_end|><|im_start|>assistant\n"},
    {{"<start_of_turn>", "<end_of_turn>"},
     false,
     "<start_of_turn>user\n" P Q "<end_of_turn>\n<start_of_turn>model\n"},
    {{"<|im_start|>", "<|im_end|>"},
     false,
     "<|im_start|>user\n" P Q "<|im_end|>\n<|im_start|>assistant\n"},
};

static bool has_all(const char *text, const char *const marks[4])
{
    for (int i = 0; i < 4 && marks[i]; i++)
        if (!strstr(text, marks[i]))
            return false;
    return true;
}

bool sac_chat_find(const char *template, char *prompt, size_t size)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!has_all(template, kinds[i].marks))
            continue;
        const char *loop = strstr(template, "{%");
        int head = kinds[i].has_head && loop && loop - template <64 ? (int)(loop - template) : 0;
        snprintf(prompt, size, "%.*s%s", head, template, kinds[i].prompt);
        return true;
    }
    return false;
}

/* ---------------------------------------------------------------- the folder */

/* Finds the folder's template and the prompt that it makes, into `prompt`. Where it has none, or none
 * that is known, `prompt` stays as it is, and `note` gets a line. */
static sac_status read_template(const char *folder, char *prompt, size_t size, char *note,
                                size_t note_room, sac_error *error)
{
    const char *file;
    char *text;
    sac_status status = sac_chat_template_read(folder, &text, &file, error);
    if (status == SAC_OK && !text)
        snprintf(note, note_room, "it has no chat template");
    else if (status == SAC_OK && !sac_chat_find(text, prompt, size))
        snprintf(note, note_room, "its chat template (%s) is not known here", file);
    free(text);
    return status;
}

char *sac_chat_fill(const char *prompt, const char *picture, const char *question)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (; *prompt; prompt++)
        if (*prompt == P[0])
            fputs(picture, out);
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
    c->status = read_template(m->folder, t->chat, sizeof t->chat, note, sizeof note, c->error);
    if (note[0])
        sac_pretrained_model_note(m, "%s; the question takes this kind of model's usual form",
                                  note);
}
