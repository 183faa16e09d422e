/* A training watched in a window, or its view written as pictures. */

#include "cli/commands/train_show.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "canvas/text.h"
#include "training/training_view.h"
#include "window/window.h"

/* ---------------------------------------------------------------- files */

static sac_status open_shell(const cli_training_show *show, viz_shell *shell, sac_error *error)
{
    viz_view *view;
    sac_status status = viz_text_open(error);
    if (status == SAC_OK)
        status = viz_training_view_create(show->source, &view, error);
    return status == SAC_OK ? viz_shell_add(shell, view, error) : status;
}

sac_status cli_training_write(const cli_training_show *show, sac_error *error)
{
    viz_shell shell = {0};
    sac_status status = open_shell(show, &shell, error);
    if (status == SAC_OK)
        status = cli_drawing_write(show->drawing, &shell, error);
    viz_shell_free(&shell);
    viz_text_close();
    return status;
}

/* ---------------------------------------------------------------- the window */

/* There is one window: what it asks each frame knows of no other. */
static struct {
    const cli_training_show *show;
    pthread_t thread;
    bool begun;
    atomic_bool failed;
    sac_status status;
    sac_error error;
} running;

static void *train(void *nothing)
{
    (void)nothing;
    running.status = running.show->train(running.show->user, &running.error);
    atomic_store(&running.failed, running.status != SAC_OK);
    return NULL;
}

static void begin(void)
{
    int code = pthread_create(&running.thread, NULL, train, NULL);
    running.begun = code == 0;
    if (code == 0)
        return;
    running.status = sac_fail(&running.error, SAC_E_MEMORY, "training", NULL,
                              "cannot start a thread: %s", strerror(code));
    atomic_store(&running.failed, true);
}

/* The window asks this for the first time when it is open: then the training begins. */
static bool is_over(void)
{
    if (!running.begun && !atomic_load(&running.failed))
        begin();
    return cli_interrupted() || atomic_load(&running.failed);
}

static sac_status show_window(const cli_training_show *show, viz_shell *shell, sac_error *error)
{
    const viz_export_size *size = &show->drawing->size;
    float density = size->density > 0 ? size->density : 1.0f;
    viz_window_options options = {
        .width = (int)((float)size->width / density),
        .height = (int)((float)size->height / density),
        .density = size->density,
        .theme = size->theme,
        .name = show->name,
        .interrupted = is_over,
    };
    cli_waits_show(false);
    return viz_window_run(shell, &options, error);
}

sac_status cli_training_window(const cli_training_show *show, sac_error *error)
{
    viz_shell shell = {0};
    running.show = show;
    sac_status status = open_shell(show, &shell, error);
    if (status == SAC_OK)
        status = show_window(show, &shell, error);
    viz_shell_free(&shell);
    viz_text_close();
    if (running.begun) {
        if (!is_over() && !show->source->training.ended(show->source->self))
            show->closed(show->user);
        pthread_join(running.thread, NULL);
    }
    if (running.status != SAC_OK) { /* of the two it says more */
        *error = running.error;
        status = running.status;
    }
    return status;
}
