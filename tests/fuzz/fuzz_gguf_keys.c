#include "fuzz.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>

#include "gguf_writer.h"
#include "pretrained/files/gguf/folder.h"
#include "tokenizers/tokenizer.h"

enum { TOKENS = 512, LONGEST = 2048 };

/* What is left of the input. */
typedef struct input {
    const uint8_t *at, *end;
} input;

static uint8_t take(input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static uint32_t take16(input *in)
{
    uint32_t high = take(in);
    return high << 8 | take(in);
}

/* A byte as a character: ASCII, ▁, or one of two or three bytes. */
static size_t put_character(char *to, uint8_t byte)
{
    if (byte == 0 || byte == 0x81)
        return (size_t)(memcpy(to, "\xe2\x96\x81", 3) ? 3 : 0);
    if (byte < 0x80) {
        *to = (char)byte;
        return 1;
    }
    to[0] = (char)(byte < 0xc0 ? 0xc3 : 0xc4);
    to[1] = (char)(0x80 | (byte & 0x3f));
    return 2;
}

typedef struct token {
    char text[LONGEST + 4];
    size_t size;
} token;

static token tokens[TOKENS];

/* One of letters, a run of one of them, or two earlier ones as one. */
static void make_token(input *in, size_t count)
{
    token *t = &tokens[count];
    uint8_t how = take(in);
    t->size = 0;
    if (how % 4 == 0 && count > 1) {
        const token *a = &tokens[take16(in) % count], *b = &tokens[take16(in) % count];
        if (a->size + b->size <= LONGEST) {
            memcpy(t->text, a->text, a->size);
            memcpy(t->text + a->size, b->text, b->size);
            t->size = a->size + b->size;
        }
        return;
    }
    size_t length = how % 4 == 1 ? take16(in) % LONGEST : how / 4 % 16;
    uint8_t letter = take(in);
    for (size_t i = 0; i < length && t->size < LONGEST; i++) {
        t->size += put_character(t->text + t->size, letter);
        letter = how % 4 == 1 ? letter : take(in);
    }
}

static void put_tokenizer(gguf_writer *w, input *in)
{
    static const char *const models[] = {"llama", "gpt2", "gpt2", "bert"};
    static const char *const cuts[] = {"default",     "gpt-2",     "smollm",       "falcon",
                                       "qwen2",       "gpt-4o",    "tekken",       "bloom",
                                       "viking",      "llama-bpe", "deepseek-llm", "superbpe",
                                       "deepseek-v3", "jais-2",    "kimi-k2"};
    static const float odd[] = {0, -1e30f, INFINITY, -INFINITY, NAN};
    uint8_t flags = take(in);
    size_t count = 1 + take16(in) % TOKENS;
    gguf_key_text(w, "tokenizer.ggml.model", models[take(in) % 4]);
    if (flags & 1)
        gguf_key_text(w, "tokenizer.ggml.pre", cuts[take(in) % (sizeof cuts / sizeof *cuts)]);
    gguf_key_list(w, "tokenizer.ggml.tokens", GGUF_TEXT, count);
    for (size_t i = 0; i < count; i++) {
        make_token(in, i);
        gguf_put_text(w, tokens[i].text, tokens[i].size);
    }
    if (flags & 2) {
        size_t some = flags & 16 ? count / 2 : count;
        gguf_key_list(w, "tokenizer.ggml.scores", GGUF_F32, some);
        for (size_t i = 0; i < some; i++) {
            uint8_t byte = take(in);
            float score = byte < 251 ? -(float)byte / 8 : odd[byte - 251];
            gguf_put(w, &score, sizeof score);
        }
    }
    if (flags & 4) {
        gguf_key_list(w, "tokenizer.ggml.token_type", GGUF_U32, count);
        for (size_t i = 0; i < count; i++)
            gguf_put_u32(w, take(in) % 9);
    }
    if (flags & 8) {
        size_t merges = take(in);
        gguf_key_list(w, "tokenizer.ggml.merges", GGUF_TEXT, merges);
        for (size_t i = 0; i < merges; i++) {
            static char line[2 * LONGEST + 16];
            const token *a = &tokens[take16(in) % count], *b = &tokens[take16(in) % count];
            memcpy(line, a->text, a->size);
            line[a->size] = ' ';
            memcpy(line + a->size + 1, b->text, b->size);
            gguf_put_text(w, line, a->size + 1 + b->size);
        }
    }
    static const char *const ids[] = {"tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id",
                                      "tokenizer.ggml.unknown_token_id"};
    for (int i = 0; i < 3; i++)
        if (flags & 32)
            gguf_key_whole(w, ids[i], take16(in));
}

/* Keys of an architecture, some of which change what it is. */
static void put_architecture(gguf_writer *w, input *in)
{
    static const char *const names[] = {"llama",   "qwen2",   "phi3", "gemma2",
                                        "gpt-oss", "gptneox", "bloom"};
    static const char *const keys[] = {"attention.head_count",
                                       "attention.head_count_kv",
                                       "embedding_length",
                                       "block_count",
                                       "attention.sliding_window",
                                       "attention.key_length",
                                       "rope.dimension_count",
                                       "rope.scale_linear",
                                       "rope.scaling.factor",
                                       "context_length",
                                       "expert_count",
                                       "ssm.inner_size",
                                       "attention.causal",
                                       "unknown_key"};
    const char *name = names[take(in) % 7];
    uint32_t set = take16(in);
    gguf_key_text(w, "general.architecture", name);
    for (uint32_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char full[80];
        snprintf(full, sizeof full, "%s.%s", name, keys[i]);
        if (!(set >> i & 1))
            continue;
        if (take(in) % 8) {
            gguf_key_whole(w, full, take16(in));
        } else {
            gguf_key_list(w, full, GGUF_U32, 3);
            for (int k = 0; k < 3; k++)
                gguf_put_u32(w, take(in));
        }
    }
}

static void try_tokenizer(const cJSON *keys, input *in)
{
    sac_tokenizer *tokenizer;
    sac_tokens made = {0};
    sac_error error = {0};
    char text[400];
    size_t size = 0;
    sac_status status = sac_tokenizer_open_gguf(keys, &tokenizer, &error);
    if (status != SAC_OK) {
        fuzz_refused(status, &error);
        return;
    }
    while (size < sizeof text - 4 && in->at < in->end)
        size += put_character(text + size, take(in));
    text[size] = '\0';
    if (sac_tokenizer_encode(tokenizer, text, true, &made, &error) == SAC_OK) {
        free(sac_tokenizer_decode(tokenizer, made.ids, made.count));
        for (size_t i = 0; i < made.count; i++)
            free(sac_tokenizer_show(tokenizer, made.ids[i]));
    }
    sac_tokens_free(&made);
    sac_tokenizer_destroy(tokenizer);
}

/* A GGUF whose keys and tokens are made of the input, so that long ones, empty ones and pairs of them arise. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, data + size};
    gguf_writer w;
    sac_bytes file = {0};
    sac_gguf_folder *folder;
    sac_error error = {0};
    gguf_begin(&w);
    put_architecture(&w, &in);
    put_tokenizer(&w, &in);
    if (take(&in) & 1) {
        gguf_tensor(&w, "rope_freqs.weight", take(&in), 0, 0);
        for (int i = 0; i < 300; i++)
            gguf_put_u32(&w, 0x3f800000);
    }
    gguf_end(&w);
    file.data = w.bytes;
    file.size = w.size;
    sac_status status = sac_gguf_folder_open(&file, NULL, &folder, &error);
    if (status != SAC_OK) {
        fuzz_refused(status, &error);
        return 0;
    }
    try_tokenizer(sac_gguf_folder_keys(folder), &in);
    sac_gguf_folder_close(folder);
    return 0;
}
