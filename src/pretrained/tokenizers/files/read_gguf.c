/* The tokenizer in the keys of a GGUF: the tokens with their kinds, and merges (byte-pair encoding), scores
 * (SentencePiece) or neither (WordPiece). How a text is cut before merges is given by a name, for which llama.cpp's llama-vocab.cpp has the
 * expressions. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "tokenizers/files/sentencepiece.h"
#include "tokenizers/files/tokenizer_config.h"

#define GPT2_WORDS                                                                                 \
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"
#define ENDING "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define REST "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define SIGNS "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*"
#define WORDS "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|"
#define WORDS_BY_DIGITS(digits) ENDING "|" WORDS digits SIGNS REST

#define UPPER "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define LOWER "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define CASED_WORDS(ending, digits)                                                                \
    "[^\\r\\n\\p{L}\\p{N}]?" UPPER "*" LOWER "+" ending "|[^\\r\\n\\p{L}\\p{N}]?" UPPER "+" LOWER  \
    "*" ending "|" digits "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*" REST

#define ASCII_SIGN "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~]"
#define WORDS_AND_SIGNS                                                                            \
    ASCII_SIGN "[A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+"
#define KANJI_AND_KANA "[\\x{4e00}-\\x{9fa5}\\x{3040}-\\x{309f}\\x{30a0}-\\x{30ff}]+"
#define CHINESE_AND_OTHERS "[\\x{4e00}-\\x{9fa5}\\x{800}-\\x{4e00}\\x{ac00}-\\x{d7ff}]+"
#define CASED_LETTERS                                                                              \
    "[A-Za-z\\x{b5}\\x{c0}-\\x{d6}\\x{d8}-\\x{f6}\\x{f8}-\\x{1ba}\\x{1bc}-\\x{1bf}"                \
    "\\x{1c4}-\\x{293}\\x{295}-\\x{2af}\\x{370}-\\x{373}\\x{376}\\x{377}\\x{37b}-\\x{37d}"         \
    "\\x{37f}\\x{386}\\x{388}-\\x{38a}\\x{38c}\\x{38e}-\\x{3a1}\\x{3a3}-\\x{3f5}"                  \
    "\\x{3f7}-\\x{481}\\x{48a}-\\x{52f}\\x{531}-\\x{556}\\x{10a0}-\\x{10c5}"                       \
    "\\x{13a0}-\\x{13f5}\\x{13f8}-\\x{13fd}\\x{1c90}-\\x{1cba}\\x{1cbd}-\\x{1cbf}"                 \
    "\\x{1d00}-\\x{1d2b}\\x{1d6b}-\\x{1d77}\\x{1d79}-\\x{1d9a}\\x{1e00}-\\x{1f15}"                 \
    "\\x{1f18}-\\x{1f1d}\\x{1f20}-\\x{1f45}\\x{1f48}-\\x{1f4d}\\x{1f50}-\\x{1f57}"                 \
    "\\x{1f59}\\x{1f5b}\\x{1f5d}\\x{1f5f}-\\x{1f7d}\\x{1f80}-\\x{1fb4}\\x{1fb6}-\\x{1fbc}"         \
    "\\x{1fbe}\\x{1fc2}-\\x{1fc4}\\x{1fc6}-\\x{1fcc}\\x{1fd0}-\\x{1fd3}"                           \
    "\\x{1fd6}-\\x{1fdb}\\x{1fe0}-\\x{1fec}\\x{1ff2}-\\x{1ff4}\\x{1ff6}-\\x{1ffc}"                 \
    "\\x{2102}\\x{2107}\\x{210a}-\\x{2113}\\x{2115}\\x{2119}-\\x{211d}\\x{2124}\\x{2126}"          \
    "\\x{2128}\\x{212a}-\\x{212d}\\x{212f}-\\x{2134}\\x{2139}\\x{213c}-\\x{213f}"                  \
    "\\x{2145}-\\x{2149}\\x{214e}\\x{2183}\\x{2184}\\x{2c00}-\\x{2c7b}\\x{2c7e}-\\x{2ce4}"         \
    "\\x{2ceb}-\\x{2cee}\\x{2cf2}\\x{2cf3}\\x{a640}-\\x{a66d}\\x{a680}-\\x{a69b}"                  \
    "\\x{a722}-\\x{a76f}\\x{a771}-\\x{a787}\\x{a78b}-\\x{a78e}\\x{ab70}-\\x{abbf}"                 \
    "\\x{fb00}-\\x{fb06}\\x{fb13}-\\x{fb17}\\x{ff21}-\\x{ff3a}\\x{ff41}-\\x{ff5a}"                 \
    "\\x{10400}-\\x{1044f}\\x{104b0}-\\x{104d3}\\x{104d8}-\\x{104fb}\\x{10c80}-\\x{10cb2}"         \
    "\\x{10cc0}-\\x{10cf2}\\x{118a0}-\\x{118df}\\x{1e900}-\\x{1e943}]"

enum { EXPRESSIONS = 6 };

/* One after the other, each within the pieces of the one before. */
typedef struct cutting {
    const char *names[20]; /* tokenizer.ggml.pre; ends with NULL */
    const char *expressions[EXPRESSIONS];
    bool frames;         /* a text begins with bos_token by default */
    bool ignores_merges; /* a piece that is a token is one */
} cutting;

