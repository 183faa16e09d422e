/* tokenizer.json, the format of Hugging Face's `tokenizers`: which parts a tokenizer is made of,
 * and its vocabulary. A part that is not known here is named and not guessed. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/json.h"
#include "base/cancel.h"
#include "base/error.h"
#include "tokenizers/inside.h"

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

static void refuse(sac_tokenizer *t, const char *part, const char *name)
{
    if (t->status == SAC_OK)
        t->status = sac_fail(t->error, SAC_E_FORMAT, part,
                             "give a tokenizer of WordPiece, byte-pair encoding or unigrams",
                             "\"%.60s\" is not supported", name);
}

/* Calls `each` for an object, or for all of a "Sequence", in which others may lie. */
static void for_parts(sac_tokenizer *t, const cJSON *part, const char *list,
                      void each(sac_tokenizer *t, const cJSON *part))
{
    if (strcmp(text_of(part, "type"), "Sequence") != 0) {
        if (cJSON_IsObject(part))
            each(t, part);
        return;
    }
    const cJSON *one;
    cJSON_ArrayForEach(one, item(part, list)) for_parts(t, one, list, each);
}

/* {"Regex": "\\s+"}, or {"String": " "}; NULL where it is none, which is told under the part's
 * name. */
static sac_pattern *read_pattern(sac_tokenizer *t, const char *part, const cJSON *pattern)
{
    const char *text = text_of(pattern, "String"), *expression = text_of(pattern, "Regex");
    sac_pattern *compiled = NULL;
    if (t->status != SAC_OK)
        return NULL;
    if (text[0] || expression[0])
        t->status = sac_error_within(
            t->error,
            sac_pattern_compile(text[0] ? text : expression, text[0], &compiled, t->error), part);
    else
        refuse(t, part, "a pattern of nothing");
    return compiled;
}

/* ---------------------------------------------------------------- the normalizer */

static void add_step(sac_tokenizer *t, sac_normalizer_kind kind)
{
    sac_tokenizer_normalize(t, kind, NULL, NULL);
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
static void add_charsmap(sac_tokenizer *t, const cJSON *part)
{
    const cJSON *table = item(part, "precompiled_charsmap");
    sac_normalizer *n = &t->normalizer;
    if (!cJSON_IsString(table) || !table->valuestring[0])
        return; /* there is none: characters stay as they are */
    if (n->charsmap.units) {
        refuse(t, "normalizer", "a second Precompiled");
        return;
    }
    size_t size = decode_base64(table->valuestring);
    add_step(t, SAC_NORMALIZE_CHARSMAP);
    SAC_TRY(t, sac_charsmap_read((const uint8_t *)table->valuestring, size == SIZE_MAX ? 0 : size,
                                 &n->charsmap, t->error));
}

static void add_normalizer(sac_tokenizer *t, const cJSON *part)
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
                  {"Nmt", SAC_NORMALIZE_NMT},
                  {"ByteLevel", SAC_NORMALIZE_BYTES}};
    const char *type = text_of(part, "type");
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (strcmp(type, simple[i].name) == 0) {
            add_step(t, simple[i].kind);
            return;
        }
    if (strcmp(type, "BertNormalizer") == 0) {
        bool lowers = flag_of(part, "lowercase", true);
        const sac_bert_rules rules = {.cleans = flag_of(part, "clean_text", true),
                                      .spaces_ideographs =
                                          flag_of(part, "handle_chinese_chars", true),
                                      .strips_accents = flag_of(part, "strip_accents", lowers),
                                      .lowers = lowers};
        sac_tokenizer_normalize_bert(t, rules);
    } else if (strcmp(type, "Replace") == 0) {
        sac_pattern *pattern = read_pattern(t, "normalizer", item(part, "pattern"));
        if (pattern)
            sac_tokenizer_normalize(t, SAC_NORMALIZE_REPLACE, text_of(part, "content"), pattern);
    } else if (strcmp(type, "Precompiled") == 0)
        add_charsmap(t, part);
    else if (strcmp(type, "Strip") == 0) {
        if (flag_of(part, "strip_left", false))
            add_step(t, SAC_NORMALIZE_STRIP_LEFT);
        if (flag_of(part, "strip_right", false))
            add_step(t, SAC_NORMALIZE_STRIP_RIGHT);
    } else if (strcmp(type, "Prepend") == 0)
        sac_tokenizer_normalize(t, SAC_NORMALIZE_PREPEND, text_of(part, "prepend"), NULL);
    else
        refuse(t, "normalizer", type);
}

