#include "tokenizers/chat/conversation.h"

#include <cjson/cJSON.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/bytes.h"
#include "arrays/json.h"
#include "base/error.h"
#include "tokenizers/chat/template.h"

void sac_conversation_free(sac_conversation *conversation)
{
    free(conversation->text);
    free(conversation->turns);
    *conversation = (sac_conversation){0};
}

/* ---------------------------------------------------------------- the folder */

/* A text, or of a list of named ones that of the name "default", or else the first. */
static const char *template_in(const cJSON *json)
{
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(json, "chat_template"), *one,
                *text = found;
    if (cJSON_IsArray(found)) {
        text = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(found, 0), "template");
        cJSON_ArrayForEach(one, found)
        {
            const cJSON *name = cJSON_GetObjectItemCaseSensitive(one, "name");
            if (cJSON_IsString(name) && strcmp(name->valuestring, "default") == 0)
                text = cJSON_GetObjectItemCaseSensitive(one, "template");
        }
    }
    return cJSON_IsString(text) ? text->valuestring : NULL;
}

static sac_status read_template_in_file(const char *path, bool is_json, char **template,
                                        sac_error *error)
{
    sac_bytes bytes = {0};
    cJSON *json = NULL;
    if (!sac_is_regular(path))
        return SAC_OK;
    sac_status status =
        is_json ? sac_json_load_config(path, &json, error) : sac_bytes_read(path, &bytes, error);
    if (status == SAC_OK && is_json && template_in(json))
        *template = strdup(template_in(json));
    else if (status == SAC_OK && !is_json)
        *template = strndup((const char *)bytes.data, bytes.size);
    cJSON_Delete(json);
    sac_bytes_free(&bytes);
    return status;
}

sac_status sac_chat_template_read(const char *folder, char **template, const char **file,
                                  sac_error *error)
{
    static const char *const files[] = {"chat_template.jinja", "chat_template.json",
                                        "processor_config.json", "tokenizer_config.json"};
    char path[4096];
    sac_status status = SAC_OK;
    *template = NULL;
    for (size_t i = 0; i < sizeof files / sizeof *files && status == SAC_OK && !*template; i++) {
        *file = files[i];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        status = read_template_in_file(path, i > 0, template, error);
    }
    return status;
}

/* Templates name special tokens: "bos_token" and its like. In the files they are texts, or objects with one. */
static sac_status add_special_tokens(const char *folder, cJSON *variables, sac_error *error)
{
    static const char *const files[] = {"tokenizer_config.json", "special_tokens_map.json"};
    sac_status status = SAC_OK;
    for (size_t i = 0; i < 2 && status == SAC_OK; i++) {
        char path[4096];
        cJSON *json = NULL;
        const cJSON *one;
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        if (sac_is_regular(path))
            status = sac_json_load_config(path, &json, error);
        cJSON_ArrayForEach(one, json)
        {
            const size_t size = strlen(one->string);
            const cJSON *content = cJSON_GetObjectItemCaseSensitive(one, "content");
            const cJSON *text = cJSON_IsObject(one) ? content : one;
            if (size > 6 && strcmp(one->string + size - 6, "_token") == 0 && cJSON_IsString(text) &&
                !cJSON_HasObjectItem(variables, one->string))
                cJSON_AddStringToObject(variables, one->string, text->valuestring);
        }
        cJSON_Delete(json);
    }
    return status;
}

/* ---------------------------------------------------------------- a GGUF */

static const char *text_of_key(const cJSON *gguf, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(gguf, name));
}

/* The same of a file of llama.cpp, which has their numbers among its tokens. */
static void add_special_tokens_of_gguf(const cJSON *gguf, cJSON *variables)
{
    static const char *const names[] = {"bos", "eos", "unknown", "padding", "seperator", "mask"};
    static const char *const ours[] = {"bos_token", "eos_token", "unk_token",
                                       "pad_token", "sep_token", "mask_token"};
    const cJSON *tokens = cJSON_GetObjectItemCaseSensitive(gguf, "tokenizer.ggml.tokens");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64];
        snprintf(name, sizeof name, "tokenizer.ggml.%s_token_id", names[i]);
        const cJSON *id = cJSON_GetObjectItemCaseSensitive(gguf, name);
        const char *text = cJSON_IsNumber(id) && id->valuedouble >= 0 && id->valuedouble < 1 << 24
                               ? cJSON_GetStringValue(cJSON_GetArrayItem(tokens, id->valueint))
                               : NULL;
        if (text)
            cJSON_AddStringToObject(variables, ours[i], text);
    }
}

