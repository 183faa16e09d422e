/* The pointer, the keys and time in views of sentences, and what answers the pointer. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "parts/figures/overlays.h"
#include "sentence/sentence_state.h"
#include "view/words.h"

/* ---------------------------------------------------------------- what is where */

static int cell_along_axis(float place, float from, float size, int cells)
{
    return (int)floorf((place - from) / size * (float)cells);
}

/* The cell of the picture at a place, which may be outside of it. */
static void picture_cell_at(const sentence_view *v, float x, float y, int cell[2])
{
    viz_rect picture = v->layout.picture;
    cell[0] = cell_along_axis(x, picture.x, picture.w, v->base.source->picture.grid_w);
    cell[1] = cell_along_axis(y, picture.y, picture.h, v->base.source->picture.grid_h);
}

/* The cell of the picture, or the word of the input; −1: none. */
static int input_at(const sentence_view *v, float x, float y)
{
    int cell[2];
    if (v->sees) {
        picture_cell_at(v, x, y, cell);
        return viz_inside(v->layout.picture, x, y)
                   ? cell[1] * v->base.source->picture.grid_w + cell[0]
                   : -1;
    }
    for (int i = 0; i < v->result.grid_w; i++)
        if (viz_inside(v->layout.source.word[i], x, y))
            return i;
    return -1;
}

/* The word of the sentence, in which it is pressed; those of a translation touch each other. */
static viz_rect word_rect(const sentence_view *v, int word)
{
    viz_rect r = v->layout.line.word[word];
    float reach = v->sees ? 4 : 0;
    return (viz_rect){r.x - reach, r.y, r.w + 2 * reach, r.h};
}

/* The rows of the matrix with their names. */
static viz_rect matrix_rows(const sentence_layout *l)
{
    return (viz_rect){l->matrix_names.x, l->matrix.y, l->matrix.x + l->matrix.w - l->matrix_names.x,
                      l->matrix.h};
}

/* A cell of the matrix: its word, and the cell or word of the input. */
static bool matrix_at(const sentence_view *v, float x, float y, int *row, int *column)
{
    const sentence_layout *l = &v->layout;
    const int count = v->result.count;
    if (l->grid.rows)
        return viz_grid_hit(&l->grid, x, y, row, column);
    if (count < 1 || !viz_inside(l->matrix, x, y))
        return false;
    int w, h;
    sentence_grid(v, &w, &h);
    *row = cell_along_axis(y, l->matrix.y, l->matrix.h, count);
    *column = cell_along_axis(x, l->matrix.x, l->matrix.w, w * h);
    return true;
}

/* The word of the sentence, of a small map or of a row of the matrix; −1: none. */
static int word_at(const sentence_view *v, float x, float y, bool *in_sentence)
{
    const sentence_layout *l = &v->layout;
    const int count = v->result.count;
    int row, column;
    for (int i = 0; i < count; i++) {
        *in_sentence = viz_inside(word_rect(v, i), x, y);
        if (*in_sentence || viz_inside(l->thumb[i], x, y) || viz_inside(l->label[i], x, y) ||
            viz_inside(l->small[i], x, y))
            return i;
    }
    if (count > 0 && viz_inside(matrix_rows(l), x, y))
        return cell_along_axis(y, l->matrix.y, l->matrix.h, count);
    return l->grid.rows && matrix_at(v, x, y, &row, &column) ? row : -1;
}

/* ---------------------------------------------------------------- what is hidden */

/* Where the left button paints too, a hand's breadth: three cells of twenty. */
#define BRUSH(w, h) (((w) > (h) ? (w) : (h)) / 14)

/* A stroke from where the brush was; or the rectangle from where the drag began, which gives its
 * cells back where it shrinks again. */
static void extend_hiding_to(sentence_view *v, const int to[2])
{
    int w, h, changed = 1;
    sentence_grid(v, &w, &h);
    if (v->drag == DRAGS_RECTANGLE) {
        memcpy(v->hidden, v->hidden_before, (size_t)w * (size_t)h);
        viz_hidden_rectangle(v->hidden, w, h, v->brush, to, v->hide_value);
    } else {
        changed = viz_hidden_stroke(v->hidden, w, h, v->brush, to, v->numbers ? 0 : BRUSH(w, h),
                                    v->hide_value);
        memcpy(v->brush, to, sizeof v->brush);
    }
    if (changed)
        sentence_update_hidden_count(v);
}

