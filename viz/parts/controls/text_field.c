/* Typing into a line, and how it looks. */
#include "parts/controls/text_field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text/utf8.h"
#include "canvas/text.h"
#include "view/words.h"

#define SIZE 18.0f
#define LOW 28.0f /* a lower field has smaller letters */

void viz_text_field_set(viz_text_field *f, const char *text)
{
    snprintf(f->text, sizeof f->text, "%.*s", (int)sizeof f->text - 1, text);
    f->caret = strlen(f->text);
}

void viz_text_field_begin(viz_text_field *f)
{
    f->typing = f->all = true;
    f->caret = strlen(f->text);
}

/* ---------------------------------------------------------------- keys */

/* The bytes of the character before the caret, or after it. */
static size_t character_bytes(const viz_text_field *f, bool before)
{
    size_t from = f->caret, to = f->caret, length = strlen(f->text);
    if (before)
        while (from > 0 && (f->text[--from] & 0xc0) == 0x80)
            continue;
    else if (to < length)
        while (++to < length && (f->text[to] & 0xc0) == 0x80)
            continue;
    return to - from;
}

static void drop_selected(viz_text_field *f)
{
    if (f->all)
        f->text[f->caret = 0] = '\0';
    f->all = false;
}

static bool insert(viz_text_field *f, int letter)
{
    drop_selected(f);
    if (strlen(f->text) + 2 > sizeof f->text)
        return false;
    memmove(f->text + f->caret + 1, f->text + f->caret, strlen(f->text + f->caret) + 1);
    f->text[f->caret++] = (char)letter;
    return true;
}

bool viz_text_field_key(viz_text_field *f, const viz_event *e, bool *changed)
{
    size_t bytes, end;
    *changed = false;
    if (e->ctrl) {
        bool all = e->key == 'a' && f->typing;
        if (all)
            viz_text_field_begin(f);
        return all;
    }
    switch (e->key) {
    case VIZ_KEY_ESCAPE:
    case VIZ_KEY_RETURN:
        f->typing = f->all = false;
        return true;
    case VIZ_KEY_BACKSPACE:
        bytes = f->all ? strlen(f->text) : character_bytes(f, true);
        end = f->all ? bytes : f->caret;
        *changed = bytes > 0;
        memmove(f->text + end - bytes, f->text + end, strlen(f->text + end) + 1);
        f->caret = end - bytes;
        f->all = f->all && !bytes;
        return true;
    case VIZ_KEY_LEFT:
    case VIZ_KEY_RIGHT:
    case VIZ_KEY_HOME:
    case VIZ_KEY_END:
        f->all = false;
        f->caret = e->key == VIZ_KEY_LEFT    ? f->caret - character_bytes(f, true)
                   : e->key == VIZ_KEY_RIGHT ? f->caret + character_bytes(f, false)
                   : e->key == VIZ_KEY_HOME  ? 0
                                             : strlen(f->text);
        return true;
    case VIZ_KEY_TEXT:
        *changed = viz_text_field_paste(f, e->text);
        return true;
    default:
        if (e->key < ' ' || e->key >= 127)
            return false;
        *changed = insert(f, e->key);
        return true;
    }
}

/* ---------------------------------------------------------------- paste */

/* Whole characters of `text` that are no longer than `most` bytes; lines and tabs become blanks. */
static size_t clean_paste(const char *text, char *clean, size_t most)
{
    size_t length = strlen(text);
    if (length > most)
        length = most;
    while (length > 0 && (text[length] & 0xc0) == 0x80)
        length--;
    for (size_t i = 0; i < length; i++)
        clean[i] = (unsigned char)text[i] < ' ' || text[i] == 127 ? ' ' : text[i];
    return length;
}

bool viz_text_field_paste(viz_text_field *f, const char *text)
{
    char clean[VIZ_TEXT_FIELD_SIZE];
    if (!sac_utf8_valid(text, strlen(text)))
        return false;
    if (!f->typing)
        viz_text_field_begin(f);
    if (!text[0])
        return true;
    drop_selected(f);
    size_t after = strlen(f->text + f->caret);
    size_t bytes = clean_paste(text, clean, sizeof f->text - 1 - f->caret - after);
    memmove(f->text + f->caret + bytes, f->text + f->caret, after + 1);
    memcpy(f->text + f->caret, clean, bytes);
    f->caret += bytes;
    return true;
}

/* ---------------------------------------------------------------- drawing */

void viz_text_field_draw(const viz_text_field *f, viz_canvas *canvas, viz_rect r, const char *hint)
{
    const viz_theme *theme = canvas->theme;
    char before[VIZ_TEXT_FIELD_SIZE];
    const float size = r.h < LOW ? VIZ_BODY : SIZE, inset = r.h < LOW ? 8 : 12;
    float x = r.x + inset, y = r.y + r.h / 2 + size / 3, room = r.w - 2 * inset;
    viz_fill_round(canvas, r, 6, theme->panel);
    viz_frame_round(canvas, r, 6, 1, f->typing ? theme->accent : theme->line);
    snprintf(before, sizeof before, "%.*s", (int)f->caret, f->text);
    float caret = viz_text_width(canvas, VIZ_SANS, size, before);
    float scroll = f->typing ? fmaxf(caret - room + 4, 0) : 0;
    viz_clip(canvas, (viz_rect){r.x + inset - 4, r.y, r.w - 2 * inset + 8, r.h});
    if (f->all && f->text[0])
        viz_fill_round(canvas,
                       (viz_rect){x - scroll - 2, r.y + 6,
                                  viz_text_width(canvas, VIZ_SANS, size, f->text) + 4, r.h - 12},
                       3, viz_with_alpha(theme->accent, 0.3f));
    if (f->text[0] && f->typing)
        viz_text(canvas, VIZ_SANS, size, x - scroll, y, VIZ_LEFT, theme->text, f->text);
    else if (f->text[0])
        viz_text_within(canvas, VIZ_SANS, size, x, y, room, VIZ_LEFT, theme->text, f->text);
    else
        viz_text_within(canvas, VIZ_SANS, size, x + 4, y, room - 4, VIZ_LEFT,
                        r.h < LOW ? theme->text2 : theme->faint, viz_word(hint));
    if (f->typing && !f->all)
        viz_fill(canvas, (viz_rect){x - scroll + caret, r.y + 7, 1.5f, r.h - 14}, theme->accent);
    viz_clip_none(canvas);
}
