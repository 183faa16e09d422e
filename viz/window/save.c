/* Saving what the window shows: the kinds of files, where they are written, and undoing that. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "canvas/text.h"
#include "export/export.h"
#include "view/settings.h"
#include "view/words.h"
#include "window/loop.h"

static viz_export_size canvas_export_size(const viz_loop *loop)
{
    const viz_canvas *canvas = &loop->screen.canvas;
    return (viz_export_size){.width = canvas->width,
                             .height = canvas->height,
                             .density = canvas->density,
                             .theme = canvas->theme};
}

void viz_loop_message(viz_loop *loop, const char *text)
{
    viz_shell_tick(loop->shell, sac_now()); /* writing took time; the message begins now */
    viz_shell_show_message(loop->shell, text);
    loop->dirty = true;
}

/* The window stays awake, and the person may stop it. */
static void poll_stop_events(viz_loop *loop)
{
    SDL_Event event;
    while (SDL_PollEvent(&event)) {
        if (event.type == SDL_QUIT)
            loop->closing = true;
        if (event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_ESCAPE)
            loop->cancelled = true;
    }
    if (loop->options->interrupted && loop->options->interrupted())
        loop->closing = true;
}

/* Between two frames. */
static bool show_export_progress(void *self, double done)
{
    viz_loop *loop = self;
    poll_stop_events(loop);
    /* Over the window's last picture, not a new one: the view is being moved through its frames. */
    viz_canvas *canvas = &loop->screen.canvas;
    const viz_theme *theme = canvas->theme;
    float width = 320, height = 40;
    viz_rect box = {(viz_width(canvas) - width) / 2, viz_height(canvas) - height - 20, width,
                    height};
    char text[64];
    snprintf(text, sizeof text, viz_word("writing: %.0f %%  (Esc stops)"), 100 * done);
    viz_fill_round(canvas, box, 6, theme->panel);
    viz_text(canvas, VIZ_SANS, VIZ_BODY, box.x + width / 2, box.y + 20, VIZ_CENTER, theme->text,
             text);
    viz_rect bar = {box.x + 16, box.y + height - 10, width - 32, 3};
    viz_fill(canvas, bar, theme->line);
    bar.w *= (float)done;
    viz_fill(canvas, bar, theme->accent);
    viz_screen_present(&loop->screen, NULL);
    return !loop->closing && !loop->cancelled;
}

/* ---------------------------------------------------------------- what has to be computed */

/* A view's job on the worker; what comes of it is the view's, once the picture is being drawn. */
typedef struct handed_job {
    viz_view *view;
    viz_job *job;
    sac_status status;
    sac_error *error;
} handed_job;

static sac_status run_handed_job(void *self, sac_error *error)
{
    handed_job *handed = self;
    (void)error;
    return handed->status = handed->view->class->run_job(handed->view, handed->job, handed->error);
}

static void ignore_handed_result(void *self, const sac_error *error)
{
    (void)self;
    (void)error;
}

void viz_run_on_worker(viz_loop *loop, viz_task task)
{
    viz_worker_submit(loop->worker, task);
    while (!viz_worker_collect(loop->worker)) {
        poll_stop_events(loop);
        if (loop->closing)
            SDL_HideWindow(loop->screen.window);
        SDL_Delay(1);
    }
}

static sac_status work_on_worker(void *self, viz_view *view, viz_job *job, sac_error *error)
{
    viz_loop *loop = self;
    handed_job handed = {view, job, SAC_OK, error};
    viz_run_on_worker(loop, (viz_task){run_handed_job, ignore_handed_result, &handed});
    return handed.status;
}

/* The same for the picture in the dialog, where what is typed meanwhile waits for its turn. */
static sac_status work_while_events_wait(void *self, viz_view *view, viz_job *job, sac_error *error)
{
    viz_loop *loop = self;
    handed_job handed = {view, job, SAC_OK, error};
    viz_worker_submit(loop->worker, (viz_task){run_handed_job, ignore_handed_result, &handed});
    while (!viz_worker_collect(loop->worker))
        SDL_Delay(1);
    return handed.status;
}

/* ---------------------------------------------------------------- kinds of files */

typedef sac_status write_still(viz_shell *shell, const viz_export_size *size, const char *path,
                               sac_error *error);
typedef sac_status write_long(viz_shell *shell, const viz_export_size *size, const char *path,
                              const sac_progress *progress, sac_error *error);

