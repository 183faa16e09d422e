/* Tokenizers against Hugging Face's `tokenizers`, on lines in many scripts (make_references.py),
 * and the errors for files that are damaged. */
#include "lines.h"
#include "saccade_arrays.h"
#include "status.h"

static const char *const names[] = {"bert",     "bert_cased", "gpt2",         "roberta",
                                    "digits",   "cl100k",     "o200k",        "nfc",
                                    "suffixed", "unigram_t5", "unigram_xlmr", "unigram_bytes"};
enum { NAMES = sizeof names / sizeof *names };

static cJSON *reference, *unigrams;              /* lines.json, unigrams.json */
static sac_arrays *expected, *expected_unigrams; /* beside them */

static int set_up(void **state)
{
    (void)state;
    reference = read_json(TEST_DATA "/lines.json");
    unigrams = read_json(TEST_DATA "/unigrams.json");
    OK(sac_arrays_open(TEST_DATA "/expected.npz", &expected, NULL));
    OK(sac_arrays_open(TEST_DATA "/unigrams.npz", &expected_unigrams, NULL));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    cJSON_Delete(reference);
    cJSON_Delete(unigrams);
    sac_arrays_close(expected);
    sac_arrays_close(expected_unigrams);
    return 0;
}

static sac_tokenizer *open_one(const char *name)
{
    char path[512];
    sac_tokenizer *tokenizer;
    snprintf(path, sizeof path, "%s/%s", TEST_DATA, name);
    OK(sac_tokenizer_open(path, &tokenizer, &failure));
    return tokenizer;
}

static bool is_unigram(const char *name)
{
    return strncmp(name, "unigram", 7) == 0;
}

static const int32_t *numbers(const char *name, const char *what, size_t *count)
{
    char key[64];
    snprintf(key, sizeof key, "%s.%s", name, what);
    const sac_array *array = sac_arrays_find(is_unigram(name) ? expected_unigrams : expected, key);
    assert_non_null(array);
    assert_int_equal(array->dtype, SAC_I32);
    *count = array->shape[0];
    return array->data;
}

/* ---------------------------------------------------------------- the same as the reference */

static void compare_numbers(const sac_tokenizer *t, const char *name, int line, const char *text,
                            const int32_t *ids, size_t count)
{
    sac_tokens tokens = {0};
    OK(sac_tokenizer_encode(t, text, true, &tokens, NULL));
    for (size_t i = 0; i < count || i < tokens.count; i++)
        if (i >= count || i >= tokens.count || tokens.ids[i] != ids[i])
            fail_msg("%s: line %d, token %zu of %zu (%zu here): %s, not %s: %s", name, line, i,
                     count, tokens.count,
                     i < tokens.count ? sac_tokenizer_token(t, tokens.ids[i]) : "none",
                     i < count ? sac_tokenizer_token(t, ids[i]) : "none", text);
    sac_tokens_free(&tokens);
}

/* All lines give the tokens that the reference has for tokenizer `name`, which is at `place`. */
static void compare_all(const sac_tokenizer *t, const char *place, const char *name)
{
    size_t line_count, id_count;
    const int32_t *counts = numbers(name, "counts", &line_count);
    const int32_t *ids = numbers(name, "ids", &id_count);
    assert_true(line_count >= 2000);
    const cJSON *lines[] = {cJSON_GetObjectItem(reference, "lines"),
                            is_unigram(name) ? cJSON_GetObjectItem(unigrams, "extra") : NULL};
    const cJSON *line;
    int i = 0;
    for (int k = 0; k < 2; k++)
        cJSON_ArrayForEach(line, lines[k])
        {
            compare_numbers(t, place, i, line->valuestring, ids, (size_t)counts[i]);
            ids += counts[i++];
        }
    assert_int_equal(i, line_count);
}

static void compare_folder(const char *folder, const char *name)
{
    sac_tokenizer *t;
    OK(sac_tokenizer_open(folder, &t, &failure));
    compare_all(t, folder, name);
    sac_tokenizer_destroy(t);
}

TEST(lines_in_many_scripts_give_the_tokens_of_the_reference)
{
    char folder[512];
    for (int n = 0; n < NAMES; n++) {
        snprintf(folder, sizeof folder, "%s/%s", TEST_DATA, names[n]);
        compare_folder(folder, names[n]);
    }
}

