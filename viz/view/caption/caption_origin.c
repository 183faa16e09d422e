/* The caption view's settings as text, for a PNG that can be opened again, and back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caption/caption_state.h"
#include "view/hidden.h"
#include "view/setting_io.h"

/* From 0, as other views have it; nothing for the mean. */
static void put_part(viz_put *put, void *user, const char *key, int part)
{
    if (part > 0)
        viz_put_whole(put, user, key, part - 1);
    else
        put(user, key, "");
}

void caption_describe(const viz_view *view, viz_put *put, void *user)
{
    const caption_view *v = (const caption_view *)view;
    const sac_origin *origin = &v->scene.origin;
    put(user, "view", "caption");
    put(user, "title", v->scene.title); /* a scene has no file: this is how it is found again */
    put(user, "file", origin->file);
    put(user, "hash", origin->hash);
    put(user, "device", origin->device);
    put(user, "version", SAC_VERSION);
    put(user, "image", v->scene.file);
    viz_put_whole(put, user, "picture", v->scene.file[0] ? 0 : v->scene.picture);
    put(user, "model", v->trace->model[v->side[0].model]);
    put(user, "compared with", v->compare ? v->trace->model[v->side[1].model] : "");
    viz_put_real(put, user, "temperature", (double)v->temperature);
    viz_put_real(put, user, "scale end", (double)v->scale_end);
    viz_put_whole(put, user, "beam", v->beam);
    put_part(put, user, "layer", v->layer);
    put_part(put, user, "head", v->head);
    viz_prefix_describe(&v->prefix, v->trace, put, user);
    char *hidden = viz_hidden_text(v->hidden, v->trace->grid_w, v->trace->grid_h);
    put(user, "hidden", hidden ? hidden : "");
    free(hidden);
    viz_put_whole(put, user, "word", v->player.step);
    viz_put_real(put, user, "speed", (double)v->player.speed);
    put(user, "playing", v->player.playing ? "yes" : "no");
    put(user, "loop", v->player.loops ? "yes" : "no");
    viz_style_describe(&v->style, put, user);
    put(user, "scale", viz_scale_name(v->scale));
    put(user, "truth", v->truth ? "on" : "off");
    put(user, "matters", v->matters.on ? "on" : "off");
    put(user, "layout", v->figure ? "figure" : "window");
}

/* ---------------------------------------------------------------- and back */

static void restore_hidden(caption_view *v, const char *value)
{
    if (!value[0])
        caption_hide_none(v);
    if (!viz_hidden_parse(value, v->hidden, v->trace->grid_w, v->trace->grid_h))
        return;
    v->hidden_count = viz_hidden_count(v->hidden, v->trace->grid_w, v->trace->grid_h);
    caption_changed(v);
}

static int model_named(const caption_view *v, const char *name)
{
    for (int i = 0; i < v->trace->models; i++)
        if (!strcmp(v->trace->model[i], name))
            return i;
    return -1;
}

static void restore_compared(caption_view *v, const char *value)
{
    int model = model_named(v, value);
    if (!value[0] && v->compare) {
        v->compare = false;
        caption_changed(v);
    }
    if (model < 0)
        return;
    v->compare = true;
    v->side[1].model = model;
    caption_changed(v);
}

/* Before anything was said the word is kept for when it is. */
static void restore_word(caption_view *v, int word)
{
    if (caption_words(v) > 0)
        caption_go(v, word);
    v->fresh = false;
    v->player.step = caption_words(v) > 0 ? v->player.step : word;
}

static void restore_number(caption_view *v, const char *key, float number)
{
    int most = v->scene.scenes ? INT32_MAX / 2 : v->scene.pictures - 1;
    if (!strcmp(key, "temperature"))
        caption_set_temperature(v, number);
    else if (!strcmp(key, "scale end"))
        v->scale_end = fminf(fmaxf(number, 0), 1);
    else if (!strcmp(key, "beam"))
        caption_set_beam(v, (int)fminf(fmaxf(number, 1), 100));
    else if (!strcmp(key, "speed"))
        v->player.speed = fminf(fmaxf(number, 0.25f), 4);
    else if (!strcmp(key, "word"))
        restore_word(v, (int)fminf(fmaxf(number, 0), SAC_SPOKEN_WORDS - 1));
    else if (!strcmp(key, "picture") && number >= 0 && number <= (float)most) {
        v->wanted_picture = (int)number;
        v->keeps_edits = true;
    }
}

static bool is_number_key(const char *key)
{
    static const char *const keys[] = {"temperature", "scale end", "beam",
                                       "speed",       "word",      "picture"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(keys[i], key))
            return true;
    return false;
}

static void restore_switch(caption_view *v, const char *key, const char *value)
{
    if (!strcmp(key, "scale"))
        viz_scale_from_name(value, &v->scale);
    else if (!strcmp(key, "truth"))
        v->truth = !strcmp(value, "on");
    else if (!strcmp(key, "matters"))
        v->matters = (caption_matters){.on = !strcmp(value, "on")};
    else if (!strcmp(key, "layout"))
        v->figure = !strcmp(value, "figure");
    else if (!strcmp(key, "playing"))
        v->player.playing = !strcmp(value, "yes");
    else if (!strcmp(key, "loop"))
        v->player.loops = !strcmp(value, "yes");
}

static bool restore_part(caption_view *v, const char *key, const char *value)
{
    bool is_layer = !strcmp(key, "layer");
    float number, most = (float)(is_layer ? v->trace->layers : v->trace->heads);
    if (!is_layer && strcmp(key, "head") != 0)
        return false;
    int part = viz_read_real(value, &number) && number >= 0 && number < most ? (int)number + 1 : 0;
    if (is_layer)
        caption_set_layer(v, part);
    else
        caption_set_head(v, part);
    return true;
}

void caption_restore(viz_view *view, const char *key, const char *value)
{
    caption_view *v = caption_of(view);
    float number;
    if (viz_style_restore(&v->style, key, value) || restore_part(v, key, value))
        return;
    if (is_number_key(key)) {
        if (viz_read_real(value, &number))
            restore_number(v, key, number);
    } else if (!strcmp(key, "model")) {
        caption_set_model(v, 0, model_named(v, value));
    } else if (!strcmp(key, "compared with")) {
        restore_compared(v, value);
    } else if (viz_prefix_restore(&v->prefix, v->trace, key, value)) {
        caption_changed(v);
    } else if (!strcmp(key, "hidden")) {
        restore_hidden(v, value);
    } else {
        restore_switch(v, key, value);
    }
}
