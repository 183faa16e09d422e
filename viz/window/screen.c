/* A window of SDL: opening, events, and pixels on the display. */
#include "window/screen.h"

#include <SDL.h>
#include <SDL_syswm.h>
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "canvas/tiles.h"

#ifdef SDL_VIDEO_DRIVER_X11

/* False on a bare X server alone. */
static bool has_window_manager(SDL_Window *window)
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

/* The dots per inch for which the person's desktop draws letters; 0: it has none, or the 96 that
 * desktops begin with. Desktops keep it among the resources of the X server. */
static float desktop_dpi(SDL_Window *window)
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

bool has_window_manager(SDL_Window *window)
{
    (void)window;
    return true;
}

float desktop_dpi(SDL_Window *window)
{
    (void)window;
    return 0;
}

#endif

/* ---------------------------------------------------------------- what changed */

/* RGBA bytes as the display's 0xxxRRGGBB word. It is loaded whole: of four loads of a byte
 * compilers make no vector instructions worth having. */
static inline uint32_t display_word(const uint8_t *rgba)
{
    uint32_t abgr;
    memcpy(&abgr, rgba, sizeof abgr);
    abgr = SDL_SwapLE32(abgr);
    return 0xff000000u | (abgr & 0xff) << 16 | (abgr & 0xff00) | (abgr >> 16 & 0xff);
}

static bool row_differs(const uint8_t *restrict from, const uint32_t *restrict to, int width)
{
    uint32_t changed = 0;
    for (int x = 0; x < width; x++)
        changed |= display_word(from + 4 * x) ^ to[x];
    return changed != 0;
}

size_t viz_changes_max_count(const viz_canvas *canvas)
{
    return (size_t)(canvas->width / VIZ_TILE + 1) * (size_t)(canvas->height / VIZ_TILE + 1);
}

/* A row of tiles, from x0 to x1. */
typedef struct band {
    const viz_canvas *canvas;
    uint8_t *pixels;
    size_t pitch;
    int x0, x1, y, h;
} band;

static const uint8_t *source_row(const band *b, int y)
{
    return b->canvas->rgba + 4 * ((size_t)y * (size_t)b->canvas->width);
}

static uint32_t *target_row(const band *b, int y)
{
    return (uint32_t *)(void *)(b->pixels + (size_t)y * b->pitch);
}

static void copy_rect(const band *b, const SDL_Rect *rect)
{
    for (int y = rect->y; y < rect->y + rect->h; y++) {
        const uint8_t *restrict from = source_row(b, y) + 4 * rect->x;
        uint32_t *restrict to = target_row(b, y) + rect->x;
        for (int x = 0; x < rect->w; x++)
            to[x] = display_word(from + 4 * x);
    }
}

/* tiles[i].h becomes 0 where tile i of the band is on the display already. Pixels are read row by
 * row, not tile by tile: in the order in which they lie in memory, which is several times as fast.
 */
static void find_changed(const band *b, bool whole, SDL_Rect *tiles)
{
    int count = 0;
    for (int x = b->x0; x < b->x1; x += VIZ_TILE)
        tiles[count++] = (SDL_Rect){x, b->y, SDL_min(VIZ_TILE, b->x1 - x), whole ? b->h : 0};
    for (int y = b->y; y < b->y + b->h; y++)
        for (SDL_Rect *tile = tiles; tile < tiles + count; tile++)
            if (!tile->h &&
                row_differs(source_row(b, y) + 4 * tile->x, target_row(b, y) + tile->x, tile->w))
                tile->h = b->h;
}

/* Makes one rectangle of neighbours that changed. Returns how many there are. */
static int join_changed(const band *b, SDL_Rect *tiles)
{
    int count = 0, end = 0; /* the last rectangle's right edge */
    for (int i = 0; b->x0 + i * VIZ_TILE < b->x1; i++) {
        SDL_Rect tile = tiles[i];
        if (!tile.h)
            continue;
        if (count && end == tile.x)
            tiles[count - 1].w += tile.w;
        else
            tiles[count++] = tile;
        end = tile.x + tile.w;
    }
    return count;
}

int viz_changes_copy(const viz_canvas *canvas, const viz_pixels *parts, int count, void *pixels,
                     size_t pitch, bool whole, SDL_Rect *changed)
{
    int found = 0;
    for (const viz_pixels *part = parts; part < parts + count; part++)
        for (int y = part->y0; y < part->y1; y += VIZ_TILE) {
            band b = {
                canvas, pixels, pitch, part->x0, part->x1, y, SDL_min(VIZ_TILE, part->y1 - y)};
            find_changed(&b, whole, changed + found);
            int more = join_changed(&b, changed + found);
            for (int i = found; i < found + more; i++)
                copy_rect(&b, &changed[i]);
            found += more;
        }
    return found;
}

/* ---------------------------------------------------------------- events */

