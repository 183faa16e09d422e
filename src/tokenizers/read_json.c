/* tokenizer.json, the format of Hugging Face's `tokenizers`: which parts a tokenizer is made of,
 * and its vocabulary. A part that is not known here is named and not guessed. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/json.h"
#include "tokenizers/inside.h"

typedef struct reader {
    sac_tokenizer *tokenizer;
    sac_status status;
    sac_error *error;
} reader;

/* ---------------------------------------------------------------- values */

static const cJSON *item(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* "" where there is no text of that name. */
static const char *text_of(const cJSON *object, const char *name)
{
    const cJSON *text = item(object, name);
    return cJSON_IsString(text) ? text->valuestring : "";
}

static bool flag_of(const cJSON *object, const char *name, bool otherwise)
{
    const cJSON *flag = item(object, name);
    return cJSON_IsBool(flag) ? cJSON_IsTrue(flag) : otherwise;
}

static void refuse(reader *r, const char *part, const char *name)
{
    if (r->status == SAC_OK)
        r->status = sac_fail(r->error, SAC_E_FORMAT, part,
                             "give a tokenizer of WordPiece, byte-pair encoding or unigrams",
                             "\"%.60s\" is not known here", name);
}

/* Calls `each` for an object, or for all of a "Sequence". */
static void for_parts(reader *r, const cJSON *part, const char *list,
                      void each(reader *r, const cJSON *part))
{
    if (strcmp(text_of(part, "type"), "Sequence") != 0) {
        if (cJSON_IsObject(part))
            each(r, part);
        return;
    }
    const cJSON *one;
    cJSON_ArrayForEach(one, item(part, list)) each(r, one);
}

/* ---------------------------------------------------------------- the normalizer */

static void add_step(reader *r, sac_normalizer_kind kind, const char *from, const char *to)
{
    sac_normalizer *n = &r->tokenizer->normalizer;
    sac_normalizer_step step = {.kind = kind};
    if (n->count == SAC_NORMALIZER_STEPS || strlen(from) >= sizeof step.from ||
        strlen(to) >= sizeof step.to || (kind == SAC_NORMALIZE_REPLACE && !from[0])) {
        refuse(r, "normalizer", "so long a list");
        return;
    }
    strcpy(step.from, from);
    strcpy(step.to, to);
    n->steps[n->count++] = step;
}

static void add_bert_normalizer(reader *r, const cJSON *part)
{
    bool lower = flag_of(part, "lowercase", true);
    if (flag_of(part, "clean_text", true))
        add_step(r, SAC_NORMALIZE_CLEAN, "", "");
    if (flag_of(part, "handle_chinese_chars", true))
        add_step(r, SAC_NORMALIZE_IDEOGRAPHS, "", "");
    if (flag_of(part, "strip_accents", lower)) {
        add_step(r, SAC_NORMALIZE_NFD, "", "");
        add_step(r, SAC_NORMALIZE_STRIP_MARKS, "", "");
    }
    if (lower)
        add_step(r, SAC_NORMALIZE_LOWERCASE, "", "");
}

/* Base64 in place of it: bytes in three for each four characters; SIZE_MAX where it is none. */
static size_t decode_base64(char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t size = 0, length = strlen(text), padding = 0;
    uint32_t bits = 0;
    for (; padding < 2 && padding < length && text[length - 1 - padding] == '='; padding++)
        ;
    for (size_t i = 0; i < length - padding; i++) {
        const char *digit = strchr(digits, text[i]);
        bits = bits << 6 | (digit ? (uint32_t)(digit - digits) : 0);
        if (!digit)
            return SIZE_MAX;
        if (i % 4)
            text[size++] = (char)(bits >> (6 - 2 * (i % 4)));
    }
    return length % 4 ? SIZE_MAX : size;
}

/* SentencePiece's table of characters. */
static void add_charsmap(reader *r, const cJSON *part)
{
    const cJSON *table = item(part, "precompiled_charsmap");
    sac_normalizer *n = &r->tokenizer->normalizer;
    if (!cJSON_IsString(table) || !table->valuestring[0])
        return; /* there is none: characters stay as they are */
    if (n->charsmap.units) {
        refuse(r, "normalizer", "a second Precompiled");
        return;
    }
    size_t size = decode_base64(table->valuestring);
    add_step(r, SAC_NORMALIZE_CHARSMAP, "", "");
    if (r->status == SAC_OK)
        r->status = sac_charsmap_read((const uint8_t *)table->valuestring,
                                      size == SIZE_MAX ? 0 : size, &n->charsmap, r->error);
}

static void add_strip(reader *r, const cJSON *part)
{
    if (flag_of(part, "strip_left", false))
        add_step(r, SAC_NORMALIZE_STRIP_LEFT, "", "");
    if (flag_of(part, "strip_right", false))
        add_step(r, SAC_NORMALIZE_STRIP_RIGHT, "", "");
}

/* A text by another; of expressions the one that such files hold. */
static void add_replace(reader *r, const cJSON *part)
{
    const cJSON *pattern = item(part, "pattern");
    const char *from = text_of(pattern, "String"), *expression = text_of(pattern, "Regex");
    if (from[0])
        add_step(r, SAC_NORMALIZE_REPLACE, from, text_of(part, "content"));
    else if (strcmp(expression, " {2,}") == 0)
        add_step(r, SAC_NORMALIZE_SPACES, "", text_of(part, "content"));
    else
        refuse(r, "normalizer", expression[0] ? expression : "Replace of nothing");
}

static void add_normalizer(reader *r, const cJSON *part)
{
    static const struct {
        const char *name;
        sac_normalizer_kind kind;
    } simple[] = {{"NFC", SAC_NORMALIZE_NFC},
                  {"NFD", SAC_NORMALIZE_NFD},
                  {"NFKC", SAC_NORMALIZE_NFKC},
                  {"NFKD", SAC_NORMALIZE_NFKD},
                  {"StripAccents", SAC_NORMALIZE_STRIP_ALL_MARKS},
                  {"Lowercase", SAC_NORMALIZE_LOWERCASE},
                  {"Nmt", SAC_NORMALIZE_NMT}};
    const char *type = text_of(part, "type");
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (strcmp(type, simple[i].name) == 0) {
            add_step(r, simple[i].kind, "", "");
            return;
        }
    if (strcmp(type, "BertNormalizer") == 0)
        add_bert_normalizer(r, part);
    else if (strcmp(type, "Replace") == 0)
        add_replace(r, part);
    else if (strcmp(type, "Precompiled") == 0)
        add_charsmap(r, part);
    else if (strcmp(type, "Strip") == 0)
        add_strip(r, part);
    else if (strcmp(type, "Prepend") == 0)
        add_step(r, SAC_NORMALIZE_PREPEND, "", text_of(part, "prepend"));
    else
        refuse(r, "normalizer", type);
}

/* ---------------------------------------------------------------- the cuts */

static void add_split(reader *r, sac_split_kind kind)
{
    sac_splitter *s = &r->tokenizer->splitter;
    if (s->count == SAC_SPLIT_STEPS)
        refuse(r, "pre_tokenizer", "so long a list");
    else
        s->steps[s->count++] = kind;
}

static void add_byte_level(reader *r, const cJSON *part)
{
    if (flag_of(part, "add_prefix_space", true))
        add_split(r, SAC_SPLIT_SPACE_FIRST);
    if (flag_of(part, "use_regex", true))
        add_split(r, SAC_SPLIT_GPT2);
    add_split(r, SAC_SPLIT_BYTES);
    r->tokenizer->byte_level = true;
}

/* ▁ for spaces, before words of a text or before the first alone, and cuts before each. Older files
 * have a flag in place of a scheme. */
static void add_metaspace(reader *r, const cJSON *part)
{
    bool old = flag_of(part, "add_prefix_space", true);
    const char *mark = text_of(part, "replacement"), *scheme = text_of(part, "prepend_scheme");
    if (strcmp(mark, "\xe2\x96\x81") != 0) {
        refuse(r, "pre_tokenizer", mark);
        return;
    }
    bool each = scheme[0] ? strcmp(scheme, "always") == 0 : old;
    bool first = strcmp(scheme, "first") == 0;
    if (scheme[0] && !each && !first && strcmp(scheme, "never") != 0)
        refuse(r, "pre_tokenizer", scheme);
    add_split(r, SAC_SPLIT_MARKS);
    if (each || first)
        add_split(r, each ? SAC_SPLIT_MARK_EACH : SAC_SPLIT_MARK_FIRST);
    if (flag_of(part, "split", true))
        add_split(r, SAC_SPLIT_AT_MARKS);
    r->tokenizer->keeps_first_blank = !each && !first;
}

/* Patterns in use, as their files have them. */
static void add_pattern(reader *r, const char *pattern)
{
#define WORDS_AND(digits)                                                                          \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|" digits                           \
    "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
    static const struct {
        const char *pattern;
        sac_split_kind kind;
    } known[] = {{WORDS_AND("\\p{N}"), SAC_SPLIT_CL100K_ONE},
                 {WORDS_AND("\\p{N}{1,3}"), SAC_SPLIT_CL100K},
                 {"'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|"
                  "\\s+",
                  SAC_SPLIT_GPT2}};
#undef WORDS_AND
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(pattern, known[i].pattern) == 0) {
            add_split(r, known[i].kind);
            return;
        }
    refuse(r, "pre_tokenizer", pattern);
}

