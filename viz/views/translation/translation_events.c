/* The pointer and the keys in the translation view, and its spots with their sentences. */
#include <math.h>

#include "parts/player.h"
#include "translation/translation_state.h"

/* ---------------------------------------------------------------- what is where */

static viz_rect wide_track(const translation_layout *l)
{
    return (viz_rect){l->track.x - 8, l->track.y, l->track.w + 16, l->track.h};
}

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
    return word_in(&v->layout.panel.source_words, v->caption.grid_w, x, y);
}

static int target_at(const translation_view *v, float x, float y)
{
    return word_in(&v->layout.panel.target, v->caption.count, x, y);
}

static bool cell_at(const translation_view *v, float x, float y, int *row, int *column)
{
    return v->layout.panel.grid.rows && viz_grid_hit(&v->layout.panel.grid, x, y, row, column);
}

static int value_at(const translation_view *v, float x, float y)
{
    for (int i = 0; i < VALUE_COUNT; i++) {
        viz_rect r = v->layout.value[i];
        if (r.w > 0 && viz_inside((viz_rect){r.x - 8, r.y, r.w + 16, r.h}, x, y))
            return i;
    }
    return -1;
}

/* ---------------------------------------------------------------- keys */

static bool step_word(translation_view *v, int step)
{
    v->player.playing = false;
    translation_go(v, v->player.step + step);
    return true;
}

static bool change_speed(translation_view *v, float factor)
{
    v->player.speed = fminf(fmaxf(v->player.speed * factor, 0.25f), 4);
    snprintf(v->message, sizeof v->message, "speed %.2f×", (double)v->player.speed);
    return true;
}

static bool open_list(translation_view *v, int word)
{
    bool opened = viz_word_list_open(&v->list, v->source, &v->caption, word);
    if (opened)
        v->player.playing = false;
    return opened;
}

static bool show_truth(translation_view *v)
{
    v->truth = !v->truth;
    if (v->truth && !v->sentence.has_truth)
        snprintf(v->message, sizeof v->message,
                 "no reference alignment for your sentence: N turns to one that has it");
    return true;
}

static bool time_key(translation_view *v, int key)
{
    switch (key) {
    case ' ':
        viz_player_play(&v->player, v->caption.count, !v->player.playing);
        v->fresh = false;
        return true;
    case VIZ_KEY_LEFT:
        return step_word(v, -1);
    case VIZ_KEY_RIGHT:
        return step_word(v, 1);
    case VIZ_KEY_HOME:
        return step_word(v, -WORDS);
    case VIZ_KEY_END:
        return step_word(v, WORDS);
    case '+':
        return change_speed(v, 1.25f);
    case '-':
        return change_speed(v, 0.8f);
    case 'y':
        v->player.loops = !v->player.loops;
        snprintf(v->message, sizeof v->message,
                 v->player.loops ? "at the end it begins again" : "at the end it rests");
        return true;
    default:
        return false;
    }
}

static bool asking_key(translation_view *v, const viz_event *e)
{
    switch (e->key) {
    case VIZ_KEY_RETURN:
        return open_list(v, translation_word_of(v));
    case 'n':
        return translation_turn(v, e->shift ? -1 : 1);
    case 'p':
        return translation_turn(v, -1);
    case 'e':
        return translation_step_value(v, VALUE_TEMPERATURE, e->shift);
    case 'w':
        return translation_step_value(v, VALUE_BEAM, e->shift);
    case 'g':
        return translation_step_value(v, VALUE_MODEL, e->shift);
    case 't':
        return show_truth(v);
    case 'u':
        return translation_show_all(v);
    default:
        return false;
    }
}

static bool press_key(translation_view *v, const viz_event *e)
{
    bool had_message = v->message[0];
    v->message[0] = '\0';
    if (e->ctrl && e->key == 'l') {
        translation_begin_typing(v);
        return true;
    }
    if (e->ctrl || e->key == VIZ_KEY_ESCAPE)
        return had_message;
    return time_key(v, e->key) || asking_key(v, e) || had_message;
}

/* ---------------------------------------------------------------- pointer */

static bool press_cross(translation_view *v, float x, float y)
{
    for (int i = 0; i < v->caption.count; i++)
        if (v->prefix.replaced[i] && viz_inside(v->layout.panel.cross[i], x, y) &&
            viz_prefix_take_back(&v->prefix, i)) {
            translation_changed(v);
            return true;
        }
    return false;
}

/* A word that is current already is replaced. */
static bool press_target(translation_view *v, int word)
{
    if (word == translation_word_of(v))
        return open_list(v, word);
    v->player.playing = false;
    translation_go(v, word);
    return true;
}