static const struct {
    SDL_Keycode from;
    int key;
} special_keys[] = {
    {SDLK_LEFT, VIZ_KEY_LEFT},
    {SDLK_RIGHT, VIZ_KEY_RIGHT},
    {SDLK_UP, VIZ_KEY_UP},
    {SDLK_DOWN, VIZ_KEY_DOWN},
    {SDLK_HOME, VIZ_KEY_HOME},
    {SDLK_END, VIZ_KEY_END},
    {SDLK_PAGEUP, VIZ_KEY_PAGE_UP},
    {SDLK_PAGEDOWN, VIZ_KEY_PAGE_DOWN},
    {SDLK_ESCAPE, VIZ_KEY_ESCAPE},
    {SDLK_RETURN, VIZ_KEY_RETURN},
    {SDLK_KP_ENTER, VIZ_KEY_RETURN},
    {SDLK_TAB, VIZ_KEY_TAB},
    {SDLK_BACKSPACE, VIZ_KEY_BACKSPACE},
    {SDLK_F6, VIZ_KEY_F6},
    {SDLK_F11, VIZ_KEY_F11},
};

/* Letters and the space come from the key, so that an input method does not swallow them; if the
 * keyboard's letters are not Latin, its position decides which. 0: some other key. */
static int letter(SDL_Keysym key)
{
    if (key.sym == SDLK_SPACE || (key.sym >= SDLK_a && key.sym <= SDLK_z))
        return key.sym;
    if (key.sym > 127 && key.scancode >= SDL_SCANCODE_A && key.scancode <= SDL_SCANCODE_Z)
        return 'a' + (int)(key.scancode - SDL_SCANCODE_A);
    return 0;
}

/* The sign of a key that is pressed with ctrl, for which SDL gives no text. */
static int sign_with_ctrl(SDL_Keycode key)
{
    switch (key) {
    case SDLK_PLUS:
    case SDLK_EQUALS:
    case SDLK_KP_PLUS:
        return '+';
    case SDLK_MINUS:
    case SDLK_KP_MINUS:
        return '-';
    case SDLK_0:
    case SDLK_KP_0:
        return '0';
    default:
        return 0;
    }
}

/* Letters that are text come as text. */
static int pressed_key(SDL_Keysym key, bool typing)
{
    for (size_t i = 0; i < sizeof special_keys / sizeof *special_keys; i++)
        if (special_keys[i].from == key.sym)
            return special_keys[i].key;
    if (key.mod & KMOD_CTRL && !letter(key))
        return sign_with_ctrl(key.sym);
    return typing && !(key.mod & KMOD_CTRL) ? 0 : letter(key);
}

/* Digits and signs come as text, because only the keyboard's layout knows where they are. */
static int typed_sign(const char *text)
{
    unsigned char sign = (unsigned char)text[0];
    return sign > ' ' && sign < 127 && !text[1] && !isalpha(sign) ? sign : 0;
}

/* What the keyboard or an input method made of keys, where letters are text. */
static int typed_text(const char *text)
{
    unsigned char sign = (unsigned char)text[0];
    return sign < ' ' || sign == 127 ? 0 : text[1] || sign > 127 ? VIZ_KEY_TEXT : sign;
}

static void set_event_position(const viz_screen *screen, viz_event *event, int x, int y)
{
    float scale = screen->points / screen->canvas.density;
    event->x = ((float)x + 0.5f) * scale;
    event->y = ((float)y + 0.5f) * scale;
}

static void set_wheel_event(const viz_screen *screen, const SDL_MouseWheelEvent *from,
                            viz_event *event)
{
    float sign = from->direction == SDL_MOUSEWHEEL_FLIPPED ? -1.0f : 1.0f;
    event->kind = VIZ_WHEEL;
    set_event_position(screen, event, from->mouseX, from->mouseY);
    event->wheel_x = sign * from->preciseX;
    event->wheel_y = sign * from->preciseY;
}

static bool set_key_event(int code, viz_event *event)
{
    event->kind = VIZ_KEY;
    event->key = code;
    return code != 0;
}

bool viz_screen_event(const viz_screen *screen, const SDL_Event *from, viz_event *event)
{
    /* A key event has its modifiers; by the time it is handled they may have been released. */
    int held = from->type == SDL_KEYDOWN ? from->key.keysym.mod : (int)SDL_GetModState();
    *event = (viz_event){.shift = held & KMOD_SHIFT, .ctrl = held & KMOD_CTRL};
    switch (from->type) {
    case SDL_MOUSEMOTION:
        event->kind = VIZ_MOVE;
        event->button = from->motion.state & SDL_BUTTON_LMASK   ? 1
                        : from->motion.state & SDL_BUTTON_MMASK ? 2
                        : from->motion.state & SDL_BUTTON_RMASK ? 3
                                                                : 0;
        set_event_position(screen, event, from->motion.x, from->motion.y);
        return true;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        event->kind = from->button.type == SDL_MOUSEBUTTONDOWN ? VIZ_PRESS : VIZ_RELEASE;
        event->button = from->button.button;
        set_event_position(screen, event, from->button.x, from->button.y);
        return event->button >= 1 && event->button <= 3;
    case SDL_MOUSEWHEEL:
        set_wheel_event(screen, &from->wheel, event);
        return true;
    case SDL_KEYDOWN:
        return set_key_event(pressed_key(from->key.keysym, screen->typing), event);
    case SDL_TEXTINPUT:
        event->text = from->text.text;
        return set_key_event(
            screen->typing ? typed_text(from->text.text) : typed_sign(from->text.text), event);
    case SDL_WINDOWEVENT:
        event->kind = VIZ_LEAVE;
        return from->window.event == SDL_WINDOWEVENT_LEAVE;
    default:
        return false;
    }
}

