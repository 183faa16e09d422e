/* Tokens become the text that decode() of `transformers` makes of them (make_decoded.py), and each token has its
 * share of it. */
#include "lines.h"
#include "status.h"

#define SAC_MARK "\xe2\x96\x81" /* ▁ */

static void compare(const sac_tokenizer *t, const char *name, const cJSON *list,
                    const char *expected)
{
    int ids[512] = {0}, count = 0;
    size_t ends[512], before = 0;
    const cJSON *id;
    cJSON_ArrayForEach(id, list) ids[count++] = id->valueint;
    char *text = sac_tokenizer_decode(t, ids, (size_t)count);
    char *shared = sac_tokenizer_decode_with_ends(t, ids, (size_t)count, ends);
    char *numbers = cJSON_PrintUnformatted(list);
    if (strcmp(text, expected) != 0)
        fail_msg("%s: %s: “%s”, not “%s”", name, numbers, text, expected);
    assert_string_equal(shared, text);
    for (int i = 0; i < count; before = ends[i++]) {
        bool begins_inside = ((unsigned char)text[ends[i]] & 0xc0) == 0x80;
        if (ends[i] < before || ends[i] > strlen(text) || begins_inside)
            fail_msg("%s: %s: token %d ends at %zu of “%s”", name, numbers, i, ends[i], text);
        if (sac_tokenizer_is_special(t, ids[i]))
            assert_int_equal(ends[i], before);
    }
    assert_int_equal(before, strlen(text));
    free(text);
    free(shared);
    free(numbers);
}

IN_SCRATCH(decode_gives_the_text_of_transformers_and_each_token_its_share)
{
    cJSON *reference = read_json(TEST_DATA "/decoded.json");
    const cJSON *one;
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(reference, "cases")) >= 20);
    cJSON_ArrayForEach(one, cJSON_GetObjectItem(reference, "cases"))
    {
        static const char *const files[][2] = {{"tokenizer", "tokenizer.json"},
                                               {"config", "tokenizer_config.json"}};
        const cJSON *texts = cJSON_GetObjectItem(one, "texts")->child, *list;
        sac_tokenizer *t;
        for (int i = 0; i < 2; i++) {
            char *text = cJSON_PrintUnformatted(cJSON_GetObjectItem(one, files[i][0]));
            scratch_write(s, files[i][1], text, strlen(text));
            free(text);
        }
        OK(sac_tokenizer_open(s->folder, &t, &failure));
        assert_null(sac_tokenizer_note(t)); /* all of these decoders are followed */
        cJSON_ArrayForEach(list, cJSON_GetObjectItem(one, "ids"))
        {
            compare(t, cJSON_GetObjectItem(one, "name")->valuestring, list, texts->valuestring);
            texts = texts->next;
        }
        sac_tokenizer_destroy(t);
    }
    cJSON_Delete(reference);
}

/* "é" is two tokens, and belongs to the first. */
TEST(decode_shares_gives_a_letter_to_the_token_that_it_begins_in)
{
    sac_tokenizer *t;
    sac_tokens ids = {0};
    size_t ends[8];
    OK(sac_tokenizer_open(TEST_DATA "/gpt2", &t, &failure));
    OK(sac_tokenizer_encode(t, "a \U00010348 b", false, &ids, &failure));
    assert_true(ids.count > 4 && ids.count <= 8);
    char *text = sac_tokenizer_decode_with_ends(t, ids.ids, ids.count, ends);
    assert_string_equal(text, "a \U00010348 b");
    assert_int_equal(ends[ids.count - 1], 8);
    assert_int_equal(ends[ids.count - 2], 6);
    assert_int_equal(ends[ids.count - 3], 6);
    free(text);
    sac_tokens_free(&ids);
    sac_tokenizer_destroy(t);
}

/* ---------------------------------------------------------------- what is not followed */

#define LETTERS                                                                                    \
    "{\"type\": \"BPE\", \"vocab\": {\"a\": 0, \"b\": 1, \"<s>\": 2, \"</s>\": 3}, \"merges\": []"
#define REPLACE(pattern, content)                                                                  \
    "{\"type\": \"Replace\", \"pattern\": {\"String\": \"" pattern "\"}, \"content\": \"" content  \
    "\"}"
#define STRIP(start, stop)                                                                         \
    "{\"type\": \"Strip\", \"content\": \" \", \"start\": " start ", \"stop\": " stop "}"
#define DECODERS(list) "\"decoder\": {\"type\": \"Sequence\", \"decoders\": [" list "]}"
#define AND ", "
#define FUSE "{\"type\": \"Fuse\"}"