TEST(tokens_give_the_text_of_the_reference)
{
    for (int n = 0; n < NAMES; n++) {
        sac_tokenizer *t = open_one(names[n]);
        size_t line_count, id_count;
        const int32_t *counts = numbers(names[n], "counts", &line_count);
        const int32_t *ids = numbers(names[n], "ids", &id_count);
        const cJSON *texts = is_unigram(names[n]) ? unigrams : reference;
        const cJSON *text =
            cJSON_GetObjectItem(cJSON_GetObjectItem(texts, "decoded"), names[n])->child;
        for (size_t i = 0; text; text = text->next, ids += counts[i++]) {
            char *decoded = sac_tokenizer_decode(t, ids, (size_t)counts[i]);
            if (strcmp(decoded, text->valuestring) != 0)
                fail_msg("%s: line %zu: \"%s\", not \"%s\"", names[n], i, decoded,
                         text->valuestring);
            free(decoded);
        }
        sac_tokenizer_destroy(t);
    }
}

/* ---------------------------------------------------------------- other files than tokenizer.json
 */

/* The keys of a GGUF with the tokens and merges of tokenizer.json, whose pre-tokenizer has the name `cut`. */
static cJSON *gguf_keys(const char *name, const char *cut)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s/tokenizer.json", TEST_DATA, name);
    cJSON *json = read_json(path), *keys = cJSON_CreateObject();
    const cJSON *item, *model = cJSON_GetObjectItem(json, "model");
    cJSON_AddStringToObject(keys, "tokenizer.ggml.model", "gpt2");
    cJSON_AddStringToObject(keys, "tokenizer.ggml.pre", cut);
    cJSON *tokens = cJSON_AddArrayToObject(keys, "tokenizer.ggml.tokens");
    cJSON *kinds = cJSON_AddArrayToObject(keys, "tokenizer.ggml.token_type");
    cJSON *merges = cJSON_AddArrayToObject(keys, "tokenizer.ggml.merges");
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(model, "vocab"))
    {
        bool is_special = strcmp(item->string, "<|endoftext|>") == 0;
        assert_int_equal(item->valueint, cJSON_GetArraySize(kinds));
        cJSON_AddItemToArray(tokens, cJSON_CreateString(item->string));
        cJSON_AddItemToArray(kinds, cJSON_CreateNumber(is_special ? 3 : 1));
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(model, "merges"))
    {
        char merge[512];
        snprintf(merge, sizeof merge, "%s %s", item->child->valuestring,
                 item->child->next->valuestring);
        cJSON_AddItemToArray(merges, cJSON_CreateString(merge));
    }
    cJSON_Delete(json);
    return keys;
}

/* The last: Ollama's gpt-oss, which names a wrong one. */
TEST(a_gguf_cuts_texts_as_the_name_of_its_way_shows)
{
    static const char *const ways[][2] = {{"gpt2", "gpt-2"},
                                          {"digits", "smollm"},
                                          {"cl100k", "llama-bpe"},
                                          {"o200k", "gpt-4o"},
                                          {"o200k", "gpt-2"}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        sac_tokenizer *t;
        cJSON *keys = gguf_keys(ways[i][0], ways[i][1]);
        cJSON_AddStringToObject(keys, "general.architecture", i == 4 ? "gptoss" : "llama");
        OK(sac_tokenizer_open_gguf(keys, &t, &failure));
        compare_all(t, ways[i][1], ways[i][0]);
        sac_tokenizer_destroy(t);
        cJSON_Delete(keys);
    }
}

static FILE *create(const scratch *s, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    return file;
}

static cJSON *model_of(const char *name, cJSON **json)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s/tokenizer.json", TEST_DATA, name);
    *json = read_json(path);
    return cJSON_GetObjectItem(*json, "model");
}

static void write_vocabulary(const scratch *s, const sac_tokenizer *t)
{
    FILE *file = create(s, "vocab.txt");
    for (size_t id = 0; id < sac_tokenizer_size(t); id++)
        fprintf(file, "%s\n", sac_tokenizer_token(t, (int)id));
    fclose(file);
}

