/* The caption view's settings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caption/caption_state.h"
#include "caption/caption_view.h"
#include "parts/hidden.h"
#include "view/settings.h"

/* ---------------------------------------------------------------- models */

static void tell_model(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const caption_view *v = (const caption_view *)view;
    put(user, s->name, v->source->speaker.model[v->model]);
}

static void take_model(viz_view *view, const viz_setting *s, const char *value)
{
    caption_view *v = caption_of(view);
    (void)s;
    for (int i = 0; i < v->source->speaker.models; i++)
        if (!strcmp(v->source->speaker.model[i], value))
            caption_set_model(v, i);
}

static void set_beam(viz_view *view, const viz_setting *s, double number)
{
    (void)s;
    caption_set_beam(caption_of(view), (int)number);
}

static bool is_layer(const viz_setting *s)
{
    return strstr(s->name, "layer");
}

/* From 0, as other views have it; nothing for the mean. */
static void tell_part(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
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
    size_t most = is_layer(s) ? v->source->weights.layers : v->source->weights.heads;
    bool is_number = viz_read_real(value, &number);
    int part = is_number && number >= 0 && number < (float)most ? (int)number + 1 : 0;
    if (is_layer(s))
        caption_set_layer(v, part);
    else
        caption_set_head(v, part);
}

static void tell_prefix(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const caption_view *v = (const caption_view *)view;
    viz_prefix_tell(&v->prefix, v->source, !strcmp(s->name, "replaced"), s->name, put, user);
}

static void take_prefix(viz_view *view, const viz_setting *s, const char *value)
{
    caption_view *v = caption_of(view);
    viz_prefix_take(&v->prefix, v->source, !strcmp(s->name, "replaced"), value);
    caption_changed(v);
}

static void tell_hidden(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const caption_view *v = (const caption_view *)view;
    char *hidden = viz_hidden_text(v->hidden, v->source->picture.grid_w, v->source->picture.grid_h);
    put(user, s->name, hidden ? hidden : "");
    free(hidden);
}

static void take_hidden(viz_view *view, const viz_setting *s, const char *value)
{
    caption_view *v = caption_of(view);
    int w = v->source->picture.grid_w, h = v->source->picture.grid_h, before = v->hidden_count;
    (void)s;
    if (!value[0])
        memset(v->hidden, 0, (size_t)w * (size_t)h);
    else if (!viz_hidden_parse(value, v->hidden, w, h))
        return;
    v->hidden_count = viz_hidden_count(v->hidden, w, h);
    if (before > 0 || v->hidden_count > 0)
        caption_changed(v);
}

/* ---------------------------------------------------------------- what is shown */

static void tell_picture(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
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

static void set_temperature(viz_view *view, const viz_setting *s, double number)
{
    (void)s;
    caption_set_temperature(caption_of(view), (float)number);
}

/* False: nobody chose a word, and nothing was said. */
static bool has_word(const viz_view *view)
{
    const caption_view *v = (const caption_view *)view;
    return !v->fresh || v->caption.count > 0;
}

/* Before there is a caption the word is kept until there is. */
static void set_word(viz_view *view, const viz_setting *s, double number)
{
    caption_view *v = caption_of(view);
    bool known = v->caption.count > 0;
    (void)s;
    if (known)
        caption_go(v, (int)number);
    v->fresh = false;
    v->player.step = known ? v->player.step : (int)number;
}

static void ablation_changed(viz_view *view)
{
    caption_view *v = caption_of(view);
    v->matters = (caption_matters){.on = v->matters.on};
}

void viz_caption_view_ask(viz_view *view, const sac_caption_request *request)
{
    caption_view *v = caption_of(view);
    int w = v->source->picture.grid_w, h = v->source->picture.grid_h;
    if (request->temperature > 0)
        caption_set_temperature(v, request->temperature);
    if (request->beam > 0)
        caption_set_beam(v, request->beam);
    caption_set_layer(v, request->layer);
    caption_set_head(v, request->head);
    memcpy(v->prefix.words, request->prefix, sizeof v->prefix.words);
    v->prefix.count = request->prefix_count;
    if (request->hidden)
        memcpy(v->hidden, request->hidden, (size_t)w * (size_t)h);
    v->hidden_count = viz_hidden_count(v->hidden, w, h);
    caption_changed(v);
}

static const char *const layout_names[] = {"window", "figure"};

#define IN(member) offsetof(caption_view, member)
const viz_setting caption_settings[] = {
    {"title", VIZ_TEXT, IN(scene.title)}, /* by which a scene is found again */
    {"file", VIZ_TEXT, IN(scene.origin.file)},
    {"hash", VIZ_TEXT, IN(scene.origin.hash)},
    {"device", VIZ_TEXT, IN(scene.origin.device)},
    VIZ_VERSION_SETTING,
    {"image", VIZ_TEXT, IN(scene.file)},
    {"picture", .tell = tell_picture, .take = take_picture},
    {"model", .undone = true, .tell = tell_model, .take = take_model},
    {"temperature", VIZ_REAL, IN(temperature), .undone = true, .set = set_temperature},
    {"scale end", VIZ_REAL, IN(scale_end), 0, 1},
    {"beam", VIZ_WHOLE, IN(beam), 1, 100, .undone = true, .set = set_beam},
    {"layer", .undone = true, .tell = tell_part, .take = take_part},
    {"head", .undone = true, .tell = tell_part, .take = take_part},
    {"prefix", .undone = true, .tell = tell_prefix, .take = take_prefix},
    {"replaced", .undone = true, .tell = tell_prefix, .take = take_prefix},
    {"hidden", .undone = true, .tell = tell_hidden, .take = take_hidden},
    {"word", VIZ_WHOLE, IN(player.step), 0, SAC_MAX_TOKENS - 1, .only = has_word, .set = set_word},
    {"speed", VIZ_REAL, IN(player.speed), 0.25, 4},
    {"playing", VIZ_SWITCH, IN(player.playing), VIZ_NAMES(viz_no_yes)},
    {"loop", VIZ_SWITCH, IN(player.loops), VIZ_NAMES(viz_no_yes)},
    VIZ_STYLE_SETTINGS(caption_view, style, true),
    {"scale", VIZ_CHOICE, IN(scale), VIZ_NAMES(viz_scale_names), .undone = true},
    {"truth", VIZ_SWITCH, IN(truth), VIZ_NAMES(viz_off_on)},
    {"matters", VIZ_SWITCH, IN(matters.on), VIZ_NAMES(viz_off_on), .changed = ablation_changed},
    {"layout", VIZ_SWITCH, IN(figure), VIZ_NAMES(layout_names)},
    {0},
};
