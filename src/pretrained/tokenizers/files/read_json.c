/* tokenizer.json, the format of Hugging Face's `tokenizers`: which parts a tokenizer is made of,
 * and its vocabulary. A part that is not known here is named and not guessed. */
#include <cjson/cJSON.h>

#include <stdarg.h>
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

/* Names what the file has and nothing here follows. */
__attribute__((format(printf, 2, 3))) static void note(sac_tokenizer *t, const char *format, ...)
{
    char text[160];
    size_t used = strlen(t->note);
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (!strstr(t->note, text))
        snprintf(t->note + used, sizeof t->note - used, "%s%s",
                 used ? "; " : "tokenizer.json: ", text);
}

/* The keys of each type of part, with their kinds: b true or false, s a text, n a number, l a list, o an
 * object; a capital letter: or null. What `tokenizers` itself leaves aside stands here, too. */
static const struct {
    const char *part, *type, *keys;
} known[] = {
    {"normalizer", "BertNormalizer",
     "b:clean_text b:handle_chinese_chars B:strip_accents b:lowercase"},
    {"normalizer", "Replace", "o:pattern s:content"},
    {"normalizer", "Precompiled", "S:precompiled_charsmap"},
    {"normalizer", "Strip", "b:strip_left b:strip_right"},
    {"normalizer", "Prepend", "s:prepend"},
    {"normalizer", "Sequence", "l:normalizers"},
    {"pre_tokenizer", "ByteLevel", "b:add_prefix_space b:trim_offsets b:use_regex"},
    {"pre_tokenizer", "CharDelimiterSplit", "s:delimiter"},
    {"pre_tokenizer", "Digits", "b:individual_digits"},
    {"pre_tokenizer", "Metaspace",
     "s:replacement s:prepend_scheme b:split b:add_prefix_space s:str_rep"},
    {"pre_tokenizer", "Punctuation", "s:behavior"},
    {"pre_tokenizer", "Split", "o:pattern s:behavior b:invert"},
    {"pre_tokenizer", "Sequence", "l:pretokenizers"},
    {"model", "BPE",
     "N:dropout S:unk_token S:continuing_subword_prefix S:end_of_word_suffix b:fuse_unk "
     "b:byte_fallback b:ignore_merges o:vocab l:merges"},
    {"model", "WordPiece",
     "s:unk_token s:continuing_subword_prefix n:max_input_chars_per_word o:vocab"},
    {"model", "WordLevel", "s:unk_token o:vocab"},
    {"model", "Unigram", "N:unk_id b:byte_fallback l:vocab"},
    {"post_processor", "ByteLevel", "b:add_prefix_space b:trim_offsets b:use_regex"},
    {"post_processor", "BertProcessing", "l:sep l:cls"},
    {"post_processor", "RobertaProcessing", "l:sep l:cls b:trim_offsets b:add_prefix_space"},
    {"post_processor", "TemplateProcessing", "l:single l:pair o:special_tokens"},
    {"post_processor", "Sequence", "l:processors"},
    {"decoder", "ByteLevel", "b:add_prefix_space b:trim_offsets b:use_regex"},
    {"decoder", "WordPiece", "s:prefix b:cleanup"},
    {"decoder", "BPEDecoder", "s:suffix"},
    {"decoder", "Metaspace", "s:replacement s:prepend_scheme b:split b:add_prefix_space s:str_rep"},
    {"decoder", "Replace", "o:pattern s:content"},
    {"decoder", "Strip", "s:content n:start n:stop"},
    {"decoder", "CTC", "s:pad_token s:word_delimiter_token b:cleanup"},
    {"decoder", "Sequence", "l:decoders"},
    {"added token", "", "n:id s:content b:single_word b:lstrip b:rstrip b:normalized b:special"},
    {"file", "", /* transformers itself sets how texts are truncated and padded */
     "s:version O:truncation O:padding L:added_tokens O:normalizer O:pre_tokenizer "
     "O:post_processor O:decoder o:model"},
};

