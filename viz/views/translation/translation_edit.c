/* The demands of a person on the model: another sentence, words hidden or replaced, temperature,
 * beam, another model. Nothing is computed here: the next job translates anew. */
#include <math.h>
#include <string.h>

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
    viz_text_field *f = &v->field;
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
    viz_text_field_begin(&v->field);
    v->player.playing = false;
}

bool translation_field_key(translation_view *v, const viz_event *e)
{
    bool changed = false;
    bool taken = !e->ctrl && viz_text_field_key(&v->field, e, &changed);
    if (changed)
        translation_type(v, v->field.text);
    return taken;
}

/* In the place of the whole sentence, or where the caret stands while one is typed. */
bool translation_paste(translation_view *v, const char *text)
{
    if (!viz_text_field_paste(&v->field, text))
        return false;
    v->player.playing = false;
    if (text[0])
        translation_type(v, v->field.text);
    return true;
}

/* ---------------------------------------------------------------- words */

void translation_hide(translation_view *v, int word, bool hidden)
{
    int words = v->caption.grid_w;
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

void translation_replace(translation_view *v, int at, int word)
{
    if (!viz_prefix_replace(&v->prefix, &v->caption, at, word))
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
    int most = sac_source_widest_beam(v->source);
    beam = beam < 1 ? 1 : beam > most ? most : beam;
    if (beam == v->beam)
        return false;
    v->beam = beam;
    translation_changed(v);
    return true;
}

static bool only_one_model(translation_view *v)
{
    bool one = v->source->speaker.models < 2;
    if (one)
        snprintf(v->message, sizeof v->message, "there is only one model here: “%s”",
                 v->source->speaker.model[0]);
    return one;
}

/* The next model, or the one before. */
static bool next_model(translation_view *v, bool back)
{
    int models = v->source->speaker.models;
    if (only_one_model(v))
        return true;
    v->model = (v->model + (back ? models - 1 : 1)) % models;
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
