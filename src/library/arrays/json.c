/* JSON, checked before it is parsed: cJSON takes any bytes, and 64 bytes of memory for a value. */
#include "arrays/json.h"

#include <cjson/cJSON.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arrays/bytes.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/text/utf8.h"

/* More than any file has: the largest tokenizers have half of it. 256 MB of cJSON's. */
enum { MOST_VALUES = 1 << 22 };

/* ---------------------------------------------------------------- the text */

/* Values and keys are at most one more than the commas and brackets outside of texts. */
static size_t count_values(const char *text, size_t size)
{
    size_t count = 1;
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"')
            quoted = !quoted;
        else if (quoted && text[i] == '\\')
            i++;
        else if (!quoted)
            count += text[i] == ',' || text[i] == '[' || text[i] == '{';
    }
    return count;
}

/* Reports where the text is not UTF-8: the line, and the text before it within the quotes. */
static sac_status fail_invalid_utf8(const char *text, size_t at, sac_error *error)
{
    enum { SHOWN = 40 };
    size_t line = 1, begin = at;
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    while (begin > 0 && text[begin - 1] != '"' && at - begin < SHOWN)
        begin--;
    while (begin < at && ((unsigned char)text[begin] & 0xc0) == 0x80)
        begin++; /* the rest of a character that began before */
    return sac_fail(error, SAC_E_FORMAT, NULL, "save it as UTF-8",
                    "line %zu is not UTF-8, after \"%.*s\" (byte %zu of the file)", line,
                    (int)(at - begin), text + begin, at);
}

/* cJSON ends a text at \u0000: "a\u0000b" would be "a" in silence. No text here can hold it, so
 * that U+FDD0, which is no character, stands for it. A copy of the text where there is one, which
 * is to be freed; NULL: there is none. */
static char *replace_nul_escapes(const char *text, size_t size, bool *no_memory)
{
    static const char nul[] = "\\u0000", instead[] = "\\ufdd0";
    enum { LENGTH = sizeof nul - 1 };
    char *copy = NULL;
    for (size_t i = 0; i + LENGTH <= size && !*no_memory; i++) {
        if (text[i] != '\\')
            continue;
        if (memcmp(text + i, nul, LENGTH) == 0) {
            if (!copy && (copy = malloc(size)))
                memcpy(copy, text, size);
            *no_memory = !copy;
            if (copy)
                memcpy(copy + i, instead, LENGTH);
        }
        i++; /* what follows a backslash begins no escape */
    }
    return copy;
}

/* Python's json writes and reads these; cJSON does neither. None of them is a valid number here, where all
 * numbers are finite: each becomes a cJSON_Raw, which is neither a number nor a text, so that a reader of
 * the key refuses it by name. While cJSON parses, a byte that no UTF-8 has stands for each. */
static const struct {
    const char *text;
    unsigned char sign;
} odd[] = {{"NaN", 0xff}, {"-Infinity", 0xfd}, {"Infinity", 0xfe}};
enum { ODD = sizeof odd / sizeof *odd };

/* A copy in which they are replaced, as `copy` where that is not NULL; is to be freed. NULL where there is
 * none of them, or no memory. */
static char *replace_nonfinite_literals(const char *text, size_t size, char *copy, bool *has_odd,
                                        bool *no_memory)
{
    bool quoted = false;
    *has_odd = false;
    for (size_t i = 0; i < size && !*no_memory; i++) {
        char c = copy ? copy[i] : text[i];
        if (c == '"')
            quoted = !quoted;
        else if (quoted && c == '\\')
            i++;
        if (quoted || (c != 'N' && c != 'I' && c != '-'))
            continue;
        for (int k = 0; k < ODD; k++) {
            size_t length = strlen(odd[k].text);
            if (i + length > size || memcmp((copy ? copy : text) + i, odd[k].text, length) != 0)
                continue;
            if (!copy && (copy = malloc(size)))
                memcpy(copy, text, size);
            *no_memory = !copy;
            if (!copy)
                break;
            memset(copy + i, ' ', length);
            copy[i] = copy[i + 2] = '"';
            copy[i + 1] = (char)odd[k].sign;
            *has_odd = true;
            i += length - 1;
            break;
        }
    }
    return copy;
}