static bool is_kind(const cJSON *value, char kind)
{
    switch (kind) {
    case 'b':
        return cJSON_IsBool(value);
    case 's':
        return cJSON_IsString(value);
    case 'n':
        return cJSON_IsNumber(value);
    case 'l':
        return cJSON_IsArray(value);
    case 'o':
        return cJSON_IsObject(value);
    default:
        return cJSON_IsNull(value) || is_kind(value, (char)(kind - 'A' + 'a'));
    }
}

/* Every key of a part: one that is not known is named, and a known one with a value that is none of it is
 * an error, as in `tokenizers`. */
static void check_keys(sac_tokenizer *t, const char *part, const char *type, const cJSON *object)
{
    const char *keys = "";
    const cJSON *value;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(part, known[i].part) == 0 && strcmp(type, known[i].type) == 0)
            keys = known[i].keys;
    cJSON_ArrayForEach(value, object)
    {
        const char *name = value->string ? value->string : "";
        const char *at = keys;
        size_t size = strlen(name);
        while (*at && (strncmp(at + 2, name, size) != 0 || (at[size + 2] && at[size + 2] != ' ')))
            at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' ');
        if (strcmp(name, "type") == 0)
            continue;
        if (!*at)
            note(t, "the %s's key \"%.40s\" is not followed", part, name);
        else if (!is_kind(value, *at) && t->status == SAC_OK)
            t->status =
                sac_fail(t->error, SAC_E_FORMAT, part, "give it as tokenizers saves it",
                         "\"%.40s\"%s%.40s is of another kind", name, type[0] ? " of " : "", type);
    }
}

/* Calls `each` for an object, or for all of a "Sequence", in which others may lie. */
static void for_parts(sac_tokenizer *t, const cJSON *part, const char *name, const char *list,
                      void each(sac_tokenizer *t, const cJSON *part))
{
    const char *type = text_of(part, "type");
    if (part && !cJSON_IsNull(part) && !cJSON_IsObject(part))
        refuse(t, name, "what is no object");
    check_keys(t, name, type, part);
    if (strcmp(type, "Sequence") != 0) {
        if (cJSON_IsObject(part))
            each(t, part);
        return;
    }
    const cJSON *one;
    cJSON_ArrayForEach(one, item(part, list)) for_parts(t, one, name, list, each);
}

/* {"Regex": "\\s+"}, or {"String": " "}; NULL where it is none, which is reported under the part's
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

static void add_simple_normalizer(sac_tokenizer *t, sac_text_normalizer_kind kind)
{
    sac_tokenizer_add_normalizer(t, kind, NULL, NULL);
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
    sac_text_normalizer *n = &t->normalizer;
    if (!cJSON_IsString(table) || !table->valuestring[0])
        return; /* there is none: characters stay as they are */
    if (n->charsmap.units) {
        refuse(t, "normalizer", "a second Precompiled");
        return;
    }
    size_t size = decode_base64(table->valuestring);
    add_simple_normalizer(t, SAC_NORMALIZE_CHARSMAP);
    SAC_TRY(t, sac_charsmap_read((const uint8_t *)table->valuestring, size == SIZE_MAX ? 0 : size,
                                 &n->charsmap, t->error));
}

static void add_normalizer(sac_tokenizer *t, const cJSON *part)
{
    static const struct {
        const char *name;
        sac_text_normalizer_kind kind;
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
            add_simple_normalizer(t, simple[i].kind);
            return;
        }
    if (strcmp(type, "BertNormalizer") == 0) {
        bool lowers = flag_of(part, "lowercase", true);
        const sac_bert_rules rules = {.cleans = flag_of(part, "clean_text", true),
                                      .spaces_ideographs =
                                          flag_of(part, "handle_chinese_chars", true),
                                      .strips_accents = flag_of(part, "strip_accents", lowers),
                                      .lowers = lowers};
        sac_tokenizer_add_bert_normalizers(t, rules);
    } else if (strcmp(type, "Replace") == 0) {
        sac_pattern *pattern = read_pattern(t, "normalizer", item(part, "pattern"));
        if (pattern)
            sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_REPLACE, text_of(part, "content"),
                                         pattern);
    } else if (strcmp(type, "Precompiled") == 0)
        add_charsmap(t, part);
    else if (strcmp(type, "Strip") == 0) {
        if (flag_of(part, "strip_left", false))
            add_simple_normalizer(t, SAC_NORMALIZE_STRIP_LEFT);
        if (flag_of(part, "strip_right", false))
            add_simple_normalizer(t, SAC_NORMALIZE_STRIP_RIGHT);
    } else if (strcmp(type, "Prepend") == 0)
        sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_PREPEND, text_of(part, "prepend"), NULL);
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
    sac_tokenizer_add_mark_splits(t, (sac_mark_scheme)at, flag_of(part, "split", true));
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