/* Hides what is at a place of the input, or shows it where it is hidden. */
static void begin_stroke(sentence_view *v, int at)
{
    int w, h;
    sentence_grid(v, &w, &h);
    if (!v->hidden_count)
        memset(v->hidden, 0, (size_t)w * (size_t)h);
    v->hide_value = !v->hidden[at];
    v->brush[0] = at % w;
    v->brush[1] = at / w;
    memcpy(v->hidden_before, v->hidden, (size_t)w * (size_t)h);
    extend_hiding_to(v, (int[2]){at % w, at / w});
}

static bool begin_hiding(sentence_view *v, const viz_event *e)
{
    bool hides =
        !v->sees || e->button == 3 || (e->button == 1 && (v->hide_mode || e->shift || !v->numbers));
    int at = input_at(v, e->x, e->y);
    if (!hides || at < 0)
        return false;
    v->drag = e->shift || !v->sees ? DRAGS_RECTANGLE : DRAGS_CELLS;
    begin_stroke(v, at);
    return true;
}

/* ---------------------------------------------------------------- where it is held */

/* So that a saved place is a short text. */
static float hundredths(float cells)
{
    return roundf(100 * cells) / 100;
}

/* The middle of the spot follows the pointer, within the picture. */
static bool move_gaze_to(sentence_view *v, float x, float y)
{
    const sac_picture_source *source = &v->base.source->picture;
    const viz_rect r = v->layout.picture;
    const float w = (float)source->grid_w, h = (float)source->grid_h;
    const float to_x = hundredths(fminf(fmaxf((x - r.x) / r.w, 0), 1) * w - 0.5f),
                to_y = hundredths(fminf(fmaxf((y - r.y) / r.h, 0), 1) * h - 0.5f);
    if (to_x == v->gaze.x && to_y == v->gaze.y)
        return false;
    v->gaze.x = to_x;
    v->gaze.y = to_y;
    sentence_mark_changed(&v->base);
    return true;
}

/* From the current word on; a place that was held is moved, and the words from which it is stay. */
static bool begin_gaze(sentence_view *v, const viz_event *e)
{
    const sac_picture_source *source = &v->base.source->picture;
    const int word = sentence_current_word(v);
    if (!v->gaze_mode || e->button != 1 || word < 0 || !viz_inside(v->layout.picture, e->x, e->y))
        return false;
    if (!sac_gaze_is_held(&v->gaze))
        v->gaze.radius = sac_gaze_usual_radius(source->grid_w, source->grid_h);
    v->gaze.from = sac_result_step(&v->result, word);
    v->drag = DRAGS_GAZE;
    v->fresh = v->player.playing = false;
    v->gaze.x = v->gaze.y = INFINITY;
    return move_gaze_to(v, e->x, e->y);
}

/* The wheel makes the spot wider, or narrower. */
static bool widen_gaze(sentence_view *v, const viz_event *e)
{
    const float radius = v->gaze.radius * (e->wheel_y > 0 ? 1.25f : 0.8f);
    const float most = 0.5f * (float)v->base.source->picture.grid_w;
    if (!v->gaze_mode || !sac_gaze_is_held(&v->gaze) || e->wheel_y == 0 ||
        !viz_inside(v->layout.picture, e->x, e->y))
        return false;
    v->gaze.radius = hundredths(fminf(fmaxf(radius, SAC_GAZE_LEAST), fmaxf(most, 1)));
    sentence_mark_changed(&v->base);
    return true;
}

/* It looks by itself again. */
static bool let_gaze_go(sentence_view *v)
{
    if (!sac_gaze_is_held(&v->gaze))
        return false;
    v->gaze = (sac_gaze){0};
    sentence_mark_changed(&v->base);
    return true;
}

static void toggle_gaze_mode(sentence_view *v)
{
    if (!sentence_holds(&v->base)) {
        snprintf(v->message, sizeof v->message, "no word of this model looks at cells");
        return;
    }
    v->gaze_mode = !v->gaze_mode;
    v->hide_mode = false;
    v->player.playing = v->player.playing && !v->gaze_mode;
}

