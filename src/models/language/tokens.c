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

/* A vocabulary: a token stands for some bytes of UTF-8. */
enum { TOKEN_BYTES = SAC_BPE_LONGEST + 1 };
typedef struct table {
    sac_token_kind kind;
    char (*text)[TOKEN_BYTES]; /* [count]: the bytes, with an end; owned */
    size_t count;
    int (*merges)[2]; /* [count − 256] of SAC_TOKENS_BPE; owned */
} table;

static void table_free(table *t)
{
    free(t->text);
    free(t->merges);
    *t = (table){0};
}

static sac_status allocate(sac_token_kind kind, size_t count, table *t, sac_error *error)
{
    *t = (table){.kind = kind, .count = count};
    t->text = calloc(count + 1, sizeof *t->text);
    if (kind == SAC_TOKENS_BPE)
        t->merges = calloc(count - SAC_BPE_BYTES + 1, sizeof *t->merges);
    if (t->text && (t->merges || kind != SAC_TOKENS_BPE))
        return SAC_OK;
    table_free(t);
    return sac_no_memory(error, "tokens");
}

/* ---------------------------------------------------------------- characters */

enum { CODES = 0x110000 };

static sac_status learn_characters(const char *text, size_t size, table *t, sac_error *error)
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
    sac_status status = allocate(SAC_TOKENS_CHARACTERS, count, t, error);
    count = 0;
    for (code = 0; code < CODES && status == SAC_OK; code++)
        if (has[code])
            sac_utf8_encode(code, t->text[count++]);
    free(has);
    return status;
}

/* ---------------------------------------------------------------- bytes, and pairs of them */

/* The bytes of each token, once the merges are known; of one that would be longer than any token is as many as there
 * is room for. */
static void fill_texts(table *t)
{
    for (size_t i = 0; i < SAC_BPE_BYTES; i++)
        t->text[i][0] = (char)i;
    for (size_t i = SAC_BPE_BYTES; i < t->count; i++) {
        const int *pair = t->merges[i - SAC_BPE_BYTES];
        char both[2 * TOKEN_BYTES] = "";
        snprintf(both, sizeof both, "%.63s%.63s", t->text[pair[0]], t->text[pair[1]]);
        memcpy(t->text[i], both, TOKEN_BYTES - 1);
    }
}

static sac_status learn_bytes(sac_token_kind kind, size_t most, const char *text, size_t size,
                              table *t, sac_error *error)
{
    size_t merges = 0;
    sac_status status = allocate(kind, kind == SAC_TOKENS_BPE ? most : SAC_BPE_BYTES, t, error);
    if (status == SAC_OK && kind == SAC_TOKENS_BPE)
        status = sac_bpe_learn(text, size, most - SAC_BPE_BYTES, t->merges, &merges, error);
    t->count = SAC_BPE_BYTES + merges;
    if (status == SAC_OK)
        fill_texts(t);
    else
        table_free(t);
    return status;
}

/* ---------------------------------------------------------------- tokenizer.json */

/* A token as the file writes it: bytes as characters (base/text/utf8.h). */
static const char *written(const table *t, int token, char text[4 * TOKEN_BYTES])
{
    size_t used = 0;
    if (t->kind == SAC_TOKENS_CHARACTERS)
        return t->text[token];
    const size_t length = token < SAC_BPE_BYTES ? 1 : strlen(t->text[token]);
    for (size_t i = 0; i < length; i++)
        used += sac_utf8_encode(sac_byte_character((uint8_t)t->text[token][i]), text + used);
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
static bool add_model(const table *t, cJSON *model)
{
    static const char *const unset[] = {"dropout", "unk_token", "continuing_subword_prefix",
                                        "end_of_word_suffix"};
    char left[4 * TOKEN_BYTES], right[4 * TOKEN_BYTES], pair[8 * TOKEN_BYTES + 2];
    bool whole = cJSON_AddStringToObject(model, "type", "BPE");
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
        whole = whole && cJSON_AddNullToObject(model, unset[i]);
    cJSON *vocabulary = cJSON_AddObjectToObject(model, "vocab");
    for (size_t i = 0; i < t->count; i++)
        whole = whole && cJSON_AddNumberToObject(vocabulary, written(t, (int)i, left), (double)i);
    cJSON *merges = cJSON_AddArrayToObject(model, "merges");
    for (size_t i = 0; t->merges && i < t->count - SAC_BPE_BYTES; i++) {
        snprintf(pair, sizeof pair, "%s %s", written(t, t->merges[i][0], left),
                 written(t, t->merges[i][1], right));
        whole = whole && cJSON_AddItemToArray(merges, cJSON_CreateString(pair));
    }
    return whole && merges;
}

static cJSON *make_tokenizer(const table *t)
{
    static const char *const none[] = {"truncation", "padding", "normalizer", "post_processor"};
    cJSON *json = cJSON_CreateObject();
    bool whole = cJSON_AddStringToObject(json, "version", "1.0") &&
                 cJSON_AddArrayToObject(json, "added_tokens");
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        whole = whole && cJSON_AddNullToObject(json, none[i]);
    if (t->kind == SAC_TOKENS_CHARACTERS)
        whole = whole && cJSON_AddNullToObject(json, "pre_tokenizer") &&
                cJSON_AddStringToObject(cJSON_AddObjectToObject(json, "decoder"), "type", "Fuse");
    else
        whole = whole && add_byte_level(cJSON_AddObjectToObject(json, "decoder"));
    if (t->kind == SAC_TOKENS_BYTES)
        whole = whole && add_byte_level(cJSON_AddObjectToObject(json, "pre_tokenizer"));
    if (t->kind == SAC_TOKENS_BPE)
        whole = whole && add_pieces(cJSON_AddObjectToObject(json, "pre_tokenizer"));
    if (whole && add_model(t, cJSON_AddObjectToObject(json, "model")))
        return json;
    cJSON_Delete(json);
    return NULL;
}

/* ---------------------------------------------------------------- all kinds */

sac_status sac_tokens_learn(sac_token_kind kind, size_t most, const char *text, size_t size,
                            cJSON **tokenizer, size_t *count, sac_error *error)
{
    table t = {0};
    *tokenizer = NULL;
    sac_status status = kind == SAC_TOKENS_CHARACTERS
                            ? learn_characters(text, size, &t, error)
                            : learn_bytes(kind, most, text, size, &t, error);
    *count = t.count;
    if (status == SAC_OK && t.count > SAC_TOKENS_MOST)
        status =
            sac_fail(error, SAC_E_ARGUMENT, "--text", "give a text of fewer characters",
                     "has %zu different characters; %d are the most", t.count, SAC_TOKENS_MOST);
    if (status == SAC_OK && !(*tokenizer = make_tokenizer(&t)))
        status = sac_no_memory(error, "tokens");
    table_free(&t);
    return status;
}