static void add_pre_tokenizer(sac_tokenizer *t, const cJSON *part)
{
    const char *type = text_of(part, "type");
    if (strcmp(type, "BertPreTokenizer") == 0) {
        sac_tokenizer_add_bert_splits(t);
    } else if (strcmp(type, "WhitespaceSplit") == 0) {
        sac_tokenizer_add_blank_split(t);
    } else if (strcmp(type, "Whitespace") == 0) {
        sac_tokenizer_add_split(t, "[" WORD "]+|[^" WORD SAC_CHARS_SPACE "]+", SAC_SPLIT_REMOVED,
                                true);
    } else if (strcmp(type, "Punctuation") == 0) {
        sac_tokenizer_add_split(t, SAC_ONE_PUNCTUATION, behavior_of(t, part), false);
    } else if (strcmp(type, "Digits") == 0) {
        sac_tokenizer_add_split(t, flag_of(part, "individual_digits", false) ? "\\p{N}" : "\\p{N}+",
                                SAC_SPLIT_ISOLATED, false);
    } else if (strcmp(type, "CharDelimiterSplit") == 0 && text_of(part, "delimiter")[0]) {
        sac_pattern *pattern = NULL;
        SAC_TRY(t, sac_pattern_compile(text_of(part, "delimiter"), true, &pattern, t->error));
        add_pattern(t, pattern, SAC_SPLIT_REMOVED, false);
    } else if (strcmp(type, "ByteLevel") == 0) {
        sac_tokenizer_add_byte_splits(t, flag_of(part, "add_prefix_space", true),
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
    if (!sac_bpe_allocate_merges(t, (size_t)cJSON_GetArraySize(list))) {
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
    check_keys(t, "model", type, model);
    if (strcmp(type, "Unigram") == 0) {
        read_unigrams(t, model);
        return;
    }
    const cJSON *dropout = item(model, "dropout");
    if (cJSON_IsNumber(dropout) && dropout->valuedouble != 0)
        note(t, "the model's dropout %g, by which merges are left out at random, is not followed",
             dropout->valuedouble);
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

static void read_added_tokens(sac_tokenizer *t, const cJSON *list)
{
    const cJSON *token;
    cJSON_ArrayForEach(token, list)
    {
        const cJSON *id = item(token, "id");
        check_keys(t, "added token", "", token);
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
static void add_frame_token(sac_tokenizer *t, const char *name, int id, int *ids, size_t *count)
{
    if (!sac_tokenizer_token(t, id) || *count == SAC_FRAME)
        refuse(t, "post_processor", name);
    else
        ids[(*count)++] = id;
}

/* [["[SEP]", 102]]'s token. */
static void add_named_frame_token(sac_tokenizer *t, const cJSON *part, const char *name, int *ids,
                                  size_t *count)
{
    const cJSON *token = cJSON_GetArrayItem(item(part, name), 0);
    const cJSON *id = cJSON_GetArrayItem(item(part, name), 1);
    add_frame_token(t, cJSON_IsString(token) ? token->valuestring : name,
                    cJSON_IsNumber(id) ? id->valueint : -1, ids, count);
}

/* What a template has before, between and behind its texts, and their order: "A", "AB". A name stands for as
 * many tokens as special_tokens gives it. */
typedef struct frame {
    int ids[3][SAC_FRAME];
    size_t count[3];
    char texts[8];
    bool second_kind; /* type_id 1 begins with B; else all are 0 */
    bool kinds_differ;
} frame;

static void read_template(sac_tokenizer *t, const cJSON *part, const char *name, frame *f)
{
    const cJSON *piece, *id;
    size_t texts = 0;
    cJSON_ArrayForEach(piece, item(part, name))
    {
        const cJSON *special = item(piece, "SpecialToken"), *text = item(piece, "Sequence");
        const cJSON *of_piece = special ? special : text, *type_id = item(of_piece, "type_id");
        const char *of = text_of(of_piece, "id");
        const cJSON *token = item(item(part, "special_tokens"), of);
        if ((!special && !text) || (special && !cJSON_IsArray(item(token, "ids"))))
            refuse(t, "post_processor", of[0] ? of : name);
        const cJSON *ids = special ? item(token, "ids") : NULL;
        cJSON_ArrayForEach(id, ids)
            add_frame_token(t, of, cJSON_IsNumber(id) ? id->valueint : -1,
                            f->ids[texts < 2 ? texts : 2], &f->count[texts < 2 ? texts : 2]);
        if (text && texts < sizeof f->texts - 1)
            f->texts[texts++] = of[0];
        int kind = cJSON_IsNumber(type_id) ? type_id->valueint : 0;
        if (text && texts == 2)
            f->second_kind = kind == 1;
        f->kinds_differ |= kind != (texts == 2 && f->second_kind);
    }
}

/* A text alone is framed by "single", a pair by "pair", whose outer tokens must be those
 * of a text. */
static void use_template(sac_tokenizer *t, const cJSON *part)
{
    frame single = {0}, pair = {0};
    read_template(t, part, "single", &single);
    read_template(t, part, "pair", &pair);
    if (strcmp(single.texts, "A") != 0)
        refuse(t, "post_processor", "a template of no text A");
    for (size_t i = 0; i < single.count[0]; i++)
        add_frame_token(t, "single", single.ids[0][i], t->before, &t->before_count);
    for (size_t i = 0; i < single.count[1]; i++)
        add_frame_token(t, "single", single.ids[1][i], t->after, &t->after_count);
    for (size_t i = 0; i < pair.count[1]; i++)
        add_frame_token(t, "pair", pair.ids[1][i], t->between, &t->between_count);
    bool outer = strcmp(pair.texts, "AB") == 0 && pair.count[0] == single.count[0] &&
                 pair.count[2] == single.count[1] &&
                 !memcmp(pair.ids[0], single.ids[0], single.count[0] * sizeof(int)) &&
                 !memcmp(pair.ids[2], single.ids[1], single.count[1] * sizeof(int));
    t->no_pairs = !outer || !pair.count[1];
    if (single.kinds_differ || (!t->no_pairs && pair.kinds_differ))
        note(t, "the post_processor's type_id is not followed");
}

static void add_processor(sac_tokenizer *t, const cJSON *part)
{
    const char *type = text_of(part, "type");
    bool is_roberta = strcmp(type, "RobertaProcessing") == 0;
    if (strcmp(type, "TemplateProcessing") == 0) {
        use_template(t, part);
    } else if (strcmp(type, "BertProcessing") == 0 || is_roberta) {
        add_named_frame_token(t, part, "cls", t->before, &t->before_count);
        add_named_frame_token(t, part, "sep", t->after, &t->after_count);
        if (is_roberta)
            sac_tokenizer_separate_twice(t);
    } else if (strcmp(type, "ByteLevel") != 0) { /* which moves offsets, not tokens */
        refuse(t, "post_processor", type);
    }
}

/* ---------------------------------------------------------------- tokens to text */

/* {"String": "▁"}, or the same as an expression. */
static bool is_mark(const cJSON *pattern)
{
    return strcmp(text_of(pattern, "String"), SAC_MARK) == 0 ||
           strcmp(text_of(pattern, "Regex"), SAC_MARK) == 0;
}

/* A step that makes text of each token; false: another one did, or tokens are one text already. */
static bool try_set_joining(sac_tokenizer *t, sac_joining joining)
{
    bool first = t->joining == SAC_JOIN_PLAIN && !t->fused;
    if (first)
        t->joining = joining;
    return first;
}

/* Each step of a decoder turns tokens into others, and what is left is put together. One that is not followed
 * here is named: tokens are right all the same. */
static void add_decoder(sac_tokenizer *t, const cJSON *part)
{
    const char *type = text_of(part, "type"), *scheme = text_of(part, "prepend_scheme");
    const cJSON *start = item(part, "start"), *stop = item(part, "stop");
    double first = cJSON_IsNumber(start) ? start->valuedouble : 0;
    double last = cJSON_IsNumber(stop) ? stop->valuedouble : 0;
    bool follows = true;
    if (strcmp(type, "ByteLevel") == 0) {
        follows = try_set_joining(t, SAC_JOIN_BYTES);
        t->fused = true;
    } else if (strcmp(type, "WordPiece") == 0) {
        follows = try_set_joining(t, SAC_JOIN_WORDPIECES) &&
                  strcmp(text_of(part, "prefix"), t->prefix) == 0;
        t->keeps_gaps = !flag_of(part, "cleanup", true);
    } else if (strcmp(type, "BPEDecoder") == 0) {
        follows =
            try_set_joining(t, SAC_JOIN_ENDINGS) && strcmp(text_of(part, "suffix"), t->suffix) == 0;
    } else if (strcmp(type, "Metaspace") == 0) {
        bool marks =
            scheme[0] ? strcmp(scheme, "never") != 0 : flag_of(part, "add_prefix_space", true);
        follows = try_set_joining(t, SAC_JOIN_MARKS) &&
                  strcmp(text_of(part, "replacement"), SAC_MARK) == 0;
        t->first_blank = marks ? SAC_FIRST_TOKEN : SAC_FIRST_NONE;
    } else if (strcmp(type, "Replace") == 0) {
        follows = is_mark(item(part, "pattern")) && strcmp(text_of(part, "content"), " ") == 0 &&
                  try_set_joining(t, SAC_JOIN_MARKS);
        if (follows)
            t->first_blank = SAC_FIRST_NONE;
    } else if (strcmp(type, "ByteFallback") == 0) {
        follows = !t->fused && (t->joining == SAC_JOIN_PLAIN || t->joining == SAC_JOIN_MARKS);
        t->joins_bytes |= follows;
    } else if (strcmp(type, "Fuse") == 0) {
        t->fused = true;
    } else if (strcmp(type, "Strip") == 0 && (first != 0 || last != 0)) {
        follows = first == 1 && last == 0 && strcmp(text_of(part, "content"), " ") == 0 &&
                  t->fused && t->first_blank == SAC_FIRST_NONE && t->joining == SAC_JOIN_MARKS;
        if (follows)
            t->first_blank = SAC_FIRST_ONE;
    } else if (strcmp(type, "Strip") != 0) {
        follows = false;
    }
    if (!follows)
        note(t, "the decoder's %.40s%s is not followed, and texts may read otherwise",
             type[0] ? type : "part", strcmp(type, "Strip") == 0 ? " (content, start, stop)" : "");
}

/* ---------------------------------------------------------------- the file */

static void read_all(sac_tokenizer *t, const cJSON *json)
{
    check_keys(t, "file", "", json);
    for_parts(t, item(json, "normalizer"), "normalizer", "normalizers", add_normalizer);
    for_parts(t, item(json, "pre_tokenizer"), "pre_tokenizer", "pretokenizers", add_pre_tokenizer);
    read_model(t, item(json, "model"));
    read_added_tokens(t, item(json, "added_tokens"));
    for_parts(t, item(json, "post_processor"), "post_processor", "processors", add_processor);
    t->has_decoder = cJSON_IsObject(item(json, "decoder"));
    if (t->has_decoder)
        t->joining = SAC_JOIN_PLAIN;
    for_parts(t, item(json, "decoder"), "decoder", "decoders", add_decoder);
}

void sac_tokenizer_parse(sac_tokenizer *t, const char *text, size_t size)
{
    cJSON *json = NULL;
    SAC_TRY(t, sac_json_parse(text, size, &json, t->error));
    sac_tokenizer_read_value(t, json);
    cJSON_Delete(json);
    sac_tokenizer_finish(t);
}

void sac_tokenizer_read_value(sac_tokenizer *t, const cJSON *json)
{
    if (t->status == SAC_OK && !cJSON_IsObject(json))
        t->status = sac_fail(t->error, SAC_E_FORMAT, NULL, NULL, "is not a tokenizer in JSON");
    if (t->status == SAC_OK)
        read_all(t, json);
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
