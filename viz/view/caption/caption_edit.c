/* The demands of a person on the model: cells hidden, words replaced, temperature, beam, another
 * model, another picture. Nothing is computed here: the next job has the model speak anew. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "caption/caption_state.h"

void caption_changed(caption_view *v)
{
    v->revision++;
    v->message[0] = 0;
}

void caption_hide_none(caption_view *v)
{
    if (v->hidden_count > 0)
        caption_changed(v);
    memset(v->hidden, 0, (size_t)v->trace->grid_w * (size_t)v->trace->grid_h);
    v->hidden_count = 0;
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
    int most = sac_trace_widest_beam(v->trace);
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
    return set_part(v, &v->layer, layer, v->trace->layers);
}

bool caption_set_head(caption_view *v, int head)
{
    return set_part(v, &v->head, head, v->trace->heads);
}

bool caption_set_model(caption_view *v, int side, int model)
{
    if (model < 0 || model >= v->trace->models || model == v->side[side].model)
        return false;
    v->side[side].model = model;
    caption_changed(v);
    return true;
}

static bool only_one_model(caption_view *v)
{
    bool one = v->trace->models < 2;
    if (one)
        snprintf(v->message, sizeof v->message, "there is only one model here: “%s”",
                 v->trace->model[0]);
    return one;
}

/* The next model; in a comparison the one at the right, which stays another than the left. */
static bool next_model(caption_view *v, bool back)
{
    int models = v->trace->models, side = v->compare ? 1 : 0, step = back ? models - 1 : 1;
    if (only_one_model(v))
        return true;
    int model = (v->side[side].model + step) % models;
    if (v->compare && model == v->side[0].model)
        model = (model + step) % models;
    return caption_set_model(v, side, model);
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
    default:
        return false;
    }
}

bool caption_compare(caption_view *v)
{
    if (only_one_model(v))
        return true;
    v->compare = !v->compare;
    if (v->compare && v->side[1].model == v->side[0].model)
        v->side[1].model = (v->side[0].model + 1) % v->trace->models;
    v->list.open = false;
    caption_changed(v);
    return true;
}

/* ---------------------------------------------------------------- replaced words */

void caption_replace(caption_view *v, int side, int at, int word)
{
    if (!viz_prefix_replace(&v->prefix, &v->side[side].caption, at, word))
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

void caption_list_open(caption_view *v, int side, int word)
{
    if (viz_word_list_open(&v->list, v->trace, &v->side[side].caption, side, word))
        v->player.playing = false;
}

/* ---------------------------------------------------------------- other pictures */

bool caption_turn(caption_view *v, int step)
{
    int from = v->failed_picture >= 0 ? v->failed_picture : v->wanted_picture;
    int to = viz_picture_after(from, step, v->scene.pictures, v->scene.scenes);
    if (!v->scene.scenes && v->scene.pictures < 2) {
        snprintf(v->message, sizeof v->message, "this is the only picture");
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
