/* Whether a window manager is there: without one SDL's request to fill the display has no effect,
 * and SDL does not notice. */
#ifndef VIZ_WINDOW_WINDOW_MANAGER_H
#define VIZ_WINDOW_WINDOW_MANAGER_H

#include <stdbool.h>

#include <SDL.h>

/* False on a bare X server alone. */
bool viz_has_window_manager(SDL_Window *window);

#endif