static void add_cut(reader *r, const cJSON *part)
{
    const char *type = text_of(part, "type");
    if (strcmp(type, "BertPreTokenizer") == 0)
        add_split(r, SAC_SPLIT_BERT);
    else if (strcmp(type, "WhitespaceSplit") == 0)
        add_split(r, SAC_SPLIT_BLANKS);
    else if (strcmp(type, "Digits") == 0)
        add_split(r, flag_of(part, "individual_digits", false) ? SAC_SPLIT_EACH_DIGIT
                                                               : SAC_SPLIT_DIGITS);
    else if (strcmp(type, "ByteLevel") == 0)
        add_byte_level(r, part);
    else if (strcmp(type, "Metaspace") == 0)
        add_metaspace(r, part);
    else if (strcmp(type, "Split") == 0 && strcmp(text_of(part, "behavior"), "Isolated") == 0)
        add_pattern(r, text_of(item(part, "pattern"), "Regex"));
    else
        refuse(r, "pre_tokenizer", type);
}

/* ---------------------------------------------------------------- the model */

static void read_vocabulary(reader *r, const cJSON *list)
{
    if (!cJSON_IsObject(list))
        refuse(r, "model", "a vocabulary that is no object");
    if (r->status == SAC_OK)
        r->status = sac_vocabulary_add_all(&r->tokenizer->vocabulary, list, r->error);
}

