/* The SDL2 window: shows the shell's canvas, passes input on, keeps the device off its thread. */
#ifndef VIZ_WINDOW_WINDOW_H
#define VIZ_WINDOW_WINDOW_H

#include "view/shell.h"

typedef struct viz_window_options {
    int width, height; /* logical; 0: 1280 × 800 */
    float density;     /* pixels in a logical unit; 0: what the display asks for */
    const viz_theme *theme;
    const char *name;     /* of what is open: for the title, and for pictures saved with S and A */
    const char *greeting; /* a message to begin with; NULL: none */
    bool (*interrupted)(void); /* asked each frame; true closes the window; may be NULL */
    /* A file was dropped on the window: puts views of it into the shell in place of those there, or
     * fails and leaves the shell as it is. May be NULL. */
    sac_status (*open)(void *user, const char *path, viz_shell *shell, sac_error *error);
    /* The same for what is open now, computed on the machine's next device. May be NULL. */
    sac_status (*next_device)(void *user, viz_shell *shell, sac_error *error);
    void *user;
} viz_window_options;

/* Runs until the person closes the window. SAC_E_DISPLAY where none can be opened. */
sac_status viz_window_run(viz_shell *shell, const viz_window_options *options, sac_error *error);

#endif
