/* Reads a file of captions: detects its encoding and format, and returns its rows. Tables are read here: one CSV record
 * (RFC 4180) or one line for each caption. */
#include "pictures/rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arrays/bytes.h"
#include "base/cancel.h"
#include "base/error.h"
#include "images/folder.h"
#include "pictures/text_file.h"

/* ---------------------------------------------------------------- tables */

enum { MOST_FIELDS = 64 };

typedef struct format {
    char delimiter;
    bool quotes, header; /* fields may stand between quotes; the first record names the columns */
    int fields;          /* of a record; the last takes all that is left of its line */
    int name, split, id; /* columns; −1: there is none */
    bool captions[MOST_FIELDS];
} format;

typedef struct reader {
    const char *at, *end;
    size_t line;
    char *text; /* the fields of a record, each with its NUL; owned */
    const char *field[MOST_FIELDS];
    int count;
} reader;

static bool at_line_end(const reader *r)
{
    return r->at == r->end || *r->at == '\n' || *r->at == '\r';
}

/* Copies a field to `to`, and returns what is behind it; NULL: its quote is not closed. */
static char *read_field(reader *r, char delimiter, bool quotes, char *to)
{
    bool quoted = quotes && r->at < r->end && *r->at == '"';
    for (r->at += quoted; r->at < r->end; r->at++) {
        bool quote = quoted && *r->at == '"';
        if (quote && !(r->at + 1 < r->end && r->at[1] == '"')) {
            quoted = false;
            continue;
        }
        if (!quoted && (at_line_end(r) || *r->at == delimiter))
            break;
        r->at += quote; /* two stand for one */
        r->line += *r->at == '\n';
        *to++ = *r->at;
    }
    *to = '\0';
    return quoted ? NULL : to + 1;
}

/* A record; an empty line has no fields. SAC_E_FORMAT: a quote is not closed. */
static sac_status read_record(reader *r, const format *f, sac_error *error)
{
    size_t line = r->line;
    char *to = r->text;
    bool more = !at_line_end(r);
    for (r->count = 0; more && to;) {
        r->field[r->count++] = to;
        to = read_field(r, r->count < f->fields ? f->delimiter : '\n', f->quotes, to);
        more = !at_line_end(r);
        r->at += more; /* the delimiter */
    }
    if (!to)
        return sac_fail(error, SAC_E_FORMAT, NULL, "close it; one inside of a text stands twice",
                        "a quote that begins in line %zu is not closed", line);
    bool cr = r->at < r->end && *r->at == '\r';
    r->at += cr;
    bool lf = r->at < r->end && *r->at == '\n';
    r->at += lf;
    r->line += cr || lf;
    return SAC_OK;
}

/* ---------------------------------------------------------------- the format */

/* Columns by the names that the first record gives them. */
static bool detect_header(reader r, bool names, format *f)
{
    static const char delimiters[] = ",;\t|";
    for (const char *d = delimiters; *d; d++) {
        reader first = r;
        *f = (format){.delimiter = *d,
                      .quotes = *d != '|',
                      .header = true,
                      .fields = MOST_FIELDS,
                      .name = -1,
                      .split = -1,
                      .id = -1};
        bool has_captions = false;
        if (read_record(&first, f, NULL) != SAC_OK)
            continue;
        for (int i = 0; i < first.count; i++) {
            sac_caption_field field = sac_caption_field_of(first.field[i]);
            if (field == SAC_FIELD_NAME && f->name < 0)
                f->name = i;
            if (field == SAC_FIELD_ID && f->id < 0)
                f->id = i;
            if (field == SAC_FIELD_SPLIT)
                f->split = i;
            f->captions[i] = field == SAC_FIELD_CAPTION;
            has_captions = has_captions || f->captions[i];
        }
        f->fields = first.count;
        if (f->name >= 0 && f->id >= 0 && strcasecmp(first.field[f->id], "image_id") != 0)
            f->id = -1; /* of the row, not of the picture */
        f->name = f->name >= 0 ? f->name : f->id;
        if (f->name >= 0 && (has_captions || names))
            return true;
    }
    return false;
}

/* Without a header: the name of a picture, a delimiter, and the caption. */
static bool detect_name_first(reader r, format *f)
{
    const char *line = r.at, *end = line;
    while (end < r.end && *end != '\n' && *end != '\r')
        end++;
    for (const char *c = line; c < end; c++) {
        const char *behind = c + 1;
        if (!sac_is_picture_name(line, (size_t)(behind - line)))
            continue;
        if (behind < end && *behind == '#')
            behind++;
        while (behind < end && isdigit((unsigned char)*behind))
            behind++;
        behind += behind < end && *line == '"' && *behind == '"';
        if (behind == end || !strchr("\t,;| ", *behind))
            continue;
        *f = (format){.delimiter = *behind,
                      .quotes = *behind == ',' || *behind == ';',
                      .fields = 2,
                      .name = 0,
                      .split = -1,
                      .id = -1,
                      .captions = {false, true}};
        return true;
    }
    return false;
}

