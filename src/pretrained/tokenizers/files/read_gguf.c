/* The tokenizer in the keys of a GGUF: the tokens with their kinds, and merges (byte-pair encoding) or scores
 * (SentencePiece). How a text is cut before merges is told by a name, which llama.cpp's llama-vocab.cpp has the
 * expressions for. */
#include <cjson/cJSON.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tokenizers/files/sentencepiece.h"
#include "tokenizers/files/tokenizer_config.h"

#define GPT2_WORDS                                                                                 \
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"
#define WORDS_BY_DIGITS(digits)                                                                    \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|" digits                           \
    "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

#define UPPER "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define LOWER "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define ENDING "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
#define CASED_WORDS                                                                                \
    "[^\\r\\n\\p{L}\\p{N}]?" UPPER "*" LOWER "+" ENDING "|[^\\r\\n\\p{L}\\p{N}]?" UPPER "+" LOWER  \
    "*" ENDING "|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

/* One after the other, each within the pieces of the one before. */
typedef struct cutting {
    const char *names[10]; /* tokenizer.ggml.pre; ends with NULL */
    const char *expressions[2];
    bool frames;         /* a text begins with bos_token where the file does not say */
    bool ignores_merges; /* a piece that is a token is one */
} cutting;

static const cutting cuttings[] = {
    {{"gpt-2", "phi-2", "mpt", "olmo", "jais"}, {GPT2_WORDS}, false, false},
    {{"smollm", "refact", "starcoder", "command-r", "codeshell", "exaone", "minerva-7b"},
     {"\\p{N}", GPT2_WORDS},
     false,
     false},
    {{"qwen2", "deepseek-r1-qwen", "stablelm2", "hunyuan", "megrez"},
     {WORDS_BY_DIGITS("\\p{N}")},
     false,
     false},
    {{"gpt-4o"}, {CASED_WORDS}, false, false},
    {{"bloom", "gpt3-finnish"}, {" ?[^(\\s|.,!?…。，、।۔،)]+"}, false, false},
    {{"llama-bpe", "llama3", "llama-v3", "falcon3"}, {WORDS_BY_DIGITS("\\p{N}{1,3}")}, true, true},
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

static int id_of(const cJSON *keys, const char *name)
{
    const cJSON *value = find(keys, name);
    bool is_id = cJSON_IsNumber(value) && value->valuedouble >= 0 &&
                 value->valuedouble < SAC_VOCABULARY_MOST;
    return is_id ? (int)value->valuedouble : -1;
}

/* ---------------------------------------------------------------- pieces */

/* A piece for each token; byte-pair encodings have no scores. */
static void read_pieces(sac_tokenizer *t, const cJSON *keys, sac_sentencepiece *m)
{
    const cJSON *text, *tokens = find(keys, "tokenizer.ggml.tokens");
    const cJSON *score = find(keys, "tokenizer.ggml.scores");
    const cJSON *kind = find(keys, "tokenizer.ggml.token_type");
    int count = cJSON_GetArraySize(tokens);
    if (count == 0 || count > SAC_VOCABULARY_MOST)
        t->status =
            sac_fail(t->error, SAC_E_FORMAT, "tokenizer.ggml.tokens", NULL, "is no list of tokens");
    else if (!(m->pieces = calloc((size_t)count, sizeof *m->pieces)))
        t->status = sac_no_memory(t->error, "tokens");
    if (t->status != SAC_OK)
        return;
    score = score ? score->child : NULL;
    kind = kind ? kind->child : NULL;
    cJSON_ArrayForEach(text, tokens)
    {
        sac_piece *p = &m->pieces[m->count++];
        *p = (sac_piece){.text = strdup(cJSON_IsString(text) ? text->valuestring : ""),
                         .score = score ? score->valuedouble : 0,
                         .kind = kind ? (sac_piece_kind)kind->valueint : SAC_PIECE_NORMAL};
        score = score ? score->next : NULL;
        kind = kind ? kind->next : NULL;
        if (!p->text) {
            t->status = sac_no_memory(t->error, "tokens");
            return;
        }
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
    if (t->status == SAC_OK && !sac_bpe_reserve(t, (size_t)cJSON_GetArraySize(merges)))
        t->status = sac_no_memory(t->error, "merges");
    cJSON_ArrayForEach(merge, merges)
    {
        /* a token may begin with a space */
        char *space = cJSON_IsString(merge) && merge->valuestring[0]
                          ? strchr(merge->valuestring + 1, ' ')
                          : NULL;
        if (t->status != SAC_OK)
            return;
        if (space)
            *space = '\0';
        if (!space || !sac_bpe_add_merge(t, merge->valuestring, space + 1, rank))
            t->status = sac_fail(t->error, SAC_E_FORMAT, "tokenizer.ggml.merges", NULL,
                                 "number %d is not of two tokens that make a third", rank);
        if (space)
            *space = ' ';
        rank++;
    }
}

/* Returns whether a text begins with bos_token where no key says. */
static bool use_merges(sac_tokenizer *t, const cJSON *keys, const sac_sentencepiece *m)
{
    bool is_old_gpt_oss = strcmp(text_of(keys, "general.architecture"), "gptoss") == 0;
    const char *name = is_old_gpt_oss ? "gpt-4o" : text_of(keys, "tokenizer.ggml.pre");
    const cutting *cut = find_cutting(t, name); /* Ollama's gptoss names another one */
    t->model = SAC_BPE;
    t->joining = SAC_JOIN_BYTES;
    t->ignores_merges = cut && cut->ignores_merges;
    for (size_t i = 0; i < m->count; i++)
        SAC_TRY(t, sac_vocabulary_add(&t->vocabulary, m->pieces[i].text, (double)i, t->error));
    for (int i = 0; cut && i < 2 && cut->expressions[i]; i++)
        sac_tokenizer_cut(t, cut->expressions[i], SAC_SPLIT_ISOLATED, false);
    sac_tokenizer_cut_bytes(t, flag(keys, "tokenizer.ggml.add_space_prefix", false), false);
    read_merges(t, keys);
    for (size_t i = 0; i < m->count && t->status == SAC_OK; i++) {
        bool special = m->pieces[i].kind == SAC_PIECE_CONTROL;
        if ((special || m->pieces[i].kind == SAC_PIECE_USER) &&
            !sac_tokenizer_add(t, (sac_added_token){.id = (int)i, .special = special}))
            t->status = sac_no_memory(t->error, "tokens");
    }
    return cut && cut->frames;
}

/* ---------------------------------------------------------------- either */

sac_status sac_tokenizer_open_gguf(const cJSON *keys, sac_tokenizer **tokenizer, sac_error *error)
{
    const char *model = text_of(keys, "tokenizer.ggml.model");
    sac_sentencepiece m = {.is_bpe = true, .byte_fallback = true, .marks_blank = true};
    bool frames = true;
    sac_tokenizer *t;
    *tokenizer = NULL;
    sac_status status = sac_tokenizer_begin(&t, error);
    if (status != SAC_OK)
        return status;
    m.adds_blank = flag(keys, "tokenizer.ggml.add_space_prefix", true);
    m.unknown = id_of(keys, "tokenizer.ggml.unknown_token_id");
    m.bos = m.eos = -1;
    read_pieces(t, keys, &m);
    if (t->status != SAC_OK) {
        /* nothing is known */
    } else if (strcmp(model, "gpt2") == 0) {
        frames = use_merges(t, keys, &m);
    } else if (strcmp(model, "llama") == 0) {
        m.trims = flag(keys, "tokenizer.ggml.remove_extra_whitespaces", false);
        sac_tokenizer_use_pieces(t, &m, &(sac_settings){.kind = SAC_CLASS_OTHER});
    } else {
        t->status = sac_fail(error, SAC_E_FORMAT, "tokenizer.ggml.model",
                             "give the folder of the model with its tokenizer.json",
                             "\"%.40s\" is a tokenizer that is not read from a GGUF", model);
    }
    if (t->status == SAC_OK) {
        const char *first = sac_tokenizer_token(t, id_of(keys, "tokenizer.ggml.bos_token_id"));
        const char *last = sac_tokenizer_token(t, id_of(keys, "tokenizer.ggml.eos_token_id"));
        sac_tokenizer_frame(t, flag(keys, "tokenizer.ggml.add_bos_token", frames) ? first : NULL,
                            flag(keys, "tokenizer.ggml.add_eos_token", false) ? last : NULL);
    }
    sac_sentencepiece_free(&m);
    return sac_tokenizer_end(t, tokenizer);
}
