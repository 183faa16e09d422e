/* Rows of captions, whatever format they come from: names, captions and splits as the formats write them. */
#include "pictures/rows.h"

#include <cjson/cJSON.h>

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arrays/json.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/text/utf8.h"

/* ---------------------------------------------------------------- lists of texts */

/* A list or set as Python's repr writes it, or NumPy's str; or an array of PostgreSQL, whose texts are in quotes. */

/* Also a line's end that the table has as two letters. */
static const char *skip_blanks(const char *at)
{
    while (*at && (strchr(" \t\r\n", *at) || strncmp(at, "\\n", 2) == 0))
        at += *at == '\\' ? 2 : 1;
    return at;
}

/* The number of `digits` hexadecimal digits; −1: they are no such. */
static int64_t hexadecimal(const char *at, int digits)
{
    char text[9] = "", *end;
    strncpy(text, at, (size_t)digits);
    long long number = strtoll(text, &end, 16);
    return end == text + digits && text[0] != '-' && text[0] != '+' && text[0] != ' ' ? number : -1;
}

/* Writes what the escape behind a backslash stands for, and returns what is behind it. */
static const char *unescape(const char *at, char **to)
{
    static const char letters[] = "ntrabfv", controls[] = "\n\t\r\a\b\f\v";
    const char *letter = strchr(letters, *at);
    int digits = *at == 'x' ? 2 : *at == 'u' ? 4 : *at == 'U' ? 8 : 0;
    int64_t code = digits ? hexadecimal(at + 1, digits) : -1;
    if (*at == '\n')
        return at + 1; /* the line goes on */
    if (code > 0 && code < 0x110000 && (code < 0xd800 || code > 0xdfff)) {
        *to += sac_utf8_encode((uint32_t)code, *to);
        return at + 1 + digits;
    }
    if (*at && letter)
        *(*to)++ = controls[letter - letters];
    else if (strchr("'\"\\", *at))
        *(*to)++ = *at;
    else { /* Python leaves others as they are */
        *(*to)++ = '\\';
        return at;
    }
    return at + 1;
}

/* A text between quotes into `to`; returns what is behind it, or NULL. */
static const char *read_quoted_text(const char *at, char *to)
{
    at += strchr("uUbB", *at) && *at && (at[1] == '\'' || at[1] == '"');
    const char quote = *at;
    if (quote != '\'' && quote != '"')
        return NULL;
    for (at++; *at && *at != quote;)
        if (*at == '\\' && at[1])
            at = unescape(at + 1, &to);
        else
            *to++ = *at++;
    *to = '\0';
    return *at ? at + 1 : NULL;
}

static const char *skip_null_word(const char *at)
{
    return strncmp(at, "None", 4) == 0 ? at + 4 : strncmp(at, "nan", 3) == 0 ? at + 3 : NULL;
}

/* "['a dog', \"a man's dog\"]", a tuple, or an array of NumPy, which has no commas, as a list of texts;
 * None and nan in it are left out. NULL: it is something else, or there is no memory. */
static cJSON *python_list(const char *text)
{
    cJSON *list = cJSON_CreateArray();
    char *item =
        malloc(2 * strlen(text) + 8); /* an escape is at least half as long as its letter */
    const char *at = text, *next;
    bool is_array = strncmp(at, "array(", 6) == 0;
    at = skip_blanks(at + (is_array ? 6 : 0));
    const char close = *at == '['                ? ']'
                       : *at == '(' && !is_array ? ')'
                       : *at == '{' && !is_array ? '}'
                                                 : '\0';
    bool good = list && item && close;
    at = good ? skip_blanks(at + 1) : at;
    while (good && *at != close) {
        next = skip_null_word(at);
        if (!next) {
            next = read_quoted_text(at, item);
            good = next && cJSON_AddItemToArray(list, cJSON_CreateString(item));
        }
        if (good) {
            at = skip_blanks(next);
            at = skip_blanks(at + (*at == ','));
        }
    }
    at = good ? skip_blanks(at + 1) : at;
    if (good && is_array) { /* "], dtype=object)" */
        at = strchr(at, ')');
        at = at ? skip_blanks(at + 1) : "…";
    }
    free(item);
    if (good && !*at)
        return list;
    cJSON_Delete(list);
    return NULL;
}

