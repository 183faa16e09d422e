/* What SDL does not report of a desktop: whether a window manager is there (without one SDL's
 * request to fill the display has no effect, and SDL does not notice), and how large letters are. */
#ifndef VIZ_WINDOW_WINDOW_MANAGER_H
#define VIZ_WINDOW_WINDOW_MANAGER_H

#include <stdbool.h>

#include <SDL.h>

/* False on a bare X server alone. */
bool viz_has_window_manager(SDL_Window *window);
/* The dots per inch for which the person's desktop draws letters; 0: it has none, or the 96
 * that desktops begin with. */
float viz_desktop_dpi(SDL_Window *window);

#endif
