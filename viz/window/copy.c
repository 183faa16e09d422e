/* Ctrl+C: the numbers that the tab shows, as text for a spreadsheet; or the command that shows the
 * tab. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "parts/figures/table.h"
#include "view/words.h"
#include "window/loop.h"

/* The most numbers that are copied; of a larger table the current row is. 256 × 256 are about 1 MB
 * of text. */
#define MOST_NUMBERS 65536
#define MOST_COMMAND 8192

typedef struct table_copy {
    viz_view *view;
    viz_table table;
    size_t row, rows; /* what of it is copied */
    char *text;       /* owned */
    sac_status status;
    sac_error error;
} table_copy;

static sac_status write_text(void *self, sac_error *error)
{
    table_copy *copy = self;
    size_t size;
    FILE *file = open_memstream(&copy->text, &size);
    (void)error;
    if (!file)
        return copy->status =
                   sac_fail(&copy->error, SAC_E_MEMORY, "clipboard", NULL, "out of memory");
    copy->status = viz_table_write(copy->view, &copy->table, copy->row, copy->rows, VIZ_TSV, file,
                                   NULL, &copy->error);
    bool whole = !ferror(file);
    if ((fclose(file) != 0 || !whole) && copy->status == SAC_OK)
        copy->status = sac_fail(&copy->error, SAC_E_MEMORY, "clipboard", NULL,
                                "out of memory for the numbers as text");
    return copy->status;
}

static void take_text(void *self, const sac_error *error)
{
    (void)self;
    (void)error;
}

static void choose_rows(table_copy *copy)
{
    const viz_table *table = &copy->table;
    bool all = table->columns <= MOST_NUMBERS / table->rows;
    copy->row = all ? 0 : table->row;
    copy->rows = all ? table->rows : 1;
}

static void report_copied(const table_copy *copy, char *text, size_t size)
{
    const viz_table *table = &copy->table;
    char name[64];
    if (copy->rows == table->rows)
        snprintf(text, size, viz_word("copied %.120s: %zu × %zu numbers"), table->title,
                 table->rows, table->columns);
    else
        snprintf(text, size,
                 viz_word("copied row “%s” of %.100s: %zu numbers; --tsv writes all rows"),
                 copy->view->class->table_name(copy->view, true, copy->row, name, sizeof name),
                 table->title, table->columns);
}

static void copy_text(viz_loop *loop, const char *copy)
{
    char text[sizeof loop->shell->message];
    bool copied = SDL_SetClipboardText(copy) == 0;
    snprintf(text, sizeof text, viz_word(copied ? "copied: %.1000s" : "clipboard: %.1000s"),
             copied ? copy : SDL_GetError());
    viz_shell_message(loop->shell, text);
    loop->dirty = true;
}

void viz_copy_asked(viz_loop *loop)
{
    viz_view *view = viz_shell_view(loop->shell);
    const char *text = view && view->class->copied ? view->class->copied(view) : NULL;
    if (text)
        copy_text(loop, text);
}

/* A view that can be written as a command is copied as that. */
static bool copy_command(viz_loop *loop)
{
    const viz_view *view = viz_shell_tab(loop->shell);
    char command[MOST_COMMAND];
    if (!view || !view->class->command)
        return false;
    if (view->class->command(view, command, sizeof command)[0])
        copy_text(loop, command);
    else
        viz_shell_message(
            loop->shell,
            "nothing is copied: a name in the command has control characters, or is too long");
    loop->dirty = true;
    return true;
}

void viz_copy_numbers(viz_loop *loop)
{
    table_copy copy = {.view = viz_shell_tab(loop->shell)};
    char text[sizeof loop->shell->message];
    if (copy_command(loop))
        return;
    copy.status = viz_table_find(copy.view, &copy.table, &copy.error);
    if (copy.status == SAC_OK) {
        choose_rows(&copy);
        viz_run_on_worker(loop, (viz_task){write_text, take_text, &copy});
    }
    if (copy.status == SAC_OK && SDL_SetClipboardText(copy.text) != 0)
        copy.status = sac_fail(&copy.error, SAC_E_DEVICE, "clipboard", NULL, "%s", SDL_GetError());
    if (copy.status == SAC_OK)
        report_copied(&copy, text, sizeof text);
    else
        sac_error_line(&copy.error, text, sizeof text);
    free(copy.text);
    viz_shell_tick(loop->shell, sac_now()); /* copying took time; the message begins now */
    viz_shell_message(loop->shell, text);
    loop->dirty = true;
}