#define TEXT_A "{\"Sequence\": {\"id\": \"A\", \"type_id\": 0}}"
#define TEXT_B "{\"Sequence\": {\"id\": \"B\", \"type_id\": 1}}"
#define FIRST "{\"SpecialToken\": {\"id\": \"<s>\", \"type_id\": 0}}"
#define LAST(type) "{\"SpecialToken\": {\"id\": \"</s>\", \"type_id\": " type "}}"
#define TEMPLATE(single, pair)                                                                     \
    "\"post_processor\": {\"type\": \"TemplateProcessing\", \"single\": [" single                  \
    "], \"pair\": [" pair "], \"special_tokens\": {"                                               \
    "\"<s>\": {\"id\": \"<s>\", \"ids\": [2, 1], \"tokens\": [\"<s>\", \"b\"]}, "                  \
    "\"</s>\": {\"id\": \"</s>\", \"ids\": [3], \"tokens\": [\"</s>\"]}}}"

static void write_parts(scratch *s, const char *model, const char *parts)
{
    char text[2048];
    int size = snprintf(text, sizeof text, "{\"model\": " LETTERS "%s}, %s}", model, parts);
    assert_in_range(size, 1, sizeof text - 1);
    scratch_write(s, "tokenizer.json", text, (size_t)size);
}

