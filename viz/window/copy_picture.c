/* Ctrl+Shift+C: what the window shows, as a PNG on the clipboard. SDL puts text alone there, so a
 * program of the desktop holds the picture. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process.h"
#include "export/export.h"
#include "window/loop.h"

typedef struct picture_copy {
    char path[256]; /* the PNG */
    sac_status status;
    sac_error error;
} picture_copy;

/* Both programs read all of the picture, and leave a process behind that holds it. */
static bool hand_over(const char *path, char *const arguments[])
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

static sac_status give_picture(void *self, sac_error *error)
{
    static char *const wayland[] = {"wl-copy", "--type", "image/png", NULL};
    static char *const x11[] = {"xclip", "-selection", "clipboard", "-t", "image/png", NULL};
    picture_copy *copy = self;
    (void)error;
    bool given = (SDL_getenv("WAYLAND_DISPLAY") && hand_over(copy->path, wayland)) ||
                 (SDL_getenv("DISPLAY") && hand_over(copy->path, x11));
    if (!given)
        copy->status = sac_fail(&copy->error, SAC_E_DEVICE, "clipboard", NULL,
                                "no program here holds a picture");
    return copy->status;
}

static void take_nothing(void *self, const sac_error *error)
{
    (void)self;
    (void)error;
}

/* Makes an empty file with an unused name. */
static sac_status reserve(picture_copy *copy)
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
    copy.status = reserve(&copy);
    bool made = copy.status == SAC_OK;
    if (made)
        copy.status = viz_draw_picture(loop, copy.path, &copy.error);
    bool drawn = copy.status == SAC_OK;
    if (drawn)
        viz_run_on_worker(loop, (viz_task){give_picture, take_nothing, &copy});
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
