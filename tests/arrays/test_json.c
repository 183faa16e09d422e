/* JSON that comes from outside: what is refused before it is parsed. */
#include "scratch.h"

#include <cjson/cJSON.h>

#include "arrays/json.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "status.h"

static void assert_parse_refused(scratch *s, const char *text, size_t size, const char *line)
{
    cJSON *json;
    assert_int_equal(sac_json_parse(text, size, &json, &failure), SAC_E_FORMAT);
    assert_null(json);
    assert_line(s, &failure, line);
}

IN_SCRATCH(a_text_that_is_no_utf8_is_refused_by_its_line)
{
    static const char key[] = "{\"a\": 1,\n\"caf\xe9\": 2}", value[] = "[\"x\xf0\x9f\x98\"]";
    assert_parse_refused(s, key, sizeof key - 1,
                         "line 2 is not UTF-8, after \"caf\" (byte 13 of the file); save it as "
                         "UTF-8");
    assert_parse_refused(s, value, sizeof value - 1,
                         "line 1 is not UTF-8, after \"x\" (byte 3 of the file); save it as UTF-8");
}

IN_SCRATCH(json_parse_refuses_damaged_or_trailing_text)
{
    static const char *const bad[] = {"", "{", "{}x", "{} {}", "[1,]"};
    cJSON *json;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_parse_refused(s, bad[i], strlen(bad[i]),
                             "is not valid JSON; check it with a JSON tool");
    OK(sac_json_parse("{\"a\": 1} \r\n\t", 12, &json, NULL));
    cJSON_Delete(json);
}

/* Which ends a text in C: names that have it stay apart. */
TEST(a_nul_within_a_text_does_not_end_it)
{
    static const char text[] = "{\"a\\u0000b\": 1, \"a\": 2, \"\\\\u0000\": 3, \"\\u0000\": 4}";
    cJSON *json;
    OK(sac_json_parse(text, strlen(text), &json, NULL));
    assert_string_equal(json->child->string, "a\xef\xb7\x90"
                                             "b");
    assert_string_equal(json->child->next->string, "a");
    assert_string_equal(json->child->next->next->string, "\\u0000");
    assert_string_equal(json->child->next->next->next->string, "\xef\xb7\x90");
    cJSON_Delete(json);
}

/* Each value takes 64 bytes of cJSON's: 4 million are enough for the largest tokenizers. */
/* As Python's json writes and reads them: neither a number nor a text. */
TEST(numbers_that_are_not_finite_are_of_a_kind_of_their_own)
{
    cJSON *json;
    static const char text[] = "{\"a\": NaN, \"NaN\": [1, -Infinity,Infinity ], \"b\\\"\": "
                               "\"-Infinity, \\\\\", \"c\": -1e3}";
    OK(sac_json_parse(text, strlen(text), &json, &failure));
    const cJSON *list = cJSON_GetObjectItem(json, "NaN");
    assert_true(cJSON_IsRaw(cJSON_GetObjectItem(json, "a")));
    assert_string_equal(cJSON_GetObjectItem(json, "a")->valuestring, "NaN");
    assert_true(cJSON_IsNumber(cJSON_GetArrayItem(list, 0)));
    assert_string_equal(cJSON_GetArrayItem(list, 1)->valuestring, "-Infinity");
    assert_string_equal(cJSON_GetArrayItem(list, 2)->valuestring, "Infinity");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(json, "b\"")), "-Infinity, \\");
    assert_float_equal(cJSON_GetObjectItem(json, "c")->valuedouble, -1000, 0);
    cJSON_Delete(json);
    static const char *const damaged[] = {"{NaN: 1}", "[1NaN]",   "[-NaN]",      "[nan]",
                                          "[Inf]",    "[NaNNaN]", "{\"a\": NaN", "[+Infinity]"};
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        REFUSES(SAC_E_FORMAT, "is not valid JSON…",
                sac_json_parse(damaged[i], strlen(damaged[i]), &json, &failure));
}

IN_SCRATCH(more_values_than_memory_is_given_for_are_refused)
{
    enum { MOST = 1 << 22 };
    char *text = malloc(2 * MOST + 4);
    cJSON *json;
    for (int i = 0; i <= MOST; i++)
        memcpy(text + 2 * i, i ? ",0" : "[0", 2);
    memcpy(text + 2 * MOST + 2, "]", 2);
    assert_parse_refused(s, text, strlen(text),
                         "has more than 4194304 values in JSON; give a smaller one");
    memset(text + 1, ',', 2 * MOST); /* within a text they are none */
    text[1] = text[2 * MOST] = '"';
    text[2 * MOST + 1] = ']';
    OK(sac_json_parse(text, 2 * MOST + 2, &json, NULL));
    cJSON_Delete(json);
    free(text);
}