/* ---------------------------------------------------------------- the cuts */

static void add_pattern(sac_tokenizer *t, sac_pattern *pattern, sac_split_behavior behavior,
                        bool inverted)
{
    const sac_split_step step = {SAC_SPLIT_PATTERN, behavior, inverted, pattern};
    if (pattern && !sac_splitter_add(&t->splitter, step))
        SAC_TRY(t, sac_no_memory(t->error, "pre_tokenizer"));
}

/* ▁ for spaces, before words of a text or before the first alone, and cuts before each. Older files
 * have a flag in place of a scheme. */
static void add_metaspace(sac_tokenizer *t, const cJSON *part)
{
    static const char *const schemes[] = {"never", "first", "always"};
    const char *mark = text_of(part, "replacement"), *scheme = text_of(part, "prepend_scheme");
    if (strcmp(mark, SAC_MARK) != 0) {
        refuse(t, "pre_tokenizer", mark);
        return;
    }
    int at = flag_of(part, "add_prefix_space", true) ? SAC_MARK_ALWAYS : SAC_MARK_NEVER;
    if (scheme[0])
        for (at = SAC_MARK_ALWAYS; at > 0 && strcmp(scheme, schemes[at]) != 0; at--)
            ;
    if (scheme[0] && strcmp(scheme, schemes[at]) != 0)
        refuse(t, "pre_tokenizer", scheme);
    sac_tokenizer_cut_marks(t, (sac_mark_scheme)at, flag_of(part, "split", true));
}

static sac_split_behavior behavior_of(sac_tokenizer *t, const cJSON *part)
{
    static const char *const names[] = {[SAC_SPLIT_ISOLATED] = "Isolated",
                                        [SAC_SPLIT_REMOVED] = "Removed",
                                        [SAC_SPLIT_MERGED_WITH_PREVIOUS] = "MergedWithPrevious",
                                        [SAC_SPLIT_MERGED_WITH_NEXT] = "MergedWithNext",
                                        [SAC_SPLIT_CONTIGUOUS] = "Contiguous"};
    const char *name = text_of(part, "behavior");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return (sac_split_behavior)i;
    if (name[0])
        refuse(t, "pre_tokenizer", name);
    return SAC_SPLIT_ISOLATED;
}

#define WORD SAC_CHARS_WORD "\\x{200c}\\x{200d}" /* Rust's \w */

static void add_cut(sac_tokenizer *t, const cJSON *part)
{
    const char *type = text_of(part, "type");
    if (strcmp(type, "BertPreTokenizer") == 0) {
        sac_tokenizer_cut_bert(t);
    } else if (strcmp(type, "WhitespaceSplit") == 0) {
        sac_tokenizer_cut_blanks(t);
    } else if (strcmp(type, "Whitespace") == 0) {
        sac_tokenizer_cut(t, "[" WORD "]+|[^" WORD SAC_CHARS_SPACE "]+", SAC_SPLIT_REMOVED, true);
    } else if (strcmp(type, "Punctuation") == 0) {
        sac_tokenizer_cut(t, SAC_ONE_PUNCTUATION, behavior_of(t, part), false);
    } else if (strcmp(type, "Digits") == 0) {
        sac_tokenizer_cut(t, flag_of(part, "individual_digits", false) ? "\\p{N}" : "\\p{N}+",
                          SAC_SPLIT_ISOLATED, false);
    } else if (strcmp(type, "CharDelimiterSplit") == 0 && text_of(part, "delimiter")[0]) {
        sac_pattern *pattern = NULL;
        SAC_TRY(t, sac_pattern_compile(text_of(part, "delimiter"), true, &pattern, t->error));
        add_pattern(t, pattern, SAC_SPLIT_REMOVED, false);
    } else if (strcmp(type, "ByteLevel") == 0) {
        sac_tokenizer_cut_bytes(t, flag_of(part, "add_prefix_space", true),
                                flag_of(part, "use_regex", true));
    } else if (strcmp(type, "Metaspace") == 0) {
        add_metaspace(t, part);
    } else if (strcmp(type, "Split") == 0) {
        add_pattern(t, read_pattern(t, "pre_tokenizer", item(part, "pattern")),
                    behavior_of(t, part), flag_of(part, "invert", false));
    } else {
        refuse(t, "pre_tokenizer", type);
    }
}