/* ---------------------------------------------------------------- what is typed */

static bool press_begin_typing(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    viz_text_field_begin(&sentence_of(view)->field);
    sentence_of(view)->player.playing = false;
    return true;
}

/* In the place of the whole sentence, or where the caret stands while one is typed. */
static bool paste(sentence_view *v, const char *text)
{
    if (!viz_text_field_paste(&v->field, text))
        return false;
    v->player.playing = false;
    if (text[0])
        sentence_set_typed_text(v, v->field.text);
    return true;
}

/* ---------------------------------------------------------------- keys */

/* The speed is seen beside the track. */
static bool press_player_key(viz_view *view, viz_pressed pressed)
{
    sentence_view *v = sentence_of(view);
    const int before = v->player.step, key = pressed.key;
    if (key == ' ' && v->ended && before == sac_result_narrowest(&v->result)) /* once more */
        v->player.step = v->result.count - 1;
    viz_player_press(&v->player, v->result.count, key, v->message, sizeof v->message);
    v->fresh = false;
    if (v->player.step != before)
        sentence_glide(v);
    if (key == '+' || key == '-')
        v->message[0] = '\0';
    return true;
}

static bool press_open_word_list(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    return sentence_open_list(sentence_of(view), sentence_current_word(sentence_of(view)));
}

/* Turns to another picture; past the ends around, or to new scenes. */
static bool press_next_picture(viz_view *view, viz_pressed pressed)
{
    sentence_view *v = sentence_of(view);
    const sentence_scene *scene = &v->scene;
    int coming = v->wanted >= 0 ? v->wanted : scene->picture;
    int to = viz_picture_after(v->failed_picture >= 0 ? v->failed_picture : coming, pressed.step,
                               scene->pictures, scene->scenes);
    if (!sentence_has_other_pictures(view)) {
        snprintf(v->message, sizeof v->message, "%s", "this is the only picture");
        return true;
    }
    v->failed_picture = -1;
    if (to == coming)
        return false;
    v->wanted = to == scene->picture && !v->request.out ? -1 : to;
    v->keeps_edits = false;
    v->list.open = false;
    v->message[0] = '\0';
    return true;
}

static bool press_next_sentence(viz_view *view, viz_pressed pressed)
{
    sentence_view *v = sentence_of(view);
    int to = (v->wanted >= 0 ? v->wanted : v->scene.picture) + pressed.step;
    if (to < 0) {
        snprintf(v->message, sizeof v->message, "this is the first sentence");
        return true;
    }
    sentence_forget_edits(v);
    v->wanted = to;
    v->fresh = true;
    sentence_mark_changed(view);
    return true;
}

/* Of a sentence it is kept for those that come, which may have one. */
static bool press_toggle_truth(viz_view *view, viz_pressed pressed)
{
    sentence_view *v = sentence_of(view);
    const bool sees = v->sees, known = v->scene.has_truth;
    (void)pressed;
    if (known || !sees)
        v->truth = !v->truth;
    if (!known && (sees || v->truth))
        snprintf(v->message, sizeof v->message, "%s",
                 sees ? "no ground truth for this picture"
                      : "no reference alignment for your sentence: N turns to one with it");
    return true;
}

/* The line below the sentence then names the weights that are shown. */
static bool press_turn_layer_or_head(viz_view *view, viz_pressed pressed)
{
    sentence_view *v = sentence_of(view);
    if (view->source->weights.layers > 0)
        return pressed.key == 'r'
                   ? viz_view_step_setting(view, "head", pressed.step, 0)
                   : viz_view_step_setting(view, "layer", -pressed.step, 0); /* ↑ goes on */
    snprintf(v->message, sizeof v->message, "this model has one map for each word");
    return true;
}