/* "a b", or ["a", "b"]. */
static bool read_merge(sac_tokenizer *t, const cJSON *merge, int rank)
{
    if (cJSON_IsArray(merge)) {
        const cJSON *left = cJSON_GetArrayItem(merge, 0), *right = cJSON_GetArrayItem(merge, 1);
        return cJSON_IsString(left) && cJSON_IsString(right) &&
               sac_bpe_add_merge(t, left->valuestring, right->valuestring, rank);
    }
    char *space = cJSON_IsString(merge) ? strchr(merge->valuestring, ' ') : NULL;
    if (!space)
        return false;
    *space = '\0';
    bool added = sac_bpe_add_merge(t, merge->valuestring, space + 1, rank);
    *space = ' ';
    return added;
}

static void read_merges(reader *r, const cJSON *list)
{
    const cJSON *merge;
    int rank = 0;
    if (r->status != SAC_OK)
        return;
    if (!sac_bpe_reserve(r->tokenizer, (size_t)cJSON_GetArraySize(list))) {
        r->status = sac_fail(r->error, SAC_E_MEMORY, "model", NULL, "no memory for its merges");
        return;
    }
    cJSON_ArrayForEach(merge, list)
    {
        if (r->status == SAC_OK && !read_merge(r->tokenizer, merge, rank++))
            r->status = sac_fail(r->error, SAC_E_FORMAT, "model", NULL,
                                 "merge %d is of no two tokens that make a third", rank - 1);
    }
}