/* ---------------------------------------------------------------- the model */

/* "a b", or ["a", "b"]. */
static bool read_merge(sac_tokenizer *t, const cJSON *merge, int rank)
{
    const cJSON *left = cJSON_GetArrayItem(merge, 0), *right = cJSON_GetArrayItem(merge, 1);
    if (cJSON_IsString(merge))
        return sac_bpe_add_line(t, merge->valuestring, rank);
    return cJSON_IsString(left) && cJSON_IsString(right) &&
           sac_bpe_add_merge(t, left->valuestring, strlen(left->valuestring), right->valuestring,
                             strlen(right->valuestring), rank);
}

static void read_merges(sac_tokenizer *t, const cJSON *list)
{
    const cJSON *merge;
    int rank = 0;
    if (t->status != SAC_OK)
        return;
    if (!sac_bpe_reserve(t, (size_t)cJSON_GetArraySize(list))) {
        t->status = sac_no_memory(t->error, "model");
        return;
    }
    cJSON_ArrayForEach(merge, list)
    {
        if (t->status == SAC_OK && rank % 4096 == 0)
            t->status = sac_cancel_check("model", t->error);
        if (t->status == SAC_OK && !read_merge(t, merge, rank++))
            t->status = sac_fail(t->error, SAC_E_FORMAT, "model", NULL,
                                 "merge %d is of no two tokens that make a third", rank - 1);
    }
}

/* [["▁the", −3.2], …]: its place in the list is a token's id. */
static void read_unigrams(sac_tokenizer *t, const cJSON *model)
{
    const cJSON *pair, *unknown = item(model, "unk_id");
    int id = 0;
    t->model = SAC_UNIGRAM;
    t->byte_fallback = flag_of(model, "byte_fallback", false);
    cJSON_ArrayForEach(pair, item(model, "vocab"))
    {
        const cJSON *piece = cJSON_GetArrayItem(pair, 0), *score = cJSON_GetArrayItem(pair, 1);
        bool is_pair = cJSON_IsString(piece) && cJSON_IsNumber(score);
        if (t->status == SAC_OK && !is_pair)
            t->status = sac_fail(t->error, SAC_E_FORMAT, "model", NULL,
                                 "piece %d is not a text with a score", id);
        SAC_TRY(t, sac_vocabulary_add(&t->vocabulary, piece->valuestring, id++, t->error));
        SAC_TRY(t, sac_unigram_add(&t->unigram, piece->valuestring, score->valuedouble, t->error));
        if (t->status != SAC_OK)
            return;
    }
    if (id == 0)
        refuse(t, "model", "a vocabulary that is not a list");
    if (!cJSON_IsNumber(unknown))
        return;
    bool there = unknown->valuedouble >= 0 && unknown->valuedouble < id;
    t->unknown = there ? (int)unknown->valuedouble : -1;
    if (!there)
        t->status = sac_fail(t->error, SAC_E_FORMAT, "model", NULL,
                             "unk_id %g is none of its %d pieces", unknown->valuedouble, id);
}

static void read_affix(sac_tokenizer *t, const cJSON *model, const char *name, char *to,
                       size_t size)
{
    const char *affix = text_of(model, name);
    if (strlen(affix) < size)
        strcpy(to, affix);
    else
        refuse(t, "model", affix);
}

