/* A window of SDL: opening, events, and pixels on the display. */

#include "window/screen.h"

#include <math.h>

#include "base/error.h"
#include "window/changes.h"
#include "window/window_manager.h"

#define SHARE 0.8f  /* of the display that a new window fills: of its area, … */
#define WIDEST 2.0f /* … and no wider than so many times its height */
enum { FIRST_WIDTH = 640, FIRST_HEIGHT = 400 }; /* hidden, until the display is known */

static sac_status display_error(sac_error *error)
{
    return sac_fail(error, SAC_E_DEVICE, "display",
                    "set DISPLAY or WAYLAND_DISPLAY, or write a picture with --out FILE.png",
                    "no window can be opened: %s", SDL_GetError());
}

/* Decides the display's density: what the person's desktop sets, where it does. Else a display that
 * is both dense and large is meant to be read at more pixels a letter. X11 reports only its size in
 * millimetres, which small and old screens get wrong: those count as density 1. */
static float display_density(SDL_Window *window)
{
    SDL_DisplayMode mode;
    int display = SDL_GetWindowDisplayIndex(window);
    float dpi = viz_desktop_dpi(window);
    bool is_known = dpi > 0;
    if (!is_known && (SDL_GetCurrentDisplayMode(display, &mode) != 0 || mode.w < 2560 ||
                      SDL_GetDisplayDPI(display, &dpi, NULL, NULL) != 0 || dpi < 120.0f))
        return 1.0f;
    return fminf(fmaxf(roundf(dpi / 96.0f * 4.0f) / 4.0f, 1.0f), 3.0f);
}

/* The size of a new window in the display's coordinates: what was requested, or four fifths of what the
 * display leaves free, but never less than views are laid out for where the display has that. */
static void choose_size(const viz_screen *screen, const viz_window_options *options, float density,
                        int *width, int *height)
{
    SDL_Rect room = {.w = (int)(1280 * density), .h = (int)(800 * density)};
    SDL_GetDisplayUsableBounds(SDL_GetWindowDisplayIndex(screen->window), &room);
    float side = sqrtf(SHARE), tall = side * (float)room.h, wide = side * (float)room.w;
    wide = fminf(wide, WIDEST * tall);
    wide = fminf(fmaxf(wide, VIZ_LEAST_WIDTH * density), (float)room.w);
    tall = fminf(fmaxf(tall, VIZ_LEAST_HEIGHT * density), (float)room.h);
    *width = (int)lroundf(options->width ? (float)options->width * density : wide);
    *height = (int)lroundf(options->height ? (float)options->height * density : tall);
}

static void set_icon(SDL_Window *window)
{
    viz_canvas icon;
    if (viz_canvas_create(64, 64, 1.0f, &viz_theme_dark, &icon, NULL) != SAC_OK)
        return;
    viz_clear(&icon);
    /* The eye of assets/saccade.svg, drawn in code, so that the program needs no file for it. */
    viz_color accent = icon.theme->accent;
    for (int side = -1; side <= 1; side += 2)
        for (int x = 7; x < 57; x++) {
            float t0 = (float)(x - 32) / 25, t1 = (float)(x - 31) / 25, high = 14.0f * (float)side;
            viz_line(&icon, (float)x, 32 + high * (1 - t0 * t0), (float)x + 1,
                     32 + high * (1 - t1 * t1), 3.5f, accent);
        }
    for (int cell = 0; cell < 9; cell++) {
        float x = 21.0f + 8.0f * (float)(cell % 3), y = 21.0f + 8.0f * (float)(cell / 3);
        viz_color color = cell == 4 ? icon.theme->pale : viz_with_alpha(accent, 0.4f);
        viz_fill(&icon, (viz_rect){x, y, 6, 6}, color);
    }
    SDL_Surface *surface =
        SDL_CreateRGBSurfaceWithFormatFrom(icon.rgba, 64, 64, 32, 64 * 4, SDL_PIXELFORMAT_RGBA32);
    if (surface)
        SDL_SetWindowIcon(window, surface);
    SDL_FreeSurface(surface);
    viz_canvas_free(&icon);
}