/* As llama.cpp has them. Left out: those of tokens that are no bytes (gemma4, sarvam-moe, whitespace), and kimi-k2 and afmoe, whose
 * architectures are not read. */
static const cutting cuttings[] = {
    {{"default", ""}, {"[\\p{P}$+<=>^~|]+", GPT2_WORDS, "\\p{N}+", "[0-9][0-9][0-9]"}},
    {{"gpt-2", "phi-2", "mpt", "olmo", "jais", "jina-es", "jina-de", "jina-v2-es", "jina-v2-de",
      "gigachat", "a.x-4.0", "mellum", "modern-bert", "exaone4", "trillion", "granite-docling"},
     {GPT2_WORDS}},
    {{"smollm", "refact", "starcoder", "command-r", "codeshell", "exaone", "minerva-7b", "mellum2"},
     {"\\p{N}", GPT2_WORDS}},
    {{"falcon"}, {"[\\p{P}$+<=>^~|`]+", GPT2_WORDS, "[0-9][0-9][0-9]"}},
    {{"qwen2", "deepseek-r1-qwen", "stablelm2", "hunyuan", "megrez", "kormo", "f2llmv2", "grok-2",
      "solar-open"},
     {WORDS_BY_DIGITS("\\p{N}")}},
    {{"qwen35"},
     {ENDING
      "|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*" REST}},
    {{"ufakzeka"}, {WORDS "\\p{N}" SIGNS REST}},
    {{"seed-coder"}, {ENDING "|" WORDS "\\p{N}| ?[^\\s\\p{L}\\p{N}\\r\\n]+" REST}},
    {{"bailingmoe", "bailingmoe2", "llada-moe"},
     {"'(?i:[sdmt]|ll|ve|re)|" WORDS "\\p{N}" SIGNS "|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"}},
    {{"exaone-moe"},
     {ENDING "|[^\\r\\n\\p{L}\\p{N}]?(?:\\p{L}\\p{M}*(?: \\p{L}\\p{M}*)*)+|\\p{N}"
             "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]?|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"}},
    {{"laguna"}, {"[^\\n]+|[\\n]+", WORDS_BY_DIGITS("\\p{N}")}},
    {{"gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"},
     {CASED_WORDS(ENDING "?", "\\p{N}{1,3}")}},
    {{"granite-embed-multi-97m"}, {CASED_WORDS(ENDING "?", "\\p{N}{1,3}")}, false, true},
    {{"tiny_aya", "cohere2moe"},
     {"\\d{1,3}(?=(?:\\d{3})*\\b)", CASED_WORDS(ENDING "?", "\\p{N}{1,3}")}},
    {{"tekken"}, {CASED_WORDS("", "\\p{N}")}, true, true},
    {{"bloom", "gpt3-finnish", "poro-chat"}, {" ?[^(\\s|.,!?…。，、।۔،)]+"}},
    {{"viking"}, {" ?[^(\\s|.,!?…。，、।۔،)]+", "\\p{N}"}},
    {{"dbrx", "smaug-bpe", "chatglm-bpe", "glm4"}, {WORDS_BY_DIGITS("\\p{N}{1,3}")}},
    {{"llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2",
      "jina-v5-nano"},
     {WORDS_BY_DIGITS("\\p{N}{1,3}")},
     true,
     true},
    {{"minicpm5"}, {"\\p{N}{1,3}", WORDS_BY_DIGITS("\\p{N}+")}, false, true},
    {{"jais-2"},
     {ENDING "|" WORDS "\\p{N}{1,3}" SIGNS
             "|\\s*[\\r\\n]+|\\s{512}(?!\\S)|\\s{256}(?!\\S)|\\s{128}(?!\\S)|\\s{64}(?!\\S)"
             "|\\s{32}(?!\\S)|\\s{16}(?!\\S)|\\s{8}(?!\\S)|\\s{4}(?!\\S)|\\s{1,2}(?!\\S)|\\s"}},
    {{"superbpe"}, {"\\p{N}+", "(?=(\\d{3})+(?!\\d))"}},
    {{"deepseek-llm"},
     {"[\\r\\n]", "\\s?" CASED_LETTERS "+",
      "\\s?[!-/:-~\\x{ff01}-\\x{ff0f}\\x{ff1a}-\\x{ff5e}\\x{2018}-\\x{201f}\\x{3000}-\\x{3002}]+",
      "\\s+\\z", CHINESE_AND_OTHERS, "\\p{N}+"}},
    {{"deepseek-coder"}, {"[\\r\\n]", "\\s?\\p{L}+", "\\s?\\p{P}+", CHINESE_AND_OTHERS, "\\p{N}"}},
    {{"deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"},
     {"\\p{N}{1,3}", KANJI_AND_KANA, WORDS_AND_SIGNS "[\\r\\n]*" REST}},
    {{"spark2_5"},
     {"\\p{N}{1,3}", KANJI_AND_KANA, WORDS_AND_SIGNS "|[\\r\\n]|\\s+(?!\\S)|\\s+", "\\p{N}"}},
    {{"youtu"},
     {"[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+"
      "|" KANJI_AND_KANA,
      CASED_WORDS(ENDING "?", "\\p{N}")},
     false,
     true},
    {{"chameleon"},
     {"<sentinel:[0-9]+>", "IMGIMG[A-I]{1,4}Z", "[\\t\\n]|    |  ", "\\p{N}",
      "[\\p{P}!-/:-@\\[-`{-~]", GPT2_WORDS},
     true,
     false},
};

