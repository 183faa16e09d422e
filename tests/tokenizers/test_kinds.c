/* Every way to cut a text, models and normalizers against Hugging Face's `tokenizers`
 * (make_kinds.py), and what small files may not cost. */
#include "base/cancel.h"
#include "lines.h"
#include "status.h"

static sac_tokenizer *open_json(scratch *s, const char *text)
{
    sac_tokenizer *t;
    scratch_write(s, "tokenizer.json", text, strlen(text));
    if (sac_tokenizer_open(s->folder, &t, &failure) != SAC_OK)
        fail_msg("%s: %s: %s", failure.where, failure.what, text);
    return t;
}

/* What becomes of tokens as text. */
static void compare_text(const sac_tokenizer *t, const char *name, const cJSON *ids,
                         const char *expected)
{
    int list[512], count = 0;
    const cJSON *id;
    cJSON_ArrayForEach(id, ids) list[count++] = id->valueint;
    char *text = sac_tokenizer_decode(t, list, (size_t)count);
    if (strcmp(text, expected) != 0)
        fail_msg("%s: “%s”, not “%s”", name, text, expected);
    free(text);
}

IN_SCRATCH(every_kind_gives_the_tokens_of_the_reference)
{
    cJSON *reference = read_json(TEST_DATA "/kinds.json");
    const cJSON *kind, *line;
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(reference, "kinds")) >= 55);
    cJSON_ArrayForEach(kind, cJSON_GetObjectItem(reference, "kinds"))
    {
        char *text = cJSON_PrintUnformatted(cJSON_GetObjectItem(kind, "tokenizer"));
        sac_tokenizer *t = open_json(s, text);
        const cJSON *ids = cJSON_GetObjectItem(kind, "ids")->child;
        const cJSON *texts = cJSON_GetObjectItem(kind, "texts");
        const cJSON *expected = texts ? texts->child : NULL;
        cJSON_ArrayForEach(line, cJSON_GetObjectItem(reference, "lines"))
        {
            compare_line(t, cJSON_GetObjectItem(kind, "name")->valuestring, line->valuestring, ids);
            if (expected)
                compare_text(t, cJSON_GetObjectItem(kind, "name")->valuestring, ids,
                             expected->valuestring);
            expected = expected ? expected->next : NULL;
            ids = ids->next;
        }
        sac_tokenizer_destroy(t);
        free(text);
    }
    cJSON_Delete(reference);
}

/* Files of 2020 have none. */
IN_SCRATCH(tokenizer_json_without_model_type_is_recognised_by_its_keys)
{
    static const char *const names[] = {"bert", "gpt2", "unigram_t5"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        sac_tokens with = {0}, without = {0};
        snprintf(path, sizeof path, "%s/%s/tokenizer.json", TEST_DATA, names[i]);
        cJSON *json = read_json(path);
        char *text = cJSON_PrintUnformatted(json);
        cJSON_DeleteItemFromObject(cJSON_GetObjectItem(json, "model"), "type");
        char *untyped = cJSON_PrintUnformatted(json);
        sac_tokenizer *a = open_json(s, text), *b = open_json(s, untyped);
        OK(sac_tokenizer_encode(a, "The café, naïve", true, &with, NULL));
        OK(sac_tokenizer_encode(b, "The café, naïve", true, &without, NULL));
        assert_int_equal(with.count, without.count);
        assert_memory_equal(with.ids, without.ids, with.count * sizeof *with.ids);
        sac_tokens_free(&with);
        sac_tokens_free(&without);
        sac_tokenizer_destroy(a);
        sac_tokenizer_destroy(b);
        cJSON_Delete(json);
        free(text);
        free(untyped);
    }
}

/* ---------------------------------------------------------------- what small files may not cost */

static void assert_not_encoded(scratch *s, const char *json, const char *text, const char *line)
{
    sac_tokens tokens = {0};
    sac_tokenizer *t = open_json(s, json);
    assert_int_not_equal(sac_tokenizer_encode(t, text, true, &tokens, &failure), SAC_OK);
    assert_line(s, &failure, line);
    sac_tokens_free(&tokens);
    sac_tokenizer_destroy(t);
}

#define WORDS "\"model\": {\"type\": \"WordLevel\", \"vocab\": {\"a\": 0}, \"unk_token\": \"a\"}"
#define BY_MANY                                                                                    \
    "{\"type\": \"Replace\", \"pattern\": {\"String\": \"a\"}, \"content\": \"aaaaaaaaaaaaaaa\"}"
