#include "window/window_manager.h"

#include <stdlib.h>

#include <SDL_syswm.h>

#ifdef SDL_VIDEO_DRIVER_X11

bool viz_has_window_manager(SDL_Window *window)
{
    SDL_SysWMinfo info;
    SDL_VERSION(&info.version);
    if (!SDL_GetWindowWMInfo(window, &info) || info.subsystem != SDL_SYSWM_X11)
        return true;
    /* A window manager stores a window of its own in this property of the root window. */
    Atom property = XInternAtom(info.info.x11.display, "_NET_SUPPORTING_WM_CHECK", True),
         type = None;
    unsigned char *value = NULL;
    unsigned long count = 0, left;
    int format;
    if (property == None)
        return false;
    int failed = XGetWindowProperty(info.info.x11.display, DefaultRootWindow(info.info.x11.display),
                                    property, 0, 1, False, AnyPropertyType, &type, &format, &count,
                                    &left, &value);
    if (value)
        XFree(value);
    return failed == Success && count > 0;
}

/* Desktops keep it among the resources of the X server. */
float viz_desktop_dpi(SDL_Window *window)
{
    SDL_SysWMinfo info;
    SDL_VERSION(&info.version);
    if (!SDL_GetWindowWMInfo(window, &info) || info.subsystem != SDL_SYSWM_X11)
        return 0;
    const char *text = XGetDefault(info.info.x11.display, "Xft", "dpi");
    float dpi = text ? strtof(text, NULL) : 0;
    return dpi >= 48 && dpi <= 960 && dpi != 96 ? dpi : 0;
}

#else

bool viz_has_window_manager(SDL_Window *window)
{
    (void)window;
    return true;
}

float viz_desktop_dpi(SDL_Window *window)
{
    (void)window;
    return 0;
}

#endif