static const cJSON *find(const cJSON *keys, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(keys, name);
}

static bool flag(const cJSON *keys, const char *name, bool otherwise)
{
    const cJSON *value = find(keys, name);
    return cJSON_IsBool(value) ? cJSON_IsTrue(value) : otherwise;
}

static const char *text_of(const cJSON *keys, const char *name)
{
    const cJSON *value = find(keys, name);
    return cJSON_IsString(value) ? value->valuestring : "";
}

/* The id of a special token; `usual`, as in llama.cpp, where no key gives one of the `count` tokens; −1: none. */
static int id_of(const cJSON *keys, const char *name, size_t count, int usual)
{
    const cJSON *value = find(keys, name);
    bool is_id =
        cJSON_IsNumber(value) && value->valuedouble >= 0 && value->valuedouble < (double)count;
    return is_id ? (int)value->valuedouble : usual < (int)count ? usual : -1;
}

/* ---------------------------------------------------------------- pieces */

/* Of "scores" or "token_type": NULL where the file has none, else the first of numbers for all tokens. */
static const cJSON *first_list_number(sac_tokenizer *t, const cJSON *keys, const char *name,
                                      int count)
{
    const cJSON *number, *list = find(keys, name);
    int numbers = 0;
    cJSON_ArrayForEach(number, list) numbers += cJSON_IsNumber(number);
    if (list && (!cJSON_IsArray(list) || numbers < count))
        SAC_TRY(t, sac_fail(t->error, SAC_E_FORMAT, name, "get the file again",
                            "has %d numbers for %d tokens", numbers, count));
    return list ? list->child : NULL;
}

/* A piece for each token, as llama.cpp reads them: an empty one gets a name, and one of a kind that is not known is as
 * others; byte-pair encodings have no scores. */
static void read_pieces(sac_tokenizer *t, const cJSON *keys, sac_sentencepiece *m)
{
    const cJSON *text, *tokens = find(keys, "tokenizer.ggml.tokens");
    int count = cJSON_GetArraySize(tokens);
    if (!cJSON_IsArray(tokens) || count == 0 || count > SAC_VOCABULARY_MOST)
        t->status =
            sac_fail(t->error, SAC_E_FORMAT, "tokenizer.ggml.tokens", NULL, "is no list of tokens");
    const cJSON *score = first_list_number(t, keys, "tokenizer.ggml.scores", count);
    const cJSON *kind = first_list_number(t, keys, "tokenizer.ggml.token_type", count);
    cJSON_ArrayForEach(text, tokens)
    {
        char name[32];
        const char *piece = cJSON_IsString(text) ? text->valuestring : "";
        double number = kind ? kind->valuedouble : SAC_PIECE_NORMAL;
        bool known = number >= SAC_PIECE_NORMAL && number <= SAC_PIECE_BYTE;
        if (!piece[0])
            snprintf(name, sizeof name, "[EMPTY_%zu]", m->count);
        piece = piece[0] ? piece : name;
        SAC_TRY(t, sac_sentencepiece_add(m, piece, strlen(piece), score ? score->valuedouble : 0,
                                         known ? (unsigned)number : SAC_PIECE_NORMAL, t->error));
        if (t->status != SAC_OK)
            return;
        score = score ? score->next : NULL;
        kind = kind ? kind->next : NULL;
    }
}