static sac_status write_numbers(viz_shell *shell, const viz_export_size *size, const char *path,
                                const sac_progress *progress, sac_error *error)
{
    return viz_export_table(shell, VIZ_TSV, size, path, progress, error);
}

static const struct {
    viz_save_kind kind;
    write_still *still; /* one of the two */
    write_long *longer;
    bool numbers; /* for a view that has some */
    bool adds;    /* a stop to a lecture */
} kinds[] = {
    {{"PNG", ".png", "A picture of the window; Saccade opens it again as it was.",
      VIZ_SAVE_AS_IT_IS, true},
     .still = viz_export_png},
    {{"SVG", ".svg", "Shapes and text, for the web and for drawing programs.", VIZ_SAVE_AS_IT_IS,
      true},
     .still = viz_export_svg},
    {{"PDF", ".pdf", "Shapes and text, for print and papers.", VIZ_SAVE_AS_IT_IS, true},
     .still = viz_export_pdf},
    {{N_("web page (HTML)"), ".html",
      "One file for a browser that moves and answers to the pointer.", VIZ_SAVE_AS_IT_IS},
     .longer = viz_export_html},
    {{N_("table (TSV)"), ".tsv", "The numbers as a table with tabs.", VIZ_SAVE_AS_IT_IS},
     .longer = write_numbers,
     .numbers = true},
    {{"lecture", ".lecture", "A stop more of a lecture, which → and ← walk (ctrl D).",
      VIZ_SAVE_AS_IT_IS, .adds = true},
     .adds = true},
    {{"PNG", ".png", "A picture of 300 pixels to the inch.", VIZ_SAVE_AS_FIGURE, true},
     .still = viz_export_png},
    {{"SVG", ".svg", "Shapes and text, for the web and for drawing programs.", VIZ_SAVE_AS_FIGURE,
      true},
     .still = viz_export_svg},
    {{"PDF", ".pdf", "Shapes and text, for print and papers.", VIZ_SAVE_AS_FIGURE, true, true},
     .still = viz_export_pdf},
    {{"WebP", ".webp", "The play in few bytes, for browsers and slides.", VIZ_SAVE_AS_MOTION, true},
     .longer = viz_export_webp},
    {{"GIF", ".gif", "The play as an animation that every program shows.", VIZ_SAVE_AS_MOTION,
      true},
     .longer = viz_export_gif},
    {{"PNG", ".png", "The play as an animation in all its colours.", VIZ_SAVE_AS_MOTION, true},
     .longer = viz_export_apng},
};
enum { KINDS = sizeof kinds / sizeof *kinds };
_Static_assert(KINDS <= VIZ_SAVE_KINDS_MOST, "as many as the dialog has room for");

static bool can_save_kind(const viz_loop *loop, const viz_view *view, int kind)
{
    viz_table table;
    if (kinds[kind].adds)
        return loop->options->add_stop;
    if (kinds[kind].numbers)
        return view->class->table && view->class->table(view, &table);
    return kinds[kind].kind.form == VIZ_SAVE_AS_FIGURE   ? view->class->figure != NULL
           : kinds[kind].kind.form == VIZ_SAVE_AS_MOTION ? view->class->frames && view->class->frame
                                                         : true;
}

static int find_kind(const viz_save_kind *wanted)
{
    int kind = 0;
    while (kind < KINDS - 1 && (kinds[kind].kind.form != wanted->form ||
                                strcmp(kinds[kind].kind.name, wanted->name) != 0))
        kind++;
    return kind;
}

/* ---------------------------------------------------------------- the dialog */

/* The current folder, and the first name in it that is free: of what is open, or of a lecture. */
static void propose_free_path(const viz_loop *loop, const char *ending, bool is_lecture,
                              char path[VIZ_PATH_SIZE])
{
    char *folder = getcwd(NULL, 0), name[sizeof loop->name + 8] = "lecture";
    int number = 1;
    if (!is_lecture)
        snprintf(name, sizeof name, "%s-saccade", loop->name);
    const char *in = folder ? folder : "";
    do
        snprintf(path, VIZ_PATH_SIZE, "%.700s%s%s-%d%s", in,
                 folder && strcmp(folder, "/") == 0 ? "" : "/", name, number++, ending);
    while (access(path, F_OK) == 0);
    free(folder);
}

