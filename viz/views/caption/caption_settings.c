/* The caption view's settings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caption/caption_state.h"
#include "caption/caption_view.h"
#include "parts/figures/overlays.h"
#include "view/settings.h"

static bool is_layer(const viz_setting *s)
{
    return strstr(s->name, "layer");
}

/* From 0, as in other views; nothing for the mean. */
static void save_part(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const caption_view *v = (const caption_view *)view;
    int part = is_layer(s) ? v->layer : v->head;
    if (part > 0)
        viz_put_whole(put, user, s->name, part - 1);
    else
        put(user, s->name, "");
}

static void take_part(viz_view *view, const viz_setting *s, const char *value)
{
    caption_view *v = caption_of(view);
    float number;
    bool head = !is_layer(s);
    size_t most = !head ? v->g.source->weights.layers : v->g.source->weights.heads;
    bool is_number = viz_read_real(value, &number);
    int part = is_number && number >= 0 && number < (float)most ? (int)number + 1 : 0;
    caption_set_part(v, head, part);
}

static void save_hidden(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const caption_view *v = (const caption_view *)view;
    char *hidden =
        viz_hidden_text(v->hidden, v->g.source->picture.grid_w, v->g.source->picture.grid_h);
    put(user, s->name, hidden ? hidden : "");
    free(hidden);
}

static void take_hidden(viz_view *view, const viz_setting *s, const char *value)
{
    caption_view *v = caption_of(view);
    int w = v->g.source->picture.grid_w, h = v->g.source->picture.grid_h, before = v->hidden_count;
    (void)s;
    if (!value[0])
        memset(v->hidden, 0, caption_cells(v));
    else if (!viz_hidden_parse(value, v->hidden, w, h))
        return;
    v->hidden_count = viz_hidden_count(v->hidden, w, h);
    if (before > 0 || v->hidden_count > 0)
        viz_generation_changed(&v->g);
}

/* A scene has it in its title; saved pictures without it are of flat shapes. */
static bool has_topic(const viz_view *view)
{
    const caption_view *v = (const caption_view *)view;
    const char *topic = v->g.source->speaker.topic;
    return topic[0] && !v->scene.scenes && strcmp(topic, "shapes") != 0;
}

static void save_topic(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    put(user, s->name, ((const caption_view *)view)->g.source->speaker.topic);
}

static void leave_as_opened(viz_view *view, const viz_setting *s, const char *value)
{
    (void)view, (void)s, (void)value; /* it was decided when the models were opened */
}

/* ---------------------------------------------------------------- what is shown */

static void save_picture(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const caption_scene *scene = &((const caption_view *)view)->scene;
    viz_put_whole(put, user, s->name, scene->file[0] ? 0 : scene->picture);
}

static void take_picture(viz_view *view, const viz_setting *s, const char *value)
{
    caption_view *v = caption_of(view);
    const caption_scene *scene = &v->scene;
    int most = scene->scenes ? INT32_MAX / 2 : scene->pictures - 1;
    float number;
    (void)s;
    if (!viz_read_real(value, &number) || number < 0 || number > (float)most)
        return;
    v->wanted_picture = (int)number;
    v->keeps_edits = true;
}

static void ablation_changed(viz_view *view)
{
    caption_view *v = caption_of(view);
    v->matters = (caption_matters){.on = v->matters.on};
}

static bool has_answers(const viz_view *view)
{
    return view->source->speaker.typed;
}

static void save_question(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    put(user, s->name, view->source->speaker.text);
}

static bool has_attributions(const viz_view *view)
{
    return view->source->speaker.attributions != 0;
}

static void maps_changed(viz_view *view)
{
    viz_generation_changed(&caption_of(view)->g);
}

void viz_caption_view_ask(viz_view *view, const sac_result_request *request)
{
    caption_view *v = caption_of(view);
    int w = v->g.source->picture.grid_w, h = v->g.source->picture.grid_h;
    if (request->temperature > 0)
        viz_generation_set(&v->g, VIZ_TEMPERATURE, (double)request->temperature);
    if (request->beam > 0)
        viz_generation_set(&v->g, VIZ_BEAM, request->beam);
    caption_set_part(v, false, request->layer);
    caption_set_part(v, true, request->head);
    v->no_sinks = request->no_sinks;
    v->attribution = request->attribution;
    memcpy(v->g.prefix.words, request->prefix, sizeof v->g.prefix.words);
    v->g.prefix.count = request->prefix_count;
    if (request->hidden)
        memcpy(v->hidden, request->hidden, caption_cells(v));
    v->hidden_count = viz_hidden_count(v->hidden, w, h);
    viz_generation_changed(&v->g);
}

#define IN(member) offsetof(caption_view, member)
const viz_setting caption_settings[] = {
    {"title", VIZ_TEXT, IN(scene.title)}, /* by which a scene is found again */
    {"file", VIZ_TEXT, IN(scene.origin.file)},
    {"hash", VIZ_TEXT, IN(scene.origin.hash)},
    {"device", VIZ_TEXT, IN(scene.origin.device)},
    VIZ_VERSION_SETTING,
    {"image", VIZ_TEXT, IN(scene.file)},
    {"picture", .moves = true, .save = save_picture, .take = take_picture},
    {"dataset", .moves = true, .only = has_topic, .save = save_topic, .take = leave_as_opened},
    {"sentence", .moves = true, .only = has_answers, .save = save_question,
     .take = leave_as_opened},
    {NULL, .save = viz_save_without},
    VIZ_MODEL_SETTING,
    VIZ_TEMPERATURE_SETTING,
    {"scale end", VIZ_REAL, IN(scale_end), 0, 1, .moves = true},
    VIZ_BEAM_SETTING,
    {"layer", .save = save_part, .take = take_part},
    {"head", .save = save_part, .take = take_part},
    {"without sinks", VIZ_SWITCH, IN(no_sinks), VIZ_NAMES(viz_off_on), .only = has_answers,
     .changed = maps_changed},
    {"attribution", VIZ_CHOICE, IN(attribution), VIZ_NAMES(sac_attribution_names),
     .only = has_attributions, .changed = maps_changed},
    VIZ_PREFIX_SETTINGS,
    {"hidden", .save = save_hidden, .take = take_hidden},
    VIZ_WORD_SETTINGS,
    {"playing", VIZ_SWITCH, IN(g.player.playing), VIZ_NAMES(viz_no_yes), .moves = true},
    {"loop", VIZ_SWITCH, IN(g.player.loops), VIZ_NAMES(viz_no_yes)},
    VIZ_STYLE_SETTINGS(IN, style),
    {"scale", VIZ_CHOICE, IN(scale), VIZ_NAMES(viz_scale_names)},
    {"numbers", VIZ_SWITCH, IN(numbers), VIZ_NAMES(viz_off_on)},
    {"truth", VIZ_SWITCH, IN(g.truth), VIZ_NAMES(viz_off_on)},
    {"matters", VIZ_SWITCH, IN(matters.on), VIZ_NAMES(viz_off_on), .changed = ablation_changed},
    {VIZ_LAYOUT_SETTING},
    {0},
};