/* Accepts only displays that a person can see: SDL itself would go on and draw to an invisible
 * one. */
static sac_status start_video(sac_error *error)
{
    bool x11 = SDL_getenv("DISPLAY"), wayland = SDL_getenv("WAYLAND_DISPLAY");
    if (!SDL_getenv("SDL_VIDEODRIVER")) {
        if (!x11 && !wayland) {
            SDL_SetError("there is none here");
            return display_error(error);
        }
        SDL_SetHint(SDL_HINT_VIDEODRIVER, !wayland ? "x11" : !x11 ? "wayland" : "x11,wayland");
    }
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1"); /* Ctrl-C is the program's own affair */
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        return display_error(error);
    /* X11 takes pixels straight from memory; without this SDL would load OpenGL to do it. */
    if (SDL_strcmp(SDL_GetCurrentVideoDriver(), "x11") == 0)
        SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    return SAC_OK;
}

sac_status viz_screen_open(viz_screen *screen, const viz_window_options *options, sac_error *error)
{
    *screen = (viz_screen){.forced_density = options->density, .text = 1.0f, .points = 1.0f};
    sac_status status = start_video(error);
    if (status != SAC_OK)
        return status;
    screen->window = SDL_CreateWindow(
        "Saccade", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, FIRST_WIDTH, FIRST_HEIGHT,
        SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI | SDL_WINDOW_HIDDEN);
    if (!screen->window)
        return display_error(error);
    float density = options->density > 0 ? options->density : display_density(screen->window);
    if (SDL_strcmp(SDL_GetCurrentVideoDriver(), "wayland") == 0)
        density = 1.0f; /* its coordinates are logical; viz_screen_fit finds the density */
    int width, height;
    choose_size(screen, options, density, &width, &height);
    SDL_SetWindowSize(screen->window, width, height);
    SDL_SetWindowPosition(screen->window, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED);
    int least_w = (int)(VIZ_LEAST_WIDTH * density), least_h = (int)(VIZ_LEAST_HEIGHT * density);
    SDL_SetWindowMinimumSize(screen->window, least_w < width ? least_w : width,
                             least_h < height ? least_h : height);
    SDL_EventState(SDL_DROPFILE, SDL_ENABLE);
    SDL_StartTextInput();
    set_icon(screen->window);
    viz_screen_title(screen, options->name);
    const viz_theme *theme = options->theme ? options->theme : &viz_theme_dark;
    return viz_canvas_create(width, height, density, theme, &screen->canvas, error);
}

sac_status viz_screen_fit(viz_screen *screen, sac_error *error)
{
    int width, height, width_points, height_points;
    SDL_GetWindowSizeInPixels(screen->window, &width, &height);
    SDL_GetWindowSize(screen->window, &width_points, &height_points);
    screen->points = width_points > 0 ? (float)width / (float)width_points : 1.0f;
    /* A display that scales its own coordinates has reported its density. */
    float density = screen->points > 1.0f ? screen->points : display_density(screen->window);
    viz_canvas *canvas = &screen->canvas;
    bool forced = screen->forced_density > 0;
    density = forced ? screen->forced_density : density;
    float usual = forced ? density : viz_usual_density(width, height, density);
    canvas->density = canvas->theme->presents ? viz_presented_density(width, height, density)
                                              : usual * screen->text;
    if (width == canvas->width && height == canvas->height)
        return SAC_OK;
    return viz_canvas_resize(canvas, width, height, error);
}

/* ---------------------------------------------------------------- what is sent */

/* Allocates space for every tile of the canvas. */
static bool reserve_changes(viz_screen *screen)
{
    SDL_Rect *more = SDL_realloc(screen->changed, viz_changes_most(&screen->canvas) * sizeof *more);
    screen->changed = more ? more : screen->changed;
    return more;
}

static float share_of(const viz_canvas *canvas, const SDL_Rect *changed, int count)
{
    float pixels = 0;
    for (int i = 0; i < count; i++)
        pixels += (float)changed[i].w * (float)changed[i].h;
    return pixels / ((float)canvas->width * (float)canvas->height);
}

