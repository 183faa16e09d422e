/* S, Ctrl+S, Ctrl+Shift+S and A: what the window shows, as a file in the current folder. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "canvas/text.h"
#include "export/export.h"
#include "window/loop.h"

/* The first name that is free: a picture saved before is never overwritten. */
static void free_name(const viz_loop *loop, const char *ending, char *path, size_t size)
{
    int number = 1;
    do
        snprintf(path, size, "%s-saccade-%d.%s", loop->name, number++, ending);
    while (access(path, F_OK) == 0);
}

static viz_export_size size_of(const viz_loop *loop)
{
    const viz_canvas *canvas = &loop->screen.canvas;
    return (viz_export_size){.width = canvas->width,
                             .height = canvas->height,
                             .density = canvas->density,
                             .theme = canvas->theme};
}

void viz_loop_say(viz_loop *loop, const char *text)
{
    viz_shell_tick(loop->shell, sac_now()); /* writing took time; the message begins now */
    viz_shell_message(loop->shell, text);
    loop->dirty = true;
}

/* `before` is the text before the place. */
static void tell(viz_loop *loop, sac_status status, const char *before, const char *path,
                 const sac_error *error)
{
    char text[sizeof loop->shell->message];
    char *folder = getcwd(NULL, 0);
    if (status == SAC_OK)
        snprintf(text, sizeof text, "%ssaved %s%s%s", before, folder ? folder : "",
                 folder && strcmp(folder, "/") != 0 ? "/" : "", path);
    else if (status == SAC_E_CANCELLED)
        snprintf(text, sizeof text, "stopped: no animation was saved");
    else
        sac_error_line(error, text, sizeof text);
    free(folder);
    viz_loop_say(loop, text);
}

/* Over the window's last picture, not a new one: the view is being moved through its frames. */
static void draw_progress(viz_loop *loop, double done)
{
    viz_canvas *canvas = &loop->screen.canvas;
    const viz_theme *theme = canvas->theme;
    float width = 320, height = 40;
    viz_rect box = {(viz_width(canvas) - width) / 2, viz_height(canvas) - height - 20, width,
                    height};
    char text[64];
    snprintf(text, sizeof text, "writing the animation: %.0f %%  (Esc stops)", 100 * done);
    viz_fill_round(canvas, box, 6, theme->panel);
    viz_text(canvas, VIZ_SANS, VIZ_BODY, box.x + width / 2, box.y + 20, VIZ_CENTER, theme->text,
             text);
    viz_rect bar = {box.x + 16, box.y + height - 10, width - 32, 3};
    viz_fill(canvas, bar, theme->line);
    bar.w *= (float)done;
    viz_fill(canvas, bar, theme->accent);
    viz_screen_present(&loop->screen, NULL);
}

/* The window stays awake, and the person may stop it. */
static void look_at_events(viz_loop *loop)
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
static bool step(void *self, double done)
{
    viz_loop *loop = self;
    look_at_events(loop);
    draw_progress(loop, done);
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

static sac_status work_handed(void *self, sac_error *error)
{
    handed_job *handed = self;
    (void)error;
    return handed->status = handed->view->class->work(handed->view, handed->job, handed->error);
}

static void take_handed(void *self, const sac_error *error)
{
    (void)self;
    (void)error;
}

void viz_run_on_worker(viz_loop *loop, viz_task task)
{
    viz_worker_submit(loop->worker, task);
    while (!viz_worker_collect(loop->worker)) {
        look_at_events(loop);
        if (loop->closing)
            SDL_HideWindow(loop->screen.window);
        SDL_Delay(1);
    }
}

static sac_status work_on_worker(void *self, viz_view *view, viz_job *job, sac_error *error)
{
    viz_loop *loop = self;
    handed_job handed = {view, job, SAC_OK, error};
    viz_run_on_worker(loop, (viz_task){work_handed, take_handed, &handed});
    return handed.status;
}

/* ---------------------------------------------------------------- the files */

typedef sac_status write_picture(viz_shell *shell, const viz_export_size *size, const char *path,
                                 sac_error *error);

static const struct {
    const char *ending;
    write_picture *write;
} pictures[] = {
    [VIZ_PNG] = {"png", viz_export_png},
    [VIZ_SVG] = {"svg", viz_export_svg},
    [VIZ_PDF] = {"pdf", viz_export_pdf},
};

sac_status viz_draw_picture(viz_loop *loop, viz_picture_kind kind, const char *path,
                            sac_error *error)
{
    viz_export_size size = size_of(loop);
    loop->shell->work = &(viz_work){work_on_worker, loop};
    sac_status status = pictures[kind].write(loop->shell, &size, path, error);
    loop->shell->work = NULL;
    return status;
}

void viz_save_picture(viz_loop *loop, viz_picture_kind kind, const char *before)
{
    char path[sizeof loop->name + 32];
    sac_error error = {0};
    free_name(loop, pictures[kind].ending, path, sizeof path);
    sac_status status = viz_draw_picture(loop, kind, path, &error);
    tell(loop, status, before, path, &error);
}

void viz_save_animation(viz_loop *loop)
{
    char path[sizeof loop->name + 32];
    sac_error error = {0};
    viz_export_size size = size_of(loop);
    sac_progress progress = {.step = step, .user = loop};
    free_name(loop, "png", path, sizeof path);
    loop->cancelled = false;
    loop->shell->work = &(viz_work){work_on_worker, loop};
    sac_status status = viz_export_apng(loop->shell, &size, path, &progress, &error);
    loop->shell->work = NULL;
    tell(loop, status, "", path, &error);
}