/* ---------------------------------------------------------------- rows */

bool sac_pictures_skip_add(sac_pictures_skipped *skipped, const char *name)
{
    if (skipped->count < SAC_SKIP_NAMES && !(skipped->names[skipped->count] = strdup(name)))
        return false;
    skipped->count++;
    return true;
}

void sac_pictures_skip_free(sac_pictures_skipped *skipped)
{
    for (int i = 0; i < SAC_SKIP_NAMES; i++)
        free(skipped->names[i]);
    *skipped = (sac_pictures_skipped){0};
}

/* "a.jpg#0" and " a.jpg " are "a.jpg". */
static char *clean_name(const char *name)
{
    name += strspn(name, " \t");
    size_t size = strlen(name), digits = size;
    while (size && strchr(" \t", name[size - 1]))
        digits = --size;
    while (digits && isdigit((unsigned char)name[digits - 1]))
        digits--;
    if (digits && digits < size && name[digits - 1] == '#')
        size = digits - 1;
    return strndup(name, size);
}

/* A caption on one line: blanks of all kinds are a space. */
static char *clean_caption(const char *caption)
{
    char *clean = malloc(strlen(caption) + 1), *to = clean;
    for (bool blank = true; clean && *caption; caption++) {
        bool is_blank = strchr(" \t\r\n\v\f", *caption) != NULL;
        if (!is_blank)
            *to++ = *caption;
        else if (!blank)
            *to++ = ' ';
        blank = is_blank;
    }
    if (clean)
        to[-(to > clean && to[-1] == ' ')] = '\0';
    return clean;
}

bool sac_caption_rows_add_plain(sac_caption_rows *rows, const char *name, const char *caption,
                                int split)
{
    if (rows->count == rows->capacity) {
        size_t capacity = rows->capacity ? 2 * rows->capacity : 64, bytes;
        sac_caption_row *more =
            sac_checked_mul(capacity, sizeof *more, &bytes) ? realloc(rows->rows, bytes) : NULL;
        if (!more)
            return false;
        rows->rows = more;
        rows->capacity = capacity;
    }
    sac_caption_row row = {.name = clean_name(name),
                           .caption = caption ? clean_caption(caption) : NULL,
                           .split = split};
    if (!row.name || (caption && !row.caption)) {
        free(row.name);
        free(row.caption);
        return false;
    }
    rows->rows[rows->count++] = row;
    return true;
}

/* The list that a caption such as "[\"a dog\", \"a brown dog\"]" is, or "['a dog' 'a brown dog']"; NULL: it
 * is a sentence. */
static cJSON *parse_caption_list(const char *caption)
{
    cJSON *list = NULL;
    caption += strspn(caption, " \t\r\n");
    if (!strchr("[({a", caption[0]))
        return NULL;
    bool good =
        caption[0] == '[' && sac_json_parse(caption, strlen(caption), &list, NULL) == SAC_OK;
    for (const cJSON *item = list ? list->child : NULL; item; item = item->next)
        good = good && cJSON_IsString(item);
    if (good)
        return list;
    cJSON_Delete(list);
    return python_list(caption);
}

bool sac_caption_rows_add(sac_caption_rows *rows, const char *name, const char *caption, int split)
{
    cJSON *list = caption ? parse_caption_list(caption) : NULL, *item;
    bool is_empty = list && !list->child;
    bool done = (list && !is_empty) ||
                sac_caption_rows_add_plain(rows, name, is_empty ? "" : caption, split);
    cJSON_ArrayForEach(item, list) done =
        done && sac_caption_rows_add_plain(rows, name, item->valuestring, split);
    cJSON_Delete(list);
    return done;
}