/* The keyboard begins where the current word looks most, if the pointer is elsewhere. */
static bool press_toggle_drag_mode(viz_view *view, viz_pressed pressed)
{
    sentence_view *v = sentence_of(view);
    const int word = sentence_current_word(v);
    if (pressed.key == 'j' && !viz_view_step_setting(view, "gaze heads", 1, 0))
        snprintf(v->message, sizeof v->message, "%s",
                 viz_word("this model has no heads that look at the picture"));
    if (pressed.key == 'j')
        return true;
    if (pressed.key == 'x') {
        toggle_gaze_mode(v);
        return true;
    }
    v->hide_mode = !v->hide_mode;
    v->gaze_mode = false;
    if (!v->hide_mode)
        v->column = -1;
    else if (v->column < 0) {
        const sac_result_output *w = &v->result.outputs[word < 0 ? 0 : word];
        v->column = word < 0 ? 0 : w->peak_y * view->source->picture.grid_w + w->peak_x;
        v->row = -1;
    }
    return true;
}

/* While cells are hidden, arrows go from cell to cell, and space and Return hide what is there, or show it
 * again. */
static bool move_or_hide_by_key(sentence_view *v, const viz_event *e)
{
    int w, h, right = (e->key == VIZ_KEY_RIGHT) - (e->key == VIZ_KEY_LEFT);
    int down = (e->key == VIZ_KEY_DOWN) - (e->key == VIZ_KEY_UP);
    bool hides = e->key == ' ' || e->key == VIZ_KEY_RETURN;
    if (!v->hide_mode || e->ctrl || !(right || down || hides))
        return false;
    sentence_grid(v, &w, &h);
    int at = v->column < 0 ? 0 : v->column, x = at % w + right, y = at / w + down;
    x = x < 0 ? 0 : x < w ? x : w - 1;
    y = y < 0 ? 0 : y < h ? y : h - 1;
    v->row = -1;
    v->column = y * w + x;
    if (hides) {
        v->drag = DRAGS_NOTHING;
        begin_stroke(v, v->column);
    }
    return true;
}

static bool press_show_all(viz_view *view, viz_pressed pressed)
{
    sentence_view *v = sentence_of(view);
    (void)pressed;
    if (v->hidden_count > 0)
        sentence_mark_changed(view);
    v->hidden_count = v->hidden_of = 0;
    return true;
}

#define MODEL_KEYS                                                                                 \
    {"G", "the next model", .setting = "model"},                                                   \
        {"E", "temperature up (shift: down)", .setting = "temperature"},                           \
        {"W", "wider beam (shift: narrower)", .setting = "beam"},                                  \
        {"D", "does it matter where it looked?", .setting = "matters"},                            \
        {"Return", "another word here", press_open_word_list},                                     \
    {                                                                                              \
        "Z", "the kind of map: raw attention, or what is made of it", .setting = "attribution",    \
                                                                      .acts = sentence_has_maps    \
    }

const viz_key_row caption_keys[] = {
    VIZ_PLAYER_KEYS(press_player_key),
    {"N  P", "next picture, back", press_next_picture, .acts = sentence_has_other_pictures},
    {"T", "the truth", press_toggle_truth, .acts = sentence_has_truth},
    {"C", "compare models"},
    MODEL_KEYS,
    {"↑  ↓", "layer alone, or the mean", press_turn_layer_or_head, .acts = sentence_has_layers},
    {"R", "one head alone (shift: back)", press_turn_layer_or_head, .acts = sentence_has_layers},
    {"K", "leave out sinks, at which every word looks", .setting = "without sinks",
     .acts = sentence_answers_question},
    {"shift drag", "hide a rectangle of cells"},
    {"right drag", "hide cells"},
    {"H  X  J", "drag, or arrows and space: hide; hold its look; gaze heads",
     press_toggle_drag_mode},
    {"U", "show all cells", press_show_all},
    {"F", "all in one figure", .setting = "layout"},
    {"L", "scale: per map, shared, square root, logarithmic, fixed", .setting = "scale"},
    VIZ_STYLE_KEYS,
    {"=", "the numbers", .setting = "numbers"},
    {"B", "blocky or smooth", .setting = "cells drawn"},
    {NULL, NULL},
};

const viz_key_row translation_keys[] = {
    {"ctrl L  ctrl A", "type a sentence", press_begin_typing},
    {"ctrl V", "paste one"},
    VIZ_PLAYER_KEYS(press_player_key),
    {"N  P", "next sentence, back", press_next_sentence},
    {"T", "the true alignment", press_toggle_truth},
    {"C", "compare models"},
    MODEL_KEYS,
    {"right drag", "hide words of the sentence; or click"},
    {"U", "show all words", press_show_all},
    {NULL, NULL},
};

