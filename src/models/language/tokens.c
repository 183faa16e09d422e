#include "language/tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/utf8.h"
#include "language/bpe.h"

/* ---------------------------------------------------------------- kinds */

static const char *const names[] = {
    [SAC_TOKENS_CHARACTERS] = "characters", [SAC_TOKENS_BYTES] = "bytes", [SAC_TOKENS_BPE] = "bpe"};

const char *sac_token_kind_name(sac_token_kind kind)
{
    return names[kind];
}

bool sac_token_kind_read(const char *name, sac_token_kind *kind, size_t *most)
{
    int end = 0;
    *most = SAC_TOKENS_USUAL;
    if (sscanf(name, "bpe:%zu%n", most, &end) == 1 && !name[end]) {
        *kind = SAC_TOKENS_BPE;
        return *most > SAC_BPE_BYTES && *most <= SAC_BPE_MOST;
    }
    for (int i = 0; i <= SAC_TOKENS_BPE; i++)
        if (strcmp(name, names[i]) == 0) {
            *kind = (sac_token_kind)i;
            return true;
        }
    return false;
}

void sac_token_table_free(sac_token_table *table)
{
    free(table->text);
    free(table->merges);
    *table = (sac_token_table){0};
}

static sac_status allocate(sac_token_kind kind, size_t count, sac_token_table *table,
                           sac_error *error)
{
    *table = (sac_token_table){.kind = kind, .count = count};
    table->text = calloc(count + 1, sizeof *table->text);
    if (kind == SAC_TOKENS_BPE)
        table->merges = calloc(count - SAC_BPE_BYTES + 1, sizeof *table->merges);
    if (table->text && (table->merges || kind != SAC_TOKENS_BPE))
        return SAC_OK;
    sac_token_table_free(table);
    return sac_no_memory(error, "tokens");
}

/* ---------------------------------------------------------------- characters */

enum { CODES = 0x110000 };

static sac_status learn_characters(const char *text, size_t size, sac_token_table *table,
                                   sac_error *error)
{
    bool *has = calloc(CODES, sizeof *has);
    size_t count = 0;
    uint32_t code;
    if (!has)
        return sac_no_memory(error, "tokens");
    for (size_t at = 0; at < size;) {
        at += sac_utf8_at(text + at, size - at, &code);
        count += !has[code];
        has[code] = true;
    }
    sac_status status = allocate(SAC_TOKENS_CHARACTERS, count, table, error);
    count = 0;
    for (code = 0; code < CODES && status == SAC_OK; code++)
        if (has[code])
            sac_utf8_encode(code, table->text[count++]);
    free(has);
    return status;
}

static sac_status encode_characters(const sac_token_table *table, const char *text, size_t size,
                                    int *tokens, size_t *count, sac_error *error)
{
    int *known = malloc(CODES * sizeof *known); /* by code point: its token; −1: none */
    uint32_t code;
    if (!known)
        return sac_no_memory(error, "tokens");
    memset(known, -1, CODES * sizeof *known);
    for (size_t i = 0; i < table->count; i++) {
        sac_utf8_at(table->text[i], SIZE_MAX, &code);
        known[code] = (int)i;
    }
    sac_status status = SAC_OK;
    for (size_t at = 0, length; at < size && status == SAC_OK; at += length) {
        length = sac_utf8_at(text + at, size - at, &code);
        tokens[(*count)++] = known[code];
        if (known[code] < 0)
            status = sac_fail(
                error, SAC_E_VALUE, "--text", "give the text that it was trained on before",
                "has a \"%.*s\", for which the model has no token", (int)length, text + at);
    }
    free(known);
    return status;
}

/* ---------------------------------------------------------------- bytes, and pairs of them */

/* The bytes of each token, once the merges are known; of one that would be longer than any token is as many as there
 * is room for. */
static void fill_texts(sac_token_table *table)
{
    for (size_t i = 0; i < SAC_BPE_BYTES; i++)
        table->text[i][0] = (char)i;
    for (size_t i = SAC_BPE_BYTES; i < table->count; i++) {
        const int *pair = table->merges[i - SAC_BPE_BYTES];
        char both[2 * SAC_TOKEN_BYTES] = "";
        snprintf(both, sizeof both, "%.63s%.63s", table->text[pair[0]], table->text[pair[1]]);
        memcpy(table->text[i], both, SAC_TOKEN_BYTES - 1);
    }
}

static sac_status learn_bytes(sac_token_kind kind, size_t most, const char *text, size_t size,
                              sac_token_table *table, sac_error *error)
{
    size_t merges = 0;
    sac_status status = allocate(kind, kind == SAC_TOKENS_BPE ? most : SAC_BPE_BYTES, table, error);
    if (status == SAC_OK && kind == SAC_TOKENS_BPE)
        status = sac_bpe_learn(text, size, most - SAC_BPE_BYTES, table->merges, &merges, error);
    table->count = SAC_BPE_BYTES + merges;
    if (status == SAC_OK)
        fill_texts(table);
    else
        sac_token_table_free(table);
    return status;
}

/* ---------------------------------------------------------------- all kinds */