/* [["▁the", −3.2], …]: its place in the list is a token's id. */
static void read_unigrams(reader *r, const cJSON *model)
{
    sac_tokenizer *t = r->tokenizer;
    const cJSON *pair, *unknown = item(model, "unk_id");
    int id = 0;
    t->model = SAC_UNIGRAM;
    t->byte_fallback = flag_of(model, "byte_fallback", false);
    cJSON_ArrayForEach(pair, item(model, "vocab"))
    {
        const cJSON *piece = cJSON_GetArrayItem(pair, 0), *score = cJSON_GetArrayItem(pair, 1);
        bool is_pair = cJSON_IsString(piece) && cJSON_IsNumber(score);
        if (r->status == SAC_OK && !is_pair)
            r->status = sac_fail(r->error, SAC_E_FORMAT, "model", NULL,
                                 "piece %d is no text with a score", id);
        if (r->status == SAC_OK)
            r->status = sac_vocabulary_add(&t->vocabulary, piece->valuestring, id++, r->error);
        if (r->status == SAC_OK)
            r->status = sac_unigram_add(&t->unigram, piece->valuestring, strlen(piece->valuestring),
                                        score->valuedouble, r->error);
        if (r->status != SAC_OK)
            return;
    }
    if (id == 0)
        refuse(r, "model", "a vocabulary that is no list");
    if (!cJSON_IsNumber(unknown))
        return;
    bool there = unknown->valuedouble >= 0 && unknown->valuedouble < id;
    t->unknown = there ? (int)unknown->valuedouble : -1;
    if (!there)
        r->status = sac_fail(r->error, SAC_E_FORMAT, "model", NULL,
                             "unk_id %g is none of its %d pieces", unknown->valuedouble, id);
}

static void read_affix(reader *r, const cJSON *model, const char *name, char *to, size_t size)
{
    const char *affix = text_of(model, name);
    if (strlen(affix) < size)
        strcpy(to, affix);
    else
        refuse(r, "model", affix);
}

static void read_model(reader *r, const cJSON *model)
{
    sac_tokenizer *t = r->tokenizer;
    const char *type = text_of(model, "type"), *unknown = text_of(model, "unk_token");
    if (strcmp(type, "Unigram") == 0) {
        read_unigrams(r, model);
        return;
    }
    bool wordpiece = strcmp(type, "WordPiece") == 0 ||
                     (!type[0] && cJSON_IsNumber(item(model, "max_input_chars_per_word")));
    if (!wordpiece && strcmp(type, "BPE") != 0 && !(!type[0] && item(model, "merges"))) {
        refuse(r, "model", type[0] ? type : "a model without a type");
        return;
    }
    const cJSON *most = item(model, "max_input_chars_per_word");
    t->model = wordpiece ? SAC_WORDPIECE : SAC_BPE;
    t->word_most = cJSON_IsNumber(most) && most->valuedouble >= 0 ? (size_t)most->valuedouble : 100;
    t->byte_fallback = flag_of(model, "byte_fallback", false);
    t->fuses_unknown = flag_of(model, "fuse_unk", false);
    t->ignores_merges = flag_of(model, "ignore_merges", false);
    read_affix(r, model, "continuing_subword_prefix", t->prefix, sizeof t->prefix);
    read_affix(r, model, "end_of_word_suffix", t->suffix, sizeof t->suffix);
    if (!wordpiece && t->prefix[0])
        refuse(r, "model", "continuing_subword_prefix of byte-pair encoding");
    read_vocabulary(r, item(model, "vocab"));
    if (!wordpiece)
        read_merges(r, item(model, "merges"));
    if (r->status == SAC_OK && unknown[0])
        t->unknown = sac_tokenizer_find(t, unknown);
}

