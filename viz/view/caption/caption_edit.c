/* What a person asks of the model: cells hidden, words replaced, temperature, beam, another model,
 * another picture. Nothing is computed here; what changes is spoken anew by the next job. */
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
    beam = beam < 1 ? 1 : beam > MOST_BEAM ? MOST_BEAM : beam;
    if (beam == v->beam)
        return false;
    v->beam = beam;
    caption_changed(v);
    return true;
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

const char *caption_vocabulary(const caption_view *v, int word)
{
    return word >= 0 && word < v->trace->vocabulary_count ? v->trace->vocabulary[word] : "";
}

void caption_replace(caption_view *v, int side, int at, int word)
{
    const sac_caption *caption = &v->side[side].caption;
    if (at < 0 || at >= caption->count)
        return;
    for (int i = 0; i < at; i++)
        v->prefix[i] = caption->words[i].word;
    v->prefix[at] = word;
    v->prefix_count = at + 1;
    v->replaced[at] = true;
    for (int i = at + 1; i < SAC_CAPTION_WORDS; i++)
        v->replaced[i] = false; /* what followed was said of another sentence */
    v->fresh = false;
    v->player.step = at;
    v->player.playing = v->player.has_clock;
    caption_changed(v);
}

bool caption_take_back(caption_view *v, int at)
{
    int last = v->prefix_count - 1;
    if (last < 0)
        return false;
    at = at < 0 || at > last ? last : at;
    for (int i = at; i < SAC_CAPTION_WORDS; i++)
        v->replaced[i] = false;
    for (v->prefix_count = at; v->prefix_count > 0 && !v->replaced[v->prefix_count - 1];)
        v->prefix_count--;
    caption_changed(v);
    return true;
}

/* ---------------------------------------------------------------- other pictures */

bool caption_turn(caption_view *v, int step)
{
    int from = v->failed_picture >= 0 ? v->failed_picture : v->wanted_picture;
    int count = v->scene.pictures, to = from + step;
    if (!v->scene.scenes && count < 2) {
        snprintf(v->message, sizeof v->message, "this is the only picture");
        return true;
    }
    if (!v->scene.scenes)
        to = (to % count + count) % count;
    v->failed_picture = -1;
    if (to < 0 || to == v->wanted_picture)
        return false;
    v->wanted_picture = to;
    v->keeps_edits = false;
    v->list.open = false;
    v->message[0] = 0;
    return true;
}

/* ---------------------------------------------------------------- the list of other words */

static void list_add(caption_view *v, int word, float probability)
{
    caption_list *list = &v->list;
    bool matches = !strncmp(caption_vocabulary(v, word), list->typed, strlen(list->typed));
    bool spoken = word >= v->trace->first_spoken && word < v->trace->vocabulary_count;
    if (!matches || !spoken || list->count == CAPTION_LIST_MOST)
        return;
    for (int i = 0; i < list->count; i++)
        if (list->item[i].word == word)
            return;
    list->item[list->count].word = word;
    list->item[list->count++].probability = probability;
}

void caption_list_fill(caption_view *v)
{
    caption_list *list = &v->list;
    const sac_caption_word *said = &v->side[list->side].caption.words[list->word];
    list->count = list->selected = list->first = 0;
    for (int i = 0; i < 4 && said->instead[i] >= 0; i++)
        if (said->instead[i] != said->word)
            list_add(v, said->instead[i], said->instead_probability[i]);
    for (int i = v->trace->first_spoken; i < v->trace->vocabulary_count; i++)
        if (i != said->word)
            list_add(v, i, -1);
}

void caption_list_open(caption_view *v, int side, int word)
{
    if (word < 0 || word >= v->side[side].caption.count)
        return;
    v->list = (caption_list){.open = true, .side = side, .word = word};
    v->player.playing = false;
    caption_list_fill(v);
}

void caption_list_move(caption_view *v, int step)
{
    caption_list *list = &v->list;
    int to = list->selected + step;
    list->selected = to < 0 ? 0 : to >= list->count ? list->count - 1 : to;
    if (list->selected < 0)
        list->selected = 0;
    if (list->selected < list->first)
        list->first = list->selected;
    if (list->shown > 0 && list->selected >= list->first + list->shown)
        list->first = list->selected - list->shown + 1;
}

bool caption_list_choose(caption_view *v, int item)
{
    caption_list *list = &v->list;
    if (item < 0 || item >= list->count)
        return false;
    list->open = false;
    caption_replace(v, list->side, list->word, list->item[item].word);
    return true;
}