sac_status sac_token_table_learn(sac_token_kind kind, size_t most, const char *text, size_t size,
                                 sac_token_table *table, sac_error *error)
{
    *table = (sac_token_table){0};
    return kind == SAC_TOKENS_CHARACTERS ? learn_characters(text, size, table, error)
                                         : learn_bytes(kind, most, text, size, table, error);
}

sac_status sac_tokens_encode(const sac_token_table *table, const char *text, size_t size,
                             int **tokens, size_t *count, sac_error *error)
{
    *count = 0;
    *tokens = malloc((size + 1) * sizeof **tokens);
    if (!*tokens)
        return sac_no_memory(error, "tokens");
    if (table->kind == SAC_TOKENS_CHARACTERS)
        return encode_characters(table, text, size, *tokens, count, error);
    if (table->kind == SAC_TOKENS_BPE)
        return sac_bpe_encode((const int(*)[2])table->merges, table->count - SAC_BPE_BYTES, text,
                              size, *tokens, count, error);
    for (; *count < size; (*count)++)
        (*tokens)[*count] = (unsigned char)text[*count];
    return SAC_OK;
}

void sac_tokens_decode(const sac_token_table *table, const int *tokens, size_t count, char *to,
                       size_t size)
{
    size_t used = 0, whole = 0;
    for (size_t i = 0; i < count; i++) {
        const char *text = table->text[tokens[i]];
        const size_t length = strlen(text);
        if (used + length >= size)
            break;
        memcpy(to + used, text, length);
        used += length;
    }
    for (size_t at = 0, length; at < used; at += length) {
        uint32_t code;
        length = sac_utf8_at(to + at, used - at, &code);
        if (code == UINT32_MAX)
            continue;
        memmove(to + whole, to + at, length);
        whole += length;
    }
    to[whole] = '\0';
}

/* ---------------------------------------------------------------- a model's description */

static const char *token_text(const void *self, int token)
{
    return ((const sac_token_table *)self)->text[token];
}

/* [left, right, left, right, …] */
static bool add_merges(const sac_token_table *table, cJSON *model)
{
    cJSON *list = cJSON_AddArrayToObject(model, "merges");
    bool whole = list;
    for (size_t i = 0; i < 2 * (table->count - SAC_BPE_BYTES) && whole; i++)
        whole = cJSON_AddItemToArray(list, cJSON_CreateNumber(table->merges[i / 2][i % 2]));
    return whole;
}

bool sac_token_table_describe(const sac_token_table *table, cJSON *model)
{
    const sac_description_vocabulary vocabulary = {table, token_text};
    bool whole = cJSON_AddStringToObject(model, "tokens", names[table->kind]);
    if (table->kind == SAC_TOKENS_CHARACTERS)
        whole =
            whole && sac_description_add_words(model, "vocabulary", &vocabulary, (int)table->count);
    return table->kind == SAC_TOKENS_BPE ? whole && add_merges(table, model) : whole;
}

/* One character of UTF-8 each, in the order of their code points. */
static void read_characters(sac_description *d, sac_token_table *table)
{
    const cJSON *list = sac_description_list(d, "vocabulary"), *item;
    const int count = d->status == SAC_OK ? cJSON_GetArraySize(list) : 0;
    sac_description_check(d, count, "the size of the vocabulary", 2, SAC_TOKENS_MOST);
    if (d->status == SAC_OK)
        d->status = allocate(SAC_TOKENS_CHARACTERS, (size_t)count, table, d->error);
    if (d->status != SAC_OK)
        return;
    uint32_t before = 0, code = 0;
    size_t i = 0;
    cJSON_ArrayForEach(item, list)
    {
        const char *text = cJSON_IsString(item) ? item->valuestring : "";
        const size_t length = strlen(text);
        if (!length || sac_utf8_at(text, length, &code) != length || code >= CODES ||
            (i && code <= before)) {
            sac_description_refuse(d, "its vocabulary is not one of characters");
            return;
        }
        strcpy(table->text[i++], text);
        before = code;
    }
}

/* Pairs of tokens that are there before. */
static void read_merges(sac_description *d, sac_token_table *table)
{
    const cJSON *list = sac_description_list(d, "merges"), *item;
    const int numbers = d->status == SAC_OK ? cJSON_GetArraySize(list) : 0;
    sac_description_check(d, numbers / 2.0, "the number of merges", 0,
                          SAC_BPE_MOST - SAC_BPE_BYTES);
    if (d->status == SAC_OK)
        d->status = allocate(SAC_TOKENS_BPE, SAC_BPE_BYTES + (size_t)numbers / 2, table, d->error);
    if (d->status != SAC_OK)
        return;
    int i = 0;
    cJSON_ArrayForEach(item, list)
    {
        const double number = cJSON_IsNumber(item) ? item->valuedouble : -1;
        table->merges[i / 2][i % 2] =
            sac_description_check(d, number, "a token of a merge", 0, SAC_BPE_BYTES + i / 2 - 1);
        i++;
    }
    fill_texts(table);
}

