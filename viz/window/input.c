/* SDL's events in the terms of the views. */
#include <ctype.h>

#include "window/screen.h"

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

static int held_button(uint32_t state)
{
    return state & SDL_BUTTON_LMASK   ? 1
           : state & SDL_BUTTON_MMASK ? 2
           : state & SDL_BUTTON_RMASK ? 3
                                      : 0;
}

static void place(const viz_screen *screen, viz_event *event, int x, int y)
{
    float scale = screen->points / screen->canvas.density;
    event->x = ((float)x + 0.5f) * scale;
    event->y = ((float)y + 0.5f) * scale;
}

static void move(const viz_screen *screen, const SDL_MouseMotionEvent *from, viz_event *event)
{
    event->kind = VIZ_MOVE;
    event->button = held_button(from->state);
    place(screen, event, from->x, from->y);
}

static void wheel(const viz_screen *screen, const SDL_MouseWheelEvent *from, viz_event *event)
{
    float sign = from->direction == SDL_MOUSEWHEEL_FLIPPED ? -1.0f : 1.0f;
    event->kind = VIZ_WHEEL;
    place(screen, event, from->mouseX, from->mouseY);
    event->wheel_x = sign * from->preciseX;
    event->wheel_y = sign * from->preciseY;
}

static void press(const viz_screen *screen, const SDL_MouseButtonEvent *from, viz_event *event)
{
    event->kind = from->type == SDL_MOUSEBUTTONDOWN ? VIZ_PRESS : VIZ_RELEASE;
    event->button = from->button;
    place(screen, event, from->x, from->y);
}

static bool key(int code, viz_event *event)
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
        move(screen, &from->motion, event);
        return true;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        press(screen, &from->button, event);
        return event->button >= 1 && event->button <= 3;
    case SDL_MOUSEWHEEL:
        wheel(screen, &from->wheel, event);
        return true;
    case SDL_KEYDOWN:
        return key(pressed_key(from->key.keysym, screen->typing), event);
    case SDL_TEXTINPUT:
        event->text = from->text.text;
        return key(screen->typing ? typed_text(from->text.text) : typed_sign(from->text.text),
                   event);
    case SDL_WINDOWEVENT:
        event->kind = VIZ_LEAVE;
        return from->window.event == SDL_WINDOWEVENT_LEAVE;
    default:
        return false;
    }
}
