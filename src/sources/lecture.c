/* A file of JSON into stops, and back. */
#include "sources/lecture.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arrays/bytes.h"
#include "arrays/json.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text/printable.h"

#define MARK "\"saccade lecture\""
#define ENDING ".lecture"

bool sac_is_lecture(const char *path)
{
    uint8_t start[64];
    const size_t size = sac_file_read_start(path, start, sizeof start), length = strlen(path);
    size_t at = 0;
    if (length > strlen(ENDING) && !strcasecmp(path + length - strlen(ENDING), ENDING))
        return sac_is_regular(path);
    while (at < size && strchr(" \t\r\n{", start[at]))
        at++;
    return at > 0 && size - at >= strlen(MARK) && !memcmp(start + at, MARK, strlen(MARK));
}

/* ---------------------------------------------------------------- in memory */

static void stop_free(sac_lecture_stop *stop)
{
    free(stop->title);
    free(stop->note);
    sac_png_texts_free(&stop->shows);
}

void sac_lecture_free(sac_lecture *lecture)
{
    for (int i = 0; i < lecture->count; i++)
        stop_free(&lecture->stops[i]);
    free(lecture->stops);
    free(lecture->title);
    *lecture = (sac_lecture){0};
}

/* An empty one before that of number `at`; NULL: no memory, or there are too many. */
static sac_lecture_stop *add_stop(sac_lecture *lecture, int at)
{
    sac_lecture_stop *more =
        lecture->count < SAC_LECTURE_STOPS
            ? realloc(lecture->stops, ((size_t)lecture->count + 1) * sizeof *more)
            : NULL;
    if (!more)
        return NULL;
    at = at > lecture->count ? lecture->count : at;
    lecture->stops = more;
    memmove(more + at + 1, more + at, (size_t)(lecture->count - at) * sizeof *more);
    lecture->count++;
    more[at] = (sac_lecture_stop){0};
    return &more[at];
}

bool sac_lecture_insert(sac_lecture *lecture, int at, const char *title, const sac_png_text *shows,
                        size_t count)
{
    sac_lecture_stop *stop = add_stop(lecture, at);
    if (!stop)
        return false;
    stop->title = strdup(title);
    stop->note = strdup("");
    return stop->title && stop->note && sac_png_texts_copy(shows, count, &stop->shows);
}

void sac_lecture_remove(sac_lecture *lecture, int at)
{
    stop_free(&lecture->stops[at]);
    lecture->count--;
    memmove(lecture->stops + at, lecture->stops + at + 1,
            (size_t)(lecture->count - at) * sizeof *lecture->stops);
}

/* ---------------------------------------------------------------- from JSON */

static sac_status fail_stop(const char *where, int number, sac_error *error, const char *remedy,
                            const char *what)
{
    return sac_fail(error, SAC_E_FORMAT, where, remedy, "stop %d %s", number, what);
}

/* A text that may be left out, into a copy. False: it is something else, or there is no memory. */
static bool copy_text(const cJSON *object, const char *key, char **copy)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    *copy = item && !cJSON_IsString(item) ? NULL : strdup(item ? item->valuestring : "");
    return *copy;
}

static sac_status parse_shows(const cJSON *shows, int number, const char *where,
                              sac_png_texts *texts, sac_error *error)
{
    const int count = cJSON_IsObject(shows) ? cJSON_GetArraySize(shows) : 0;
    const cJSON *item;
    if (count < 1 || count > SAC_LECTURE_TEXTS)
        return fail_stop(where, number, error, "give the texts of a saved picture as \"shows\"",
                         count ? "shows more than a view has settings" : "shows nothing");
    texts->at = calloc((size_t)count, sizeof *texts->at);
    if (!texts->at)
        return sac_no_memory(error, where);
    cJSON_ArrayForEach(item, shows)
    {
        sac_png_text *text = &texts->at[texts->count];
        if (!cJSON_IsString(item) || !item->string)
            return fail_stop(where, number, error,
                             "put the value into quotes, such as \"step\": \"3\"",
                             "has a setting that is no text");
        *text = (sac_png_text){strdup(item->string), strdup(item->valuestring)};
        texts->count++;
        if (!text->key || !text->value)
            return sac_no_memory(error, where);
    }
    return SAC_OK;
}