static sac_status write_part(void *user, const char *key, const cJSON *part, sac_error *error)
{
    char *text = cJSON_PrintUnformatted(part), *all = user;
    snprintf(all + strlen(all), 200 - strlen(all), "%s=%s ", key, text);
    free(text);
    return strstr(all, "stop") ? sac_fail(error, SAC_E_ARGUMENT, NULL, NULL, "stopped") : SAC_OK;
}

TEST(json_each_gives_the_parts_of_a_text)
{
    static const char *const rows[][2] = {
        {"{\"a\": [1, {\"b\": [2, \"]}\\\"\"]}], \"c\":{\"d\":[ ]} ,\"e\" : "
         "-1.5,\"f\":[],\"g\":[[3]]}\n",
         "a=1 a={\"b\":[2,\"]}\\\"\"]} c={\"d\":[]} e=-1.5 g=[3] "},
        {" [ {\"a\":1} ,\"b\"]", "={\"a\":1} =\"b\" "},
        {"{\"a\":1}\n{\"a\":[2]}\n", "={\"a\":1} ={\"a\":[2]} "}, /* JSON Lines */
        {"{}", ""},
        {"7", "=7 "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char all[200] = "";
        assert_int_equal(sac_json_each(rows[i][0], strlen(rows[i][0]), write_part, all, NULL),
                         SAC_OK);
        assert_string_equal(all, rows[i][1]);
    }
}

IN_SCRATCH(json_each_refuses_damaged_text_by_its_line)
{
    static const char *const rows[][2] = {
        {"", "line 1 is not valid JSON; check it with a JSON tool"},
        {"{\"a\":\n[1,\n2", "line 3 is not valid JSON; check it with a JSON tool"},
        {"[1,]", "line 1 is not valid JSON; check it with a JSON tool"},
        {"[1] 2", "line 1 is not valid JSON; check it with a JSON tool"},
        {"{\"a\" 1}", "line 1 is not valid JSON; check it with a JSON tool"},
        {"{\"a\":1,}", "line 1 is not valid JSON; check it with a JSON tool"},
        {"{a:1}", "line 1 is not valid JSON; check it with a JSON tool"},
        {"{\"a\":[{]}]}", "line 1 is not valid JSON; check it with a JSON tool"},
        {"{\"a\":\"\\", "line 1 is not valid JSON; check it with a JSON tool"},
        {"[\n\"\xe9\"]", "line 2 is not UTF-8, after \"\" (byte 3 of the file); save it as UTF-8"},
        {"[\"stop\"]", "stopped"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char all[200] = "";
        sac_error error = {0};
        assert_true(sac_json_each(rows[i][0], strlen(rows[i][0]), write_part, all, &error) !=
                    SAC_OK);
        assert_line(s, &error, rows[i][1]);
    }
}

/* A file without content that claims to be large: it is not read. */
IN_SCRATCH(files_that_are_too_large_are_refused_unread)
{
    cJSON *json;
    scratch_write(s, "a.json", "{}", 2);
    assert_int_equal(truncate(s->path, (64 << 20) + 1), 0);
    assert_int_equal(sac_json_load(s->path, &json, &failure), SAC_E_FORMAT);
    assert_line(s, &failure,
                "a.json: has more than the 64 MB that are read of…; give a smaller one");
    assert_int_equal(truncate(s->path, (1 << 20) + 1), 0);
    assert_int_equal(sac_json_load_config(s->path, &json, &failure), SAC_E_FORMAT);
    assert_line(s, &failure,
                "a.json: has more than the 1 MB that are read of…; give a smaller one");
}

/* Whatever the bytes, a step moves on and stays within the text. */
TEST(every_step_over_bytes_ends_where_the_text_ends)
{
    char text[5] = "";
    for (unsigned first = 1; first < 256; first++)
        for (unsigned second = 0; second < 256; second++)
            for (int third = 0; third < 3; third++) {
                static const char thirds[] = {'\0', 'a', '\x80'};
                const char *at = text;
                text[0] = (char)first;
                text[1] = (char)second;
                text[2] = thirds[third];
                const char *end = text + strlen(text);
                for (const char *before = at; sac_utf8_next(&at); before = at)
                    assert_true(at > before && at <= end);
                assert_ptr_equal(at, end);
            }
}

TEST_MAIN(NULL, NULL)
