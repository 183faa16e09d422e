/* Tokens become the text that decode() of `transformers` makes of them (make_decoded.py), and each token has its
 * share of it. */
#include "lines.h"
#include "status.h"

static void compare(const sac_tokenizer *t, const char *name, const cJSON *list,
                    const char *expected)
{
    int ids[512] = {0}, count = 0;
    size_t ends[512], before = 0;
    const cJSON *id;
    cJSON_ArrayForEach(id, list) ids[count++] = id->valueint;
    char *text = sac_tokenizer_decode(t, ids, (size_t)count);
    char *shared = sac_tokenizer_decode_shares(t, ids, (size_t)count, ends);
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

/* Each part of a decoder that is not followed is named; what has nothing to do is not. */
IN_SCRATCH(decode_names_the_part_of_a_decoder_that_it_does_not_follow)
{
    static const struct {
        const char *part, *named;
    } cases[] = {
        {"\"type\": \"Fuse\"", NULL},
        {"\"type\": \"Strip\", \"content\": \" \", \"start\": 0, \"stop\": 0", NULL},
        {"\"type\": \"Strip\", \"content\": \" \", \"start\": 1, \"stop\": 0", NULL},
        {"\"type\": \"Strip\", \"content\": \" \", \"start\": 2, \"stop\": 0", "Strip"},
        {"\"type\": \"Strip\", \"content\": \"x\", \"start\": 1, \"stop\": 0", "Strip"},
        {"\"type\": \"Strip\", \"content\": \" \", \"start\": 0, \"stop\": 1", "Strip"},
        {"\"type\": \"CTC\", \"pad_token\": \"a\"", "CTC"},
        {"\"type\": \"Replace\", \"pattern\": {\"String\": \"▁\"}, \"content\": \" \"", NULL},
        {"\"type\": \"Replace\", \"pattern\": {\"String\": \"▁\"}, \"content\": \"_\"", "Replace"},
        {"\"type\": \"Replace\", \"pattern\": {\"Regex\": \"a+\"}, \"content\": \" \"", "Replace"},
        {"\"type\": \"Metaspace\", \"replacement\": \"▁\"", NULL},
        {"\"type\": \"Metaspace\", \"replacement\": \"_\"", "Metaspace"},
        {"\"type\": \"WordPiece\", \"prefix\": \"##\"", "WordPiece"}, /* of a BPE, which has none */
        {"\"type\": \"BPEDecoder\", \"suffix\": \"</w>\"", "BPEDecoder"},
        {"\"type\": \"Sequence\", \"decoders\": [{\"type\": \"Fuse\"}, {\"type\": \"Backwards\"}]",
         "Backwards"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400], named[60];
        sac_tokenizer *t;
        int size =
            snprintf(text, sizeof text,
                     "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": []}, "
                     "\"decoder\": {%s}}",
                     cases[i].part);
        scratch_write(s, "tokenizer.json", text, (size_t)size);
        OK(sac_tokenizer_open(s->folder, &t, &failure));
        const char *note = sac_tokenizer_note(t);
        snprintf(named, sizeof named, "decoder: %s", cases[i].named ? cases[i].named : "");
        if (!note != !cases[i].named || (note && !strstr(note, named)))
            fail_msg("%s: the note is “%s”", cases[i].part, note ? note : "none");
        sac_tokenizer_destroy(t);
    }
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
    char *text = sac_tokenizer_decode_shares(t, ids.ids, ids.count, ends);
    assert_string_equal(text, "a \U00010348 b");
    assert_int_equal(ends[ids.count - 1], 8);
    assert_int_equal(ends[ids.count - 2], 6);
    assert_int_equal(ends[ids.count - 3], 6);
    free(text);
    sac_tokens_free(&ids);
    sac_tokenizer_destroy(t);
}

TEST_MAIN(NULL, NULL)
