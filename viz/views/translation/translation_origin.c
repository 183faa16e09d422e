/* The translation view's settings as text, for a PNG that can be opened again, and back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts/hidden.h"
#include "translation/translation_state.h"
#include "view/setting_io.h"

void translation_describe(const viz_view *view, viz_put *put, void *user)
{
    const translation_view *v = (const translation_view *)view;
    char *hidden = v->hidden_of ? viz_hidden_text(v->hidden, v->hidden_of, 1) : NULL;
    put(user, "view", "translation");
    put(user, "file", v->source->origin.file); /* a model's folder; bundled ones need none */
    put(user, "device", v->source->origin.device);
    put(user, "version", SAC_VERSION);
    put(user, "sentence", v->field.text);
    put(user, "model", v->source->speaker.model[v->side[0].model]);
    put(user, "compared with", v->compare ? v->source->speaker.model[v->side[1].model] : "");
    viz_put_real(put, user, "temperature", (double)v->temperature);
    viz_put_whole(put, user, "beam", v->beam);
    put(user, "hidden", hidden ? hidden : "");
    viz_prefix_describe(&v->prefix, v->source, put, user);
    viz_put_whole(put, user, "word", v->player.step);
    viz_put_real(put, user, "speed", (double)v->player.speed);
    put(user, "loop", v->player.loops ? "yes" : "no");
    put(user, "truth", v->truth ? "on" : "off");
    free(hidden);
}

/* ---------------------------------------------------------------- and back */

static int model_named(const translation_view *v, const char *name)
{
    for (int i = 0; i < v->source->speaker.models; i++)
        if (!strcmp(v->source->speaker.model[i], name))
            return i;
    return -1;
}

static void restore_model(translation_view *v, const char *value)
{
    int model = model_named(v, value);
    if (model < 0 || model == v->side[0].model)
        return;
    v->side[0].model = model;
    translation_changed(v);
}

static void restore_compared(translation_view *v, const char *value)
{
    int model = model_named(v, value);
    bool compares = model >= 0;
    if (!compares && (value[0] || !v->compare))
        return;
    v->compare = compares;
    v->side[1].model = compares ? model : v->side[1].model;
    translation_changed(v);
}

/* "13x1: 4-6": of a sentence of 13 words. */
static void restore_hidden(translation_view *v, const char *value)
{
    int words = atoi(value);
    uint8_t hidden[WORDS] = {0};
    bool some = words > 0 && words <= WORDS && viz_hidden_parse(value, hidden, words, 1);
    if (value[0] && !some)
        return;
    memcpy(v->hidden, hidden, sizeof v->hidden);
    v->hidden_of = some ? words : 0;
    translation_changed(v);
}

/* Before anything was said the word is kept for when it is. */
static void restore_word(translation_view *v, int word)
{
    v->fresh = false;
    viz_player_rest_at(&v->player, word);
}

static bool restore_number(translation_view *v, const char *key, float number)
{
    if (!strcmp(key, "temperature"))
        translation_set_temperature(v, number);
    else if (!strcmp(key, "beam"))
        translation_set_beam(v, (int)fminf(fmaxf(number, 1), 100));
    else if (!strcmp(key, "speed"))
        v->player.speed = fminf(fmaxf(number, 0.25f), 4);
    else if (!strcmp(key, "word"))
        restore_word(v, (int)fminf(fmaxf(number, 0), WORDS - 1));
    else
        return false;
    return true;
}

void translation_restore(viz_view *view, const char *key, const char *value)
{
    translation_view *v = translation_of(view);
    float number;
    if (viz_read_real(value, &number) && restore_number(v, key, number))
        return;
    if (!strcmp(key, "sentence") && strcmp(value, v->field.text) != 0)
        translation_type(v, value);
    else if (!strcmp(key, "model"))
        restore_model(v, value);
    else if (!strcmp(key, "compared with"))
        restore_compared(v, value);
    else if (!strcmp(key, "hidden"))
        restore_hidden(v, value);
    else if (viz_prefix_restore(&v->prefix, v->source, key, value))
        translation_changed(v);
    else if (!strcmp(key, "truth"))
        v->truth = !strcmp(value, "on");
    else if (!strcmp(key, "loop"))
        v->player.loops = !strcmp(value, "yes");
}