#define BYTES "{\"type\": \"ByteLevel\", \"add_prefix_space\": false, \"use_regex\": false}"

IN_SCRATCH(a_text_does_not_grow_beyond_sixteen_times_its_size_and_a_megabyte)
{
    static const char line[] = "text: its tokenizer makes more than 16 times…; give the tokenizer…";
    const char *normalizers =
        "{\"normalizer\": {\"type\": \"Sequence\", \"normalizers\": [" BY_MANY ", " BY_MANY
        ", " BY_MANY ", " BY_MANY ", " BY_MANY ", " BY_MANY "]}, " WORDS "}";
    assert_not_encoded(s, normalizers, "a", line);
    char cuts[4096] = "{\"pre_tokenizer\": {\"type\": \"Sequence\", \"pretokenizers\": [" BYTES;
    for (int i = 0; i < 30; i++) /* each doubles what it reads */
        strcat(cuts, ", " BYTES);
    strcat(cuts, "]}, " WORDS "}");
    assert_not_encoded(s, cuts, "\xc3\xa9", line);
}

IN_SCRATCH(an_expression_of_endless_steps_is_given_up)
{
    assert_not_encoded(s,
                       "{\"pre_tokenizer\": {\"type\": \"Split\", \"behavior\": \"Isolated\", "
                       "\"pattern\": {\"Regex\": \"(?:(?:a|aa)+)+[bd]\\\\z\"}}, " WORDS "}",
                       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaacb",
                       "text: a regular expression of its tokenizer…; give the tokenizer…");
}

/* Each of many matches is cheap enough for one, and all of them share what a text may take: nothing is made that takes
 * minutes, and it heeds a request to stop within one match. */
static const char by_letter[] =
    "{\"pre_tokenizer\": {\"type\": \"Split\", \"behavior\": \"Isolated\", "
    "\"pattern\": {\"Regex\": \"(?:a|a){18}b|.\"}}, " WORDS "}";
static const char at_places[] =
    "{\"normalizer\": {\"type\": \"Replace\", \"pattern\": {\"Regex\": \"(?:a|a){18}[bc]\"}, "
    "\"content\": \"x\"}, " WORDS "}";

IN_SCRATCH(an_expression_that_takes_long_at_every_letter_is_given_up)
{
    char text[3001] = "";
    memset(text, 'a', sizeof text - 1);
    const char *line = "text: a regular expression of its tokenizer…; give the tokenizer…";
    assert_not_encoded(s, by_letter, text, line);
    assert_not_encoded(s, at_places, text, line);
}

static int asked;

static bool stop_later(void)
{
    return ++asked > 8;
}

IN_SCRATCH(an_expression_stops_on_request)
{
    sac_tokenizer *t = open_json(s, by_letter);
    sac_tokens tokens = {0};
    asked = 0;
    sac_cancel_when(stop_later);
    assert_int_equal(sac_tokenizer_encode(t, "aaaaaaaaaaaaaaaaaaaaaaaa", true, &tokens, NULL),
                     SAC_E_CANCELLED);
    sac_cancel_when(NULL);
    sac_tokens_free(&tokens);
    sac_tokenizer_destroy(t);
}

IN_SCRATCH(a_property_without_its_end_is_refused)
{
    sac_tokenizer *t;
    const char *json = "{\"pre_tokenizer\": {\"type\": \"Split\", \"behavior\": \"Isolated\", "
                       "\"pattern\": {\"Regex\": \"\\\\p{^L\"}}, " WORDS "}";
    scratch_write(s, "tokenizer.json", json, strlen(json));
    REFUSES(SAC_E_FORMAT, "…\\p without a name…", sac_tokenizer_open(s->folder, &t, &failure));
}

static bool stop(void)
{
    return true;
}

IN_SCRATCH(a_text_is_let_go_when_work_should_stop)
{
    sac_tokenizer *t = open_json(s, "{" WORDS "}");
    sac_tokens tokens = {0};
    sac_cancel_when(stop);
    assert_int_equal(sac_tokenizer_encode(t, "a a", true, &tokens, NULL), SAC_E_CANCELLED);
    sac_cancel_when(NULL);
    sac_tokens_free(&tokens);
    sac_tokenizer_destroy(t);
}

TEST_MAIN(NULL, NULL)