static sac_status parse_stop(const cJSON *json, const char *where, sac_lecture *lecture,
                             sac_error *error)
{
    sac_lecture_stop *stop = add_stop(lecture, lecture->count);
    const int number = lecture->count;
    if (!stop)
        return sac_no_memory(error, where);
    if (!cJSON_IsObject(json))
        return fail_stop(where, number, error, "give {\"title\": …, \"shows\": {…}}",
                         "is no object");
    if (!copy_text(json, "title", &stop->title) || !copy_text(json, "note", &stop->note))
        return fail_stop(where, number, error, "put them into quotes",
                         "has a title or a note that is no text");
    return parse_shows(cJSON_GetObjectItemCaseSensitive(json, "shows"), number, where, &stop->shows,
                       error);
}

static sac_status parse_lecture(const cJSON *json, const char *where, sac_lecture *lecture,
                                sac_error *error)
{
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(json, "saccade lecture"), *stop,
                *stops = cJSON_GetObjectItemCaseSensitive(json, "stops");
    const int count = cJSON_IsArray(stops) ? cJSON_GetArraySize(stops) : 0;
    sac_status status = SAC_OK;
    if (!cJSON_IsNumber(version))
        return sac_fail(error, SAC_E_FORMAT, where, "begin it with {\"saccade lecture\": 1, …",
                        "is not a lecture");
    if (version->valuedouble != 1)
        return sac_fail(error, SAC_E_FORMAT, where, "open it with the Saccade that wrote it",
                        "is a lecture of another version, %g", version->valuedouble);
    if (count < 1 || count > SAC_LECTURE_STOPS)
        return sac_fail(error, SAC_E_FORMAT, where, "give 1 to 500 stops as \"stops\": [{…}, …]",
                        count ? "has %d stops" : "has no stops", count);
    if (!copy_text(json, "title", &lecture->title))
        return sac_fail(error, SAC_E_FORMAT, where, "put it into quotes",
                        "has a title that is no text");
    cJSON_ArrayForEach(stop, stops)
    {
        if (status == SAC_OK)
            status = parse_stop(stop, where, lecture, error);
    }
    return status;
}

sac_status sac_lecture_parse(const char *text, size_t size, const char *where, sac_lecture *lecture,
                             sac_error *error)
{
    cJSON *json = NULL;
    *lecture = (sac_lecture){0};
    sac_status status = sac_error_within(error, sac_json_parse(text, size, &json, error), where);
    if (status == SAC_OK)
        status = parse_lecture(json, where, lecture, error);
    cJSON_Delete(json);
    return status;
}

sac_status sac_lecture_load(const char *path, sac_lecture *lecture, sac_error *error)
{
    sac_bytes bytes = {0};
    *lecture = (sac_lecture){0};
    sac_status status = sac_bytes_read(path, &bytes, error);
    if (status == SAC_OK && !sac_is_lecture(path))
        status = sac_fail(error, SAC_E_FORMAT, path, "begin it with {\"saccade lecture\": 1, …",
                          "is not a lecture");
    if (status == SAC_OK && bytes.size > SAC_LECTURE_MOST)
        status = sac_fail(error, SAC_E_FORMAT, path, NULL, "is too large for a lecture");
    if (status == SAC_OK)
        status = sac_lecture_parse((const char *)bytes.data, bytes.size, path, lecture, error);
    sac_bytes_free(&bytes);
    return status;
}

/* ---------------------------------------------------------------- to JSON */

static void put_text(FILE *file, const char *before, const char *key, const char *text)
{
    fputs(before, file);
    sac_write_json_text(file, key);
    fputs(": ", file);
    sac_write_json_text(file, text);
}

sac_status sac_lecture_save(const char *path, const sac_lecture *lecture, sac_error *error)
{
    sac_output output = {0};
    sac_status status = sac_output_open(&output, path, error);
    if (status != SAC_OK)
        return status;
    FILE *file = output.file;
    fputs("{\n " MARK ": 1", file);
    put_text(file, ",\n ", "title", lecture->title ? lecture->title : "");
    fputs(",\n \"stops\": [", file);
    for (int i = 0; i < lecture->count; i++) {
        const sac_lecture_stop *stop = &lecture->stops[i];
        put_text(file, i ? ",\n  {" : "\n  {", "title", stop->title);
        put_text(file, ",\n   ", "note", stop->note);
        fputs(",\n   \"shows\": {", file);
        for (size_t k = 0; k < stop->shows.count; k++)
            put_text(file, k ? ",\n    " : "\n    ", stop->shows.at[k].key,
                     stop->shows.at[k].value);
        fputs("}}", file);
    }
    fputs("]}\n", file);
    status = sac_output_commit(&output, error);
    sac_output_discard(&output);
    return status;
}
