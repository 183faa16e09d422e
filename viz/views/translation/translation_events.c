/* The pointer and the keys in the translation view, what they ask for, and what answers the pointer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts/figures/overlays.h"
#include "translation/translation_state.h"
#include "view/settings.h"

/* ---------------------------------------------------------------- what is where */

/* The word of a sentence at a place; −1: none. */
static int word_in(const translation_row *row, int count, float x, float y)
{
    for (int i = 0; i < count; i++)
        if (viz_inside(row->word[i], x, y))
            return i;
    return -1;
}

static int source_at(const translation_view *v, float x, float y)
{
    return word_in(&v->layout.panel.source_words, v->g.caption.grid_w, x, y);
}

static int target_at(const translation_view *v, float x, float y)
{
    return word_in(&v->layout.panel.target, v->g.caption.count, x, y);
}

static bool cell_at(const translation_view *v, float x, float y, int *row, int *column)
{
    return v->layout.panel.grid.rows && viz_grid_hit(&v->layout.panel.grid, x, y, row, column);
}

/* ---------------------------------------------------------------- the sentence */

static void forget_edits(translation_view *v)
{
    v->g.prefix = (viz_prefix){0};
    v->hidden_of = 0;
    v->g.list.open = false;
}

void translation_type(translation_view *v, const char *text)
{
    viz_text_field *f = &v->field;
    if (text != f->text)
        snprintf(f->text, sizeof f->text, "%.*s", TYPED - 1, text);
    if (f->caret > strlen(f->text) || text != f->text)
        f->caret = strlen(f->text);
    forget_edits(v);
    v->wanted_number = -1;
    v->g.fresh = v->g.player.playing = false;
    viz_generation_changed(&v->g);
    v->g.typed = true;
}

static bool press_type(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    viz_text_field_begin(&translation_of(view)->field);
    translation_of(view)->g.player.playing = false;
    return true;
}

static bool field_key(translation_view *v, const viz_event *e)
{
    bool changed = false;
    bool taken = viz_text_field_key(&v->field, e, &changed);
    if (changed)
        translation_type(v, v->field.text);
    return taken;
}

/* In the place of the whole sentence, or where the caret stands while one is typed. */
static bool paste(translation_view *v, const char *text)
{
    if (!viz_text_field_paste(&v->field, text))
        return false;
    v->g.player.playing = false;
    if (text[0])
        translation_type(v, v->field.text);
    return true;
}

/* ---------------------------------------------------------------- keys */

static bool press_turn(viz_view *view, viz_pressed pressed)
{
    translation_view *v = translation_of(view);
    int from = v->wanted_number >= 0 ? v->wanted_number : v->sentence.number;
    if (from + pressed.step < 0) {
        snprintf(v->g.message, sizeof v->g.message, "this is the first sentence");
        return true;
    }
    forget_edits(v);
    v->wanted_number = from + pressed.step;
    v->g.fresh = true;
    viz_generation_changed(&v->g);
    return true;
}

static bool press_truth(viz_view *view, viz_pressed pressed)
{
    translation_view *v = translation_of(view);
    (void)pressed;
    v->g.truth = !v->g.truth;
    if (v->g.truth && !v->sentence.has_truth)
        snprintf(v->g.message, sizeof v->g.message,
                 "no reference alignment for your sentence: N turns to one with it");
    return true;
}

static bool press_show_all(viz_view *view, viz_pressed pressed)
{
    translation_view *v = translation_of(view);
    (void)pressed;
    if (v->hidden_of)
        viz_generation_changed(&v->g);
    v->hidden_of = 0;
    return true;
}

static bool has_attributions(const viz_view *view)
{
    return view->source->speaker.attributions != 0;
}

static bool press_attribution(viz_view *view, viz_pressed pressed)
{
    const sac_attribution now = translation_of(view)->attribution;
    const unsigned known = view->source->speaker.attributions;
    viz_translation_view_ask(view, sac_attribution_turn(known, now, pressed.step));
    return true;
}

const viz_key_row translation_keys[] = {
    {"ctrl L  ctrl A", "type a sentence", press_type},
    {"ctrl V", "paste one"},
    VIZ_PLAYER_KEYS(viz_generation_press_time),
    {"N  P", "next sentence, back", press_turn},
    {"T", "the true alignment", press_truth},
    {"C", "compare models"},
    VIZ_DEMAND_KEYS,
    {"Z", "the kind of map: raw attention, or what is made of it", press_attribution,
     .acts = has_attributions},
    {"right drag", "hide words of the sentence; or click"},
    {"U", "show all words", press_show_all},
    {NULL, NULL},
};

static bool key(translation_view *v, const viz_event *e)
{
    bool had_message = v->g.message[0];
    if (e->ctrl && e->key == 'v')
        return paste(v, e->text ? e->text : "");
    if (v->field.typing)
        return field_key(v, e);
    v->g.message[0] = '\0';
    return viz_keys_press(translation_keys, &v->g.base, e) || had_message;
}

/* ---------------------------------------------------------------- pointer */

