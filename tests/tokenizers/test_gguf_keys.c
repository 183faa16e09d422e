/* Tokenizers in the keys of a GGUF: every name of a way to cut texts against Hugging Face's `tokenizers`
 * (make_gguf_cuts.py), and lists of tokens that no text can be made of. */
#include "lines.h"
#include "status.h"

#include <math.h>

static sac_tokenizer *open_keys(const cJSON *keys)
{
    sac_tokenizer *t;
    OK(sac_tokenizer_open_gguf(keys, &t, &failure));
    return t;
}

TEST(open_gguf_cuts_as_every_name_of_llama_cpp_does)
{
    cJSON *reference = read_json(TEST_DATA "/gguf_cuts.json");
    cJSON *keys = cJSON_GetObjectItem(reference, "keys"), *cut;
    cJSON_ArrayForEach(cut, cJSON_GetObjectItem(reference, "cuts"))
    {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(cut, "pre"));
        const cJSON *line, *ids = cJSON_GetObjectItem(cut, "ids")->child;
        cJSON_DeleteItemFromObject(keys, "tokenizer.ggml.pre");
        if (name)
            cJSON_AddStringToObject(keys, "tokenizer.ggml.pre", name);
        sac_tokenizer *t = open_keys(keys);
        assert_true(!name == !!sac_tokenizer_note(t)); /* without one a note names what is taken */
        cJSON_ArrayForEach(line, cJSON_GetObjectItem(reference, "lines"))
        {
            compare_line(t, name ? name : "none", line->valuestring, ids);
            ids = ids->next;
        }
        sac_tokenizer_destroy(t);
    }
    cJSON_Delete(reference);
}

/* Every expression is one that is understood, those of the reference and the others. */
TEST(open_gguf_knows_other_names_and_names_one_that_it_does_not)
{
    static const char *const names[] = {
        "laguna",   "exaone-moe", "youtu",     "spark2_5", "chameleon",
        "ufakzeka", "cohere2moe", "smaug-bpe", "mellum2",  "granite-embed-multi-97m"};
    cJSON *reference = read_json(TEST_DATA "/gguf_cuts.json");
    cJSON *keys = cJSON_GetObjectItem(reference, "keys");
    sac_tokenizer *t;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sac_tokens tokens = {0};
        cJSON_DeleteItemFromObject(keys, "tokenizer.ggml.pre");
        cJSON_AddStringToObject(keys, "tokenizer.ggml.pre", names[i]);
        t = open_keys(keys);
        OK(sac_tokenizer_encode(t, "the cat, 1234", false, &tokens, &failure));
        char *text = sac_tokenizer_decode(t, tokens.ids, tokens.count);
        assert_string_equal(text, "the cat, 1234");
        free(text);
        sac_tokens_free(&tokens);
        sac_tokenizer_destroy(t);
    }
    cJSON_DeleteItemFromObject(keys, "tokenizer.ggml.pre");
    cJSON_AddStringToObject(keys, "tokenizer.ggml.pre", "kimi-k9");
    REFUSES(SAC_E_FORMAT, "tokenizer.ggml.pre: \"kimi-k9\"…tokenizer.json…",
            sac_tokenizer_open_gguf(keys, &t, &failure));
    cJSON_Delete(reference);
}

/* Of the model `model`, "llama" or "gpt2", with these lists (NULL: none). */
static cJSON *keys_of(const char *model, const char *tokens, const char *scores, const char *kinds)
{
    cJSON *keys = cJSON_CreateObject();
    cJSON_AddStringToObject(keys, "tokenizer.ggml.model", model);
    cJSON_AddItemToObject(keys, "tokenizer.ggml.tokens", cJSON_Parse(tokens));
    cJSON_AddItemToObject(keys, "tokenizer.ggml.merges", cJSON_CreateArray());
    if (scores)
        cJSON_AddItemToObject(keys, "tokenizer.ggml.scores", cJSON_Parse(scores));
    if (kinds)
        cJSON_AddItemToObject(keys, "tokenizer.ggml.token_type", cJSON_Parse(kinds));
    return keys;
}