/* ---------------------------------------------------------------- tokens around and inside a text
 */

static void read_added(reader *r, const cJSON *list)
{
    sac_tokenizer *t = r->tokenizer;
    const cJSON *token;
    cJSON_ArrayForEach(token, list)
    {
        const cJSON *id = item(token, "id");
        if (r->status == SAC_OK)
            r->status = sac_vocabulary_add(&t->vocabulary, text_of(token, "content"),
                                           cJSON_IsNumber(id) ? id->valuedouble : -1, r->error);
        if (r->status != SAC_OK)
            return;
        const sac_added_token added = {.id = (int)id->valuedouble,
                                       .special = flag_of(token, "special", false),
                                       .normalized = flag_of(token, "normalized", false),
                                       .strips_left = flag_of(token, "lstrip", false),
                                       .strips_right = flag_of(token, "rstrip", false)};
        if (!sac_tokenizer_add(t, added))
            r->status = sac_fail(r->error, SAC_E_MEMORY, NULL, NULL, "no memory for its tokens");
    }
}

/* A token before the text, or after it. */
static void add_frame(reader *r, const char *token, bool after)
{
    sac_tokenizer *t = r->tokenizer;
    size_t *count = after ? &t->after_count : &t->before_count;
    int id = sac_tokenizer_find(t, token);
    if (id < 0 || *count == SAC_FRAME)
        refuse(r, "post_processor", token);
    else
        (after ? t->after : t->before)[(*count)++] = id;
}

/* [["[SEP]", 102]]'s token. */
static const char *named_token(const cJSON *part, const char *name)
{
    const cJSON *token = cJSON_GetArrayItem(item(part, name), 0);
    return cJSON_IsString(token) ? token->valuestring : "";
}

static void add_processor(reader *r, const cJSON *part)
{
    const char *type = text_of(part, "type");
    const cJSON *piece;
    bool after = false;
    if (strcmp(type, "TemplateProcessing") == 0) {
        cJSON_ArrayForEach(piece, item(part, "single"))
        {
            const cJSON *special = item(piece, "SpecialToken");
            if (special)
                add_frame(r, text_of(special, "id"), after);
            after |= !special;
        }
    } else if (strcmp(type, "BertProcessing") == 0 || strcmp(type, "RobertaProcessing") == 0) {
        add_frame(r, named_token(part, "cls"), false);
        add_frame(r, named_token(part, "sep"), true);
    } else if (strcmp(type, "ByteLevel") != 0) { /* which moves offsets, not tokens */
        refuse(r, "post_processor", type);
    }
}

/* ---------------------------------------------------------------- the file */

static void read_all(reader *r, const cJSON *json)
{
    for_parts(r, item(json, "normalizer"), "normalizers", add_normalizer);
    for_parts(r, item(json, "pre_tokenizer"), "pretokenizers", add_cut);
    read_model(r, item(json, "model"));
    read_added(r, item(json, "added_tokens"));
    for_parts(r, item(json, "post_processor"), "processors", add_processor);
}

sac_status sac_tokenizer_parse(sac_tokenizer *tokenizer, const char *text, size_t size,
                               sac_error *error)
{
    reader r = {.tokenizer = tokenizer, .error = error};
    cJSON *json;
    r.status = sac_json_parse(text, size, &json, error);
    if (r.status == SAC_OK && !cJSON_IsObject(json))
        r.status = sac_fail(error, SAC_E_FORMAT, NULL, NULL, "is not a tokenizer in JSON");
    if (r.status == SAC_OK)
        read_all(&r, json);
    cJSON_Delete(json);
    return r.status;
}

sac_status sac_tokenizer_read_json(sac_tokenizer *tokenizer, const char *path, sac_error *error)
{
    reader r = {.tokenizer = tokenizer, .error = error};
    cJSON *json;
    r.status = sac_json_load(path, &json, error);
    if (r.status != SAC_OK)
        return r.status;
    read_all(&r, json);
    cJSON_Delete(json);
    return sac_error_within(error, r.status, path);
}