static bool press_words(translation_view *v, const viz_event *e)
{
    int row, column, word = source_at(v, e->x, e->y);
    if (word >= 0) {
        v->hides = true;
        v->hide_value = !translation_is_hidden(v, word);
        translation_hide(v, word, v->hide_value);
        return true;
    }
    if (e->button != 1)
        return false;
    word = target_at(v, e->x, e->y);
    if (word >= 0)
        return press_target(v, word);
    if (!cell_at(v, e->x, e->y, &row, &column))
        return false;
    v->player.playing = false;
    translation_go(v, row);
    return true;
}

static bool press(translation_view *v, const viz_event *e)
{
    const translation_layout *l = &v->layout;
    int value = value_at(v, e->x, e->y);
    bool changed = v->message[0] || v->field.typing;
    bool in_field = e->button == 1 && viz_inside(l->field, e->x, e->y);
    v->message[0] = '\0';
    if (!in_field)
        v->field.typing = v->field.all = false;
    if (value >= 0)
        return translation_step_value(v, (translation_value)value, e->button == 3 || e->shift) ||
               changed;
    if (in_field)
        translation_begin_typing(v);
    else if (e->button == 1 && viz_inside(l->play, e->x, e->y))
        time_key(v, ' ');
    else if (e->button == 1 && viz_inside(wide_track(l), e->x, e->y)) {
        v->scrubs = true;
        v->player.playing = false;
        translation_go(v, viz_timeline_step_at(l->track, v->caption.count, e->x));
    } else
        return (e->button == 1 && press_cross(v, e->x, e->y)) || press_words(v, e) || changed;
    return true;
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

static bool move(translation_view *v, const viz_event *e)
{
    if (v->scrubs)
        return translation_go(v, viz_timeline_step_at(v->layout.track, v->caption.count, e->x));
    if (!v->hides)
        return point(v, e);
    translation_hide(v, source_at(v, e->x, e->y), v->hide_value);
    return true;
}

static bool list_event(translation_view *v, const viz_event *e)
{
    int word;
    bool changed = viz_word_list_event(&v->list, e, &word);
    if (word >= 0)
        translation_replace(v, v->list.word, word);
    return changed;
}

bool translation_event(viz_view *view, const viz_event *e)
{
    translation_view *v = translation_of(view);
    if (v->list.open)
        return list_event(v, e);
    switch (e->kind) {
    case VIZ_KEY:
        if (e->ctrl && e->key == 'v')
            return translation_paste(v, e->text ? e->text : "");
        return v->field.typing ? translation_field_key(v, e) : press_key(v, e);
    case VIZ_PRESS:
        return press(v, e);
    case VIZ_MOVE:
        return move(v, e);
    case VIZ_RELEASE:
        v->scrubs = v->hides = false;
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
    "How many translations are followed at once; the most probable one is said.",
    "How the words of either sentence are compared: each is a model of its own.",
};

static void add_panel(const translation_view *v, viz_spots *spots)
{
    const translation_panel *p = &v->layout.panel;
    for (int i = 0; i < v->caption.grid_w; i++)
        viz_spots_add(spots, p->source_words.word[i], VIZ_SPOT_PRESSES,
                      translation_is_hidden(v, i) ? "Click to show this word to the model again."
                                                  : "Click to hide this word from the attention.");
    int current = translation_word_of(v);
    for (int i = 0; i < v->caption.count; i++)
        viz_spots_add(spots, p->target.word[i], VIZ_SPOT_PRESSES,
                      i == current ? "Click to say another word here."
                                   : "Click to see what this word looks at.");
    for (int i = 0; i < v->caption.count; i++)
        if (v->prefix.replaced[i])
            viz_spots_add(spots, p->cross[i], VIZ_SPOT_PRESSES,
                          "Take back the word that you chose.");
    if (p->grid.rows)
        viz_spots_add(spots, p->grid.cells, VIZ_SPOT_AREA,
                      "One row a word of the translation, one column a word of the sentence; click "
                      "a row to go there.");
    viz_spots_add(spots, p->bar, VIZ_SPOT_READS,
                  "What the colours mean; 1/N is the weight that every word would have, were all "
                  "equal.");
}

void translation_spots(const viz_view *view, viz_spots *spots)
{
    const translation_view *v = (const translation_view *)view;
    const translation_layout *l = &v->layout;
    if (v->list.open) {
        viz_word_list_spots(&v->list, spots);
        return;
    }
    viz_spots_add(spots, l->field, VIZ_SPOT_PRESSES,
                  "Click, and type an English sentence: it is translated as you type.");
    add_panel(v, spots);
    viz_spots_add(spots, l->play, VIZ_SPOT_PRESSES, "Play the words one after the other, or rest.");
    viz_spots_add(spots, wide_track(l), VIZ_SPOT_SLIDES, "Drag to go through the words.");
    for (int i = 0; i < VALUE_COUNT; i++) {
        viz_rect r = l->value[i];
        if (r.w > 0)
            viz_spots_add(spots, (viz_rect){r.x - 8, r.y, r.w + 16, r.h}, VIZ_SPOT_STEPS,
                          value_tips[i]);
    }
    viz_spots_add_caps(spots, &l->caps);
}