/* ---------------------------------------------------------------- messages */

static sac_status refuse_message(const char *value, sac_error *error)
{
    return sac_fail(error, SAC_E_ARGUMENT, "--chat",
                    "give a JSON file of [{\"role\": \"user\", \"content\": \"…\"}], or a turn "
                    "as \"user: …\"",
                    "\"%.60s\" is no turn of a conversation", value);
}

/* Of a turn as it is typed: "user: What is this?" */
static sac_status add_typed_turn(const char *value, cJSON *messages, sac_error *error)
{
    static const char *const roles[] = {"system", "user", "assistant"};
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        const size_t size = strlen(roles[i]);
        if (strncmp(value, roles[i], size) != 0 || value[size] != ':')
            continue;
        cJSON *message = cJSON_CreateObject();
        cJSON_AddStringToObject(message, "role", roles[i]);
        cJSON_AddStringToObject(message, "content", value + size + 1 + (value[size + 1] == ' '));
        cJSON_AddItemToArray(messages, message);
        return SAC_OK;
    }
    return refuse_message(value, error);
}

static sac_status add_turns_of_file(const char *path, cJSON *messages, sac_error *error)
{
    sac_bytes bytes = {0};
    cJSON *json = NULL;
    sac_status status = sac_bytes_read(path, &bytes, error);
    if (status == SAC_OK)
        status = sac_json_parse((const char *)bytes.data, bytes.size, &json, error);
    sac_bytes_free(&bytes);
    if (status != SAC_OK)
        return status;
    const cJSON *one, *inside = cJSON_GetObjectItemCaseSensitive(json, "messages");
    const cJSON *list = inside ? inside : json;
    bool is_well = cJSON_IsArray(list) && list->child;
    cJSON_ArrayForEach(one, list) if (is_well)
    {
        is_well = cJSON_IsString(cJSON_GetObjectItemCaseSensitive(one, "role")) &&
                  cJSON_IsString(cJSON_GetObjectItemCaseSensitive(one, "content"));
        if (is_well)
            cJSON_AddItemToArray(messages, cJSON_Duplicate(one, true));
    }
    cJSON_Delete(json);
    return is_well ? SAC_OK : refuse_message(path, error);
}

sac_status sac_messages_read(const char *const *values, size_t count, cJSON **messages,
                             sac_error *error)
{
    sac_status status = SAC_OK;
    *messages = cJSON_CreateArray();
    for (size_t i = 0; i < count && status == SAC_OK; i++)
        status = sac_is_regular(values[i]) ? add_turns_of_file(values[i], *messages, error)
                                           : add_typed_turn(values[i], *messages, error);
    if (status != SAC_OK) {
        cJSON_Delete(*messages);
        *messages = NULL;
    }
    return status;
}

void sac_messages_free(cJSON *messages)
{
    cJSON_Delete(messages);
}

/* ---------------------------------------------------------------- one text */

/* Characters that no text has, around a content: where they come out is where it stands. */
#define MARK_BEGIN "\xf4\x8f\xbf\xbc"
#define MARK_END "\xf4\x8f\xbf\xbd"
enum { MARK = 4 };

/* Inside of the blanks around the content, which templates may strip. */
static void mark_content(cJSON *message)
{
    cJSON *content = cJSON_GetObjectItemCaseSensitive(message, "content");
    const char *text = content->valuestring;
    size_t from = 0, end = strlen(text);
    char *marked = malloc(end + 2 * MARK + 1);
    while (from < end && isspace((unsigned char)text[from]))
        from++;
    while (end > from && isspace((unsigned char)text[end - 1]))
        end--;
    if (marked) {
        sprintf(marked, "%.*s" MARK_BEGIN "%.*s" MARK_END "%s", (int)from, text, (int)(end - from),
                text + from, text + end);
        cJSON_SetValuestring(content, marked);
    }
    free(marked);
}

/* The places of the contents in the text, by the same text with marks. A template whose text is another one
 * with them, or without some content, has no turns. */
