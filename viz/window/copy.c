/* To the clipboard: by Ctrl+C the numbers that the tab shows, as text for a spreadsheet, or the command
 * that shows the tab; by Ctrl+Shift+C what the window shows. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process.h"
#include "export/export.h"
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

static void ignore_text_result(void *self, const sac_error *error)
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
    viz_shell_show_message(loop->shell, text);
    loop->dirty = true;
}

void viz_copy_view_text(viz_loop *loop)
{
    viz_view *view = viz_shell_view(loop->shell);
    const char *text = view && view->class->copied ? view->class->copied(view) : NULL;
    if (text)
        copy_text(loop, text);
}

/* A view that can be written as a command is copied as that. */
static bool copy_command(viz_loop *loop)
{
    const viz_view *view = viz_shell_tab_view(loop->shell);
    char command[MOST_COMMAND];
    if (!view || !view->class->command)
        return false;
    if (view->class->command(view, command, sizeof command)[0])
        copy_text(loop, command);
    else
        viz_shell_show_message(
            loop->shell,
            "nothing is copied: a name in the command has control characters, or is too long");
    loop->dirty = true;
    return true;
}

void viz_copy_command_or_numbers(viz_loop *loop)
{
    table_copy copy = {.view = viz_shell_tab_view(loop->shell)};
    char text[sizeof loop->shell->message];
    if (copy_command(loop))
        return;
    copy.status = viz_table_find(copy.view, &copy.table, &copy.error);
    if (copy.status == SAC_OK) {
        choose_rows(&copy);
        viz_run_on_worker(loop, (viz_task){write_text, ignore_text_result, &copy});
    }
    if (copy.status == SAC_OK && SDL_SetClipboardText(copy.text) != 0)
        copy.status = sac_fail(&copy.error, SAC_E_DEVICE, "clipboard", NULL, "%s", SDL_GetError());
    if (copy.status == SAC_OK)
        report_copied(&copy, text, sizeof text);
    else
        sac_error_line(&copy.error, text, sizeof text);
    free(copy.text);
    viz_shell_tick(loop->shell, sac_now()); /* copying took time; the message begins now */
    viz_shell_show_message(loop->shell, text);
    loop->dirty = true;
}

/* ---------------------------------------------------------------- the picture */

/* A PNG. SDL puts text alone on the clipboard, so a
 * program of the desktop holds the picture. */
typedef struct picture_copy {
    char path[256]; /* the PNG */
    sac_status status;
    sac_error error;
} picture_copy;

/* Both programs read all of the picture, and leave a process behind that holds it. */
static bool pipe_picture_to_program(const char *path, char *const arguments[])
{
    pid_t child;
    int ended = -1, picture = open(path, O_RDONLY | O_CLOEXEC);
    int failed = picture < 0 ? errno : sac_spawn(arguments, picture, &child);
    if (picture >= 0)
        close(picture);
    if (failed)
        return false;
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
}

static sac_status copy_picture_to_clipboard(void *self, sac_error *error)
{
    static char *const wayland[] = {"wl-copy", "--type", "image/png", NULL};
    static char *const x11[] = {"xclip", "-selection", "clipboard", "-t", "image/png", NULL};
    picture_copy *copy = self;
    (void)error;
    bool given = (SDL_getenv("WAYLAND_DISPLAY") && pipe_picture_to_program(copy->path, wayland)) ||
                 (SDL_getenv("DISPLAY") && pipe_picture_to_program(copy->path, x11));
    if (!given)
        copy->status = sac_fail(&copy->error, SAC_E_DEVICE, "clipboard", NULL,
                                "no program here holds a picture");
    return copy->status;
}

static void ignore_copy_result(void *self, const sac_error *error)
{
    (void)self;
    (void)error;
}

/* Makes an empty file with an unused name. */
static sac_status create_temporary_file(picture_copy *copy)
{
    const char *folder = getenv("TMPDIR");
    snprintf(copy->path, sizeof copy->path, "%.200s/saccade-XXXXXX",
             folder && *folder ? folder : "/tmp");
    int file = mkstemp(copy->path);
    if (file < 0)
        return sac_fail(&copy->error, SAC_E_FILE, copy->path, NULL, "cannot be written: %s",
                        strerror(errno));
    close(file);
    return SAC_OK;
}

void viz_copy_picture(viz_loop *loop)
{
    picture_copy copy = {0};
    copy.status = create_temporary_file(&copy);
    bool made = copy.status == SAC_OK;
    if (made)
        copy.status = viz_write_picture(loop, copy.path, &copy.error);
    bool drawn = copy.status == SAC_OK;
    if (drawn)
        viz_run_on_worker(loop, (viz_task){copy_picture_to_clipboard, ignore_copy_result, &copy});
    if (made)
        unlink(copy.path);
    if (copy.status == SAC_OK)
        viz_loop_message(loop, "copied the picture");
    else if (drawn)
        viz_save_picture(loop, "neither wl-copy nor xclip took the picture; ");
    else
        viz_loop_error(loop, &copy.error);
    loop->dirty = true;
}
