/* Captions to words, vocabularies, mirrored captions. */
#include "pictures/words.h"

#include <cjson/cJSON.h>

#include "status.h"
#include "test.h"

TEST(caption_plain_has_words_in_lower_case_without_punctuation)
{
    static const char *const rows[][2] = {
        {"A dog's ball , near the \"red\" car .", "a dog's ball near the red car"},
        {"The man 's hat; they 've 2 T-shirts", "the man 's hat they 've 2 t shirts"},
        {"'Hello' he said, don't 'a' dogs' \xe2\x80\x99s", "hello he said don't a dogs 's"},
        {"\xc3\x89t\xc3\xa9 \xc3\x9c"
         "ber; \xce\xa9\xcf\x83 e\xcc\x81",
         "\xc3\xa9t\xc3\xa9 \xc3\xbc"
         "ber \xcf\x89\xcf\x83 e\xcc\x81"},
        {"\xc8\xba\xc8\xba\xc8\xba", "\xe2\xb1\xa5\xe2\xb1\xa5\xe2\xb1\xa5"}, /* grows */
        {"tab\there\r\nline \xff broken", "tab here line broken"},
        {" . , ! ", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *plain = sac_caption_plain(rows[i][0]);
        assert_string_equal(plain, rows[i][1]);
        free(plain);
    }
}

TEST(caption_vocabulary_goes_through_json_and_numbers_words)
{
    static const char *const words[] = {"a", "dog", "'s", "left",
                                        "\xc3\xbc"
                                        "ber"};
    sac_caption_vocabulary v, read;
    int numbers[4];
    OK(sac_caption_vocabulary_create(words, 5, &v, &failure));
    cJSON *json = sac_caption_vocabulary_json(&v);
    OK(sac_caption_vocabulary_read(json, &read, &failure));
    assert_int_equal(read.count, 9);
    assert_string_equal(sac_caption_vocabulary_word(&read, 4), "a");
    assert_string_equal(sac_caption_vocabulary_word(&read, SAC_VOCABULARY_END), "<end>");
    assert_string_equal(sac_caption_vocabulary_word(&read, 9), "");
    assert_int_equal(sac_caption_vocabulary_find(&read, "dogs", 3), 5);
    assert_int_equal(sac_caption_vocabulary_find(&read, "dogs", 4), SAC_VOCABULARY_UNKNOWN);
    assert_int_equal(sac_caption_vocabulary_numbers(&read,
                                                    "a cat 's \xc3\xbc"
                                                    "ber dog",
                                                    numbers, 4),
                     4);
    assert_int_equal(numbers[0], 4);
    assert_int_equal(numbers[1], SAC_VOCABULARY_UNKNOWN);
    assert_int_equal(numbers[2], 6);
    assert_int_equal(numbers[3], 8);
    cJSON_Delete(json);
    sac_caption_vocabulary_free(&v);
    sac_caption_vocabulary_free(&read);
}

TEST(caption_vocabulary_read_refuses_what_is_none)
{
    static const char *const rows[][2] = {
        {"{}", "is not a list of words"},
        {"[]", "is not a list of words"},
        {"[\"a\", 1]", "is not a list of words"},
        {"[\"a\", \"b\", \"a\"]", "\"a\" stands there twice"},
        {"[\"A\"]", "\"A\" is no word"},
        {"[\"a b\"]", "\"a b\" is no word"},
        {"[\"<pad>\"]", "\"<pad>\" is no word"},
        {"[\"\"]", "\"\" is no word"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sac_caption_vocabulary v;
        sac_error error = {0};
        cJSON *json = cJSON_Parse(rows[i][0]);
        assert_int_equal(sac_caption_vocabulary_read(json, &v, &error), SAC_E_FORMAT);
        assert_non_null(strstr(error.what, rows[i][1]));
        sac_caption_vocabulary_free(&v);
        cJSON_Delete(json);
    }
}

TEST(caption_mirror_exchanges_left_and_right)
{
    static const char *const words[] = {"left", "dog", "right", "leftmost"};
    sac_caption_vocabulary v;
    int numbers[] = {4, 5, 6, 3}, leftmost[] = {5, 7}, mirrored[4];
    OK(sac_caption_vocabulary_create(words, 4, &v, NULL));
    assert_true(sac_caption_mirror(&v, numbers, 4, mirrored));
    assert_int_equal(mirrored[0], 6);
    assert_int_equal(mirrored[1], 5);
    assert_int_equal(mirrored[2], 4);
    assert_int_equal(mirrored[3], 3);
    assert_false(sac_caption_mirror(&v, leftmost, 2, leftmost)); /* there is no "rightmost" */
    assert_int_equal(leftmost[1], 7);
    sac_caption_vocabulary_free(&v);
}

TEST_MAIN(NULL, NULL)
