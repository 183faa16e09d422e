/* Tables of numbers as lines of text, as this program, spreadsheets, pandas, R and numpy.savetxt write
 * them. What separates the fields is found from the second line, or from the only one: a tab, else a semicolon, else a
 * comma, else blanks. Where it is not the comma, numbers may have a decimal comma. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arrays/arrays.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/text/utf8.h"

/* ---------------------------------------------------------------- fields */

typedef struct reading {
    const char *at, *end;
    char separator; /* ' ': blanks and tabs, as many as there are */
    size_t line;    /* of `at`, from 1 */
} reading;

typedef struct field {
    const char *text;
    size_t size;  /* without blanks around it, and without its quotes */
    size_t line;  /* where it begins */
    bool quoted;  /* quotes within it are doubled */
    bool is_last; /* in its line */
} field;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The quote that closes the one at `at`; NULL: there is none, or something else follows it. Between tabs names
 * are not quoted as a rule, and a quote there reaches no further than its field. */
static const char *closing_quote(const reading *r, const char *at)
{
    for (at++; at < r->end; at++) {
        if (r->separator == '\t' && (*at == '\t' || *at == '\n'))
            return NULL;
        if (*at == '"' && at + 1 < r->end && at[1] == '"') {
            at++;
        } else if (*at == '"') {
            const char *next = at + 1;
            while (next < r->end && is_blank(*next) && *next != r->separator)
                next++;
            return next == r->end || *next == '\n' || *next == r->separator ? at : NULL;
        }
    }
    return NULL;
}

static bool is_end_of_field(const reading *r, char c)
{
    return c == '\n' || c == r->separator || (r->separator == ' ' && c == '\t');
}

/* The next field of a line that is not at its end. */
static field next_field(reading *r)
{
    while (r->at < r->end && is_blank(*r->at) && *r->at != r->separator)
        r->at++;
    field f = {.text = r->at, .line = r->line};
    const char *close = r->at < r->end && *r->at == '"' ? closing_quote(r, r->at) : NULL;
    if (close) {
        f.quoted = true;
        f.text++;
        f.size = (size_t)(close - f.text);
        for (const char *c = f.text; c < close; c++)
            r->line += *c == '\n';
        r->at = close + 1;
    }
    while (r->at < r->end && !is_end_of_field(r, *r->at))
        r->at++;
    if (!close) {
        f.size = (size_t)(r->at - f.text);
        while (f.size && is_blank(f.text[f.size - 1]))
            f.size--;
    }
    if (r->separator == ' ')
        while (r->at < r->end && is_blank(*r->at))
            r->at++;
    f.is_last = r->at == r->end || *r->at == '\n';
    if (!f.is_last && r->separator != ' ')
        r->at++;
    return f;
}

/* Moves to the first field of the next line that has one; false at the end of the text. */
static bool begin_line(reading *r)
{
    while (r->at < r->end) {
        const char *c = r->at;
        while (c < r->end && is_blank(*c) && *c != r->separator)
            c++;
        if (r->separator == ' ')
            while (c < r->end && is_blank(*c))
                c++;
        if (c < r->end && *c != '\n') {
            r->at = c;
            return true;
        }
        r->line += c < r->end;
        r->at = c + (c < r->end);
    }
    return false;
}

static reading begin_reading(const uint8_t *bytes, size_t size)
{
    const size_t mark = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    return (reading){
        .at = (const char *)bytes + mark, .end = (const char *)bytes + size, .line = 1};
}

/* ---------------------------------------------------------------- numbers */

/* A field as a number: an empty one, nan and NA are NaN. *mark: '.' or ',' where it has a decimal mark. */
static bool read_number(const field *f, float *value, char *mark)
{
    char text[48], *end;
    size_t comma = f->size;
    *mark = 0;
    *value = NAN;
    if (f->size == 0)
        return !f->quoted;
    if (f->size >= sizeof text)
        return false;
    memcpy(text, f->text, f->size);
    text[f->size] = '\0';
    for (size_t i = 0; i < f->size; i++) {
        if (text[i] == '.' || text[i] == ',') {
            if (*mark)
                return false;
            *mark = text[i];
            comma = text[i] == ',' ? i : comma;
        }
    }
    if (comma < f->size)
        text[comma] = '.';
    if (strcasecmp(text, "nan") == 0 || strcmp(text, "NA") == 0)
        return true;
    const char *digits = text + (*text == '-' || *text == '+');
    if (strcasecmp(digits, "inf") != 0 && strcasecmp(digits, "infinity") != 0 &&
        strspn(text, "0123456789+-.eE") != f->size)
        return false;
    *value = (float)strtod(text, &end);
    return end == text + f->size;
}

