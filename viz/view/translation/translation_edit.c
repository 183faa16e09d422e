/* The demands of a person on the model: another sentence, words hidden or replaced, temperature,
 * beam, another model. Nothing is computed here: the next job translates anew. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "formats/utf8.h"
#include "translation/translation_state.h"

void translation_changed(translation_view *v)
{
    v->revision++;
    v->typed = false;
    v->message[0] = '\0';
}

/* ---------------------------------------------------------------- the sentence */

static void forget_edits(translation_view *v)
{
    v->prefix = (viz_prefix){0};
    v->hidden_of = 0;
    v->list.open = false;
}

void translation_type(translation_view *v, const char *text)
{
    translation_field *f = &v->field;
    if (text != f->text)
        snprintf(f->text, sizeof f->text, "%.*s", TYPED - 1, text);
    if (f->caret > strlen(f->text) || text != f->text)
        f->caret = strlen(f->text);
    forget_edits(v);
    v->wanted_number = -1;
    v->fresh = v->player.playing = false;
    translation_changed(v);
    v->typed = true;
}

bool translation_turn(translation_view *v, int step)
{
    int from = v->wanted_number >= 0 ? v->wanted_number : v->sentence.number, to = from + step;
    if (to < 0) {
        snprintf(v->message, sizeof v->message, "this is the first sentence");
        return true;
    }
    forget_edits(v);
    v->wanted_number = to;
    v->fresh = true;
    translation_changed(v);
    return true;
}

/* ---------------------------------------------------------------- typing */

void translation_begin_typing(translation_view *v)
{
    v->field.typing = v->field.all = true;
    v->field.caret = strlen(v->field.text);
    v->player.playing = false;
}

/* The bytes of the character before the caret, or after it. */
static size_t character(const translation_field *f, bool before)
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

static bool erase(translation_view *v)
{
    translation_field *f = &v->field;
    size_t bytes = f->all ? strlen(f->text) : character(f, true);
    size_t end = f->all ? bytes : f->caret;
    if (!bytes)
        return true;
    memmove(f->text + end - bytes, f->text + end, strlen(f->text + end) + 1);
    f->caret = end - bytes;
    f->all = false;
    translation_type(v, f->text);
    return true;
}

static bool insert(translation_view *v, int letter)
{
    translation_field *f = &v->field;
    if (f->all)
        f->text[f->caret = 0] = '\0';
    f->all = false;
    if (strlen(f->text) + 2 > sizeof f->text)
        return true;
    memmove(f->text + f->caret + 1, f->text + f->caret, strlen(f->text + f->caret) + 1);
    f->text[f->caret++] = (char)letter;
    translation_type(v, f->text);
    return true;
}

static bool move_caret(translation_field *f, int key)
{
    f->all = false;
    switch (key) {
    case VIZ_KEY_LEFT:
        f->caret -= character(f, true);
        return true;
    case VIZ_KEY_RIGHT:
        f->caret += character(f, false);
        return true;
    case VIZ_KEY_HOME:
        f->caret = 0;
        return true;
    default:
        f->caret = strlen(f->text);
        return true;
    }
}

bool translation_field_key(translation_view *v, const viz_event *e)
{
    if (e->ctrl)
        return false;
    switch (e->key) {
    case VIZ_KEY_ESCAPE:
    case VIZ_KEY_RETURN:
        v->field.typing = v->field.all = false;
        return true;
    case VIZ_KEY_BACKSPACE:
        return erase(v);
    case VIZ_KEY_LEFT:
    case VIZ_KEY_RIGHT:
    case VIZ_KEY_HOME:
    case VIZ_KEY_END:
        return move_caret(&v->field, e->key);
    default:
        return e->key >= ' ' && e->key < 127 && insert(v, e->key);
    }
}

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

