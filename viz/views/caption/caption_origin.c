/* The caption view's settings as text, for a PNG that can be opened again, and back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caption/caption_state.h"
#include "parts/hidden.h"
#include "view/setting_io.h"

#define SECOND "second " /* begins the names of what a second source has alone */

/* From 0, as other views have it; nothing for the mean. */
static void put_part(viz_put *put, void *user, const char *key, int part)
{
    if (part > 0)
        viz_put_whole(put, user, key, part - 1);
    else
        put(user, key, "");
}

static void describe_source(const caption_speaker *s, viz_put *put, void *user)
{
    viz_put_whole(put, user, "beam", s->beam);
    put_part(put, user, "layer", s->layer);
    put_part(put, user, "head", s->head);
    viz_prefix_describe(&s->prefix, s->source, put, user);
    char *hidden = viz_hidden_text(s->hidden, s->source->picture.grid_w, s->source->picture.grid_h);
    put(user, "hidden", hidden ? hidden : "");
    free(hidden);
}

typedef struct second_put {
    viz_put *put;
    void *user;
} second_put;

/* Whoever takes a setting may keep its name. */
static void put_second(void *user, const char *key, const char *value)
{
    static const char *const names[] = {SECOND "model",  SECOND "beam",   SECOND "layer",
                                        SECOND "head",   SECOND "prefix", SECOND "replaced",
                                        SECOND "hidden", SECOND "file",   SECOND "image"};
    const second_put *to = user;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i] + strlen(SECOND), key) == 0)
            to->put(to->user, names[i], value);
}

static void describe_second(const caption_view *v, viz_put *put, void *user)
{
    const caption_speaker *s = &v->speaker[1];
    second_put second = {put, user};
    describe_source(s, put_second, &second);
    put_second(&second, "model", s->source->speaker.model[v->side[1].model]);
    put_second(&second, "file", s->scene.origin.file);
    put_second(&second, "image", s->scene.file);
}

void caption_describe(const viz_view *view, viz_put *put, void *user)
{
    const caption_view *v = (const caption_view *)view;
    const caption_speaker *first = &v->speaker[0];
    const caption_scene *scene = &first->scene;
    const sac_origin *origin = &scene->origin;
    put(user, "view", "caption");
    put(user, "title", scene->title); /* a scene has no file: this is how it is found again */
    put(user, "file", origin->file);
    put(user, "hash", origin->hash);
    put(user, "device", origin->device);
    put(user, "version", SAC_VERSION);
    put(user, "image", scene->file);
    viz_put_whole(put, user, "picture", scene->file[0] ? 0 : scene->picture);
    put(user, "model", first->source->speaker.model[v->side[0].model]);
    put(user, "compared with", v->compare ? first->source->speaker.model[v->side[1].model] : "");
    viz_put_real(put, user, "temperature", (double)v->temperature);
    viz_put_real(put, user, "scale end", (double)v->scale_end);
    describe_source(first, put, user);
    if (v->speakers > 1)
        describe_second(v, put, user);
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

/* Of one picture the other model's cells are a setting of their own. */
static void restore_hidden(caption_view *v, caption_speaker *s, const char *value)
{
    const sac_source *source = s->source;
    if (!value[0])
        memset(s->hidden, 0, (size_t)source->picture.grid_w * (size_t)source->picture.grid_h);
    else if (!viz_hidden_parse(value, s->hidden, source->picture.grid_w, source->picture.grid_h))
        return;
    int before = s->hidden_count;
    s->hidden_count = viz_hidden_count(s->hidden, source->picture.grid_w, source->picture.grid_h);
    if (before > 0 || s->hidden_count > 0)
        caption_changed(v);
}

static int model_named(const caption_speaker *s, const char *name)
{
    for (int i = 0; i < s->source->speaker.models; i++)
        if (!strcmp(s->source->speaker.model[i], name))
            return i;
    return -1;
}

static void restore_compared(caption_view *v, const char *value)
{
    int model = model_named(&v->speaker[0], value);
    if (!value[0] && v->compare) {
        v->compare = false;
        caption_changed(v);
    }
    if (model < 0 || v->speakers > 1)
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
    const caption_scene *scene = &v->speaker[0].scene;
    int most = scene->scenes ? INT32_MAX / 2 : scene->pictures - 1;
    if (!strcmp(key, "temperature"))
        caption_set_temperature(v, number);
    else if (!strcmp(key, "scale end"))
        v->scale_end = fminf(fmaxf(number, 0), 1);
    else if (!strcmp(key, "speed"))
        v->player.speed = fminf(fmaxf(number, 0.25f), 4);
    else if (!strcmp(key, "word"))
        restore_word(v, (int)fminf(fmaxf(number, 0), SAC_MAX_TOKENS - 1));
    else if (!strcmp(key, "picture") && number >= 0 && number <= (float)most) {
        v->wanted_picture = (int)number;
        v->keeps_edits = true;
    }
}

static bool is_number_key(const char *key)
{
    static const char *const keys[] = {"temperature", "scale end", "speed", "word", "picture"};
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

/* Of one source, the settings that two share at first. */
static bool restore_part(caption_view *v, caption_speaker *s, const char *key, const char *value)
{
    bool is_layer = !strcmp(key, "layer");
    float number, most = (float)(is_layer ? s->source->weights.layers : s->source->weights.heads);
    bool is_number = viz_read_real(value, &number);
    if (!strcmp(key, "beam")) {
        if (is_number)
            caption_set_beam(v, s, (int)fminf(fmaxf(number, 1), 100));
        return true;
    }
    if (!is_layer && strcmp(key, "head") != 0)
        return false;
    int part = is_number && number >= 0 && number < most ? (int)number + 1 : 0;
    if (is_layer)
        caption_set_layer(v, s, part);
    else
        caption_set_head(v, s, part);
    return true;
}

/* And those that are its own. */
static bool restore_own(caption_view *v, int side, const char *key, const char *value)
{
    caption_speaker *s = &v->speaker[side];
    if (!strcmp(key, "model"))
        caption_set_model(v, side, model_named(s, value));
    else if (!strcmp(key, "hidden"))
        restore_hidden(v, s, value);
    else if (viz_prefix_restore(&s->prefix, s->source, key, value))
        caption_changed(v);
    else
        return false;
    return true;
}

static void restore_second(caption_view *v, const char *key, const char *value)
{
    if (v->speakers > 1 && !restore_part(v, &v->speaker[1], key, value))
        restore_own(v, 1, key, value);
}

static bool restore_both(caption_view *v, const char *key, const char *value)
{
    bool known = false;
    for (int i = 0; i < v->speakers; i++)
        known |= restore_part(v, &v->speaker[i], key, value);
    return known;
}

void caption_restore(viz_view *view, const char *key, const char *value)
{
    caption_view *v = caption_of(view);
    float number;
    if (viz_style_restore(&v->style, key, value) || restore_both(v, key, value) ||
        restore_own(v, 0, key, value))
        return;
    if (is_number_key(key)) {
        if (viz_read_real(value, &number))
            restore_number(v, key, number);
    } else if (!strcmp(key, "compared with")) {
        restore_compared(v, value);
    } else if (!strncmp(key, SECOND, strlen(SECOND))) {
        restore_second(v, key + strlen(SECOND), value);
    } else {
        restore_switch(v, key, value);
    }
}