/* Closes the topmost overlay. False: there is none; then the last step is undone. */
static bool close_topmost_overlay(sentence_view *v)
{
    if (v->hide_mode) {
        v->hide_mode = false;
        v->column = -1;
    } else if (v->gaze_mode) {
        v->gaze_mode = false;
        let_gaze_go(v);
    } else if (v->message[0])
        v->message[0] = '\0';
    else if (v->matters.on)
        viz_view_step_setting(&v->base, "matters", 1, 0);
    else if (v->base.figure)
        v->base.figure = false;
    else
        return let_gaze_go(v);
    return true;
}

static bool handle_key(sentence_view *v, const viz_event *e)
{
    bool had_message = v->message[0];
    if (!v->sees && e->ctrl && e->key == 'v')
        return paste(v, e->text ? e->text : "");
    if (v->field.typing) {
        if (e->key == VIZ_KEY_RIGHT && !e->ctrl && !e->shift && word_completions_take(v, 0))
            return true;
        bool typed = false, taken = viz_text_field_key(&v->field, e, &typed);
        if (typed)
            sentence_set_typed_text(v, v->field.text);
        return taken;
    }
    if (e->key == VIZ_KEY_ESCAPE)
        return close_topmost_overlay(v);
    v->message[0] = '\0';
    return move_or_hide_by_key(v, e) || viz_keys_press(v->base.class->keys, &v->base, e) ||
           had_message;
}

/* ---------------------------------------------------------------- pointer */

/* So wide that the knob can be held at the ends. */
static viz_rect widened_track(viz_rect track)
{
    return (viz_rect){track.x - 8, track.y, track.w + 16, track.h};
}

static bool scrub(sentence_view *v, float x)
{
    return v->result.count > 0 && v->layout.track.w > 0 &&
           sentence_go(v, viz_timeline_step_at(v->layout.track, v->result.count, x));
}

/* The word and the input under the pointer; true where they are others. */
static bool update_pointed(sentence_view *v, float x, float y)
{
    const int row = v->row, column = v->column;
    bool in_sentence = false;
    v->row = -1;
    v->column = input_at(v, x, y);
    if (v->column < 0 && !matrix_at(v, x, y, &v->row, &v->column) && !v->sees)
        v->row = word_at(v, x, y, &in_sentence);
    return v->row != row || v->column != column;
}

static bool press_word(sentence_view *v, const viz_event *e)
{
    bool in_sentence = false;
    for (int i = 0; i < v->result.count; i++)
        if (sentence_is_replaced(v, i) && viz_inside(v->layout.line.cross[i], e->x, e->y)) {
            sentence_take_back(v, i);
            return true;
        }
    int word = word_at(v, e->x, e->y, &in_sentence);
    if (word < 0)
        return false;
    if (in_sentence && word == sentence_current_word(v)) { /* it is replaced */
        sentence_open_list(v, word);
        return true;
    }
    v->drag = DRAGS_WORDS;
    return sentence_stop_at_word(v, word);
}

static bool press(sentence_view *v, const viz_event *e)
{
    const sentence_layout *l = &v->layout;
    bool changed = v->message[0] || v->field.typing, control;
    bool in_field = e->button == 1 && viz_inside(l->field, e->x, e->y);
    v->message[0] = '\0';
    if (e->button == 1 && word_completions_take(v, word_completions_hit(v, e->x, e->y)))
        return true;
    if (!in_field)
        v->field.typing = v->field.all = false;
    if (viz_controls_event(&v->controls, &v->base, e, &control))
        return changed || control;
    if (in_field)
        return press_begin_typing(&v->base, (viz_pressed){0});
    if (begin_gaze(v, e) || begin_hiding(v, e))
        return true;
    if (e->button != 1)
        return changed;
    if (viz_inside(l->play, e->x, e->y))
        return press_player_key(&v->base, (viz_pressed){' ', 1, 0});
    if (viz_inside(widened_track(l->track), e->x, e->y)) {
        v->drag = DRAGS_TRACK;
        v->player.playing = false;
        scrub(v, e->x);
        return true;
    }
    return press_word(v, e) || changed;
}