void viz_loop_toggle_save_dialog(viz_loop *loop, const char *name)
{
    viz_saves saves = {0};
    const viz_view *view = viz_shell_tab_view(loop->shell);
    loop->dirty = true;
    if (loop->shell->chooses && loop->shell->saves) {
        loop->shell->chooses = false;
        return;
    }
    if (!view)
        return;
    /* Of what is looked at as a figure, and of PDF, first the figure. */
    const bool figure = viz_view_is_figure(view) || strcmp(name, "PDF") == 0;
    bool found = false;
    for (int i = 0; i < KINDS; i++) {
        if (!can_save_kind(loop, view, i))
            continue;
        const bool named = strcmp(kinds[i].kind.name, name) == 0;
        if (named && (!found || (figure && kinds[i].kind.form == VIZ_SAVE_AS_FIGURE))) {
            saves.kind = saves.kind_count;
            found = true;
        }
        saves.kinds[saves.kind_count++] = kinds[i].kind;
    }
    saves.light_shown = loop->screen.canvas.theme->light;
    saves.light = saves.light_shown || saves.kinds[saves.kind].form == VIZ_SAVE_AS_FIGURE;
    propose_free_path(loop, saves.kinds[saves.kind].ending, saves.kinds[saves.kind].adds,
                      saves.path);
    viz_shell_show_save_dialog(loop->shell, &saves);
}

void viz_loop_take_save_path(viz_loop *loop)
{
    if (loop->request == REQUEST_NONE && viz_shell_wants_preview(loop->shell, &loop->previewed))
        loop->request = REQUEST_PREVIEW;
    if (!viz_shell_take_saves(loop->shell, &loop->saves))
        return;
    loop->request = REQUEST_SAVE;
    loop->dirty = true;
}

/* ---------------------------------------------------------------- the files */

#define DOTS 300.0f /* to the inch, of a figure as a PNG */

static sac_status write_file(viz_loop *loop, int kind, const viz_export_size *size,
                             const char *path, sac_error *error)
{
    sac_progress progress = {.step = show_export_progress, .user = loop};
    loop->cancelled = false;
    loop->shell->work = &(viz_work){work_on_worker, loop};
    sac_status status = kinds[kind].still
                            ? kinds[kind].still(loop->shell, size, path, error)
                            : kinds[kind].longer(loop->shell, size, path, &progress, error);
    loop->shell->work = NULL;
    return status;
}

sac_status viz_write_picture(viz_loop *loop, const char *path, sac_error *error)
{
    viz_export_size size = canvas_export_size(loop);
    return write_file(loop, 0, &size, path, error);
}

static void write_stop(viz_loop *loop, const char *path, bool by_dialog)
{
    char text[VIZ_PATH_SIZE + 96];
    sac_error error = {0};
    int number = 0;
    loop->shell->chooses = false; /* what it lies over is added */
    if (loop->options->add_stop(loop->options->user, path, &number, &error) != SAC_OK) {
        loop->shell->chooses = by_dialog; /* it is there again, with what was typed */
        viz_loop_error(loop, &error);
        return;
    }
    if (path != loop->lecture)
        snprintf(loop->lecture, sizeof loop->lecture, "%s", path);
    snprintf(loop->saved, sizeof loop->saved, "%s", path);
    loop->saved_stop = number;
    viz_forget_ahead(loop); /* another stop may come now */
    snprintf(text, sizeof text, viz_word("added as stop %d to %s  ·  ctrl Z takes it out again"),
             number, path);
    viz_loop_message(loop, text);
    loop->shell->message_undone = true;
}

void viz_add_stop(viz_loop *loop)
{
    if (!loop->options->add_stop)
        viz_loop_message(loop, "no lecture can be made in this window");
    else if (loop->lecture[0])
        write_stop(loop, loop->lecture, false);
    else
        viz_loop_toggle_save_dialog(loop, "lecture");
}

static void report_saved(viz_loop *loop, const char *before, const char *path, bool replaced)
{
    snprintf(loop->saved, sizeof loop->saved, "%s", replaced ? "" : path);
    loop->saved_stop = 0;
    char text[VIZ_PATH_SIZE + 64];
    snprintf(text, sizeof text, viz_word("%ssaved %s%s"), before, path,
             replaced ? "" : viz_word("  ·  ctrl Z removes it"));
    viz_loop_message(loop, text);
    loop->shell->message_undone = !replaced;
}