#define SHARE 0.8f  /* of the display that a new window fills: of its area, … */
#define WIDEST 2.0f /* … and no wider than so many times its height */
enum { FIRST_WIDTH = 640, FIRST_HEIGHT = 400 }; /* hidden, until the display is known */

static sac_status fail_without_display(sac_error *error)
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
    float dpi = desktop_dpi(window);
    bool is_known = dpi > 0;
    if (!is_known && (SDL_GetCurrentDisplayMode(display, &mode) != 0 || mode.w < 2560 ||
                      SDL_GetDisplayDPI(display, &dpi, NULL, NULL) != 0 || dpi < 120.0f))
        return 1.0f;
    return fminf(fmaxf(roundf(dpi / 96.0f * 4.0f) / 4.0f, 1.0f), 3.0f);
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
            return fail_without_display(error);
        }
        SDL_SetHint(SDL_HINT_VIDEODRIVER, !wayland ? "x11" : !x11 ? "wayland" : "x11,wayland");
    }
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1"); /* Ctrl-C is the program's own affair */
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        return fail_without_display(error);
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
        return fail_without_display(error);
    float density = options->density > 0 ? options->density : display_density(screen->window);
    if (SDL_strcmp(SDL_GetCurrentVideoDriver(), "wayland") == 0)
        density = 1.0f; /* its coordinates are logical; viz_screen_fit finds the density */
    int width, height;
    /* The size of a new window in the display's coordinates: what was requested, or four fifths of what the
     * display leaves free, but never less than views are laid out for where the display has that. */
    SDL_Rect room = {.w = (int)(1280 * density), .h = (int)(800 * density)};
    SDL_GetDisplayUsableBounds(SDL_GetWindowDisplayIndex(screen->window), &room);
    float side = sqrtf(SHARE), tall = side * (float)room.h, wide = side * (float)room.w;
    wide = fminf(wide, WIDEST * tall);
    wide = fminf(fmaxf(wide, VIZ_LEAST_WIDTH * density), (float)room.w);
    tall = fminf(fmaxf(tall, VIZ_LEAST_HEIGHT * density), (float)room.h);
    width = (int)lroundf(options->width ? (float)options->width * density : wide);
    height = (int)lroundf(options->height ? (float)options->height * density : tall);
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

static float changed_share(const viz_canvas *canvas, const SDL_Rect *changed, int count)
{
    float pixels = 0;
    for (int i = 0; i < count; i++)
        pixels += (float)changed[i].w * (float)changed[i].h;
    return pixels / ((float)canvas->width * (float)canvas->height);
}

static sac_status send_changes(viz_screen *screen, SDL_Surface *surface, sac_error *error)
{
    bool whole = screen->whole || surface != screen->surface;
    /* Space for every tile of the canvas. */
    SDL_Rect *more =
        SDL_realloc(screen->changed, viz_changes_max_count(&screen->canvas) * sizeof *more);
    screen->changed = more ? more : screen->changed;
    if (!more)
        return sac_no_memory(error, "window");
    const viz_pixels all = {0, 0, screen->canvas.width, screen->canvas.height};
    int count = viz_changes_copy(&screen->canvas, whole ? &all : screen->tiles.parts,
                                 whole ? 1 : screen->tiles.count, surface->pixels,
                                 (size_t)surface->pitch, whole, screen->changed);
    screen->whole = false;
    screen->surface = surface;
    screen->sent = changed_share(&screen->canvas, screen->changed, count);
    if (count == 0)
        return SAC_OK;
    return SDL_UpdateWindowSurfaceRects(screen->window, screen->changed, count) == 0
               ? SAC_OK
               : fail_without_display(error);
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
        return fail_without_display(error);
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
        return fail_without_display(error);
    return SDL_UpdateWindowSurface(screen->window) == 0 ? SAC_OK : fail_without_display(error);
}

void viz_screen_set_cursor(viz_screen *screen, bool pressable)
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
static void set_bare_fullscreen(viz_screen *screen, bool on)
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

void viz_screen_set_fullscreen(viz_screen *screen, bool on)
{
    if (on == screen->fills)
        return;
    screen->fills = on;
    if (has_window_manager(screen->window))
        SDL_SetWindowFullscreen(screen->window, on ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
    else
        set_bare_fullscreen(screen, on);
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