/* ---------------------------------------------------------------- byte-pair encoding */

static const cutting *find_cutting(sac_tokenizer *t, const char *name)
{
    for (size_t i = 0; i < sizeof cuttings / sizeof *cuttings; i++)
        for (const char *const *known = cuttings[i].names; *known; known++)
            if (strcmp(*known, name) == 0)
                return &cuttings[i];
    t->status = sac_fail(t->error, SAC_E_FORMAT, "tokenizer.ggml.pre",
                         "give the folder of the model with its tokenizer.json",
                         "\"%.40s\" is a way to cut texts that is not known here", name);
    return NULL;
}

static void read_merges(sac_tokenizer *t, const cJSON *keys)
{
    const cJSON *merge, *merges = find(keys, "tokenizer.ggml.merges");
    int rank = 0;
    if (t->status == SAC_OK && !sac_bpe_allocate_merges(t, (size_t)cJSON_GetArraySize(merges)))
        t->status = sac_no_memory(t->error, "merges");
    cJSON_ArrayForEach(merge, merges)
    {
        if (t->status == SAC_OK && rank % 4096 == 0)
            t->status = sac_cancel_check("merges", t->error);
        if (t->status != SAC_OK)
            return;
        if (!cJSON_IsString(merge) || !sac_bpe_add_line(t, merge->valuestring, rank))
            t->status = sac_fail(t->error, SAC_E_FORMAT, "tokenizer.ggml.merges", NULL,
                                 "number %d is not of two tokens that make a third", rank);
        rank++;
    }
}

/* Returns whether a text begins with bos_token by default. */
static bool set_up_bpe(sac_tokenizer *t, const cJSON *keys, const sac_sentencepiece *m)
{
    bool is_old_gpt_oss = strcmp(text_of(keys, "general.architecture"), "gptoss") == 0;
    const char *name = is_old_gpt_oss ? "gpt-4o" : text_of(keys, "tokenizer.ggml.pre");
    const cutting *cut = find_cutting(t, name); /* Ollama's gptoss names another one */
    t->model = SAC_BPE;
    t->joining = SAC_JOIN_BYTES;
    t->ignores_merges = cut && cut->ignores_merges;
    if (!name[0])
        snprintf(t->note, sizeof t->note,
                 "the file names no way to cut texts (tokenizer.ggml.pre), as those of before May "
                 "2024; llama.cpp's default is taken");
    for (size_t i = 0; i < m->count; i++)
        SAC_TRY(t, sac_vocabulary_add(&t->vocabulary, m->pieces[i].text, (double)i, t->error));
    for (int i = 0; cut && i < EXPRESSIONS && cut->expressions[i]; i++)
        sac_tokenizer_add_split(t, cut->expressions[i], SAC_SPLIT_ISOLATED, false);
    sac_tokenizer_add_byte_splits(t, flag(keys, "tokenizer.ggml.add_space_prefix", false), false);
    read_merges(t, keys);
    for (size_t i = 0; i < m->count && t->status == SAC_OK; i++) {
        bool special = m->pieces[i].kind == SAC_PIECE_CONTROL;
        if ((special || m->pieces[i].kind == SAC_PIECE_USER) &&
            !sac_tokenizer_add(t, (sac_added_token){.id = (int)i, .special = special}))
            t->status = sac_no_memory(t->error, "tokens");
    }
    return cut && cut->frames;
}

/* ---------------------------------------------------------------- WordPiece */

static bool has_capital(const char *text)
{
    return strcspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") < strlen(text);
}

/* What begins a word has ▁ before it there, and what goes on with one nothing; here that has ##. Texts are in lower case
 * where no word of the vocabulary has a capital letter. */
