/* The caption view's settings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caption/caption_state.h"
#include "parts/hidden.h"
#include "view/settings.h"

#define SECOND "second " /* begins the names of what a second source has alone */

static int side_of(const viz_setting *s)
{
    return !strncmp(s->name, SECOND, strlen(SECOND));
}

static caption_speaker *speaker_of(const viz_view *view, const viz_setting *s)
{
    return &((caption_view *)view)->speaker[side_of(s)];
}

static bool has_second(const viz_view *view)
{
    return ((const caption_view *)view)->speakers > 1;
}

/* ---------------------------------------------------------------- models */

static int model_named(const caption_speaker *s, const char *name)
{
    for (int i = 0; i < s->source->speaker.models; i++)
        if (!strcmp(s->source->speaker.model[i], name))
            return i;
    return -1;
}

static void tell_model(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const caption_view *v = (const caption_view *)view;
    put(user, s->name, speaker_of(view, s)->source->speaker.model[v->side[side_of(s)].model]);
}

static void take_model(viz_view *view, const viz_setting *s, const char *value)
{
    caption_view *v = caption_of(view);
    if (side_of(s) < v->speakers)
        caption_set_model(v, side_of(s), model_named(speaker_of(view, s), value));
}

static void tell_compared(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const caption_view *v = (const caption_view *)view;
    put(user, s->name, v->compare ? v->speaker[0].source->speaker.model[v->side[1].model] : "");
}

static void take_compared(viz_view *view, const viz_setting *s, const char *value)
{
    caption_view *v = caption_of(view);
    (void)s;
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

/* ---------------------------------------------------------------- what a speaker is asked */

/* Without "second " it is asked of both. */
static void set_beam(viz_view *view, const viz_setting *s, double number)
{
    caption_view *v = caption_of(view);
    for (int i = side_of(s); i < v->speakers; i++)
        caption_set_beam(v, &v->speaker[i], (int)number);
}

static bool is_layer(const viz_setting *s)
{
    return strstr(s->name, "layer");
}

/* From 0, as other views have it; nothing for the mean. */
static void tell_part(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const caption_speaker *speaker = speaker_of(view, s);
    int part = is_layer(s) ? speaker->layer : speaker->head;
    if (part > 0)
        viz_put_whole(put, user, s->name, part - 1);
    else
        put(user, s->name, "");
}

static void take_part(viz_view *view, const viz_setting *s, const char *value)
{
    caption_view *v = caption_of(view);
    float number;
    bool is_number = viz_read_real(value, &number);
    for (int i = side_of(s); i < v->speakers; i++) {
        caption_speaker *speaker = &v->speaker[i];
        size_t most =
            is_layer(s) ? speaker->source->weights.layers : speaker->source->weights.heads;
        int part = is_number && number >= 0 && number < (float)most ? (int)number + 1 : 0;
        if (is_layer(s))
            caption_set_layer(v, speaker, part);
        else
            caption_set_head(v, speaker, part);
    }
}

static void tell_prefix(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const caption_speaker *speaker = speaker_of(view, s);
    viz_prefix_tell(&speaker->prefix, speaker->source, strstr(s->name, "replaced"), s->name, put,
                    user);
}

static void take_prefix(viz_view *view, const viz_setting *s, const char *value)
{
    caption_speaker *speaker = speaker_of(view, s);
    if (side_of(s) >= caption_of(view)->speakers)
        return;
    viz_prefix_take(&speaker->prefix, speaker->source, strstr(s->name, "replaced"), value);
    caption_changed(caption_of(view));
}

static void tell_hidden(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const caption_speaker *speaker = speaker_of(view, s);
    char *hidden = viz_hidden_text(speaker->hidden, speaker->source->picture.grid_w,
                                   speaker->source->picture.grid_h);
    put(user, s->name, hidden ? hidden : "");
    free(hidden);
}

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

static void take_hidden(viz_view *view, const viz_setting *s, const char *value)
{
    if (side_of(s) < caption_of(view)->speakers)
        restore_hidden(caption_of(view), speaker_of(view, s), value);
}

/* ---------------------------------------------------------------- what is shown */

static void tell_picture(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const caption_scene *scene = &((const caption_view *)view)->speaker[0].scene;
    viz_put_whole(put, user, s->name, scene->file[0] ? 0 : scene->picture);
}

static void take_picture(viz_view *view, const viz_setting *s, const char *value)
{
    caption_view *v = caption_of(view);
    const caption_scene *scene = &v->speaker[0].scene;
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
    return !v->fresh || caption_words(v) > 0;
}

/* Before there is a caption the word is kept until there is. */
static void set_word(viz_view *view, const viz_setting *s, double number)
{
    caption_view *v = caption_of(view);
    bool known = caption_words(v) > 0;
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

static const char *const layout_names[] = {"window", "figure"};

#define IN(member) offsetof(caption_view, member)
#define SPEAKER(prefix, i, shown)                                                                  \
    {prefix "beam", VIZ_WHOLE,     IN(speaker[i].beam), 1,                                         \
     100,           .only = shown, .undone = true,      .set = set_beam},                          \
        {prefix "layer", .only = shown, .undone = true, .tell = tell_part, .take = take_part},     \
        {prefix "head", .only = shown, .undone = true, .tell = tell_part, .take = take_part},      \
        {prefix "prefix", .only = shown, .undone = true, .tell = tell_prefix,                      \
         .take = take_prefix},                                                                     \
        {prefix "replaced", .only = shown, .undone = true, .tell = tell_prefix,                    \
         .take = take_prefix},                                                                     \
    {                                                                                              \
        prefix "hidden", .only = shown, .undone = true, .tell = tell_hidden, .take = take_hidden   \
    }

const viz_setting caption_settings[] = {
    {"title", VIZ_TEXT, IN(speaker[0].scene.title)}, /* by which a scene is found again */
    {"file", VIZ_TEXT, IN(speaker[0].scene.origin.file)},
    {"hash", VIZ_TEXT, IN(speaker[0].scene.origin.hash)},
    {"device", VIZ_TEXT, IN(speaker[0].scene.origin.device)},
    VIZ_VERSION_SETTING,
    {"image", VIZ_TEXT, IN(speaker[0].scene.file)},
    {"picture", .tell = tell_picture, .take = take_picture},
    {"model", .undone = true, .tell = tell_model, .take = take_model},
    {"compared with", .undone = true, .tell = tell_compared, .take = take_compared},
    {"temperature", VIZ_REAL, IN(temperature), .undone = true, .set = set_temperature},
    {"scale end", VIZ_REAL, IN(scale_end), 0, 1},
    SPEAKER("", 0, NULL),
    SPEAKER(SECOND, 1, has_second),
    {SECOND "model", .only = has_second, .undone = true, .tell = tell_model, .take = take_model},
    {SECOND "file", VIZ_TEXT, IN(speaker[1].scene.origin.file), .only = has_second},
    {SECOND "image", VIZ_TEXT, IN(speaker[1].scene.file), .only = has_second},
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