static bool handle_pointer_move(sentence_view *v, const viz_event *e)
{
    int cell[2] = {0};
    bool in_sentence = false;
    if (v->drag == DRAGS_NOTHING)
        return update_pointed(v, e->x, e->y);
    if (v->drag == DRAGS_TRACK)
        return scrub(v, e->x);
    if (v->drag == DRAGS_GAZE)
        return move_gaze_to(v, e->x, e->y);
    if (v->drag == DRAGS_WORDS) {
        int word = word_at(v, e->x, e->y, &in_sentence);
        return word >= 0 && sentence_go(v, word);
    }
    if (v->sees)
        picture_cell_at(v, e->x, e->y, cell);
    else if ((cell[0] = input_at(v, e->x, e->y)) < 0)
        return false;
    extend_hiding_to(v, cell);
    return true;
}

bool sentence_event(viz_view *view, const viz_event *e)
{
    sentence_view *v = sentence_of(view);
    bool changed;
    if (v->demo.state != DEMO_OFF &&
        (e->kind == VIZ_KEY || e->kind == VIZ_PRESS || e->kind == VIZ_WHEEL)) {
        bool runs = sentence_demo_runs(v);
        sentence_demo_end(v, false);
        if (runs && e->kind == VIZ_KEY)
            return true; /* it ended the demo, and does nothing else */
    }
    if (v->demo.state == DEMO_TURN) /* a person is there */
        v->demo.since = v->player.now;
    if (v->list.open) {
        int word;
        changed = viz_word_list_event(&v->list, e, &word);
        if (word >= 0)
            sentence_replace(v, v->list.word, word);
        return changed;
    }
    if (v->base.figure && e->kind != VIZ_KEY)
        return false;
    switch (e->kind) {
    case VIZ_MOVE:
        return handle_pointer_move(v, e);
    case VIZ_LEAVE:
        return v->drag == DRAGS_NOTHING && update_pointed(v, -1, -1);
    case VIZ_PRESS:
        return press(v, e);
    case VIZ_WHEEL:
        if (viz_controls_event(&v->controls, view, e, &changed))
            return changed;
        if (widen_gaze(v, e))
            return true;
        return e->wheel_y != 0 && v->layout.first.h > 0 && e->y > v->layout.first.y &&
               sentence_stop_at_word(v, v->player.step + (e->wheel_y > 0 ? -1 : 1));
    case VIZ_KEY:
        return handle_key(v, e);
    case VIZ_RELEASE:
        v->drag = DRAGS_NOTHING;
        return false;
    default: /* the pointer left the window */
        v->drag = DRAGS_NOTHING;
        v->row = v->column = -1;
        return true;
    }
}

/* ---------------------------------------------------------------- what answers the pointer */

static const char *button_tip(const char *cap)
{
    static const char *const tips[][2] = {
        {"space", "Play it again, word by word."},
        {"U", "Show the whole picture to the model again."},
        {"H", "Drag over the picture: what you cover, the model does not see."},
        {"X", "Drag over the picture: from the current word on it looks there."},
        {"D", "Generate the word again without the cells that it looked at most."},
        {"ctrl O", "Open pictures, a captioner of your own, or a model of others."},
        {"N", "The next picture."},
        {"=", "One map for each word, entropies, probabilities."},
    };
    for (size_t i = 0; i < sizeof tips / sizeof *tips; i++)
        if (strcmp(tips[i][0], cap) == 0)
            return tips[i][1];
    return "";
}

