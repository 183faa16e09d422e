/* Marian's tokenizer against that of `transformers`, on lines in many scripts (make_marian.py), and
 * the errors for models that are damaged. */
#include "scratch.h"

#include <cjson/cJSON.h>

#include "arrays/bytes.h"
#include "arrays/json.h"
#include "saccade_arrays.h"
#include "status.h"
#include "tokenizers/tokenizer.h"

#define FOLDER TEST_DATA "/marian"

static cJSON *lines, *own; /* lines.json, and those of this tokenizer alone */
static sac_arrays *expected;
static sac_tokenizer *tokenizer;

static int set_up(void **state)
{
    (void)state;
    OK(sac_json_load(TEST_DATA "/lines.json", &lines, NULL));
    OK(sac_json_load(FOLDER "/text.json", &own, NULL));
    assert_int_equal(sac_arrays_open(FOLDER "/expected.npz", &expected, NULL), SAC_OK);
    OK(sac_tokenizer_open(FOLDER, &tokenizer, &failure));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    cJSON_Delete(lines);
    cJSON_Delete(own);
    sac_arrays_close(expected);
    sac_tokenizer_destroy(tokenizer);
    return 0;
}

static const int32_t *numbers(const char *name)
{
    const sac_array *array = sac_arrays_find(expected, name);
    assert_non_null(array);
    assert_int_equal(array->dtype, SAC_I32);
    return array->data;
}

/* ---------------------------------------------------------------- the same as the reference */

static void compare(const char *text, const int32_t *ids, int32_t count)
{
    sac_tokens tokens = {0};
    OK(sac_tokenizer_encode(tokenizer, text, true, &tokens, NULL));
    for (size_t i = 0; i < (size_t)count || i < tokens.count; i++)
        if (i >= (size_t)count || i >= tokens.count || tokens.ids[i] != ids[i])
            fail_msg("token %zu of %d (%zu here): %s, not %s: %s", i, (int)count, tokens.count,
                     i < tokens.count ? sac_tokenizer_token(tokenizer, tokens.ids[i]) : "none",
                     i < (size_t)count ? sac_tokenizer_token(tokenizer, ids[i]) : "none", text);
    sac_tokens_free(&tokens);
}

TEST(lines_in_many_scripts_give_the_tokens_of_the_reference)
{
    const int32_t *counts = numbers("counts"), *ids = numbers("ids");
    const cJSON *line;
    int compared = 0;
    cJSON_ArrayForEach(line, cJSON_GetObjectItem(lines, "lines"))
    {
        compare(line->valuestring, ids, *counts);
        ids += *counts++;
        compared++;
    }
    assert_true(compared >= 2000);
    cJSON_ArrayForEach(line, cJSON_GetObjectItem(own, "extra"))
    {
        compare(line->valuestring, ids, *counts);
        ids += *counts++;
    }
}

TEST(tokens_give_the_text_of_the_reference)
{
    const int32_t *counts = numbers("counts"), *ids = numbers("ids");
    const cJSON *text;
    cJSON_ArrayForEach(text, cJSON_GetObjectItem(own, "decoded"))
    {
        char *decoded = sac_tokenizer_decode(tokenizer, ids, (size_t)*counts);
        assert_non_null(decoded);
        assert_string_equal(decoded, text->valuestring);
        free(decoded);
        ids += *counts++;
    }
}

/* ---------------------------------------------------------------- damage */

/* A folder of that source.spm, whose bytes a string of C writes, does not open. */
static void assert_refused(scratch *s, const char *model, size_t size, const char *vocabulary,
                           const char *line)
{
    sac_tokenizer *t;
    char generated[1200];
    scratch_write(s, "source.spm", model, size);
    scratch_write(s, "vocab.json", vocabulary, strlen(vocabulary));
    assert_int_equal(sac_tokenizer_open(s->folder, &t, &failure), SAC_E_FORMAT);
    assert_null(t);
    if (!strstr(sac_error_line(&failure, generated, sizeof generated), line))
        fail_msg("“%s” does not contain “%s”", generated, line);
}

#define PIECE(kind) "\x0a\x0a\x0a\x01\x61\x15\0\0\x80\xbf\x18" kind /* "a", −1 */

IN_SCRATCH(models_that_are_damaged_or_of_another_kind_are_refused)
{
    static const char whole[] = "{\"<unk>\": 0, \"</s>\": 1, \"a\": 2}";
    static const struct {
        const char *model;
        size_t size;
        const char *vocabulary, *line;
    } cases[] = {
#define MODEL(text) text, sizeof text - 1
        {MODEL("\x0a"), whole, "source.spm: is damaged, or no model of SentencePiece"},
        {MODEL("\x0a\x7f"
               "a"),
         whole, "source.spm: is damaged"},
        {MODEL("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), whole, "source.spm: is damaged"},
        {MODEL("\x0b"), whole, "source.spm: is damaged"},
        {MODEL("\x20\x01"), whole, "source.spm: is damaged"}, /* whole, but without pieces */
        {MODEL("\x0a\x02\x0a\x05"), whole, "source.spm: is damaged"},
        {MODEL(PIECE("\x07")), whole,
         "source.spm: pieces: piece 0 is of kind 7, which is not known"},
        {MODEL(PIECE("\x01") PIECE("\x01")), whole, "is there twice"},
        {MODEL("\x0a\x03\x0a\x01\xff"), whole, "piece 0 is not a text of up to 512 bytes"},
        {MODEL("\x0a\x08\x0a\x01\x61\x15\0\0\xc0\x7f"), whole, "piece 0 is not a text"}, /* NaN */
        {MODEL(PIECE("\x01") "\x12\x02\x18\x03"), whole,
         "trainer_spec: a model_type WORD, of whole words, is not supported"},
        {MODEL(PIECE("\x01") "\x12\x03\xc0\x01\x01"), whole,
         "trainer_spec: treat_whitespace_as_suffix is not supported"},
        {MODEL(PIECE("\x01") "\x1a\x04\x12\x02\x01\x00"), whole, "its table is damaged"},
        {MODEL(PIECE("\x01")), "{\"a\": 0}", "vocab.json: has no token <unk> or </s>"},
        {MODEL(PIECE("\x01")), "[", "vocab.json: is not valid JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(s, cases[i].model, cases[i].size, cases[i].vocabulary, cases[i].line);
}

IN_SCRATCH(a_model_that_is_cut_anywhere_is_refused_or_shorter)
{
    sac_bytes bytes;
    OK(sac_bytes_read(FOLDER "/source.spm", &bytes, NULL));
    scratch_write(s, "vocab.json", "{\"<unk>\": 0, \"</s>\": 1}", 23);
    for (size_t size = 1; size < bytes.size; size += 97) {
        sac_tokenizer *t;
        sac_error error = {0};
        scratch_write(s, "source.spm", bytes.data, size);
        if (sac_tokenizer_open(s->folder, &t, &error) == SAC_OK)
            sac_tokenizer_destroy(t);
        else
            assert_non_null(strstr(error.where, "source.spm"));
    }
    sac_bytes_free(&bytes);
}

TEST_MAIN(set_up, tear_down)