/* False: one stands where a key should. */
static bool restore_nonfinite_literals(cJSON *json)
{
    bool good = true;
    for (; json && good; json = json->next) {
        good = !json->string || (unsigned char)json->string[0] < 0xf8;
        for (int k = 0; k < ODD && cJSON_IsString(json); k++)
            if ((unsigned char)json->valuestring[0] == odd[k].sign) {
                char *text = strdup(odd[k].text);
                good = good && text;
                if (!text)
                    break;
                free(json->valuestring);
                json->valuestring = text;
                json->type = cJSON_Raw;
            }
        good = good && restore_nonfinite_literals(json->child); /* cJSON has a limit of depth */
    }
    return good;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

sac_status sac_json_parse(const char *text, size_t size, cJSON **json, sac_error *error)
{
    const char *end = NULL;
    size_t valid = sac_utf8_valid_size(text, size);
    *json = NULL;
    if (valid < size)
        return fail_invalid_utf8(text, valid, error);
    if (count_values(text, size) > MOST_VALUES)
        return sac_fail(error, SAC_E_FORMAT, NULL, "give a smaller one",
                        "has more than %d values in JSON", MOST_VALUES);
    bool no_memory = false, has_odd = false;
    char *copy = replace_nul_escapes(text, size, &no_memory);
    copy = replace_nonfinite_literals(text, size, copy, &has_odd, &no_memory);
    if (no_memory) {
        free(copy);
        return sac_no_memory(error, NULL);
    }
    const char *begin = copy ? copy : text;
    cJSON *read = cJSON_ParseWithLengthOpts(begin, size, &end, 0);
    bool whole = read && (!has_odd || restore_nonfinite_literals(read));
    for (; whole && end < begin + size; end++)
        whole = is_blank(*end);
    free(copy);
    if (whole) {
        *json = read;
        return SAC_OK;
    }
    cJSON_Delete(read);
    return sac_fail(error, SAC_E_FORMAT, NULL, "check it with a JSON tool", "is not valid JSON");
}

/* ---------------------------------------------------------------- one part after the other */

/* Walks over the parts of a text. What stands between brackets is skipped: it is parsed later. */
typedef struct walk {
    const char *text, *at, *end;
    sac_json_take *take;
    void *user;
    size_t taken;
    sac_error *error;
} walk;

static size_t line_number_at(const walk *w, const char *at)
{
    size_t line = 1;
    for (const char *c = w->text; c < at; c++)
        line += *c == '\n';
    return line;
}

static sac_status fail_invalid_syntax(const walk *w)
{
    return sac_fail(w->error, SAC_E_FORMAT, NULL, "check it with a JSON tool",
                    "line %zu is not valid JSON", line_number_at(w, w->at));
}

/* The next character that is no blank; 0 at the end. */
static char peek(walk *w)
{
    while (w->at < w->end && is_blank(*w->at))
        w->at++;
    return w->at < w->end ? *w->at : 0;
}

static bool accept(walk *w, char wanted)
{
    bool is = peek(w) == wanted;
    w->at += is;
    return is;
}

/* Where the value that begins here ends: its brackets are closed, or a comma, a bracket or a blank
 * follows. */
static const char *value_end(const walk *w)
{
    int depth = 0;
    bool quoted = false;
    for (const char *c = w->at; c < w->end; c++) {
        if (quoted && *c == '\\') {
            c++; /* what follows ends no text */
        } else if (quoted) {
            quoted = *c != '"';
            if (!quoted && depth == 0)
                return c + 1;
        } else if (*c == '"') {
            quoted = true;
        } else if (*c == '{' || *c == '[') {
            depth++;
        } else if (*c == '}' || *c == ']') {
            if (--depth <= 0)
                return depth == 0 ? c + 1 : c;
        } else if (depth == 0 && (*c == ',' || is_blank(*c))) {
            return c;
        }
    }
    return w->end;
}

/* Takes the value that begins here. */
static sac_status visit_value(walk *w, const char *key)
{
    cJSON *part = NULL;
    peek(w);
    const char *end = value_end(w);
    sac_status status = SAC_OK;
    if (w->taken++ % 4096 == 0)
        status = sac_cancel_check("JSON", w->error);
    if (status == SAC_OK && sac_json_parse(w->at, (size_t)(end - w->at), &part, NULL) != SAC_OK)
        status = fail_invalid_syntax(w);
    if (status == SAC_OK)
        status = w->take(w->user, key, part, w->error);
    cJSON_Delete(part);
    w->at = end;
    return status;
}

/* A list behind its bracket, element by element. */
static sac_status visit_list(walk *w, const char *key)
{
    sac_status status = SAC_OK;
    if (accept(w, ']'))
        return SAC_OK;
    do
        status = visit_value(w, key);
    while (status == SAC_OK && accept(w, ','));
    return status != SAC_OK || accept(w, ']') ? status : fail_invalid_syntax(w);
}

/* A key, its colon and what follows it. */
static sac_status visit_member(walk *w)
{
    cJSON *key = NULL;
    bool is_text = peek(w) == '"';
    const char *end = is_text ? value_end(w) : w->at;
    if (is_text)
        (void)sac_json_parse(w->at, (size_t)(end - w->at), &key, NULL);
    sac_status status = key ? SAC_OK : fail_invalid_syntax(w);
    w->at = end;
    if (status == SAC_OK && !accept(w, ':'))
        status = fail_invalid_syntax(w);
    if (status == SAC_OK)
        status =
            accept(w, '[') ? visit_list(w, key->valuestring) : visit_value(w, key->valuestring);
    cJSON_Delete(key);
    return status;
}

static sac_status visit_object(walk *w)
{
    sac_status status = SAC_OK;
    w->at++;
    if (accept(w, '}'))
        return SAC_OK;
    do
        status = visit_member(w);
    while (status == SAC_OK && accept(w, ','));
    return status != SAC_OK || accept(w, '}') ? status : fail_invalid_syntax(w);
}

/* True where another value follows the first: JSON Lines. */
static bool is_json_lines(walk w)
{
    w.at = value_end(&w);
    return peek(&w) != 0;
}

sac_status sac_json_each(const char *text, size_t size, sac_json_take *take, void *user,
                         sac_error *error)
{
    walk w = {
        .text = text, .at = text, .end = text + size, .take = take, .user = user, .error = error};
    size_t valid = sac_utf8_valid_size(text, size);
    if (valid < size)
        return fail_invalid_utf8(text, valid, error);
    char first = peek(&w);
    if (first == '{' && !is_json_lines(w)) {
        sac_status status = visit_object(&w);
        return status != SAC_OK || peek(&w) == 0 ? status : fail_invalid_syntax(&w);
    }
    sac_status status = first ? SAC_OK : fail_invalid_syntax(&w);
    if (accept(&w, '['))
        status = visit_list(&w, "");
    else
        while (status == SAC_OK && peek(&w))
            status = visit_value(&w, "");
    return status != SAC_OK || peek(&w) == 0 ? status : fail_invalid_syntax(&w);
}

/* ---------------------------------------------------------------- files */

/* Looks at the size first, so that what is too large is not read. */
static sac_status check_size(const char *path, size_t most, sac_error *error)
{
    struct stat info;
    if (stat(path, &info) != 0 || (uintmax_t)info.st_size <= most)
        return SAC_OK;
    return sac_fail(error, SAC_E_FORMAT, path, "give a smaller one",
                    "has more than the %zu MB that are read of such a file", most >> 20);
}

static sac_status load(const char *path, size_t most, cJSON **json, sac_error *error)
{
    sac_bytes bytes;
    *json = NULL;
    sac_status status = check_size(path, most, error);
    if (status != SAC_OK)
        return status;
    status = sac_bytes_read(path, &bytes, error);
    if (status != SAC_OK)
        return status;
    status = sac_json_parse((const char *)bytes.data, bytes.size, json, error);
    sac_bytes_free(&bytes);
    if (status == SAC_OK && !cJSON_IsObject(*json)) {
        cJSON_Delete(*json);
        *json = NULL;
        status = sac_fail(error, SAC_E_FORMAT, NULL, NULL, "is not an object in JSON");
    }
    return sac_error_within(error, status, path);
}

sac_status sac_json_load(const char *path, cJSON **json, sac_error *error)
{
    return load(path, SAC_JSON_MOST, json, error);
}

sac_status sac_json_load_config(const char *path, cJSON **json, sac_error *error)
{
    return load(path, SAC_JSON_CONFIG_MOST, json, error);
}

/* ---------------------------------------------------------------- boxes */

bool sac_json_box(const cJSON *json, double width, double height, float box[4])
{
    const double size[4] = {width, height, width, height};
    double pixels[4];
    if (!cJSON_IsArray(json) || cJSON_GetArraySize(json) != 4)
        return false;
    for (int k = 0; k < 4; k++) {
        const cJSON *number = cJSON_GetArrayItem(json, k);
        if (!cJSON_IsNumber(number))
            return false;
        pixels[k] = number->valuedouble;
        box[k] = (float)(pixels[k] / size[k]);
    }
    return pixels[0] >= 0 && pixels[1] >= 0 && pixels[0] < pixels[2] && pixels[1] < pixels[3] &&
           pixels[2] <= width && pixels[3] <= height;
}

bool sac_json_look(const cJSON *json, double width, double height, sac_look *look)
{
    const cJSON *box;
    *look = (sac_look){0};
    if (!cJSON_IsArray(json) || cJSON_GetArraySize(json) > SAC_LOOK_BOXES)
        return false;
    cJSON_ArrayForEach(box, json)
    {
        if (!sac_json_box(box, width, height, look->box[look->count++]))
            return false;
    }
    return true;
}