static sac_status send_changes(viz_screen *screen, SDL_Surface *surface, sac_error *error)
{
    bool whole = screen->whole || surface != screen->surface;
    if (!reserve_changes(screen))
        return sac_no_memory(error, "window");
    const viz_pixels all = {0, 0, screen->canvas.width, screen->canvas.height};
    int count = viz_changes_copy(&screen->canvas, whole ? &all : screen->tiles.parts,
                                 whole ? 1 : screen->tiles.count, surface->pixels,
                                 (size_t)surface->pitch, whole, screen->changed);
    screen->whole = false;
    screen->surface = surface;
    screen->sent = share_of(&screen->canvas, screen->changed, count);
    if (count == 0)
        return SAC_OK;
    return SDL_UpdateWindowSurfaceRects(screen->window, screen->changed, count) == 0
               ? SAC_OK
               : display_error(error);
}

sac_status viz_screen_present(viz_screen *screen, sac_error *error)
{
    const viz_canvas *canvas = &screen->canvas;
    if (!screen->shown)
        SDL_ShowWindow(screen->window);
    screen->whole = screen->whole || !screen->shown;
    screen->shown = true;
    screen->sent = 1;
    SDL_Surface *surface = SDL_GetWindowSurface(screen->window);
    if (!surface)
        return display_error(error);
    /* Resized since it was drawn: the next frame, drawn at the new size, is on its way. */
    if (surface->w != canvas->width || surface->h != canvas->height) {
        screen->whole = true;
        return SAC_OK;
    }
    uint32_t format = surface->format->format;
    if (format == SDL_PIXELFORMAT_RGB888 || format == SDL_PIXELFORMAT_ARGB8888)
        return send_changes(screen, surface, error);
    if (SDL_ConvertPixels(canvas->width, canvas->height, SDL_PIXELFORMAT_RGBA32, canvas->rgba,
                          canvas->width * 4, format, surface->pixels, surface->pitch) != 0)
        return display_error(error);
    return SDL_UpdateWindowSurface(screen->window) == 0 ? SAC_OK : display_error(error);
}

void viz_screen_point(viz_screen *screen, bool pressable)
{
    if (pressable == screen->pressable)
        return;
    screen->pressable = pressable;
    if (!screen->hand)
        screen->hand = SDL_CreateSystemCursor(SDL_SYSTEM_CURSOR_HAND);
    SDL_SetCursor(pressable && screen->hand ? screen->hand : SDL_GetDefaultCursor());
}

void viz_screen_title(viz_screen *screen, const char *name)
{
    char title[320];
    SDL_snprintf(title, sizeof title, "%s%sSaccade", name ? name : "", name && *name ? " - " : "");
    SDL_SetWindowTitle(screen->window, title);
}

/* What a window manager would do. */
static void fill_bare_display(viz_screen *screen, bool on)
{
    SDL_Rect to = screen->window_rect;
    if (on) {
        SDL_GetWindowPosition(screen->window, &screen->window_rect.x, &screen->window_rect.y);
        SDL_GetWindowSize(screen->window, &screen->window_rect.w, &screen->window_rect.h);
        if (SDL_GetDisplayBounds(SDL_GetWindowDisplayIndex(screen->window), &to) != 0)
            return;
    }
    SDL_SetWindowPosition(screen->window, to.x, to.y);
    SDL_SetWindowSize(screen->window, to.w, to.h);
}

void viz_screen_fill(viz_screen *screen, bool on)
{
    if (on == screen->fills)
        return;
    screen->fills = on;
    if (viz_has_window_manager(screen->window))
        SDL_SetWindowFullscreen(screen->window, on ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
    else
        fill_bare_display(screen, on);
}

void viz_screen_close(viz_screen *screen)
{
    viz_canvas_free(&screen->canvas);
    viz_tiles_free(&screen->tiles);
    SDL_free(screen->changed);
    if (screen->hand)
        SDL_FreeCursor(screen->hand);
    if (screen->window)
        SDL_DestroyWindow(screen->window);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
    *screen = (viz_screen){0};
}