void sac_token_table_read(sac_description *d, sac_token_table *table)
{
    const char *name = sac_description_text_or(d, "tokens", "");
    *table = (sac_token_table){0};
    if (d->status != SAC_OK)
        return;
    if (strcmp(name, names[SAC_TOKENS_CHARACTERS]) == 0)
        read_characters(d, table);
    else if (strcmp(name, names[SAC_TOKENS_BPE]) == 0)
        read_merges(d, table);
    else if (strcmp(name, names[SAC_TOKENS_BYTES]) == 0)
        d->status = learn_bytes(SAC_TOKENS_BYTES, 0, NULL, 0, table, d->error);
    else
        sac_description_refuse(d, "has tokens of another kind: \"%.40s\"", name);
}

/* ---------------------------------------------------------------- tokenizer.json */

/* A token as the file writes it: bytes as characters (base/text/utf8.h). */
static const char *written(const sac_token_table *table, int token, char text[4 * SAC_TOKEN_BYTES])
{
    size_t used = 0;
    if (table->kind == SAC_TOKENS_CHARACTERS)
        return table->text[token];
    const size_t length = token < SAC_BPE_BYTES ? 1 : strlen(table->text[token]);
    for (size_t i = 0; i < length; i++)
        used += sac_utf8_encode(sac_byte_character((uint8_t)table->text[token][i]), text + used);
    text[used] = '\0';
    return text;
}

static bool add_byte_level(cJSON *part)
{
    return cJSON_AddStringToObject(part, "type", "ByteLevel") &&
           cJSON_AddFalseToObject(part, "add_prefix_space") &&
           cJSON_AddTrueToObject(part, "trim_offsets") && cJSON_AddFalseToObject(part, "use_regex");
}

/* Pieces, and then their bytes. */
static bool add_pieces(cJSON *part)
{
    cJSON *list = cJSON_AddArrayToObject(part, "pretokenizers"), *split = cJSON_CreateObject(),
          *bytes = cJSON_CreateObject();
    return cJSON_AddItemToArray(list, split) & cJSON_AddItemToArray(list, bytes) &&
           cJSON_AddStringToObject(part, "type", "Sequence") &&
           cJSON_AddStringToObject(split, "type", "Split") &&
           cJSON_AddStringToObject(cJSON_AddObjectToObject(split, "pattern"), "Regex",
                                   SAC_BPE_PIECES) &&
           cJSON_AddStringToObject(split, "behavior", "Isolated") &&
           cJSON_AddFalseToObject(split, "invert") && add_byte_level(bytes);
}

/* {"type": "BPE", …}; of no merges each character, or byte, is a token. */
static bool add_model(const sac_token_table *table, cJSON *model)
{
    static const char *const unset[] = {"dropout", "unk_token", "continuing_subword_prefix",
                                        "end_of_word_suffix"};
    char left[4 * SAC_TOKEN_BYTES], right[4 * SAC_TOKEN_BYTES], pair[8 * SAC_TOKEN_BYTES + 2];
    bool whole = cJSON_AddStringToObject(model, "type", "BPE");
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
        whole = whole && cJSON_AddNullToObject(model, unset[i]);
    cJSON *vocabulary = cJSON_AddObjectToObject(model, "vocab");
    for (size_t i = 0; i < table->count; i++)
        whole =
            whole && cJSON_AddNumberToObject(vocabulary, written(table, (int)i, left), (double)i);
    cJSON *merges = cJSON_AddArrayToObject(model, "merges");
    for (size_t i = 0; table->merges && i < table->count - SAC_BPE_BYTES; i++) {
        snprintf(pair, sizeof pair, "%s %s", written(table, table->merges[i][0], left),
                 written(table, table->merges[i][1], right));
        whole = whole && cJSON_AddItemToArray(merges, cJSON_CreateString(pair));
    }
    return whole && merges;
}

cJSON *sac_token_table_json(const sac_token_table *table)
{
    static const char *const none[] = {"truncation", "padding", "normalizer", "post_processor"};
    cJSON *json = cJSON_CreateObject();
    bool whole = cJSON_AddStringToObject(json, "version", "1.0") &&
                 cJSON_AddArrayToObject(json, "added_tokens");
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        whole = whole && cJSON_AddNullToObject(json, none[i]);
    if (table->kind == SAC_TOKENS_CHARACTERS)
        whole = whole && cJSON_AddNullToObject(json, "pre_tokenizer") &&
                cJSON_AddStringToObject(cJSON_AddObjectToObject(json, "decoder"), "type", "Fuse");
    else
        whole = whole && add_byte_level(cJSON_AddObjectToObject(json, "decoder"));
    if (table->kind == SAC_TOKENS_BYTES)
        whole = whole && add_byte_level(cJSON_AddObjectToObject(json, "pre_tokenizer"));
    if (table->kind == SAC_TOKENS_BPE)
        whole = whole && add_pieces(cJSON_AddObjectToObject(json, "pre_tokenizer"));
    if (whole && add_model(table, cJSON_AddObjectToObject(json, "model")))
        return json;
    cJSON_Delete(json);
    return NULL;
}