/* Two pieces and the third that they make, each of that many bytes or both together. */
TEST(open_gguf_refuses_a_piece_of_more_than_512_bytes)
{
    static const char *const models[] = {"llama", "gpt2"};
    for (int long_one = 0; long_one < 2; long_one++)
        for (size_t i = 0; i < 2; i++) {
            char text[3000], x[700] = "", y[700] = "";
            sac_tokenizer *t;
            memset(x, 'x', long_one ? 600 : 512);
            memset(y, 'y', 1);
            snprintf(text, sizeof text, "[\"<unk>\", \"%s\", \"%s\", \"%s%s\"]", x, y, x, y);
            cJSON *keys = keys_of(models[i], text, "[0, -1, -2, -3]", NULL);
            REFUSES(SAC_E_FORMAT,
                    long_one ? "pieces: piece 1 is…512 bytes…" : "pieces: piece 3 is…512 bytes…",
                    sac_tokenizer_open_gguf(keys, &t, &failure));
            cJSON_Delete(keys);
        }
}

TEST(open_gguf_refuses_lists_that_are_no_tokens)
{
    static const struct {
        const char *tokens, *scores, *kinds, *message;
    } lists[] = {
        {"[]", NULL, NULL, "tokenizer.ggml.tokens: is no list of tokens…"},
        {"\"abc\"", NULL, NULL, "tokenizer.ggml.tokens: is no list of tokens…"},
        {"[\"a\", \"b\"]", "[1]", NULL, "tokenizer.ggml.scores: has 1 numbers for 2 tokens…"},
        {"[\"a\", \"b\"]", "[\"x\", \"y\"]", NULL, "tokenizer.ggml.scores: has 0 numbers…"},
        {"[\"a\", \"b\"]", "3", NULL, "tokenizer.ggml.scores: has 0 numbers…"},
        {"[\"a\", \"b\"]", NULL, "[1]", "tokenizer.ggml.token_type: has 1 numbers for 2 tokens…"},
        {"[\"a\", \"a\"]", NULL, NULL, "…twice…"},
        {"[\"a\", \"b\"]", "[0, 1e999]", NULL, "pieces: piece 1 is not a text…with a score…"},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        cJSON *keys = keys_of("llama", lists[i].tokens, lists[i].scores, lists[i].kinds);
        sac_tokenizer *t;
        REFUSES(SAC_E_FORMAT, lists[i].message, sac_tokenizer_open_gguf(keys, &t, &failure));
        cJSON_Delete(keys);
    }
}

/* As llama.cpp does: an empty token gets a name, a kind that is not known is as others, and where no key names them the
 * unknown token, the first and the last are 0, 1 and 2. */
TEST(open_gguf_reads_empty_tokens_and_unknown_kinds_as_llama_cpp)
{
    static const int expected[] = {1, 6};
    sac_tokens tokens = {0};
    cJSON *keys =
        keys_of("llama", "[\"<unk>\", \"<s>\", \"</s>\", \"\", \"\\u2581\", \"a\", \"\\u2581a\"]",
                "[0, 0, 0, 0, -1, -2, -3]", "[2, 3, 3, 1, 1, 99, 0]");
    sac_tokenizer *t = open_keys(keys);
    assert_string_equal(sac_tokenizer_token(t, 3), "[EMPTY_3]");
    OK(sac_tokenizer_encode(t, "a", true, &tokens, &failure));
    assert_int_equal(tokens.count, 2);
    assert_memory_equal(tokens.ids, expected, sizeof expected);
    sac_tokens_free(&tokens);
    sac_tokenizer_destroy(t);
    cJSON_Delete(keys);
}

TEST_MAIN(NULL, NULL)
