/* Reads files of sentence pairs: finds the columns that are text, and what the languages are called. */
#include "pairs/pair_rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arrays/bytes.h"
#include "base/cancel.h"
#include "base/error.h"
#include "pictures/picture_folder.h"
#include "pictures/text_file.h"

enum { COLUMNS = 16, TRIED = 200 /* lines by which columns are known */ };

/* The lines of a text. */
typedef struct lines {
    const char *at, *end;
    size_t number; /* of the line that was taken last */
} lines;

/* The next line, without its end; false: there are no more. */
static bool take_line(lines *l, const char **line, size_t *size)
{
    if (l->at == l->end)
        return false;
    *line = l->at;
    while (l->at < l->end && *l->at != '\n' && *l->at != '\r')
        l->at++;
    *size = (size_t)(l->at - *line);
    l->at += l->at < l->end && *l->at == '\r';
    l->at += l->at < l->end && *l->at == '\n';
    l->number++;
    return true;
}

/* A part of a line, without blanks around it. */
typedef struct field {
    const char *text;
    size_t size;
} field;

static field trimmed(const char *text, size_t size)
{
    for (; size && strchr(" \t", *text); size--)
        text++;
    while (size && strchr(" \t", text[size - 1]))
        size--;
    return (field){text, size};
}

static int cut_fields(const char *line, size_t size, field fields[COLUMNS])
{
    int count = 0;
    const char *end = line + size;
    while (count < COLUMNS) {
        const char *tab = memchr(line, '\t', (size_t)(end - line));
        fields[count++] = trimmed(line, (size_t)((tab ? tab : end) - line));
        if (!tab)
            break;
        line = tab + 1;
    }
    return count;
}

/* ---------------------------------------------------------------- rows */

static bool add_row(sac_pair_rows *rows, field source, field target, size_t line)
{
    if (rows->count == rows->capacity) {
        size_t capacity = rows->capacity ? 2 * rows->capacity : 256;
        sac_pair_row *more = realloc(rows->rows, capacity * sizeof *more);
        if (!more)
            return false;
        rows->rows = more;
        rows->capacity = capacity;
    }
    sac_pair_row row = {
        .text = {strndup(source.text, source.size), strndup(target.text, target.size)},
        .line = line};
    rows->rows[rows->count++] = row;
    return row.text[SAC_SOURCE_SIDE] && row.text[SAC_TARGET_SIDE];
}

static bool note_bare_line(sac_pair_rows *rows, size_t line)
{
    char text[40];
    snprintf(text, sizeof text, "line %zu", line);
    return sac_pictures_skip_add(&rows->bare, text);
}

void sac_pair_rows_free(sac_pair_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        for (int side = 0; side < SAC_SIDES; side++)
            free(rows->rows[i].text[side]);
    free(rows->rows);
    free(rows->note);
    sac_pictures_skip_free(&rows->bare);
    *rows = (sac_pair_rows){0};
}

/* ---------------------------------------------------------------- names of languages */

static void set_language_name(sac_pair_rows *rows, int side, field name)
{
    if (!rows->name[side][0] && name.size < SAC_LANGUAGE_NAME) {
        memcpy(rows->name[side], name.text, name.size);
        rows->name[side][name.size] = '\0';
    }
}

/* The names of languages among the words of a file's name, "deu-eng.tsv", "news.de"; at most two are taken. */
static int find_language_names(const char *path, field found[SAC_SIDES])
{
    const char *at = sac_path_name(path);
    int count = 0;
    while (*at && count < SAC_SIDES) {
        size_t size = strcspn(at, ".-_ ");
        if (sac_language_full_name(at, size))
            found[count++] = (field){at, size};
        at += size + (at[size] != '\0');
    }
    return count;
}

static void set_names_by_paths(sac_pair_rows *rows, const char *const files[SAC_SIDES])
{
    field found[SAC_SIDES];
    if (!files[1] && find_language_names(files[0], found) == SAC_SIDES)
        for (int side = 0; side < SAC_SIDES; side++)
            set_language_name(rows, side, found[side]);
    for (int side = 0; files[1] && side < SAC_SIDES; side++) {
        int count = find_language_names(files[side], found);
        if (count) /* "news.de-en.de": the last one is the file's own */
            set_language_name(rows, side, found[count - 1]);
    }
}

/* ---------------------------------------------------------------- a table */

static bool is_number(field f)
{
    for (size_t i = 0; i < f.size; i++)
        if (!isdigit((unsigned char)f.text[i]))
            return false;
    return f.size > 0;
}

/* What the first lines have in a column. */
typedef struct column {
    size_t filled, numbers, codes;
} column;

/* Which columns are the sentences, and which name their languages; −1: there is none. */
typedef struct layout {
    int text[SAC_SIDES], code[SAC_SIDES];
} layout;

static bool is_ninety_percent(size_t part, size_t whole)
{
    return whole && 10 * part >= 9 * whole;
}

static bool find_layout(lines l, layout *found)
{
    column columns[COLUMNS] = {{0}};
    const char *line;
    size_t size, tried = 0;
    while (tried < TRIED && take_line(&l, &line, &size)) {
        field fields[COLUMNS];
        int count = cut_fields(line, size, fields);
        tried += size > 0;
        for (int c = 0; c < count; c++) {
            columns[c].filled += fields[c].size > 0;
            columns[c].numbers += is_number(fields[c]);
            columns[c].codes += fields[c].size <= 3 &&
                                sac_language_full_name(fields[c].text, fields[c].size) != NULL;
        }
    }
    int texts = 0, codes = 0;
    *found = (layout){{-1, -1}, {-1, -1}};
    for (int c = 0; c < COLUMNS && texts < SAC_SIDES; c++) {
        const column *of = &columns[c];
        if (2 * of->filled < tried || is_ninety_percent(of->numbers, of->filled))
            continue;
        /* A column of text may well have a word such as "it". */
        if (is_ninety_percent(of->codes, of->filled) && tried > 1 && codes < SAC_SIDES)
            found->code[codes++] = c;
        else
            found->text[texts++] = c;
    }
    return texts == SAC_SIDES;
}