static bool is_number(const field *f)
{
    float value;
    char mark;
    return !f->quoted && read_number(f, &value, &mark);
}

/* ---------------------------------------------------------------- what separates the fields */

/* True where blanks separate numbers with a decimal comma: "0,5 0,25". As fields between commas they are no
 * numbers. */
static bool has_decimal_commas_between_blanks(reading r)
{
    size_t count = 0;
    bool all = true;
    r.separator = ' ';
    for (bool last = false; !last; count++) {
        const field f = next_field(&r);
        all = all && f.size && f.text[f.size - 1] != ',' && is_number(&f);
        last = f.is_last;
    }
    return all && count > 1;
}

/* Of the line that begins here. */
static char find_separator(reading r)
{
    static const char separators[] = "\t;,";
    for (const char *s = separators; *s; s++) {
        reading line = r;
        line.separator = *s;
        if (!next_field(&line).is_last)
            return *s == ',' && has_decimal_commas_between_blanks(r) ? ' ' : *s;
    }
    return ' ';
}

/* A line of comment, as numpy.savetxt writes one, or a header after such a mark. */
static bool begins_with_remark(const reading *r)
{
    return r->end - r->at > 1 && r->at[0] == '#' && r->at[1] == ' ';
}

/* Finds the separator from the second line that has a field, or from the only one. */
static void set_separator(reading *r)
{
    reading line = *r;
    line.separator = '\n'; /* none: a line is one field */
    for (int i = 0; i < 2 && begin_line(&line); i++) {
        r->separator = find_separator(line);
        next_field(&line);
    }
}

/* Numbers, at least two, of which the first field may be the name: between blanks only one in quotes.
 * `may_be_cut`: what has no end of line may go on, and so may its last field. */
static bool is_row(reading r, bool may_be_cut)
{
    const bool is_cut = may_be_cut && !memchr(r.at, '\n', (size_t)(r.end - r.at));
    size_t numbers = 0;
    for (size_t i = 0;; i++) {
        const field f = next_field(&r);
        if (is_cut && f.is_last)
            return numbers > 1;
        const bool is = is_number(&f);
        if (!is && (i > 0 || (r.separator == ' ' && !f.quoted)))
            return false;
        numbers += is && f.size;
        if (f.is_last)
            return numbers > 1;
    }
}

bool sac_table_is(const uint8_t *bytes, size_t size)
{
    reading r = begin_reading(bytes, size), first;
    if (memchr(bytes, 0, size < 4096 ? size : 4096))
        return false;
    set_separator(&r);
    if (!begin_line(&r))
        return false;
    first = r;
    while (!next_field(&r).is_last)
        ;
    const bool may_be_cut = size >= 512;
    return is_row(first, may_be_cut) || (begin_line(&r) && is_row(r, may_be_cut));
}

/* ---------------------------------------------------------------- the form of a table */

typedef struct table {
    reading start;             /* at the first line */
    size_t lines, columns;     /* with names and header */
    bool has_header, is_short; /* the header has no field over the names */
    bool has_names;
} table;

/* What one line is like. */
typedef struct line_look {
    size_t fields, line, words; /* words: what is no number beside the first field */
    bool begins_with_number, is_empty_first;
    bool counts; /* all but the first are whole numbers that count up from 0 or 1 */
    bool counts_all;
} line_look;

static bool is_count(const field *f, size_t number)
{
    char text[24];
    const int size = snprintf(text, sizeof text, "%zu", number);
    return f->size == (size_t)size && memcmp(f->text, text, f->size) == 0;
}