/* ---------------------------------------------------------------- rows */

static bool add_record(const reader *r, const format *f, size_t line, sac_caption_rows *rows)
{
    const char *name = f->name < r->count ? r->field[f->name] : "";
    sac_pictures_split named;
    int split =
        f->split >= 0 && f->split < r->count && sac_pictures_split_find(r->field[f->split], &named)
            ? (int)named
            : -1;
    bool wants = false, present = false, any = false, done = true;
    for (int i = 0; i < f->fields; i++) {
        wants = wants || f->captions[i];
        present = present || (f->captions[i] && i < r->count);
    }
    if (name[0] == '\0' || (wants && !present))
        return sac_caption_rows_add_bad(rows, "line", line);
    size_t first = rows->count;
    for (int i = 0; i < r->count && done; i++)
        if (f->captions[i] && r->field[i][0])
            done = any = sac_caption_rows_add(rows, name, r->field[i], split);
    done = done && (any || sac_caption_rows_add(rows, name, wants ? "" : NULL, split));
    for (size_t i = first; i < rows->count; i++)
        rows->rows[i].is_id = f->id == f->name;
    if (done && f->id >= 0 && f->id != f->name && f->id < r->count && r->field[f->id][0])
        done = sac_caption_rows_set_name(rows, r->field[f->id], name);
    return done;
}

/* *found: false where the text is no table, and no row was added. */
static sac_status read_table(const char *text, size_t size, bool names, sac_caption_rows *rows,
                             bool *found, sac_error *error)
{
    format f;
    reader r = {.at = text, .end = text + size, .line = 1};
    r.text =
        malloc(size + 2); /* each field ends where one character more was read, or at the end */
    if (!r.text)
        return sac_no_memory(error, NULL);
    for (; r.at < r.end && strchr("\r\n", *r.at); r.at++)
        r.line += *r.at == '\n';
    if (r.end - r.at > 5 && strncasecmp(r.at, "sep=", 4) == 0 && strchr("\r\n", r.at[5])) {
        r.at += 6 + (r.at[5] == '\r' && r.end - r.at > 6 && r.at[6] == '\n'); /* Excel's own line */
        r.line++;
    }
    *found = detect_header(r, names, &f) || detect_name_first(r, &f);
    sac_status status = SAC_OK;
    for (size_t i = 0; status == SAC_OK && *found && r.at < r.end; i++) {
        size_t line = r.line;
        status = i % 4096 ? SAC_OK : sac_cancel_check("captions", error);
        if (status == SAC_OK)
            status = read_record(&r, &f, error);
        bool is_row = r.count && !(i == 0 && f.header);
        if (status == SAC_OK && is_row && !add_record(&r, &f, line, rows))
            status = sac_no_memory(error, NULL);
    }
    free(r.text);
    return status;
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
            done = name ? sac_caption_rows_add_plain(rows, name, line, -1)
                        : sac_caption_rows_add_plain(rows, line, NULL, -1);
        free(line);
        text += length + 1;
    }
    return done;
}

static bool looks_like_json(const char *text, size_t size)
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
    bool is_table = false;
    if (p.name)
        return read_lines(text, size, p.name, rows) ? SAC_OK : sac_no_memory(error, NULL);
    if (looks_like_json(text, size))
        return sac_caption_rows_read_json(text, size, p.names, rows, error);
    sac_status status = read_table(text, size, p.names, rows, &is_table, error);
    if (status != SAC_OK || is_table)
        return status;
    if (!p.names)
        return sac_fail(error, SAC_E_FORMAT, NULL,
                        "give Flickr8k's captions.txt or Flickr8k.token.txt, captions in JSON as "
                        "of COCO or Karpathy, or a table with the header \"image,caption\"",
                        "holds no captions in a format that is known");
    return read_lines(text, size, NULL, rows) ? SAC_OK : sac_no_memory(error, NULL);
}

/* Text in whatever characters it is; JSON is UTF-8. */
static sac_status read_bytes(const uint8_t *bytes, size_t size, purpose p, sac_caption_rows *rows,
                             sac_error *error)
{
    sac_text_file file;
    sac_status status =
        sac_text_file_decode(bytes, size, p.name ? NULL : looks_like_json, &file, error);
    if (status == SAC_OK && file.note[0] && !rows->note && !(rows->note = strdup(file.note)))
        status = sac_no_memory(error, NULL);
    if (status == SAC_OK)
        status = read_text(file.text, file.size, p, rows, error);
    sac_text_file_free(&file);
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