static void add_caption_spots(const sentence_view *v, viz_spots *spots)
{
    const sentence_layout *l = &v->layout;
    viz_spots_add(spots, l->picture, VIZ_SPOT_AREA,
                  v->gaze_mode ? "Drag: from the current word on it looks at this place; the wheel "
                                 "makes the spot wider."
                  : !v->numbers ? "Drag over the picture: what you cover, the model does not see."
                  : v->base.source->weights.explain
                      ? "Point at a cell for its weight, double click to see why; drag with the "
                        "right button to hide cells, with shift a rectangle."
                      : "Point at a cell for its weight; drag with the right button to hide cells, "
                        "with shift a rectangle.");
    if (v->result.count > 0) {
        viz_spots_add(spots, matrix_rows(l), VIZ_SPOT_AREA,
                      "One row a word, one column a cell of the picture; click a row to see it.");
        viz_spots_add(
            spots, l->measures, VIZ_SPOT_READOUT,
            v->result.has_row_ends
                ? "β is the share of the attention on the picture's cells; tokens at the ends of "
                  "its rows lie on no cell and have their own share, and the text has the rest."
                : "Entropy measures how far the attention spreads, 0 bits being a single cell; β "
                  "is "
                  "how much the picture counts for this word.");
    }
    for (int i = 0; i < v->result.count; i++) {
        viz_spots_add(spots, l->thumb[i], VIZ_SPOT_PRESSES, "Where this word looks.");
        viz_spots_add(spots, l->label[i], VIZ_SPOT_PRESSES, "Where this word looks.");
        viz_spots_add(spots, l->small[i], VIZ_SPOT_PRESSES,
                      v->truth && v->scene.has_truth
                          ? "The share of the attention that lies on the word's own object."
                          : "How probable this word was to the model.");
    }
    viz_spots_add_press(spots, l->bar, "L",
                        "What the colours mean, 1/N being the weight that every cell would have, "
                        "were all equal; click for the next scale.");
    for (int i = 0; i < l->buttons.count; i++)
        if (!l->button_caps[i])
            viz_spots_add_place(
                spots, l->buttons.items[i], "lesson",
                "Lessons: attention step by step, with numbers that you can change.");
        else
            viz_spots_add_press(spots, l->buttons.items[i], l->button_caps[i],
                                button_tip(l->button_caps[i]));
}

static void add_translation_spots(const sentence_view *v, viz_spots *spots)
{
    const sentence_layout *l = &v->layout;
    viz_spots_add(spots, l->field, VIZ_SPOT_PRESSES,
                  "Click, and type a sentence: it is translated as you type.");
    word_completions_spots(v, spots);
    for (int i = 0; i < v->result.grid_w; i++)
        viz_spots_add(spots, l->source.word[i], VIZ_SPOT_PRESSES,
                      sentence_is_hidden(v, i) ? "Click to show this word to the model again."
                                               : "Click to hide this word from the attention.");
    if (l->grid.rows)
        viz_spots_add(spots, l->grid.cells, VIZ_SPOT_AREA,
                      "One row a word of the translation, one column a word of the sentence; click "
                      "a row to go there.");
    viz_spots_add(spots, l->bar, VIZ_SPOT_READOUT,
                  "What the colours mean; 1/N is the weight that every word would have, were all "
                  "equal.");
}

/* The list of words covers everything else. */
void sentence_spots(const viz_view *view, viz_spots *spots)
{
    const sentence_view *v = sentence_of(view);
    const sentence_layout *l = &v->layout;
    if (v->base.figure || sentence_demo_runs(v)) /* nothing covers what it shows */
        return;
    if (v->list.open) {
        viz_word_list_spots(&v->list, spots);
        return;
    }
    (v->sees ? add_caption_spots : add_translation_spots)(v, spots);
    for (int i = 0; i < v->result.count; i++) {
        viz_spots_add(spots, word_rect(v, i), VIZ_SPOT_PRESSES,
                      i == sentence_current_word(v) ? "Click to put another word here."
                      : v->sees                     ? "Click to see where this word looks."
                                                    : "Click to see what this word looks at.");
        if (sentence_is_replaced(v, i))
            viz_spots_add(spots, l->line.cross[i], VIZ_SPOT_PRESSES,
                          "Take back the word that you chose.");
    }
    viz_spots_add(spots, l->play, VIZ_SPOT_PRESSES, "Play the words one after the other, or rest.");
    if (v->result.count > 0)
        viz_spots_add(spots, widened_track(l->track), VIZ_SPOT_SLIDES,
                      "Drag to go through the words.");
    viz_controls_spots(&v->controls, view, spots);
    viz_spots_add_caps(spots, &l->caps);
}
