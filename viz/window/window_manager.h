/* Whether a window manager is there: SDL asks it to fill the display, and does not notice where
 * nobody answers. */
#ifndef VIZ_WINDOW_WINDOW_MANAGER_H
#define VIZ_WINDOW_WINDOW_MANAGER_H

#include <stdbool.h>

#include <SDL.h>

/* False on a bare X server alone. */
bool viz_has_window_manager(SDL_Window *window);

#endif
