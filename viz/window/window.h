/* The SDL2 window: uploads the shell's canvas, passes input on, keeps the device off its thread. */
#ifndef VIZ_WINDOW_WINDOW_H
#define VIZ_WINDOW_WINDOW_H

#include "view/shell.h"

typedef struct viz_window_options {
    int width, height; /* logical; 0: 1280 × 800 */
    const viz_theme *theme;
    const char *title;
    bool (*interrupted)(void); /* asked each frame; true closes the window; may be NULL */
} viz_window_options;

/* Runs until the person closes the window. SAC_E_DISPLAY where none can be opened. */
sac_status viz_window_run(viz_shell *shell, const viz_window_options *options, sac_error *error);

#endif