static line_look look_at_line(reading *r)
{
    line_look look = {.line = r->line, .counts = true, .counts_all = true};
    size_t from = 0;
    for (bool last = false; !last; look.fields++) {
        const field f = next_field(r);
        const bool is = is_number(&f);
        const size_t i = look.fields;
        if (i == 0) {
            look.begins_with_number = is && f.size;
            look.is_empty_first = !f.size;
        }
        if (i == 1)
            from = is_count(&f, 1);
        look.words += i > 0 && !is;
        look.counts = look.counts && (i == 0 || is_count(&f, i - 1 + from));
        look.counts_all = look.counts_all && is_count(&f, i);
        last = f.is_last;
    }
    look.counts = look.counts && look.fields > 1;
    return look;
}

/* Whether the first line is a header: words, numbers that only count the columns, or fewer fields than
 * the rows. `fractions`: some row has a number that is not whole, so that 0, 1, 2 … is none of them. */
static bool is_header(const line_look *first, size_t columns, bool fractions)
{
    return first->words > 0 || first->fields + 1 == columns ||
           (!first->begins_with_number && first->counts) ||
           (first->counts_all && first->fields > 2 && fractions);
}

/* Reads all lines once: how many there are, and what is a name. */
static sac_status look_at_table(table *t, sac_error *error)
{
    bool names = false, counted = true, fractions = false, remark = begins_with_remark(&t->start);
    line_look first = {0};
    t->start.at += remark ? 2 : 0;
    reading r = t->start;
    for (t->lines = 0; begin_line(&r); t->lines++) {
        const char *begin = r.at;
        if (t->lines % 1024 == 0 && sac_cancel_check("table", error) != SAC_OK)
            return SAC_E_CANCELLED;
        const line_look look = look_at_line(&r);
        if (t->lines == 0) {
            first = look;
            t->columns = look.fields;
            continue;
        }
        if (t->lines == 1 && remark && look.fields != first.fields &&
            look.fields != first.fields + 1) { /* the first line was a comment */
            t->start = (reading){begin, r.end, r.separator, look.line};
            first = look;
            t->columns = look.fields;
            t->lines = 0;
            remark = false;
            continue;
        }
        if (t->lines == 1 && look.fields == first.fields + 1)
            t->columns = look.fields;
        if (look.fields != t->columns)
            return sac_fail(error, SAC_E_FORMAT, NULL, "give all rows as many",
                            "line %zu has %zu fields, line %zu has %zu", look.line, look.fields,
                            first.line, t->columns);
        reading again = {begin, r.end, r.separator, look.line};
        const field f = next_field(&again);
        names = names || !look.begins_with_number;
        counted = counted && (is_count(&f, t->lines - 1) || is_count(&f, t->lines));
        fractions = fractions || memchr(begin, '.', (size_t)(r.at - begin)) ||
                    (r.separator != ',' && memchr(begin, ',', (size_t)(r.at - begin)));
    }
    t->is_short = t->lines > 1 && first.fields + 1 == t->columns;
    t->has_header = t->lines > 1 && is_header(&first, t->columns, fractions);
    t->has_names = names || (!t->has_header && !first.begins_with_number) || t->is_short ||
                   (t->has_header && t->lines > 1 &&
                    (first.is_empty_first || (counted && !first.begins_with_number)));
    return SAC_OK;
}

/* ---------------------------------------------------------------- names and numbers as arrays */

/* A name without what this program puts before one that spreadsheets would run. */
static sac_status copy_name(const field *f, size_t *room, char **name, sac_error *error)
{
    sac_status status = sac_take_room(room, SAC_TEXT_ROOM + 2 * f->size, error);
    if (status == SAC_OK)
        status = sac_allocate(f->size + 1, (void **)name, error);
    if (status != SAC_OK)
        return status;
    size_t length = 0;
    for (size_t i = 0; i < f->size; i++) {
        (*name)[length++] = f->text[i];
        i += f->quoted && f->text[i] == '"';
    }
    (*name)[length] = '\0';
    if (**name == '\'' && length > 2 && strchr("=+-@", (*name)[1]))
        memmove(*name, *name + 1, length);
    return SAC_OK;
}

/* Numbers that only count the rows are no names. */
static bool are_counts(char *const *names, size_t count)
{
    bool all = true;
    for (size_t i = 0; i < count && all; i++) {
        char *end;
        all = isdigit((unsigned char)names[i][0]) &&
              strtoul(names[i], &end, 10) == i + (names[0][0] == '1') && !*end;
    }
    return all;
}

