/* Numbers as lines of text. */

#include "parts/figures/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/printable.h"

#define NAME_SIZE 256

sac_status viz_table_find(const viz_view *view, viz_table *table, sac_error *error)
{
    *table = (viz_table){0};
    if (!view || !view->class->table)
        return sac_fail(error, SAC_E_ARGUMENT, view ? view->class->tab : "view",
                        "choose the matrix, heads, alignment or caption tab",
                        "shows no table of numbers");
    if (!view->class->table(view, table) || !table->rows || !table->columns)
        return sac_fail(error, SAC_E_ARGUMENT, view->class->tab, NULL, "has no numbers to show");
    return SAC_OK;
}

static void write_quoted(const char *text, FILE *file)
{
    if (!strpbrk(text, ",\"")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (const char *c = text; *c; c++) {
        if (*c == '"')
            fputc('"', file);
        fputc(*c, file);
    }
    fputc('"', file);
}

/* The one of `list` [count] that the text begins with; NULL: none. */
static const char *find_prefix_in_list(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(text, list[i], strlen(list[i])) == 0)
            return list[i];
    return NULL;
}

/* Spreadsheets run a cell that begins so, East Asian ones full-width signs as well, and they pass over
 * what has no width. A number is none, and neither is a sign alone. */
static bool is_formula(const char *text)
{
    static const char *const signs[] = {"=", "+", "-", "@", "＝", "＋", "－", "＠"};
    static const char *const hidden[] = {"\uFEFF", "\u200B", "\u200C", "\u200D",
                                         "\u200E", "\u200F", "\u2060"};
    const char *found;
    char *end;
    while ((found = find_prefix_in_list(text, hidden, sizeof hidden / sizeof *hidden)))
        text += strlen(found);
    found = find_prefix_in_list(text, signs, sizeof signs / sizeof *signs);
    if (!found || !text[strlen(found)])
        return false;
    strtod(text, &end);
    return end == text || *end;
}

/* A name may be untrusted: a formula gets the ' that makes it text. */
static void write_text(const char *text, viz_table_kind kind, FILE *file)
{
    char plain[3 * NAME_SIZE], name[sizeof plain + 1];
    sac_printable(text, plain, sizeof plain);
    snprintf(name, sizeof name, "%s%s", is_formula(plain) ? "'" : "", plain);
    if (kind == VIZ_TSV)
        fputs(name, file);
    else
        write_quoted(name, file);
}

sac_status viz_table_write(viz_view *view, const viz_table *table, size_t row, size_t rows,
                           viz_table_kind kind, FILE *file, const sac_progress *progress,
                           sac_error *error)
{
    float *values = malloc(table->columns * sizeof *values);
    sac_status status = SAC_OK;
    if (!values)
        return sac_no_memory(error, "table");
    char name[NAME_SIZE];
    write_text(table->title, kind, file);
    for (size_t i = 0; i < table->columns; i++) {
        fputc(kind == VIZ_TSV ? '\t' : ',', file);
        write_text(view->class->table_name(view, false, i, name, sizeof name), kind, file);
    }
    fputc('\n', file);
    for (size_t i = row; i < row + rows && status == SAC_OK && !ferror(file); i++) {
        if (progress && progress->step &&
            !progress->step(progress->user, (double)(i - row) / (double)rows))
            status = sac_fail(error, SAC_E_CANCELLED, "table", NULL, "stopped on request");
        if (status == SAC_OK)
            status = view->class->table_row(view, i, values, error);
        if (status == SAC_OK) {
            write_text(view->class->table_name(view, true, i, name, sizeof name), kind, file);
            for (size_t k = 0; k < table->columns; k++)
                fprintf(file, "%c%.9g", kind == VIZ_TSV ? '\t' : ',', (double)values[k]);
            fputc('\n', file);
        }
    }
    if (status == SAC_OK && progress && progress->step)
        progress->step(progress->user, 1);
    free(values);
    return status;
}