IN_SCRATCH(a_vocabulary_of_lines_is_berts)
{
    sac_tokenizer *lower = open_one("bert"), *cased = open_one("bert_cased");
    write_vocabulary(s, lower);
    compare_folder(s->folder, "bert");
    write_vocabulary(s, cased);
    FILE *config = create(s, "tokenizer_config.json");
    fprintf(config, "{\"do_lower_case\": false}");
    fclose(config);
    compare_folder(s->folder, "bert_cased");
    sac_tokenizer_destroy(lower);
    sac_tokenizer_destroy(cased);
}

IN_SCRATCH(a_vocabulary_with_merges_is_gpt2s)
{
    cJSON *json, *model = model_of("gpt2", &json);
    const cJSON *merge;
    char *vocabulary = cJSON_PrintUnformatted(cJSON_GetObjectItem(model, "vocab"));
    FILE *file = create(s, "vocab.json");
    fputs(vocabulary, file);
    fclose(file);
    file = create(s, "merges.txt");
    fprintf(file, "#version: 0.2\n");
    cJSON_ArrayForEach(merge, cJSON_GetObjectItem(model, "merges"))
        fprintf(file, "%s %s\n", cJSON_GetArrayItem(merge, 0)->valuestring,
                cJSON_GetArrayItem(merge, 1)->valuestring);
    fclose(file);
    free(vocabulary);
    cJSON_Delete(json);
    compare_folder(s->folder, "gpt2");
}

/* ---------------------------------------------------------------- damage */

static void assert_refused(scratch *s, const char *name, const char *content, const char *line)
{
    sac_tokenizer *t;
    scratch_write(s, name, content, strlen(content));
    assert_int_not_equal(sac_tokenizer_open(s->folder, &t, &failure), SAC_OK);
    assert_null(t);
    assert_line(s, &failure, line);
    unlink(s->path);
}

#define UNIGRAMS(pieces, unknown)                                                                  \
    "{\"model\": {\"type\": \"Unigram\", \"vocab\": [" pieces "], \"unk_id\": " unknown "}}"

IN_SCRATCH(a_damaged_file_is_refused_in_one_line)
{
    const char *json = "tokenizer.json";
    assert_refused(s, json, "{\"model\":", "tokenizer.json: is not valid JSON; check it with a…");
    assert_refused(
        s, json, "{\"model\": {\"type\": \"Unigram\"}}",
        "tokenizer.json: model: \"a vocabulary that is not a list\"…; give a tokenizer…");
    assert_refused(s, json, "{\"normalizer\": {\"type\": \"Bytes\"}}",
                   "tokenizer.json: normalizer: \"Bytes\" is not supported; give a tokenizer of…");
    assert_refused(s, json, "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 1e99}}}",
                   "tokenizer.json: the token \"a\" has the id 1e+99; ids are whole…");
    assert_refused(s, json, "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 3000000}}}",
                   "tokenizer.json: the token \"a\" has the id 3e+06; ids are whole…");
    assert_refused(s, json, "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 1, \"b\": 1}}}",
                   "tokenizer.json: the token \"b\" or its id 1 is there twice");
    assert_refused(s, json,
                   "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 1}, \"merges\": [\"a a\"]}}",
                   "tokenizer.json: model: merge 0 is of no two tokens that…");
    assert_refused(s, json, UNIGRAMS("[\"a\", -1], [\"a\", -2]", "0"),
                   "tokenizer.json: the token \"a\" or its id 1 is there twice");
    assert_refused(s, json, UNIGRAMS("[\"a\", -1], [\"b\"]", "0"),
                   "tokenizer.json: model: piece 1 is not a text with a score");
    assert_refused(s, json, UNIGRAMS("[\"\", -1]", "0"),
                   "tokenizer.json: pieces: piece 0 is not a text of up to…");
    assert_refused(s, json, UNIGRAMS("[\"a\", -1e999]", "0"),
                   "tokenizer.json: pieces: piece 0 is not a text of up to…");
    assert_refused(s, json, UNIGRAMS("[\"a\", -1]", "1"),
                   "tokenizer.json: model: unk_id 1 is none of its 1 pieces");
    assert_refused(
        s, json,
        "{\"normalizer\": {\"type\": \"Precompiled\", \"precompiled_charsmap\": \"CAAA*\"}}",
        "tokenizer.json: normalizer: its table is damaged");
    assert_refused(s, json,
                   "{\"normalizer\": {\"type\": \"Replace\", \"pattern\": {\"Regex\": \"(a\"}}}",
                   "tokenizer.json: normalizer: pattern: \"(a\" is not…; give a tokenizer…");
    assert_refused(s, json,
                   "{\"pre_tokenizer\": {\"type\": \"Metaspace\", \"replacement\": \"_\"}}",
                   "tokenizer.json: pre_tokenizer: \"_\" is not supported; give a tokenizer of…");
    assert_refused(s, "vocab.txt", "a\nb\n", "vocab.txt: has no token [CLS]; give the vocabulary…");
    assert_refused(s, "vocab.json", "[]", "vocab.json: is not an object in JSON");
}

