/* saccade sentence. */
#include "json.h"

/* Words of `name` joined by blanks. */
static char *words_of(const cJSON *json, const char *name, char *text)
{
    const cJSON *word;
    text[0] = '\0';
    cJSON_ArrayForEach(word, get(json, name))
    {
        if (text[0])
            strcat(text, " ");
        strcat(text, cJSON_GetStringValue(word));
    }
    return text;
}

TEST(json_has_words_and_their_alignment)
{
    char text[1024];
    cJSON *json = JSON_OF("sentence", "--figure", "--json");
    assert_string_equal(words_of(json, "source", text), "the agreement on the european economic "
                                                        "area was signed in august 1992 .");
    assert_string_equal(words_of(json, "target", text), "l' accord sur la zone économique "
                                                        "européenne a été signé en août 1992 .");
    const cJSON *alignment = get(json, "alignment");
    assert_int_equal(cJSON_GetArraySize(alignment), 14);
    const cJSON *zone = cJSON_GetArrayItem(alignment, 4);
    assert_int_equal(cJSON_GetArrayItem(zone, 0)->valueint, 6);
    cJSON_Delete(json);
}

TEST(a_count_prints_one_sentence_after_the_other)
{
    program_run all = {0}, second = {0};
    run_saccade(&all, "sentence", "--seed", "40", "--count", "2", NULL);
    run_saccade(&second, "sentence", "--seed", "41", NULL);
    assert_done(&all);
    assert_done(&second);
    assert_string_equal(strstr(all.out, second.out), second.out);
    assert_true(strlen(all.out) > strlen(second.out));
}

TEST(a_stream_that_is_none_is_named)
{
    FAILS(2, "--stream: unknown stream \"poetry\"; give test or training", "sentence", "--stream",
          "poetry");
}

TEST_MAIN(NULL, NULL)