static void read_model(sac_tokenizer *t, const cJSON *model)
{
    const char *type = text_of(model, "type"), *unknown = text_of(model, "unk_token");
    const cJSON *most = item(model, "max_input_chars_per_word");
    if (!type[0]) /* older files have none */
        type = cJSON_IsArray(item(model, "vocab")) ? "Unigram"
               : item(model, "merges")             ? "BPE"
               : cJSON_IsNumber(most)              ? "WordPiece"
                                                   : "WordLevel";
    if (strcmp(type, "Unigram") == 0) {
        read_unigrams(t, model);
        return;
    }
    bool wordpiece = strcmp(type, "WordPiece") == 0, words = strcmp(type, "WordLevel") == 0;
    if (!wordpiece && !words && strcmp(type, "BPE") != 0) {
        refuse(t, "model", type);
        return;
    }
    t->model = wordpiece ? SAC_WORDPIECE : words ? SAC_WORDLEVEL : SAC_BPE;
    t->word_most = cJSON_IsNumber(most) && most->valuedouble >= 0 ? (size_t)most->valuedouble : 100;
    t->byte_fallback = flag_of(model, "byte_fallback", false);
    t->fuses_unknown = flag_of(model, "fuse_unk", false);
    t->ignores_merges = flag_of(model, "ignore_merges", false);
    read_affix(t, model, "continuing_subword_prefix", t->prefix, sizeof t->prefix);
    read_affix(t, model, "end_of_word_suffix", t->suffix, sizeof t->suffix);
    const cJSON *list = item(model, "vocab");
    if (!cJSON_IsObject(list))
        refuse(t, "model", "a vocabulary that is not an object");
    SAC_TRY(t, sac_vocabulary_add_all(&t->vocabulary, list, t->error));
    if (t->model == SAC_BPE)
        read_merges(t, item(model, "merges"));
    if (t->status == SAC_OK && unknown[0])
        t->unknown = sac_tokenizer_find(t, unknown);
}

/* ---------------------------------------------------------------- tokens around and inside a text
 */

static void read_added(sac_tokenizer *t, const cJSON *list)
{
    const cJSON *token;
    cJSON_ArrayForEach(token, list)
    {
        const cJSON *id = item(token, "id");
        SAC_TRY(t, sac_vocabulary_add(&t->vocabulary, text_of(token, "content"),
                                      cJSON_IsNumber(id) ? id->valuedouble : -1, t->error));
        if (t->status != SAC_OK)
            return;
        const sac_added_token added = {.id = (int)id->valuedouble,
                                       .special = flag_of(token, "special", false),
                                       .normalized = flag_of(token, "normalized", false),
                                       .strips_left = flag_of(token, "lstrip", false),
                                       .strips_right = flag_of(token, "rstrip", false),
                                       .is_word = flag_of(token, "single_word", false)};
        if (!sac_tokenizer_add(t, added))
            t->status = sac_no_memory(t->error, "tokens");
    }
}

/* One more token before the text, after it, or between two. */
static void add_frame(sac_tokenizer *t, const char *token, int *ids, size_t *count)
{
    int id = sac_tokenizer_find(t, token);
    if (id < 0 || *count == SAC_FRAME)
        refuse(t, "post_processor", token);
    else
        ids[(*count)++] = id;
}

/* [["[SEP]", 102]]'s token. */
static const char *named_token(const cJSON *part, const char *name)
{
    const cJSON *token = cJSON_GetArrayItem(item(part, name), 0);
    return cJSON_IsString(token) ? token->valuestring : "";
}

static void add_processor(sac_tokenizer *t, const cJSON *part)
{
    const char *type = text_of(part, "type");
    const cJSON *piece;
    bool after = false, is_roberta = strcmp(type, "RobertaProcessing") == 0;
    int texts = 0;
    if (strcmp(type, "TemplateProcessing") == 0) {
        cJSON_ArrayForEach(piece, item(part, "single"))
        {
            const cJSON *special = item(piece, "SpecialToken");
            if (special)
                add_frame(t, text_of(special, "id"), after ? t->after : t->before,
                          after ? &t->after_count : &t->before_count);
            after |= !special;
        }
        cJSON_ArrayForEach(piece, item(part, "pair"))
        {
            const cJSON *special = item(piece, "SpecialToken");
            if (special && texts == 1)
                add_frame(t, text_of(special, "id"), t->between, &t->between_count);
            texts += !special;
        }
    } else if (strcmp(type, "BertProcessing") == 0 || is_roberta) {
        add_frame(t, named_token(part, "cls"), t->before, &t->before_count);
        add_frame(t, named_token(part, "sep"), t->after, &t->after_count);
        if (is_roberta)
            sac_tokenizer_separate_twice(t);
    } else if (strcmp(type, "ByteLevel") != 0) { /* which moves offsets, not tokens */
        refuse(t, "post_processor", type);
    }
}

/* ---------------------------------------------------------------- tokens to text */

/* A part that is not followed is named once; what it changes is the text of tokens alone. */
static void note_decoder(sac_tokenizer *t, const char *type, const char *what)
{
    if (!t->note[0])
        snprintf(t->note, sizeof t->note,
                 "tokenizer.json: decoder: %.40s%s is not followed; texts may read otherwise", type,
                 what);
}