bool sac_caption_rows_add_bad(sac_caption_rows *rows, const char *what, size_t number)
{
    char text[40];
    snprintf(text, sizeof text, "%s %zu", what, number);
    return sac_pictures_skip_add(&rows->bad, text);
}

bool sac_caption_rows_set_name(sac_caption_rows *rows, const char *id, const char *name)
{
    int number = sac_text_table_add(&rows->ids, id, strlen(id));
    if (number >= rows->named) {
        char **names = realloc(rows->names, (size_t)rows->ids.capacity * sizeof *names);
        if (!names)
            return false;
        memset(names + rows->named, 0, (size_t)(rows->ids.capacity - rows->named) * sizeof *names);
        rows->names = names;
        rows->named = rows->ids.capacity;
    }
    if (number < 0 || rows->names[number])
        return number >= 0; /* the first name counts */
    return (rows->names[number] = strdup(name)) != NULL;
}

void sac_caption_rows_free(sac_caption_rows *rows)
{
    for (int i = 0; i < rows->ids.count && i < rows->named; i++)
        free(rows->names[i]);
    free(rows->names);
    sac_text_table_free(&rows->ids);
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->rows[i].name);
        free(rows->rows[i].caption);
    }
    free(rows->rows);
    free(rows->note);
    sac_pictures_skip_free(&rows->bad);
    *rows = (sac_caption_rows){0};
}

/* ---------------------------------------------------------------- names */

/* The first of each split is its own name. */
static const struct {
    const char *name;
    sac_pictures_split split;
} split_names[] = {
    {"train", SAC_SPLIT_TRAIN},   {"val", SAC_SPLIT_VAL},        {"test", SAC_SPLIT_TEST},
    {"restval", SAC_SPLIT_TRAIN}, {"training", SAC_SPLIT_TRAIN}, {"validation", SAC_SPLIT_VAL},
    {"dev", SAC_SPLIT_VAL},       {"valid", SAC_SPLIT_VAL},
};

const char *sac_pictures_split_name(sac_pictures_split split)
{
    return split_names[split].name;
}

bool sac_pictures_split_find(const char *name, sac_pictures_split *split)
{
    for (size_t i = 0; i < sizeof split_names / sizeof *split_names; i++)
        if (strcasecmp(name, split_names[i].name) == 0) {
            *split = split_names[i].split;
            return true;
        }
    return false;
}

sac_caption_field sac_caption_field_of(const char *name)
{
    static const char *const names[] = {
        "image", "image_name", "image_file", "image_path", "imagename", "filename", "file_name",
        "file",  "filepath",   "path",       "img",        "picture",   "photo"};
    static const char *const ids[] = {"name", "image_id", "id"};
    static const char *const captions[] = {"caption",  "captions",    "text",        "texts",
                                           "sentence", "sentences",   "comment",     "comments",
                                           "raw",      "description", "descriptions"};
    char word[24] = "";
    size_t size = 0;
    name += strspn(name, " \t");
    for (; name[size] && size + 1 < sizeof word; size++)
        word[size] =
            name[size] == ' ' || name[size] == '-' ? '_' : (char)tolower((unsigned char)name[size]);
    while (size && word[size - 1] == '_') /* blanks at the end */
        word[--size] = '\0';
    if (strcmp(word, "split") == 0)
        return SAC_FIELD_SPLIT;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(word, names[i]) == 0)
            return SAC_FIELD_NAME;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (strcmp(word, ids[i]) == 0)
            return SAC_FIELD_ID;
    for (; size && isdigit((unsigned char)word[size - 1]); size--) /* "caption_2" */
        word[size - 1] = '\0';
    if (size && word[size - 1] == '_')
        word[size - 1] = '\0';
    for (size_t i = 0; i < sizeof captions / sizeof *captions; i++)
        if (strcmp(word, captions[i]) == 0)
            return SAC_FIELD_CAPTION;
    return SAC_FIELD_OTHER;
}