/* A character that is cut, one that lies about its length, and a byte that begins none. */
IN_SCRATCH(tokens_that_are_no_utf8_are_refused_by_file_and_line)
{
    static const char *const bad[] = {"x\xe2\x96", "x\xde", "x\xff", "x\xc0\x80", "x\xed\xa0\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[300];
        snprintf(text, sizeof text, "[CLS]\n[SEP]\n%s\n", bad[i]);
        assert_refused(s, "vocab.txt", text, "vocab.txt: line 3 is not UTF-8; save it as UTF-8");
        snprintf(text, sizeof text, "{\n\"model\": {\"type\": \"BPE\", \"vocab\": {\"%s\": 1}}}",
                 bad[i]);
        assert_refused(
            s, "tokenizer.json", text,
            "tokenizer.json: line 2 is not UTF-8, after \"x\" (byte 39…; save it as UTF-8");
        snprintf(text, sizeof text, "{\"%s\": 1}", bad[i]);
        assert_refused(s, "vocab.json", text,
                       "vocab.json: line 1 is not UTF-8, after \"x\" (byte 3…; save it as UTF-8");
    }
}

IN_SCRATCH(tokenizer_open_without_files_names_the_folder)
{
    sac_tokenizer *t;
    assert_int_equal(sac_tokenizer_open(s->folder, &t, &failure), SAC_E_FILE);
    assert_string_equal(failure.where, s->folder);
    assert_non_null(strstr(failure.what, "there is no tokenizer"));
}

/* ---------------------------------------------------------------- odd texts */

TEST(a_word_of_a_hundred_thousand_letters_is_encoded_and_comes_back)
{
    enum { LETTERS = 100000 };
    sac_tokenizer *t = open_one("gpt2");
    sac_tokens tokens = {0};
    char *text = malloc(LETTERS + 1);
    for (int i = 0; i < LETTERS; i++)
        text[i] = (char)('a' + (unsigned)i * (unsigned)i % 23);
    text[LETTERS] = '\0';
    OK(sac_tokenizer_encode(t, text, false, &tokens, NULL));
    char *back = sac_tokenizer_decode(t, tokens.ids, tokens.count);
    assert_string_equal(back, text);
    free(back);
    free(text);
    sac_tokens_free(&tokens);
    sac_tokenizer_destroy(t);
}

TEST(bytes_that_are_no_utf8_count_as_unknown_characters)
{
    sac_tokenizer *t = open_one("gpt2");
    sac_tokens tokens = {0};
    OK(sac_tokenizer_encode(t, "a\xff\xc3", false, &tokens, NULL));
    char *back = sac_tokenizer_decode(t, tokens.ids, tokens.count);
    assert_string_equal(back, "a\xef\xbf\xbd\xef\xbf\xbd");
    free(back);
    sac_tokens_free(&tokens);
    sac_tokenizer_destroy(t);
}

/* A part of a letter is seen as its bytes. */
TEST(one_token_is_shown_with_the_bytes_that_are_no_letter)
{
    static const char *const tokens[][2] = {{"ä", "‹E4›"}, {"Ĺ", "‹97›"}, {"Ġ", " "}, {"a", "a"}};
    sac_tokenizer *t = open_one("gpt2");
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        int id = sac_tokenizer_find(t, tokens[i][0]);
        assert_true(id >= 0);
        char *shown = sac_tokenizer_show(t, id);
        assert_string_equal(shown, tokens[i][1]);
        free(shown);
    }
    sac_tokenizer_destroy(t);
}

TEST_MAIN(set_up, tear_down)