/* Of what was chosen: a figure is as wide as on paper, the rest as the window; on its own ground. */
static viz_export_size chosen_export_size(const viz_loop *loop, const viz_saves *saves)
{
    viz_export_size size = canvas_export_size(loop);
    const viz_save_width *width = &viz_save_widths[saves->width];
    const bool figure = saves->kinds[saves->kind].form == VIZ_SAVE_AS_FIGURE;
    if (figure || size.theme->light != saves->light)
        size.theme = saves->light ? &viz_theme_light : &viz_theme_dark;
    if (!figure)
        return size;
    if (width->paper)
        viz_export_set_paper(&size, width->paper);
    size.figure =
        (width->paper ? viz_save_widths[VIZ_SAVE_WIDTHS - 3].mm : width->mm) * VIZ_UNITS_PER_MM;
    size.width = (int)lroundf(size.figure * DOTS / 96);
    return size;
}

/* True where the view was no figure, or was one, and is to be put back. */
static bool use_layout(viz_view *view, bool figure)
{
    if (!view->class->figure || viz_view_is_figure(view) == figure)
        return false;
    viz_view_restore(view, "layout", viz_layout_names[figure]);
    return true;
}

void viz_preview(viz_loop *loop)
{
    viz_view *view = viz_shell_tab_view(loop->shell);
    viz_export_size size = chosen_export_size(loop, &loop->previewed);
    const bool figure = size.figure > 0;
    sac_image image = {0};
    if (!view || !loop->shell->chooses)
        return;
    if (figure) /* as fine as the window */
        size.width = (int)fminf((float)size.width, 0.5f * (float)loop->screen.canvas.width);
    loop->shell->chooses = false; /* what the dialog lies over is drawn */
    loop->shell->work = &(viz_work){work_while_events_wait, loop};
    const bool turned = use_layout(view, figure);
    viz_export_image(loop->shell, &size, &image,
                     NULL); /* without a picture the dialog serves as well */
    if (turned)
        use_layout(view, !figure);
    loop->shell->work = NULL;
    loop->shell->chooses = true;
    viz_chooser_take_preview(loop->shell->chooser, &image);
    loop->dirty = true;
}

void viz_save(viz_loop *loop)
{
    const viz_saves saves = loop->saves;
    const viz_save_kind *kind = &saves.kinds[saves.kind];
    viz_view *view = viz_shell_tab_view(loop->shell);
    const viz_export_size size = chosen_export_size(loop, &saves);
    sac_error error = {0};
    const bool figure = kind->form == VIZ_SAVE_AS_FIGURE;
    loop->shell->chooses = false; /* what it lies over is saved */
    if (kind->adds) {
        write_stop(loop, saves.path, true);
        return;
    }
    const bool turned = use_layout(view, figure);
    sac_status status = write_file(loop, find_kind(kind), &size, saves.path, &error);
    if (turned)
        use_layout(view, !figure);
    loop->dirty = true;
    if (status == SAC_OK) {
        report_saved(loop, "", saves.path, saves.replaces);
    } else if (status == SAC_E_CANCELLED) {
        viz_loop_message(loop, "stopped: no file was saved");
    } else { /* the dialog is there again, with what was typed */
        loop->shell->chooses = true;
        viz_loop_error(loop, &error);
    }
}

bool viz_undo_save(viz_loop *loop)
{
    char text[sizeof loop->saved + 96];
    if (!viz_shell_undoes_message(loop->shell))
        return false;
    sac_error error = {0};
    bool gone = loop->saved_stop ? loop->options->take_stop_back(loop->options->user, loop->saved,
                                                                 loop->saved_stop, &error) == SAC_OK
                                 : unlink(loop->saved) == 0;
    viz_forget_ahead(loop);
    if (loop->saved_stop && gone)
        snprintf(text, sizeof text, viz_word("stop %d of %s is taken out again"), loop->saved_stop,
                 loop->saved);
    else
        snprintf(text, sizeof text, viz_word(gone ? "removed %s" : "%s cannot be removed"),
                 loop->saved);
    loop->saved_stop = 0;
    loop->saved[0] = '\0';
    viz_loop_message(loop, text);
    return true;
}

void viz_save_picture(viz_loop *loop, const char *before)
{
    char path[VIZ_PATH_SIZE];
    sac_error error = {0};
    propose_free_path(loop, ".png", false, path);
    if (viz_write_picture(loop, path, &error) == SAC_OK)
        report_saved(loop, before, path, false);
    else
        viz_loop_error(loop, &error);
}