static void set_up_wordpiece(sac_tokenizer *t, const sac_sentencepiece *m)
{
    sac_text_buffer text = {0};
    bool lowers = true;
    t->model = SAC_WORDPIECE;
    for (size_t i = 0; i < m->count && t->status == SAC_OK; i++) {
        const char *piece = m->pieces[i].text;
        const bool special = m->pieces[i].kind != SAC_PIECE_NORMAL;
        const bool begins = strncmp(piece, SAC_MARK, strlen(SAC_MARK)) == 0;
        piece += begins ? strlen(SAC_MARK) : 0;
        lowers = lowers && (special || !has_capital(piece));
        sac_text_clear(&text);
        if (!special && !begins)
            sac_text_append(&text, "##", 2);
        sac_text_append(&text, piece, strlen(piece));
        if (text.failed)
            t->status = sac_no_memory(t->error, "tokens");
        SAC_TRY(t, sac_vocabulary_add(&t->vocabulary, text.bytes, (double)i, t->error));
        if (special && t->status == SAC_OK &&
            !sac_tokenizer_add(t, (sac_added_token){.id = (int)i, .special = true}))
            t->status = sac_no_memory(t->error, "tokens");
    }
    sac_text_free(&text);
    sac_tokenizer_add_bert_normalizers(t, (sac_bert_rules){.cleans = true,
                                                           .spaces_ideographs = true,
                                                           .strips_accents = lowers,
                                                           .lowers = lowers});
    sac_tokenizer_add_bert_splits(t);
    t->unknown = m->unknown;
    t->word_most = 100;
    strcpy(t->prefix, "##");
}

/* ---------------------------------------------------------------- any of them */

sac_status sac_tokenizer_open_gguf(const cJSON *keys, sac_tokenizer **tokenizer, sac_error *error)
{
    const char *model = text_of(keys, "tokenizer.ggml.model");
    sac_sentencepiece m = {.is_bpe = true, .byte_fallback = true, .marks_blank = true};
    bool frames = true, is_pieces = strcmp(model, "llama") == 0;
    const bool is_words = strcmp(model, "bert") == 0;
    sac_tokenizer *t;
    *tokenizer = NULL;
    sac_status status = sac_tokenizer_begin(&t, error);
    if (status != SAC_OK)
        return status;
    m.adds_blank = flag(keys, "tokenizer.ggml.add_space_prefix", true);
    m.bos = m.eos = -1;
    read_pieces(t, keys, &m);
    m.unknown = id_of(keys, "tokenizer.ggml.unknown_token_id", m.count,
                      is_pieces  ? 0
                      : is_words ? 100
                                 : -1);
    if (t->status != SAC_OK) {
        /* nothing is known */
    } else if (strcmp(model, "gpt2") == 0) {
        frames = set_up_bpe(t, keys, &m);
    } else if (is_pieces) {
        m.trims = flag(keys, "tokenizer.ggml.remove_extra_whitespaces", false);
        sac_tokenizer_use_pieces(t, &m, &(sac_settings){.kind = SAC_CLASS_OTHER});
    } else if (is_words) {
        set_up_wordpiece(t, &m);
    } else {
        t->status = sac_fail(error, SAC_E_FORMAT, "tokenizer.ggml.model",
                             "give the folder of the model with its tokenizer.json",
                             "\"%.40s\" is a tokenizer that is not read from a GGUF", model);
    }
    if (t->status == SAC_OK) {
        int first_id = id_of(keys, "tokenizer.ggml.bos_token_id", m.count, is_pieces ? 1 : -1);
        int last_id = id_of(keys, "tokenizer.ggml.eos_token_id", m.count, is_pieces ? 2 : -1);
        if (is_words) { /* as llama.cpp spells it, and as it was before */
            first_id =
                id_of(keys, "tokenizer.ggml.cls_token_id", m.count, first_id < 0 ? 101 : first_id);
            last_id = id_of(keys, "tokenizer.ggml.separator_token_id", m.count, 102);
            last_id = id_of(keys, "tokenizer.ggml.seperator_token_id", m.count, last_id);
        }
        const char *first = sac_tokenizer_token(t, first_id);
        const char *last = sac_tokenizer_token(t, last_id);
        sac_tokenizer_set_frame(t,
                                flag(keys, "tokenizer.ggml.add_bos_token", frames) ? first : NULL,
                                flag(keys, "tokenizer.ggml.add_eos_token", is_words) ? last : NULL);
    }
    sac_sentencepiece_free(&m);
    return sac_tokenizer_end(t, tokenizer);
}
