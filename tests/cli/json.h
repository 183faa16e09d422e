/* JSON that the program printed. */
#ifndef TESTS_CLI_JSON_H
#define TESTS_CLI_JSON_H

#include <cjson/cJSON.h>

#include "run.h"

/* One value, with white space after it alone; cJSON_Delete it. */
static inline cJSON *parse_json(const char *text)
{
    cJSON *json = cJSON_ParseWithOpts(text, NULL, true);
    if (!json)
        fail_msg("is no JSON: %s", text);
    return json;
}

/* The output of a run that prints nothing on stderr. */
#define JSON_OF(...) (DONE(__VA_ARGS__), parse_json(ran.out))

static inline const cJSON *get(const cJSON *json, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);
    if (!item)
        fail_msg("there is no \"%s\"", name);
    return item;
}

static inline double number_of(const cJSON *json, const char *name)
{
    assert_true(cJSON_IsNumber(get(json, name)));
    return get(json, name)->valuedouble;
}

static inline const char *text_of(const cJSON *json, const char *name)
{
    assert_true(cJSON_IsString(get(json, name)));
    return get(json, name)->valuestring;
}

/* The words of what a model generated, one after the other, are its text, which `name` has: no special token is
 * among them. */
static inline void assert_words_are_text(const cJSON *json, const char *name)
{
    const cJSON *word;
    char text[2048] = "";
    cJSON_ArrayForEach(word, get(json, "words"))
    {
        assert_null(cJSON_GetObjectItem(word, "token"));
        assert_true(strlen(text) + strlen(text_of(word, "word")) < sizeof text);
        strcat(text, text_of(word, "word"));
    }
    assert_string_equal(text, text_of(json, name));
}

#endif