static int whole_of(const cJSON *part, const char *name)
{
    const cJSON *number = item(part, name);
    return cJSON_IsNumber(number) ? number->valueint : 0;
}

static void add_strip(sac_tokenizer *t, const cJSON *part)
{
    const int start = whole_of(part, "start"), stop = whole_of(part, "stop");
    if (start == 1 && stop == 0 && strcmp(text_of(part, "content"), " ") == 0)
        t->first_blank = SAC_FIRST_ONE;
    else if (start || stop)
        note_decoder(t, "Strip", " with this content, start and stop");
}

/* Of ByteLevel and Fuse nothing is left to do: bytes become characters, and tokens are put together,
 * for every text. */
static void add_decoder(sac_tokenizer *t, const cJSON *part)
{
    const char *type = text_of(part, "type");
    if (strcmp(type, "ByteLevel") == 0) {
        t->joining = SAC_JOIN_BYTES;
    } else if (strcmp(type, "WordPiece") == 0) {
        t->joining = SAC_JOIN_WORDPIECES;
        t->keeps_gaps = !flag_of(part, "cleanup", true);
        if (strcmp(text_of(part, "prefix"), t->prefix) != 0)
            note_decoder(t, type, " with a prefix other than the model's");
    } else if (strcmp(type, "BPEDecoder") == 0) {
        t->joining = SAC_JOIN_ENDINGS;
        if (strcmp(text_of(part, "suffix"), t->suffix) != 0)
            note_decoder(t, type, " with a suffix other than the model's");
    } else if (strcmp(type, "Metaspace") == 0) {
        const char *scheme = text_of(part, "prepend_scheme");
        bool marks =
            scheme[0] ? strcmp(scheme, "never") != 0 : flag_of(part, "add_prefix_space", true);
        t->joining = SAC_JOIN_MARKS;
        t->first_blank = marks ? SAC_FIRST_TOKEN : SAC_FIRST_NONE;
        if (strcmp(text_of(part, "replacement"), SAC_MARK) != 0)
            note_decoder(t, type, " with this replacement");
    } else if (strcmp(type, "Replace") == 0 &&
               strcmp(text_of(item(part, "pattern"), "String"), SAC_MARK) == 0 &&
               strcmp(text_of(part, "content"), " ") == 0) {
        t->joining = SAC_JOIN_MARKS;
        t->first_blank = SAC_FIRST_NONE;
    } else if (strcmp(type, "ByteFallback") == 0) {
        t->joins_bytes = true;
    } else if (strcmp(type, "Strip") == 0) {
        add_strip(t, part);
    } else if (strcmp(type, "Fuse") != 0) {
        note_decoder(t, type, "");
    }
}

/* ---------------------------------------------------------------- the file */

static void read_all(sac_tokenizer *t, const cJSON *json)
{
    for_parts(t, item(json, "normalizer"), "normalizers", add_normalizer);
    for_parts(t, item(json, "pre_tokenizer"), "pretokenizers", add_cut);
    read_model(t, item(json, "model"));
    read_added(t, item(json, "added_tokens"));
    for_parts(t, item(json, "post_processor"), "processors", add_processor);
    t->has_decoder = cJSON_IsObject(item(json, "decoder"));
    for_parts(t, item(json, "decoder"), "decoders", add_decoder);
}

void sac_tokenizer_parse(sac_tokenizer *t, const char *text, size_t size)
{
    cJSON *json = NULL;
    SAC_TRY(t, sac_json_parse(text, size, &json, t->error));
    if (t->status == SAC_OK && !cJSON_IsObject(json))
        t->status = sac_fail(t->error, SAC_E_FORMAT, NULL, NULL, "is not a tokenizer in JSON");
    if (t->status == SAC_OK)
        read_all(t, json);
    cJSON_Delete(json);
    sac_tokenizer_finish(t);
}

void sac_tokenizer_read_json(sac_tokenizer *t, const char *path)
{
    cJSON *json = NULL;
    SAC_TRY(t, sac_json_load(path, &json, t->error));
    if (t->status != SAC_OK)
        return;
    read_all(t, json);
    cJSON_Delete(json);
    t->status = sac_error_within(t->error, t->status, path);
}