static sac_status add_names(sac_arrays *arrays, const char *name, sac_array *names,
                            sac_error *error)
{
    if (!names->data || are_counts(names->data, names->shape[0])) {
        sac_array_free(names);
        return SAC_OK;
    }
    return sac_arrays_add(arrays, name, strlen(name), names, error);
}

static sac_status fail_no_number(const field *f, size_t column, bool is_mixed, sac_error *error)
{
    char text[40];
    snprintf(text, sizeof text, "%.*s", f->size < 30 ? (int)f->size : 30, f->text);
    text[sac_utf8_valid_size(text, strlen(text))] = '\0';
    if (is_mixed)
        return sac_fail(
            error, SAC_E_FORMAT, NULL, "write all numbers with the same mark",
            "line %zu, field %zu: “%s” has another decimal mark than the numbers before", f->line,
            column + 1, text);
    return sac_fail(error, SAC_E_FORMAT, NULL,
                    "give numbers, and names in the first line and column",
                    "line %zu, field %zu: “%s” is no number", f->line, column + 1, text);
}

static sac_status read_table(const table *t, size_t *room, float *numbers, char **rows,
                             char **columns, sac_error *error)
{
    reading r = t->start;
    char mark = 0, own;
    sac_status status = SAC_OK;
    for (size_t i = 0; status == SAC_OK && begin_line(&r); i++) {
        const bool header = i == 0 && t->has_header;
        const size_t skipped = t->has_names && !(header && t->is_short);
        bool last = false;
        if (i % 1024 == 0)
            status = sac_cancel_check("table", error);
        for (size_t k = 0; status == SAC_OK && !last; k++) {
            const field f = next_field(&r);
            last = f.is_last;
            if (header)
                status = k < skipped ? SAC_OK : copy_name(&f, room, columns++, error);
            else if (k < skipped)
                status = copy_name(&f, room, rows++, error);
            else if (f.quoted || !read_number(&f, numbers, &own))
                status = fail_no_number(&f, k, false, error);
            else if (own && mark && own != mark)
                status = fail_no_number(&f, k, true, error);
            else {
                mark = own ? own : mark;
                numbers++;
            }
        }
    }
    return status;
}

sac_status sac_table_open(sac_arrays *arrays, sac_error *error)
{
    const sac_bytes *file = &arrays->file;
    const size_t valid = sac_utf8_valid_size((const char *)file->data, file->size);
    table t = {.start = begin_reading(file->data, file->size)};
    sac_array numbers = {0}, rows = {0}, columns = {0};
    if (valid < file->size) {
        size_t line = 1;
        for (size_t i = 0; i < valid; i++)
            line += file->data[i] == '\n';
        return sac_fail(error, SAC_E_FORMAT, NULL, "save it as UTF-8", "line %zu is not UTF-8",
                        line);
    }
    set_separator(&t.start);
    begin_line(&t.start);
    sac_status status = look_at_table(&t, error);
    const size_t shape[] = {t.lines - t.has_header, t.columns - t.has_names};
    if (status == SAC_OK)
        status = sac_take_room(&arrays->room, shape[0] * shape[1] * sizeof(float), error);
    if (status == SAC_OK)
        status = sac_array_create(SAC_F32, 2, shape, &numbers, error);
    if (status == SAC_OK && t.has_names)
        status = sac_array_create(SAC_TEXT, 1, shape, &rows, error);
    if (status == SAC_OK && t.has_header)
        status = sac_array_create(SAC_TEXT, 1, shape + 1, &columns, error);
    if (status == SAC_OK)
        status = read_table(&t, &arrays->room, numbers.data, rows.data, columns.data, error);
    if (status == SAC_OK)
        status = sac_arrays_add(arrays, "array", 5, &numbers, error);
    if (status == SAC_OK)
        status = add_names(arrays, "rows", &rows, error);
    if (status == SAC_OK)
        status = add_names(arrays, "columns", &columns, error);
    sac_array_free(&numbers);
    sac_array_free(&rows);
    sac_array_free(&columns);
    return status;
}