void translation_hide(translation_view *v, int word, bool hidden)
{
    int words = v->g.caption.grid_w;
    if (word < 0 || word >= words || translation_is_hidden(v, word) == hidden)
        return;
    if (v->hidden_of != words)
        memset(v->hidden, 0, sizeof v->hidden);
    v->hidden[word] = hidden;
    v->hidden_of = memchr(v->hidden, 1, (size_t)words) ? words : 0;
    viz_generation_changed(&v->g);
}

static bool press(translation_view *v, const viz_event *e)
{
    const translation_layout *l = &v->layout;
    int row, column, value = viz_values_hit(l->value, VALUE_COUNT, e->x, e->y);
    bool changed = v->g.message[0] || v->field.typing, left = e->button == 1;
    bool in_field = left && viz_inside(l->field, e->x, e->y);
    v->g.message[0] = '\0';
    if (!in_field)
        v->field.typing = v->field.all = false;
    if (value >= 0)
        return viz_generation_step(&v->g, (viz_demand)value, e->button == 3 || e->shift) || changed;
    if (in_field)
        return press_type(&v->g.base, (viz_pressed){0});
    if (left && (viz_generation_press(&v->g, l->play, l->track, e->x, e->y) ||
                 viz_generation_press_cross(&v->g, l->panel.cross, e->x, e->y)))
        return true;
    int word = source_at(v, e->x, e->y);
    if (word >= 0) {
        v->hides = true;
        v->hide_value = !translation_is_hidden(v, word);
        translation_hide(v, word, v->hide_value);
        return true;
    }
    word = left ? target_at(v, e->x, e->y) : -1;
    if (word >= 0 && word == viz_generation_word(&v->g)) /* it is replaced */
        return viz_generation_open_list(&v->g, word) || changed;
    if (word < 0 && left && cell_at(v, e->x, e->y, &row, &column))
        word = row;
    return word >= 0 ? viz_generation_choose(&v->g, word) : changed;
}

static bool point(translation_view *v, const viz_event *e)
{
    int row = v->hover_row, column = v->hover_column;
    if (!cell_at(v, e->x, e->y, &v->hover_row, &v->hover_column)) {
        v->hover_row = target_at(v, e->x, e->y);
        v->hover_column = source_at(v, e->x, e->y);
    }
    return row != v->hover_row || column != v->hover_column;
}

bool translation_event(viz_view *view, const viz_event *e)
{
    translation_view *v = translation_of(view);
    if (v->g.list.open)
        return viz_generation_list_event(&v->g, e);
    switch (e->kind) {
    case VIZ_KEY:
        return key(v, e);
    case VIZ_PRESS:
        return press(v, e);
    case VIZ_MOVE:
        if (v->g.scrubs)
            return viz_generation_scrub(&v->g, v->layout.track, e->x);
        if (!v->hides)
            return point(v, e);
        translation_hide(v, source_at(v, e->x, e->y), v->hide_value);
        return true;
    case VIZ_RELEASE:
        v->g.scrubs = v->hides = false;
        return false;
    case VIZ_LEAVE:
        v->hover_row = v->hover_column = -1;
        return true;
    default:
        return false;
    }
}

/* ---------------------------------------------------------------- spots */

static const char *const value_tips[VALUE_COUNT] = {
    "Scores are divided by it before the softmax: above 1 the attention spreads, below 1 it "
    "gathers.",
    "Beam width: the number of translations that the search keeps; the most probable one is shown.",
    "How the words of either sentence are compared: each is a model of its own.",
};

void translation_spots(const viz_view *view, viz_spots *spots)
{
    const translation_view *v = (const translation_view *)view;
    const translation_layout *l = &v->layout;
    const translation_panel *p = &l->panel;
    if (v->g.list.open) {
        viz_word_list_spots(&v->g.list, spots);
        return;
    }
    viz_spots_add(spots, l->field, VIZ_SPOT_PRESSES,
                  "Click, and type an English sentence: it is translated as you type.");
    for (int i = 0; i < v->g.caption.grid_w; i++)
        viz_spots_add(spots, p->source_words.word[i], VIZ_SPOT_PRESSES,
                      translation_is_hidden(v, i) ? "Click to show this word to the model again."
                                                  : "Click to hide this word from the attention.");
    int current = viz_generation_word(&v->g);
    for (int i = 0; i < v->g.caption.count; i++)
        viz_spots_add(spots, p->target.word[i], VIZ_SPOT_PRESSES,
                      i == current ? "Click to put another word here."
                                   : "Click to see what this word looks at.");
    for (int i = 0; i < v->g.caption.count; i++)
        if (v->g.chosen[i])
            viz_spots_add(spots, p->cross[i], VIZ_SPOT_PRESSES,
                          "Take back the word that you chose.");
    if (p->grid.rows)
        viz_spots_add(spots, p->grid.cells, VIZ_SPOT_AREA,
                      "One row a word of the translation, one column a word of the sentence; click "
                      "a row to go there.");
    viz_spots_add(spots, p->bar, VIZ_SPOT_READOUT,
                  "What the colours mean; 1/N is the weight that every word would have, were all "
                  "equal.");
    viz_generation_spots(&v->g, spots, l->play, l->track, l->value, value_tips, VALUE_COUNT);
    viz_spots_add_caps(spots, &l->caps);
}

/* ---------------------------------------------------------------- settings */

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
