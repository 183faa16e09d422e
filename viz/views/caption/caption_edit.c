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
    for (int i = 0; i < v->speakers; i++) {
        caption_speaker *s = &v->speaker[i];
        if (s->hidden_count > 0)
            caption_changed(v);
        memset(s->hidden, 0, (size_t)s->source->picture.grid_w * (size_t)s->source->picture.grid_h);
        s->hidden_count = 0;
    }
}

/* Hides of `to` what lies where `from` hides something, in the grid that it has. */
static void hide_same(const caption_speaker *from, caption_speaker *to)
{
    const sac_source *a = from->source, *b = to->source;
    for (int y = 0; y < b->picture.grid_h; y++)
        for (int x = 0; x < b->picture.grid_w; x++)
            to->hidden[y * b->picture.grid_w + x] =
                from->hidden[viz_same_place(y, b->picture.grid_h, a->picture.grid_h) *
                                 a->picture.grid_w +
                             viz_same_place(x, b->picture.grid_w, a->picture.grid_w)];
    to->hidden_count = viz_hidden_count(to->hidden, b->picture.grid_w, b->picture.grid_h);
}

void caption_hidden_changed(caption_view *v, caption_speaker *speaker)
{
    const sac_source *source = speaker->source;
    speaker->hidden_count =
        viz_hidden_count(speaker->hidden, source->picture.grid_w, source->picture.grid_h);
    if (v->same_picture)
        hide_same(speaker, &v->speaker[speaker == v->speaker]);
    caption_changed(v);
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

bool caption_set_beam(caption_view *v, caption_speaker *speaker, int beam)
{
    int most = sac_source_widest_beam(speaker->source);
    beam = beam < 1 ? 1 : beam > most ? most : beam;
    if (beam == speaker->beam)
        return false;
    speaker->beam = beam;
    caption_changed(v);
    return true;
}

/* Of both sources the one in focus is what the other comes to. */
static bool step_beam(caption_view *v, int step)
{
    int beam = v->side[caption_focus(v)].speaker->beam + step;
    bool changed = false;
    for (int i = 0; i < v->speakers; i++)
        changed |= caption_set_beam(v, &v->speaker[i], beam);
    return changed;
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

bool caption_set_layer(caption_view *v, caption_speaker *speaker, int layer)
{
    return set_part(v, &speaker->layer, layer, speaker->source->weights.layers);
}

bool caption_set_head(caption_view *v, caption_speaker *speaker, int head)
{
    return set_part(v, &speaker->head, head, speaker->source->weights.heads);
}

/* The source in focus, and the other one; where the first has no layers of heads they change
 * places. */
static void find_layered(caption_view *v, caption_speaker *speakers[CAPTION_SIDES])
{
    int focus = caption_focus(v);
    bool swaps = !v->side[focus].speaker->source->weights.layers;
    speakers[swaps] = v->side[focus].speaker;
    speakers[!swaps] = v->side[CAPTION_SIDES - 1 - focus].speaker;
}

/* What the other side does not have it does not take. */
bool caption_step_layer(caption_view *v, int step)
{
    caption_speaker *s[CAPTION_SIDES];
    find_layered(v, s);
    bool there = caption_set_layer(v, s[0], s[0]->layer + step);
    if ((size_t)s[0]->layer <= s[1]->source->weights.layers)
        caption_set_layer(v, s[1], s[0]->layer);
    return there;
}

bool caption_step_head(caption_view *v, int step)
{
    caption_speaker *s[CAPTION_SIDES];
    find_layered(v, s);
    bool there = caption_set_head(v, s[0], s[0]->head + step);
    if ((size_t)s[0]->head <= s[1]->source->weights.heads)
        caption_set_head(v, s[1], s[0]->head);
    return there;
}

bool caption_set_model(caption_view *v, int side, int model)
{
    if (model < 0 || model >= v->side[side].speaker->source->speaker.models ||
        model == v->side[side].model)
        return false;
    v->side[side].model = model;
    caption_changed(v);
    return true;
}

static bool only_one_model(caption_view *v)
{
    const sac_source *source = v->side[caption_focus(v)].speaker->source;
    bool one = source->speaker.models < 2;
    if (one)
        snprintf(v->message, sizeof v->message, "there is only one model here: “%s”",
                 source->speaker.model[0]);
    return one;
}

/* The model of that name is the other source's too, where it has it. */
static bool set_models(caption_view *v, int side, int model)
{
    const sac_source *source = v->side[side].speaker->source, *other = v->speaker[1 - side].source;
    bool changed = caption_set_model(v, side, model);
    for (int i = 0; v->speakers > 1 && i < other->speaker.models; i++)
        if (strcmp(other->speaker.model[i], source->speaker.model[model]) == 0)
            caption_set_model(v, 1 - side, i);
    return changed;
}

/* The next model; in a comparison the one at the right, which stays another than the left. */
static bool next_model(caption_view *v, bool back)
{
    int side = v->speakers > 1 ? caption_focus(v) : v->compare;
    int models = v->side[side].speaker->source->speaker.models, step = back ? models - 1 : 1;
    if (only_one_model(v))
        return true;
    int model = (v->side[side].model + step) % models;
    if (v->compare && model == v->side[0].model)
        model = (model + step) % models;
    return set_models(v, side, model);
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
        return step_beam(v, down ? -1 : 1);
    case VALUE_LAYER:
        return caption_step_layer(v, down ? -1 : 1);
    case VALUE_HEAD:
        return caption_step_head(v, down ? -1 : 1);
    default:
        return false;
    }
}

bool caption_compare(caption_view *v)
{
    if (v->speakers > 1) {
        snprintf(v->message, sizeof v->message, "two are side by side already");
        return true;
    }
    if (only_one_model(v))
        return true;
    v->compare = !v->compare;
    if (v->compare && v->side[1].model == v->side[0].model)
        v->side[1].model = (v->side[0].model + 1) % v->speaker[0].source->speaker.models;
    v->list.open = false;
    caption_changed(v);
    return true;
}

/* ---------------------------------------------------------------- replaced words */

void caption_replace(caption_view *v, int side, int at, int word)
{
    caption_side *s = &v->side[side];
    if (!viz_prefix_replace(&s->speaker->prefix, &s->caption, at, word))
        return;
    v->fresh = false;
    v->player.step = at;
    v->player.playing = v->player.has_clock;
    caption_changed(v);
}

bool caption_take_back(caption_view *v, int side, int at)
{
    bool taken = viz_prefix_take_back(&v->side[side].speaker->prefix, at);
    if (taken)
        caption_changed(v);
    return taken;
}

void caption_list_open(caption_view *v, int side, int word)
{
    const caption_side *s = &v->side[side];
    if (viz_word_list_open(&v->list, s->speaker->source, &s->caption, side, word))
        v->player.playing = false;
}

/* ---------------------------------------------------------------- other pictures */

bool caption_turn(caption_view *v, int step)
{
    const caption_scene *scene = &v->speaker[0].scene;
    int from = v->failed_picture >= 0 ? v->failed_picture : v->wanted_picture;
    int to = viz_picture_after(from, step, scene->pictures, scene->scenes);
    if (!scene->scenes && scene->pictures < 2) {
        snprintf(v->message, sizeof v->message, "%s",
                 v->speakers > 1 ? "there are no other pictures" : "this is the only picture");
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