/* In the place of the whole sentence, or where the caret stands while one is typed. */
bool translation_paste(translation_view *v, const char *text)
{
    translation_field *f = &v->field;
    char clean[TYPED];
    if (!sac_utf8_valid(text, strlen(text)))
        return false;
    if (!f->typing)
        translation_begin_typing(v);
    if (!text[0])
        return true;
    if (f->all)
        f->text[f->caret = 0] = '\0';
    f->all = false;
    size_t after = strlen(f->text + f->caret);
    size_t bytes = clean_paste(text, clean, sizeof f->text - 1 - f->caret - after);
    memmove(f->text + f->caret + bytes, f->text + f->caret, after + 1);
    memcpy(f->text + f->caret, clean, bytes);
    f->caret += bytes;
    translation_type(v, f->text);
    return true;
}

/* ---------------------------------------------------------------- words */

void translation_hide(translation_view *v, int word, bool hidden)
{
    int words = v->side[0].caption.grid_w;
    if (word < 0 || word >= words || translation_is_hidden(v, word) == hidden)
        return;
    if (v->hidden_of != words)
        memset(v->hidden, 0, sizeof v->hidden);
    v->hidden[word] = hidden;
    v->hidden_of = memchr(v->hidden, 1, (size_t)words) ? words : 0;
    translation_changed(v);
}

bool translation_show_all(translation_view *v)
{
    if (v->hidden_of)
        translation_changed(v);
    v->hidden_of = 0;
    return true;
}

void translation_replace(translation_view *v, int side, int at, int word)
{
    if (!viz_prefix_replace(&v->prefix, &v->side[side].caption, at, word))
        return;
    v->fresh = false;
    v->player.step = at;
    v->player.playing = v->player.has_clock;
    translation_changed(v);
}

/* ---------------------------------------------------------------- values */

bool translation_set_temperature(translation_view *v, float temperature)
{
    temperature = fminf(fmaxf(temperature, LEAST_TEMPERATURE), MOST_TEMPERATURE);
    if (fabsf(temperature - 1) < 1e-3f) /* steps up and down meet at 1 exactly */
        temperature = 1;
    if (!isfinite(temperature) || temperature == v->temperature)
        return false;
    v->temperature = temperature;
    translation_changed(v);
    return true;
}

bool translation_set_beam(translation_view *v, int beam)
{
    beam = beam < 1 ? 1 : beam > MOST_BEAM ? MOST_BEAM : beam;
    if (beam == v->beam)
        return false;
    v->beam = beam;
    translation_changed(v);
    return true;
}

static bool only_one_model(translation_view *v)
{
    bool one = v->trace->models < 2;
    if (one)
        snprintf(v->message, sizeof v->message, "there is only one model here: “%s”",
                 v->trace->model[0]);
    return one;
}

/* The next model; in a comparison the second one, which stays another than the first. */
static bool next_model(translation_view *v, bool back)
{
    int models = v->trace->models, side = v->compare ? 1 : 0, step = back ? models - 1 : 1;
    if (only_one_model(v))
        return true;
    int model = (v->side[side].model + step) % models;
    if (v->compare && model == v->side[0].model)
        model = (model + step) % models;
    v->side[side].model = model;
    translation_changed(v);
    return true;
}

bool translation_step_value(translation_view *v, translation_value value, bool down)
{
    switch (value) {
    case VALUE_TEMPERATURE: /* four steps double it */
        return translation_set_temperature(v, v->temperature * (down ? 0.8408964f : 1.1892071f));
    case VALUE_BEAM:
        return translation_set_beam(v, v->beam + (down ? -1 : 1));
    default:
        return next_model(v, down);
    }
}

bool translation_compare(translation_view *v)
{
    if (only_one_model(v))
        return true;
    v->compare = !v->compare;
    if (v->compare && v->side[1].model == v->side[0].model)
        v->side[1].model = (v->side[0].model + 1) % v->trace->models;
    v->list.open = false;
    translation_changed(v);
    return true;
}
