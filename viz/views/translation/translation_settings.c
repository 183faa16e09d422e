/* The translation view's settings. */
#include <stdlib.h>
#include <string.h>

#include "parts/hidden.h"
#include "translation/translation_state.h"
#include "view/settings.h"

static void tell_model(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const translation_view *v = (const translation_view *)view;
    put(user, s->name, v->source->speaker.model[v->model]);
}

static int model_named(const translation_view *v, const char *name)
{
    for (int i = 0; i < v->source->speaker.models; i++)
        if (!strcmp(v->source->speaker.model[i], name))
            return i;
    return -1;
}

static void take_model(viz_view *view, const viz_setting *s, const char *value)
{
    (void)s;
    translation_view *v = translation_of(view);
    int model = model_named(v, value);
    if (model < 0 || model == v->model)
        return;
    v->model = model;
    translation_changed(v);
}

static void tell_hidden(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const translation_view *v = (const translation_view *)view;
    char *hidden = v->hidden_of ? viz_hidden_text(v->hidden, v->hidden_of, 1) : NULL;
    put(user, s->name, hidden ? hidden : "");
    free(hidden);
}

/* "13x1: 4-6": of a sentence of 13 words. */
static void take_hidden(viz_view *view, const viz_setting *s, const char *value)
{
    (void)s;
    translation_view *v = translation_of(view);
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
static void tell_prefix(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const translation_view *v = (const translation_view *)view;
    viz_prefix_tell(&v->prefix, v->source, !strcmp(s->name, "replaced"), s->name, put, user);
}

static void take_prefix(viz_view *view, const viz_setting *s, const char *value)
{
    translation_view *v = translation_of(view);
    viz_prefix_take(&v->prefix, v->source, !strcmp(s->name, "replaced"), value);
    translation_changed(v);
}

static void take_sentence(viz_view *view, const viz_setting *s, const char *value)
{
    (void)s;
    if (strcmp(value, translation_of(view)->field.text) != 0)
        translation_type(translation_of(view), value);
}

static void set_temperature(viz_view *view, const viz_setting *s, double number)
{
    (void)s;
    translation_set_temperature(translation_of(view), (float)number);
}

static void set_beam(viz_view *view, const viz_setting *s, double number)
{
    (void)s;
    translation_set_beam(translation_of(view), (int)number);
}

/* False: nobody chose a word, and nothing was said. */
static bool has_word(const viz_view *view)
{
    const translation_view *v = (const translation_view *)view;
    return !v->fresh || v->caption.count > 0;
}

/* Before there is a translation the word is kept until there is. */
static void set_word(viz_view *view, const viz_setting *s, double number)
{
    (void)s;
    translation_of(view)->fresh = false;
    viz_player_rest_at(&translation_of(view)->player, (int)number);
}

#define IN(member) offsetof(translation_view, member)

const viz_setting translation_settings[] = {
    VIZ_SOURCE_TEXT("file", origin.file), /* a model's folder; bundled ones need none */
    VIZ_SOURCE_TEXT("device", origin.device),
    VIZ_VERSION_SETTING,
    {"sentence", VIZ_TEXT, IN(field.text), .undone = true, .take = take_sentence},
    {"model", .undone = true, .tell = tell_model, .take = take_model},
    {"temperature", VIZ_REAL, IN(temperature), .undone = true, .set = set_temperature},
    {"beam", VIZ_WHOLE, IN(beam), 1, 100, .undone = true, .set = set_beam},
    {"hidden", .undone = true, .tell = tell_hidden, .take = take_hidden},
    {"prefix", .undone = true, .tell = tell_prefix, .take = take_prefix},
    {"replaced", .undone = true, .tell = tell_prefix, .take = take_prefix},
    {"word", VIZ_WHOLE, IN(player.step), 0, WORDS - 1, .only = has_word, .set = set_word},
    {"speed", VIZ_REAL, IN(player.speed), 0.25, 4},
    {"loop", VIZ_SWITCH, IN(player.loops), VIZ_NAMES(viz_no_yes)},
    {"truth", VIZ_SWITCH, IN(truth), VIZ_NAMES(viz_off_on)},
    {0},
};
