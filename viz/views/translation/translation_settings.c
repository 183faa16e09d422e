/* The translation view's settings. */
#include <stdlib.h>
#include <string.h>

#include "parts/figures/overlays.h"
#include "translation/translation_state.h"
#include "view/settings.h"

static void save_hidden(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
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
    viz_generation_changed(&v->g);
}

static void take_sentence(viz_view *view, const viz_setting *s, const char *value)
{
    (void)s;
    if (strcmp(value, translation_of(view)->field.text) != 0)
        translation_type(translation_of(view), value);
}

static bool has_attributions(const viz_view *view)
{
    return view->source->speaker.attributions != 0;
}

static void map_changed(viz_view *view)
{
    viz_generation_changed(&translation_of(view)->g);
}

void viz_translation_view_ask(viz_view *view, sac_attribution attribution)
{
    translation_of(view)->attribution = attribution;
    map_changed(view);
}

#define IN(member) offsetof(translation_view, member)

const viz_setting translation_settings[] = {
    VIZ_SOURCE_TEXT("file", origin.file), /* a model's folder; bundled ones need none */
    VIZ_SOURCE_TEXT("device", origin.device),
    VIZ_VERSION_SETTING,
    {"sentence", VIZ_TEXT, IN(field.text), .take = take_sentence},
    {NULL, .save = viz_save_without},
    VIZ_MODEL_SETTING,
    VIZ_TEMPERATURE_SETTING,
    VIZ_BEAM_SETTING,
    {"attribution", VIZ_CHOICE, IN(attribution), VIZ_NAMES(sac_attribution_names),
     .only = has_attributions, .changed = map_changed},
    {"hidden", .save = save_hidden, .take = take_hidden},
    VIZ_PREFIX_SETTINGS,
    VIZ_WORD_SETTINGS,
    {"loop", VIZ_SWITCH, IN(g.player.loops), VIZ_NAMES(viz_no_yes)},
    {"truth", VIZ_SWITCH, IN(g.truth), VIZ_NAMES(viz_off_on)},
    {0},
};