static sac_status find_turns(const char *marked, const cJSON *messages, sac_conversation *c,
                             sac_error *error)
{
    const size_t most = (size_t)cJSON_GetArraySize(messages);
    char *plain = malloc(strlen(marked) + 1);
    size_t size = 0, count = 0;
    c->turns = calloc(most + 1, sizeof *c->turns);
    if (!plain || !c->turns) {
        free(plain);
        return sac_no_memory(error, "--chat");
    }
    for (; *marked; marked++)
        if (strncmp(marked, MARK_BEGIN, MARK) == 0) {
            if (count < most)
                c->turns[count].from = size;
            count++;
            marked += MARK - 1;
        } else if (strncmp(marked, MARK_END, MARK) == 0) {
            if (count && count <= most)
                c->turns[count - 1].size = size - c->turns[count - 1].from;
            marked += MARK - 1;
        } else
            plain[size++] = *marked;
    plain[size] = '\0';
    c->count = count == most && strcmp(plain, c->text) == 0 ? count : 0;
    free(plain);
    for (size_t i = 0; i < c->count; i++) {
        const cJSON *role =
            cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(messages, (int)i), "role");
        snprintf(c->turns[i].role, sizeof c->turns[i].role, "%.20s", role->valuestring);
    }
    return SAC_OK;
}

/* What a template of a folder, or of a GGUF, is given; free it. */
static sac_status make_variables(const char *folder, const cJSON *gguf, const cJSON *messages,
                                 cJSON **variables, sac_error *error)
{
    sac_status status = SAC_OK;
    *variables = cJSON_CreateObject();
    if (gguf)
        add_special_tokens_of_gguf(gguf, *variables);
    else
        status = add_special_tokens(folder, *variables, error);
    cJSON_AddItemToObject(*variables, "messages", cJSON_Duplicate(messages, true));
    cJSON_AddTrueToObject(*variables, "add_generation_prompt");
    cJSON_AddNullToObject(*variables, "tools");
    cJSON_AddNullToObject(*variables, "documents");
    return status;
}

static const char gguf_key[] = "tokenizer.chat_template";

/* The template of a folder, or of a GGUF, and where it stands; free() it. NULL: there is none. */
static sac_status read_template(const char *folder, const cJSON *gguf, char **template,
                                const char **file, sac_error *error)
{
    if (!gguf)
        return sac_chat_template_read(folder, template, file, error);
    const char *text = text_of_key(gguf, gguf_key);
    *file = gguf_key;
    *template = text ? strdup(text) : NULL;
    return text && !*template ? sac_no_memory(error, gguf_key) : SAC_OK;
}

sac_status sac_messages_render(const char *folder, const cJSON *gguf, const cJSON *messages,
                               char **text, const char **file, sac_error *error)
{
    char *template = NULL;
    cJSON *variables = NULL;
    *text = NULL;
    sac_status status = read_template(folder, gguf, &template, file, error);
    if (status == SAC_OK && template)
        status = make_variables(folder, gguf, messages, &variables, error);
    if (status == SAC_OK && template)
        status = sac_template_render(template, variables, text, error);
    cJSON_Delete(variables);
    free(template);
    return status;
}

sac_status sac_conversation_render(const char *folder, const cJSON *gguf, const cJSON *messages,
                                   sac_conversation *conversation, sac_error *error)
{
    const char *file;
    char *template = NULL, *marked = NULL;
    cJSON *variables = NULL, *message;
    *conversation = (sac_conversation){0};
    sac_status status = read_template(folder, gguf, &template, &file, error);
    if (status == SAC_OK && !template)
        status =
            sac_fail(error, SAC_E_FILE, folder, "give the text as the model reads it, with --text",
                     "has no chat template");
    if (status == SAC_OK)
        status = make_variables(folder, gguf, messages, &variables, error);
    if (status == SAC_OK)
        status = sac_template_render(template, variables, &conversation->text, error);
    cJSON_ArrayForEach(message, cJSON_GetObjectItemCaseSensitive(variables, "messages"))
        mark_content(message);
    /* A template may refuse contents with marks; there are no turns then. */
    if (status == SAC_OK && sac_template_render(template, variables, &marked, NULL) == SAC_OK)
        status = find_turns(marked, messages, conversation, error);
    cJSON_Delete(variables);
    free(template);
    free(marked);
    if (status != SAC_OK)
        sac_conversation_free(conversation);
    return status;
}