IN_SCRATCH(parts_that_are_not_followed_are_named)
{
    static const struct {
        const char *model, *parts, *note; /* … NULL: there is nothing to name */
    } rows[] = {
        {"", DECODERS(REPLACE(SAC_MARK, " ") AND FUSE AND STRIP("1", "0")), NULL},
        {"", DECODERS(REPLACE(SAC_MARK, " ") AND FUSE AND STRIP("0", "0")), NULL},
        {"", DECODERS(FUSE), NULL},
        {"", DECODERS(STRIP("1", "0") AND REPLACE(SAC_MARK, " ") AND FUSE), "decoder's Strip"},
        {"", DECODERS(REPLACE(SAC_MARK, " ") AND STRIP("1", "0")), "decoder's Strip"},
        {"", DECODERS(REPLACE(SAC_MARK, " ") AND FUSE AND STRIP("1", "1")), "decoder's Strip"},
        {"", DECODERS(REPLACE(SAC_MARK, " ") AND FUSE AND STRIP("2", "0")), "decoder's Strip"},
        {"", DECODERS(REPLACE("_", " ")), "decoder's Replace"},
        {"", DECODERS(REPLACE(SAC_MARK, "_")), "decoder's Replace"},
        {"", DECODERS(FUSE AND REPLACE(SAC_MARK, " ")), "decoder's Replace"},
        {"", DECODERS(FUSE AND "{\"type\": \"ByteFallback\"}"), "decoder's ByteFallback"},
        {"", DECODERS("{\"type\": \"ByteLevel\"}, {\"type\": \"Metaspace\"}"),
         "decoder's Metaspace"},
        {"", "\"decoder\": {\"type\": \"Metaspace\", \"replacement\": \"_\"}",
         "decoder's Metaspace"},
        {"", "\"decoder\": {\"type\": \"BPEDecoder\", \"suffix\": \"</w>\"}",
         "decoder's BPEDecoder"},
        {"", "\"decoder\": {\"type\": \"WordPiece\", \"prefix\": \"##\"}", "decoder's WordPiece"},
        {"", "\"decoder\": {\"type\": \"CTC\", \"pad_token\": \"a\"}",
         "decoder's CTC is not followed"},
        {"", "\"decoder\": {\"type\": \"Backwards\"}", "decoder's Backwards is not followed"},
        {"", "\"decoder\": {\"type\": \"Fuse\", \"by\": 1}", "decoder's key \"by\""},
        {"", "\"normalizer\": {\"type\": \"NFC\", \"twice\": true}", "normalizer's key \"twice\""},
        {"", "\"pre_tokenizer\": {\"type\": \"Digits\", \"roman\": true}",
         "pre_tokenizer's key \"roman\""},
        {"", "\"post_processor\": {\"type\": \"ByteLevel\", \"x\": 0}",
         "post_processor's key \"x\""},
        {"", "\"added_tokens\": [{\"id\": 0, \"content\": \"a\", \"fuzzy\": true}]",
         "added token's key \"fuzzy\""},
        {"", "\"stemmer\": {}", "file's key \"stemmer\""},
        {", \"dropout\": 0.1", "\"decoder\": null", "dropout 0.1"},
        {", \"dropout\": null", "\"truncation\": null", NULL},
        {", \"lower\": true", "\"padding\": null", "model's key \"lower\""},
        {"",
         TEMPLATE(FIRST ", " TEXT_A ", " LAST("0"),
                  FIRST ", " TEXT_A ", " LAST("0") ", " TEXT_B ", " LAST("1")),
         NULL},
        {"", TEMPLATE(FIRST ", " TEXT_A, FIRST ", " TEXT_A ", " FIRST ", " TEXT_B), NULL},
        {"", TEMPLATE(TEXT_A ", " LAST("0"), TEXT_A ", " TEXT_B ", " LAST("1")), NULL},
        {"", TEMPLATE(TEXT_A ", " LAST("0"), TEXT_B ", " LAST("0") ", " TEXT_A ", " LAST("0")),
         NULL},
        {"", TEMPLATE(TEXT_A ", " LAST("1"), TEXT_A ", " LAST("0") ", " TEXT_B ", " LAST("1")),
         "type_id"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sac_tokenizer *t;
        write_parts(s, rows[i].model, rows[i].parts);
        OK(sac_tokenizer_open(s->folder, &t, &failure));
        const char *note = sac_tokenizer_note(t);
        if (!note != !rows[i].note || (note && !strstr(note, rows[i].note)))
            fail_msg("%s%s: “%s”", rows[i].model, rows[i].parts, note ? note : "");
        sac_tokenizer_destroy(t);
    }
}

IN_SCRATCH(values_of_another_kind_and_templates_without_a_text_are_refused)
{
    static const char *const rows[][2] = {
        {"\"normalizer\": {\"type\": \"BertNormalizer\", \"lowercase\": \"no\"}",
         "normalizer: \"lowercase\" of BertNormalizer…"},
        {"\"pre_tokenizer\": {\"type\": \"Digits\", \"individual_digits\": 1}",
         "pre_tokenizer: \"individual_digits\" of Digits…"},
        {"\"decoder\": {\"type\": \"WordPiece\", \"cleanup\": \"yes\"}",
         "decoder: \"cleanup\" of WordPiece…"},
        {"\"decoder\": [\"Fuse\"]", "file: \"decoder\" is of another kind…"},
        {"\"added_tokens\": [{\"id\": 0, \"content\": \"a\", \"lstrip\": 1}]",
         "added token: \"lstrip\" is of another kind…"},
        {"\"pre_tokenizer\": {\"type\": \"UnicodeScripts\"}",
         "pre_tokenizer: \"UnicodeScripts\" is not supported…"},
        {TEMPLATE(FIRST, FIRST), "post_processor: \"a template of no text A\"…"},
        {TEMPLATE(TEXT_A ", " TEXT_A, TEXT_A), "post_processor: \"a template of no text A\"…"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sac_tokenizer *t;
        char line[256];
        write_parts(s, "", rows[i][0]);
        assert_int_equal(sac_tokenizer_open(s->folder, &t, &failure), SAC_E_FORMAT);
        snprintf(line, sizeof line, "…%s", rows[i][1]);
        assert_line(s, &failure, line);
    }
}

/* A name of a template stands for the ids that the file gives it, which may be several. */
IN_SCRATCH(a_template_gives_the_ids_of_its_special_tokens)
{
    static const int expected[] = {2, 1, 0, 3};
    sac_tokenizer *t;
    sac_tokens ids = {0};
    write_parts(s, "",
                TEMPLATE(FIRST ", " TEXT_A ", " LAST("0"),
                         FIRST ", " TEXT_A ", " LAST("0") ", " TEXT_B ", " LAST("1")));
    OK(sac_tokenizer_open(s->folder, &t, &failure));
    OK(sac_tokenizer_encode(t, "a", true, &ids, &failure));
    assert_int_equal(ids.count, 4);
    assert_memory_equal(ids.ids, expected, sizeof expected);
    sac_tokens_free(&ids);
    sac_tokenizer_destroy(t);
}

/* Nothing that could be written stands between the texts of the first, and the others turn them round or frame
 * them otherwise. */
IN_SCRATCH(a_template_that_frames_no_pair_as_a_text_makes_none)
{
    static const char *const templates[] = {
        TEMPLATE(TEXT_A ", " LAST("0"), TEXT_A ", " TEXT_B ", " LAST("1")),
        TEMPLATE(TEXT_A ", " LAST("0"), TEXT_B ", " LAST("0") ", " TEXT_A ", " LAST("0")),
        TEMPLATE(FIRST ", " TEXT_A ", " LAST("0"),
                 TEXT_A ", " LAST("0") ", " TEXT_B ", " LAST("1")),
    };
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++) {
        sac_tokenizer *t;
        sac_tokens ids = {0};
        size_t from;
        char separator[64];
        write_parts(s, "", templates[i]);
        OK(sac_tokenizer_open(s->folder, &t, &failure));
        OK(sac_tokenizer_encode_pair(t, "a", "b", &ids, &from, &failure));
        assert_int_equal(from, 0);
        assert_false(sac_tokenizer_separator(t, separator, sizeof separator));
        sac_tokens_free(&ids);
        sac_tokenizer_destroy(t);
    }
}

TEST_MAIN(NULL, NULL)
