/* Reads a file of captions: detects its encoding and format, and returns its rows. */
#include "pictures/rows.h"

#include <cjson/cJSON.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arrays/bytes.h"
#include "arrays/foreign.h"
#include "arrays/json.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "pictures/python_list.h"

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

static bool add_row(sac_caption_rows *rows, const char *name, const char *caption, int split)
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
static cJSON *list_of(const char *caption)
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
    return sac_python_list(caption);
}

bool sac_caption_rows_add(sac_caption_rows *rows, const char *name, const char *caption, int split)
{
    cJSON *list = caption ? list_of(caption) : NULL, *item;
    bool is_empty = list && !list->child;
    bool done = (list && !is_empty) || add_row(rows, name, is_empty ? "" : caption, split);
    cJSON_ArrayForEach(item, list) done = done && add_row(rows, name, item->valuestring, split);
    cJSON_Delete(list);
    return done;
}

bool sac_caption_rows_add_bad(sac_caption_rows *rows, const char *what, size_t number)
{
    char text[40];
    snprintf(text, sizeof text, "%s %zu", what, number);
    return sac_pictures_skip_add(&rows->bad, text);
}

bool sac_caption_rows_name(sac_caption_rows *rows, const char *id, const char *name)
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

bool sac_is_picture_name(const char *name, size_t size)
{
    static const char *const endings[] = {".jpg", ".jpeg", ".png",  ".webp",
                                          ".gif", ".avif", ".heic", ".heif"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t tail = strlen(endings[i]);
        if (size > tail && strncasecmp(name + size - tail, endings[i], tail) == 0)
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

/* ---------------------------------------------------------------- characters */

/* Windows-1252, which has the characters of Latin-1 and some in place of its control codes, as
 * UTF-8; NULL: no memory. */
static char *from_windows(const uint8_t *bytes, size_t size, size_t *made)
{
    static const uint16_t marks[32] = {
        0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
        0x2039, 0x0152, 0xfffd, 0x017d, 0xfffd, 0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
        0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178};
    size_t room;
    char *text = sac_checked_mul(size, 3, &room) ? malloc(room) : NULL;
    *made = 0;
    for (size_t i = 0; text && i < size; i++) {
        bool is_mark = bytes[i] >= 0x80 && bytes[i] < 0xa0;
        *made += sac_utf8_encode(is_mark ? marks[bytes[i] - 0x80] : bytes[i], text + *made);
    }
    return text;
}

/* ---------------------------------------------------------------- the file */

/* Each line is the name of a picture, or a caption of picture `name`. */
static bool read_lines(const char *text, size_t size, const char *name, sac_caption_rows *rows)
{
    bool done = true;
    for (const char *end = text + size; done && text < end;) {
        size_t length = 0;
        while (text + length < end && !strchr("\r\n", text[length]))
            length++;
        char *line = strndup(text, length);
        if (!line)
            return false;
        if (line[strspn(line, " \t")])
            done = name ? add_row(rows, name, line, -1) : add_row(rows, line, NULL, -1);
        free(line);
        text += length + 1;
    }
    return done;
}

static bool is_json(const char *text, size_t size)
{
    for (; size && strchr(" \t\r\n", *text); size--)
        text++;
    return size && strchr("{[", *text);
}

/* What a file is read for. */
typedef struct purpose {
    bool names;       /* it may list names alone */
    const char *name; /* it has captions of this picture alone, a line each; NULL: it is a table */
} purpose;

static sac_status read_text(const char *text, size_t size, purpose p, sac_caption_rows *rows,
                            sac_error *error)
{
    bool is_table;
    if (p.name)
        return read_lines(text, size, p.name, rows) ? SAC_OK : sac_no_memory(error, NULL);
    if (is_json(text, size))
        return sac_caption_rows_read_json(text, size, p.names, rows, error);
    sac_status status = sac_caption_rows_read_table(text, size, p.names, rows, &is_table, error);
    if (status != SAC_OK || is_table)
        return status;
    if (!p.names)
        return sac_fail(error, SAC_E_FORMAT, NULL,
                        "give Flickr8k's captions.txt or Flickr8k.token.txt, captions in JSON as "
                        "of COCO or Karpathy, or a table with the header \"image,caption\"",
                        "holds no captions in a format that is known");
    return read_lines(text, size, NULL, rows) ? SAC_OK : sac_no_memory(error, NULL);
}

/* Text in whatever characters it is. */
static sac_status read_bytes(const uint8_t *bytes, size_t size, purpose p, sac_caption_rows *rows,
                             sac_error *error)
{
    const char *text = (const char *)bytes;
    char *made = NULL, note[160];
    bool is_wide = size >= 2 && ((bytes[0] == 0xff && bytes[1] == 0xfe) ||
                                 (bytes[0] == 0xfe && bytes[1] == 0xff));
    sac_status status = sac_foreign_check(bytes, size, error);
    if (status != SAC_OK)
        return status;
    if (is_wide || memchr(bytes, '\0', size))
        return sac_fail(error, SAC_E_FORMAT, NULL, "save it as UTF-8",
                        is_wide ? "is text in UTF-16" : "holds a zero byte, so it is no text");
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
        text += 3;
        size -= 3;
    }
    size_t valid = sac_utf8_valid_size(text, size), line = 1;
    if (valid < size && (p.name || !is_json(text, size))) {
        for (size_t i = 0; i < valid; i++)
            line += text[i] == '\n';
        snprintf(note, sizeof note,
                 "line %zu is not UTF-8: the file is read as Windows-1252 (Latin-1)", line);
        rows->note = rows->note ? rows->note : strdup(note);
        made = from_windows((const uint8_t *)text, size, &size);
        if (!made || !rows->note)
            status = sac_no_memory(error, NULL);
        text = made;
    }
    if (status == SAC_OK)
        status = read_text(text, size, p, rows, error);
    free(made);
    return status;
}

static sac_status load(const char *path, purpose p, sac_caption_rows *rows, sac_error *error)
{
    sac_bytes bytes;
    sac_status status =
        p.name ? sac_bytes_map_regular(path, &bytes, error) : sac_bytes_map(path, &bytes, error);
    if (status != SAC_OK)
        return status;
    status = read_bytes(bytes.data, bytes.size, p, rows, error);
    sac_bytes_free(&bytes);
    return sac_error_within(error, status, path);
}

sac_status sac_caption_rows_load(const char *path, bool names, sac_caption_rows *rows,
                                 sac_error *error)
{
    *rows = (sac_caption_rows){0};
    return load(path, (purpose){.names = names}, rows, error);
}

sac_status sac_caption_rows_add_lines(const char *path, const char *name, sac_caption_rows *rows,
                                      sac_error *error)
{
    return load(path, (purpose){.name = name}, rows, error);
}