/* True for a line that names the columns. */
static bool set_names_if_header(const layout *l, const field *fields, int count,
                                sac_pair_rows *rows)
{
    static const char *const words[] = {"source", "target",   "src",
                                        "tgt",    "sentence", "translation"};
    int named = 0, worded = 0;
    for (int side = 0; side < SAC_SIDES && l->text[side] < count; side++) {
        field f = fields[l->text[side]];
        named += sac_language_full_name(f.text, f.size) != NULL;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            worded += strlen(words[i]) == f.size && strncasecmp(f.text, words[i], f.size) == 0;
    }
    for (int side = 0; side < SAC_SIDES && named == SAC_SIDES; side++)
        set_language_name(rows, side, fields[l->text[side]]);
    return named == SAC_SIDES || worded == SAC_SIDES;
}

static sac_status read_table(lines l, sac_pair_rows *rows, sac_error *error)
{
    layout of;
    const char *line;
    size_t size;
    if (!find_layout(l, &of))
        return sac_fail(error, SAC_E_FORMAT, NULL,
                        "give a table with a tab between a sentence and its translation, or two "
                        "files with a sentence a line, each with --pairs",
                        "holds no pairs of sentences");
    while (take_line(&l, &line, &size)) {
        field fields[COLUMNS];
        int count = cut_fields(line, size, fields);
        if (!trimmed(line, size).size ||
            (l.number == 1 && set_names_if_header(&of, fields, count, rows)))
            continue;
        sac_status status = l.number % 4096 ? SAC_OK : sac_cancel_check("pairs", error);
        if (status != SAC_OK)
            return status;
        for (int side = 0; side < SAC_SIDES; side++)
            if (of.code[side] >= 0 && of.code[side] < count)
                set_language_name(rows, side, fields[of.code[side]]);
        bool whole = of.text[SAC_TARGET_SIDE] < count;
        if (!(whole ? add_row(rows, fields[of.text[SAC_SOURCE_SIDE]],
                              fields[of.text[SAC_TARGET_SIDE]], l.number)
                    : note_bare_line(rows, l.number)))
            return sac_no_memory(error, NULL);
    }
    return SAC_OK;
}

/* ---------------------------------------------------------------- two files */

static size_t count_lines(lines l)
{
    const char *line;
    size_t size;
    while (take_line(&l, &line, &size))
        ;
    return l.number;
}

static sac_status read_two_files(lines of[SAC_SIDES], const char *const files[SAC_SIDES],
                                 sac_pair_rows *rows, sac_error *error)
{
    size_t counts[SAC_SIDES] = {count_lines(of[0]), count_lines(of[1])};
    if (counts[0] != counts[1])
        return sac_fail(error, SAC_E_ARGUMENT, files[1],
                        "give two files in which the same line is a pair",
                        "has %zu lines, and %.200s has %zu", counts[1], files[0], counts[0]);
    const char *line[SAC_SIDES];
    size_t size[SAC_SIDES];
    while (take_line(&of[0], &line[0], &size[0]) && take_line(&of[1], &line[1], &size[1])) {
        sac_status status = of[0].number % 4096 ? SAC_OK : sac_cancel_check("pairs", error);
        if (status == SAC_OK &&
            !add_row(rows, trimmed(line[0], size[0]), trimmed(line[1], size[1]), of[0].number))
            status = sac_no_memory(error, "pairs");
        if (status != SAC_OK)
            return status;
    }
    return SAC_OK;
}

/* ---------------------------------------------------------------- all of it */

static sac_status add_note(sac_pair_rows *rows, const char *path, const char *note,
                           sac_error *error)
{
    char *both;
    if (!note[0])
        return SAC_OK;
    if (asprintf(&both, "%s%s%s: %s", rows->note ? rows->note : "", rows->note ? "; " : "", path,
                 note) < 0)
        return sac_no_memory(error, path);
    free(rows->note);
    rows->note = both;
    return SAC_OK;
}

sac_status sac_pair_rows_load(const char *const files[SAC_SIDES], sac_pair_rows *rows,
                              sac_error *error)
{
    sac_bytes bytes[SAC_SIDES] = {{0}};
    sac_text_file text[SAC_SIDES] = {{0}};
    lines of[SAC_SIDES];
    sac_status status = SAC_OK;
    int count = files[1] ? SAC_SIDES : 1;
    *rows = (sac_pair_rows){0};
    for (int i = 0; i < count && status == SAC_OK; i++) {
        status = sac_bytes_map(files[i], &bytes[i], error);
        if (status == SAC_OK)
            status = sac_error_within(
                error, sac_text_file_decode(bytes[i].data, bytes[i].size, NULL, &text[i], error),
                files[i]);
        if (status == SAC_OK)
            status = add_note(rows, files[i], text[i].note, error);
        if (status == SAC_OK)
            of[i] = (lines){text[i].text, text[i].text + text[i].size, 0};
    }
    if (status == SAC_OK)
        status = files[1] ? read_two_files(of, files, rows, error)
                          : sac_error_within(error, read_table(of[0], rows, error), files[0]);
    if (status == SAC_OK)
        set_names_by_paths(rows, files);
    for (int i = 0; i < count; i++) {
        sac_text_file_free(&text[i]);
        sac_bytes_free(&bytes[i]);
    }
    return status;
}
