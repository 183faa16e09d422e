/* The demands of a person on the model: cells hidden, words replaced, temperature, beam, another
 * model, another picture. Nothing is computed here: the next job has the model speak anew. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "caption/caption_state.h"
#include "parts/hidden.h"

void caption_changed(caption_view *v)
{
    v->revision++;
    v->message[0] = 0;
}

void caption_hide_none(caption_view *v)
{
    if (v->hidden_count > 0)
        caption_changed(v);
    memset(v->hidden, 0, (size_t)v->source->picture.grid_w * (size_t)v->source->picture.grid_h);
    v->hidden_count = 0;
}

void caption_hidden_changed(caption_view *v)
{
    const sac_source *source = v->source;
    v->hidden_count = viz_hidden_count(v->hidden, source->picture.grid_w, source->picture.grid_h);
    caption_changed(v);
}

/* Hides what lies where the other one hides something, in the grid that this one has; of another
 * picture nothing. */
bool caption_follow(viz_view *view, const viz_view *leader, const char *key)
{
    caption_view *to = caption_of(view);
    const caption_view *from = (const caption_view *)leader;
    const sac_source *a = from->source, *b = to->source;
    if (a == b || strcmp(key, "hidden") != 0)
        return false;
    if (!from->scene.file[0] || strcmp(from->scene.file, to->scene.file) != 0)
        return true;
    for (int y = 0; y < b->picture.grid_h; y++)
        for (int x = 0; x < b->picture.grid_w; x++)
            to->hidden[y * b->picture.grid_w + x] =
                from->hidden[viz_same_place(y, b->picture.grid_h, a->picture.grid_h) *
                                 a->picture.grid_w +
                             viz_same_place(x, b->picture.grid_w, a->picture.grid_w)];
    caption_hidden_changed(to);
    return true;
}

/* ---------------------------------------------------------------- values */

bool caption_set_temperature(caption_view *v, float temperature)
{
    temperature = fminf(fmaxf(temperature, LEAST_TEMPERATURE), MOST_TEMPERATURE);
    if (fabsf(temperature - 1) < 1e-3f) /* steps up and down meet at 1 exactly */
        temperature = 1;
    if (!isfinite(temperature) || temperature == v->temperature)
        return false;
    v->temperature = temperature;
    caption_changed(v);
    return true;
}

bool caption_set_beam(caption_view *v, int beam)
{
    int most = sac_source_widest_beam(v->source);
    beam = beam < 1 ? 1 : beam > most ? most : beam;
    if (beam == v->beam)
        return false;
    v->beam = beam;
    caption_changed(v);
    return true;
}

/* Round and round, 0 among them. */
static bool set_part(caption_view *v, int *part, int number, size_t count)
{
    int parts = (int)count + 1;
    if (count == 0)
        return false;
    number = (number % parts + parts) % parts;
    if (number != *part) {
        *part = number;
        caption_changed(v);
    }
    return true;
}

bool caption_set_layer(caption_view *v, int layer)
{
    return set_part(v, &v->layer, layer, v->source->weights.layers);
}

bool caption_set_head(caption_view *v, int head)
{
    return set_part(v, &v->head, head, v->source->weights.heads);
}

bool caption_set_model(caption_view *v, int model)
{
    if (model < 0 || model >= v->source->speaker.models || model == v->model)
        return false;
    v->model = model;
    caption_changed(v);
    return true;
}

static bool next_model(caption_view *v, bool back)
{
    int models = v->source->speaker.models;
    if (models < 2) {
        snprintf(v->message, sizeof v->message, "there is only one model here: “%s”",
                 v->source->speaker.model[0]);
        return true;
    }
    return caption_set_model(v, (v->model + (back ? models - 1 : 1)) % models);
}

static bool set_speed(caption_view *v, float speed)
{
    speed = fminf(fmaxf(speed, 0.25f), 4);
    bool changed = speed != v->player.speed;
    v->player.speed = speed;
    return changed;
}

bool caption_step_value(caption_view *v, caption_value value, bool down)
{
    switch (value) {
    case VALUE_SPEED:
        return set_speed(v, v->player.speed + (v->player.speed < 1 || (down && v->player.speed <= 1)
                                                   ? 0.25f
                                                   : 0.5f) *
                                                  (down ? -1.0f : 1.0f));
    case VALUE_TEMPERATURE: /* four steps double it */
        return caption_set_temperature(v, v->temperature * (down ? 0.8408964f : 1.1892071f));
    case VALUE_SCORE:
        return next_model(v, down);
    case VALUE_BEAM:
        return caption_set_beam(v, v->beam + (down ? -1 : 1));
    case VALUE_LAYER:
        return caption_set_layer(v, v->layer + (down ? -1 : 1));
    case VALUE_HEAD:
        return caption_set_head(v, v->head + (down ? -1 : 1));
    default:
        return false;
    }
}

/* ---------------------------------------------------------------- replaced words */

void caption_replace(caption_view *v, int at, int word)
{
    if (!viz_prefix_replace(&v->prefix, &v->caption, at, word))
        return;
    v->fresh = false;
    v->player.step = at;
    v->player.playing = v->player.has_clock;
    caption_changed(v);
}

bool caption_take_back(caption_view *v, int at)
{
    bool taken = viz_prefix_take_back(&v->prefix, at);
    if (taken)
        caption_changed(v);
    return taken;
}

void caption_list_open(caption_view *v, int word)
{
    if (viz_word_list_open(&v->list, v->source, &v->caption, word))
        v->player.playing = false;
}

/* ---------------------------------------------------------------- other pictures */

bool caption_turn(caption_view *v, int step)
{
    const caption_scene *scene = &v->scene;
    int from = v->failed_picture >= 0 ? v->failed_picture : v->wanted_picture;
    int to = viz_picture_after(from, step, scene->pictures, scene->scenes);
    if (!scene->scenes && scene->pictures < 2) {
        snprintf(v->message, sizeof v->message, "%s", "this is the only picture");
        return true;
    }
    v->failed_picture = -1;
    if (to == v->wanted_picture)
        return false;
    v->wanted_picture = to;
    v->keeps_edits = false;
    v->list.open = false;
    v->message[0] = 0;
    return true;
}
