/* The pointer, the keys and time in the caption view, what they ask for, and what answers the pointer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "caption/caption_state.h"
#include "parts/figures/overlays.h"

/* ---------------------------------------------------------------- hidden cells */

/* Hides what the other view hides at the same places, in this view's grid; of another picture
 * nothing. */
bool caption_follow(viz_view *view, const viz_view *leader, const char *key)
{
    caption_view *to = caption_of(view);
    const caption_view *from = (const caption_view *)leader;
    const sac_source *a = from->g.source, *b = to->g.source;
    if (a == b || strcmp(key, "hidden") != 0)
        return false;
    if (!from->scene.file[0] || strcmp(from->scene.file, to->scene.file) != 0)
        return true;
    for (int y = 0; y < b->picture.grid_h; y++)
        for (int x = 0; x < b->picture.grid_w; x++)
            to->hidden[y * b->picture.grid_w + x] =
                from->hidden[viz_same_place(y, b->picture.grid_h, a->picture.grid_h) *
                                 a->picture.grid_w +
                             viz_same_place(x, b->picture.grid_w, a->picture.grid_w)];
    caption_hidden_changed(to);
    return true;
}

static int cell_of(float place, float from, float size, int cells)
{
    return (int)floorf((place - from) / size * (float)cells);
}

static void cell_in(const caption_view *v, float x, float y, int cell[2])
{
    viz_rect picture = v->layout.main.picture;
    cell[0] = cell_of(x, picture.x, picture.w, v->g.source->picture.grid_w);
    cell[1] = cell_of(y, picture.y, picture.h, v->g.source->picture.grid_h);
}

/* Where the left button paints too, a hand's breadth: three cells of twenty. */
#define BRUSH(w, h) (((w) > (h) ? (w) : (h)) / 14)

/* A stroke from where the brush was; or the rectangle from where the drag began, which gives its
 * cells back where it shrinks again. */
static void hide_to(caption_view *v, const int to[2])
{
    int w = v->g.source->picture.grid_w, h = v->g.source->picture.grid_h;
    if (v->drag == CAPTION_HIDES_RECTANGLE) {
        memcpy(v->hidden, v->hidden_before, (size_t)w * (size_t)h);
        viz_hidden_rectangle(v->hidden, w, h, v->brush, to, v->hide_value);
        caption_hidden_changed(v);
        return;
    }
    int changed = viz_hidden_stroke(v->hidden, w, h, v->brush, to, v->numbers ? 0 : BRUSH(w, h),
                                    v->hide_value);
    memcpy(v->brush, to, sizeof v->brush);
    if (changed)
        caption_hidden_changed(v);
}

/* Hides what the cell has, or shows it where it is hidden. */
static void begin_stroke(caption_view *v, const int cell[2])
{
    v->hide_value = !v->hidden[cell[1] * v->g.source->picture.grid_w + cell[0]];
    memcpy(v->brush, cell, sizeof v->brush);
    memcpy(v->hidden_before, v->hidden, caption_cells(v));
    hide_to(v, cell);
}

static bool begin_hiding(caption_view *v, const viz_event *e)
{
    int cell[2];
    bool hides = e->button == 3 || (e->button == 1 && (v->hide_mode || e->shift || !v->numbers));
    if (!hides || !viz_inside(v->layout.main.picture, e->x, e->y))
        return false;
    cell_in(v, e->x, e->y, cell);
    v->drag = e->shift ? CAPTION_HIDES_RECTANGLE : CAPTION_HIDES;
    begin_stroke(v, cell);
    return true;
}

/* ---------------------------------------------------------------- values */

bool caption_set_part(caption_view *v, bool head, int number)
{
    const sac_source *source = v->g.source;
    int *part = head ? &v->head : &v->layer;
    size_t count = head ? source->weights.heads : source->weights.layers;
    int parts = (int)count + 1;
    if (count == 0)
        return false;
    number = (number % parts + parts) % parts;
    if (number != *part) {
        *part = number;
        viz_generation_changed(&v->g);
    }
    return true;
}

static bool set_attribution(caption_view *v, sac_attribution attribution)
{
    v->attribution = attribution;
    viz_generation_changed(&v->g);
    return true;
}

/* Among those that the model has. */
static bool turn_attribution(caption_view *v, int step)
{
    unsigned known = v->g.source->speaker.attributions;
    return set_attribution(v, sac_attribution_turn(known, v->attribution, step));
}

static bool step_value(caption_view *v, int value, bool down)
{
    int step = down ? -1 : 1;
    switch (value) {
    case VALUE_SPEED:
        return viz_player_press(&v->g.player, v->g.caption.count, down ? '-' : '+', NULL, 0);
    case VALUE_TEMPERATURE:
        return viz_generation_step(&v->g, VIZ_TEMPERATURE, down);
    case VALUE_SCORE:
        return viz_generation_step(&v->g, VIZ_MODEL, down);
    case VALUE_BEAM:
        return viz_generation_step(&v->g, VIZ_BEAM, down);
    case VALUE_ATTRIBUTION:
        return turn_attribution(v, step);
    case VALUE_LAYER:
        return caption_set_part(v, false, v->layer + step);
    default:
        return caption_set_part(v, true, v->head + step);
    }
}

/* ---------------------------------------------------------------- keys */

/* The speed is seen beside the track. */
static bool press_time(viz_view *view, viz_pressed pressed)
{
    viz_generation_press_time(view, pressed);
    if (pressed.key == '+' || pressed.key == '-')
        caption_of(view)->g.message[0] = '\0';
    return true;
}

/* Turns to another picture; past the ends around, or to new scenes. */
static bool press_turn(viz_view *view, viz_pressed pressed)
{
    caption_view *v = caption_of(view);
    const caption_scene *scene = &v->scene;
    int from = v->failed_picture >= 0 ? v->failed_picture : v->wanted_picture;
    int to = viz_picture_after(from, pressed.step, scene->pictures, scene->scenes);
    if (!scene->scenes && scene->pictures < 2) {
        snprintf(v->g.message, sizeof v->g.message, "%s", "this is the only picture");
        return true;
    }
    v->failed_picture = -1;
    if (to == v->wanted_picture)
        return false;
    v->wanted_picture = to;
    v->keeps_edits = false;
    v->g.list.open = false;
    v->g.message[0] = 0;
    return true;
}

static bool press_truth(viz_view *view, viz_pressed pressed)
{
    caption_view *v = caption_of(view);
    (void)pressed;
    if (v->scene.has_truth)
        v->g.truth = !v->g.truth;
    else
        snprintf(v->g.message, sizeof v->g.message, "no ground truth for this picture");
    return true;
}

static bool press_matters(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    return caption_matters_toggle(caption_of(view));
}

/* The line below the sentence then names the weights that are shown. */
static bool press_part(viz_view *view, viz_pressed pressed)
{
    caption_view *v = caption_of(view);
    bool head = pressed.key == 'r';
    int number = head ? v->head + pressed.step : v->layer - pressed.step; /* ↑ goes on */
    if (!caption_set_part(v, head, number))
        snprintf(v->g.message, sizeof v->g.message, "this model has one map for each word");
    return true;
}

static bool press_attribution(viz_view *view, viz_pressed pressed)
{
    return turn_attribution(caption_of(view), pressed.step);
}

/* The keyboard begins where the current word looks most, if the pointer is elsewhere. */
static bool press_hide(viz_view *view, viz_pressed pressed)
{
    caption_view *v = caption_of(view);
    int word = viz_generation_word(&v->g);
    (void)pressed;
    v->hide_mode = !v->hide_mode;
    if (v->hide_mode && !v->pointed && word >= 0) {
        v->cell_x = v->g.caption.outputs[word].peak_x;
        v->cell_y = v->g.caption.outputs[word].peak_y;
        v->cell_word = -1;
    }
    v->pointed = v->hide_mode;
    return true;
}

/* While cells are hidden, arrows go from cell to cell, and space and Return hide what is there, or show it
 * again. */
static bool hide_by_key(caption_view *v, const viz_event *e)
{
    int w = v->g.source->picture.grid_w, h = v->g.source->picture.grid_h;
    int right = (e->key == VIZ_KEY_RIGHT) - (e->key == VIZ_KEY_LEFT);
    int down = (e->key == VIZ_KEY_DOWN) - (e->key == VIZ_KEY_UP);
    bool hides = e->key == ' ' || e->key == VIZ_KEY_RETURN;
    if (!v->hide_mode || e->ctrl || !(right || down || hides))
        return false;
    v->cell_x = (int)fminf(fmaxf((float)(v->cell_x + right), 0), (float)(w - 1));
    v->cell_y = (int)fminf(fmaxf((float)(v->cell_y + down), 0), (float)(h - 1));
    v->cell_word = -1;
    v->pointed = true;
    if (hides) {
        v->drag = CAPTION_DRAGS_NOTHING;
        begin_stroke(v, (int[2]){v->cell_x, v->cell_y});
    }
    return true;
}

static bool press_show_all(viz_view *view, viz_pressed pressed)
{
    caption_view *v = caption_of(view);
    (void)pressed;
    if (v->hidden_count > 0)
        viz_generation_changed(&v->g);
    memset(v->hidden, 0, caption_cells(v));
    v->hidden_count = 0;
    return true;
}

static bool has_others(const viz_view *view)
{
    const caption_scene *scene = &((const caption_view *)view)->scene;
    return scene->scenes || scene->pictures > 1;
}

static bool has_truth(const viz_view *view)
{
    return ((const caption_view *)view)->scene.has_truth;
}

static bool has_layers(const viz_view *view)
{
    return ((const caption_view *)view)->g.source->weights.layers > 0;
}

static bool has_attributions(const viz_view *view)
{
    return view->source->speaker.attributions != 0;
}

static bool has_answers(const viz_view *view)
{
    return view->source->speaker.typed;
}

const viz_key_row caption_keys[] = {
    VIZ_PLAYER_KEYS(press_time),
    {"N  P", "next picture, back", press_turn, .acts = has_others},
    {"T", "the truth", press_truth, .acts = has_truth},
    {"C", "compare models"},
    {"D", "does it matter where it looked?", press_matters},
    VIZ_DEMAND_KEYS,
    {"↑  ↓", "layer alone, or the mean", press_part, .acts = has_layers},
    {"R", "one head alone (shift: back)", press_part, .acts = has_layers},
    {"K", "leave out sinks, at which every word looks", .setting = "without sinks",
     .acts = has_answers},
    {"Z", "the kind of map: raw attention, or what is made of it", press_attribution,
     .acts = has_attributions},
    {"shift drag", "hide a rectangle of cells"},
    {"right drag", "hide cells"},
    {"H", "hide: drag, or arrows and space", press_hide},
    {"U", "show all cells", press_show_all},
    {"F", "all in one figure", .setting = "layout"},
    {"L", "scale: per map, shared, square root, logarithmic, fixed", .setting = "scale"},
    VIZ_STYLE_KEYS,
    {"=", "the numbers", .setting = "numbers"},
    {"B", "blocky or smooth", .setting = "cells drawn"},
    {NULL, NULL},
};

static bool key(caption_view *v, const viz_event *e)
{
    bool had_message = v->g.message[0];
    if (e->key == VIZ_KEY_ESCAPE) {
        /* Closes the topmost overlay. False: there is none; then the last step is undone. */
        if (v->hide_mode)
            v->hide_mode = v->pointed = false;
        else if (v->g.message[0])
            v->g.message[0] = 0;
        else if (v->matters.on)
            caption_matters_toggle(v);
        else if (v->g.base.figure)
            v->g.base.figure = false;
        else
            return false;
        return true;
    }
    v->g.message[0] = 0;
    if (hide_by_key(v, e))
        return true;
    return viz_keys_press(caption_keys, &v->g.base, e) || had_message;
}

/* ---------------------------------------------------------------- pointer */

/* The word of the sentence, strip or matrix at a place; −1: none. */
static int word_at(const caption_view *v, float x, float y, bool *in_sentence)
{
    const caption_side_layout *p = &v->layout.main;
    int count = v->g.caption.count;
    for (int i = 0; i < count; i++) {
        viz_rect r = v->layout.line.word[i];
        *in_sentence = viz_inside((viz_rect){r.x - 4, r.y, r.w + 8, r.h}, x, y);
        if (*in_sentence || viz_inside(p->thumb[i], x, y) || viz_inside(p->label[i], x, y) ||
            viz_inside(p->small[i], x, y))
            return i;
    }
    viz_rect rows = {p->matrix_names.x, p->matrix.y, p->matrix.x + p->matrix.w - p->matrix_names.x,
                     p->matrix.h};
    return count > 0 && viz_inside(rows, x, y) ? cell_of(y, rows.y, rows.h, count) : -1;
}

/* The cell under the pointer: of the picture, or of a row of the matrix. */
static bool point_at(caption_view *v, float x, float y)
{
    viz_rect picture = v->layout.main.picture, matrix = v->layout.main.matrix;
    bool was = v->pointed;
    int before[] = {v->cell_x, v->cell_y, v->cell_word}, cell[2], count = v->g.caption.count;
    v->pointed = false;
    if (viz_inside(picture, x, y)) {
        cell_in(v, x, y, cell);
        v->pointed = true;
        v->cell_x = cell[0];
        v->cell_y = cell[1];
        v->cell_word = -1;
    } else if (viz_inside(matrix, x, y) && count > 0) {
        int width = v->g.source->picture.grid_w;
        int place = cell_of(x, matrix.x, matrix.w, (int)caption_cells(v));
        v->pointed = true;
        v->cell_x = place % width;
        v->cell_y = place / width;
        v->cell_word = cell_of(y, matrix.y, matrix.h, count);
    }
    int now[] = {v->cell_x, v->cell_y, v->cell_word};
    return v->pointed != was || (v->pointed && memcmp(before, now, sizeof now) != 0);
}

static bool press(caption_view *v, const viz_event *e)
{
    const caption_layout *l = &v->layout;
    bool had_message = v->g.message[0], in_sentence;
    int value = viz_values_hit(l->value, VALUE_COUNT, e->x, e->y);
    v->g.message[0] = 0;
    if (begin_hiding(v, e))
        return true;
    if (value >= 0)
        return step_value(v, value, e->button == 3 || e->shift);
    if (e->button != 1)
        return had_message;
    int mode = viz_choices_hit(&l->modes, e->x, e->y);
    if (mode >= 0) {
        v->style.overlay = (viz_overlay)mode;
        return true;
    }
    int map = viz_choices_hit(&l->maps, e->x, e->y);
    if (map >= 0)
        return set_attribution(v, sac_attribution_at(v->g.source->speaker.attributions, map));
    if (viz_generation_press_cross(&v->g, l->line.cross, e->x, e->y) ||
        viz_generation_press(&v->g, l->play, l->track, e->x, e->y))
        return true;
    int word = word_at(v, e->x, e->y, &in_sentence);
    if (word < 0)
        return had_message;
    if (in_sentence && word == viz_generation_word(&v->g))
        return viz_generation_open_list(&v->g, word) || true;
    v->drag = CAPTION_READOUT;
    return viz_generation_choose(&v->g, word);
}

static bool move(caption_view *v, const viz_event *e)
{
    int cell[2];
    bool in_sentence;
    if (v->g.scrubs)
        return viz_generation_scrub(&v->g, v->layout.track, e->x);
    if (v->drag == CAPTION_READOUT) {
        int word = word_at(v, e->x, e->y, &in_sentence);
        return word >= 0 && viz_generation_go(&v->g, word);
    }
    if (v->drag == CAPTION_DRAGS_NOTHING)
        return point_at(v, e->x, e->y);
    cell_in(v, e->x, e->y, cell);
    hide_to(v, cell);
    return true;
}

static bool wheel(caption_view *v, const viz_event *e)
{
    int value = viz_values_hit(v->layout.value, VALUE_COUNT, e->x, e->y);
    if (e->wheel_y == 0)
        return false;
    if (value >= 0)
        return step_value(v, value, e->wheel_y < 0);
    return e->y > v->layout.line.first.y &&
           viz_generation_choose(&v->g, v->g.player.step + (e->wheel_y > 0 ? -1 : 1));
}

bool caption_event(viz_view *view, const viz_event *e)
{
    caption_view *v = caption_of(view);
    if (v->demo.state != DEMO_OFF &&
        (e->kind == VIZ_KEY || e->kind == VIZ_PRESS || e->kind == VIZ_WHEEL)) {
        bool runs = caption_demo_runs(v);
        caption_demo_end(v, false);
        if (runs && e->kind == VIZ_KEY)
            return true; /* it ended the demo, and does nothing else */
    }
    caption_demo_wait(v);
    if (v->g.list.open)
        return viz_generation_list_event(&v->g, e);
    if (v->g.base.figure && e->kind != VIZ_KEY)
        return false;
    if (e->kind == VIZ_RELEASE || e->kind == VIZ_LEAVE) {
        v->drag = CAPTION_DRAGS_NOTHING;
        v->g.scrubs = false;
    }
    switch (e->kind) {
    case VIZ_MOVE:
        return move(v, e);
    case VIZ_PRESS:
        return press(v, e);
    case VIZ_WHEEL:
        return wheel(v, e);
    case VIZ_KEY:
        return key(v, e);
    case VIZ_LEAVE:
        v->pointed = false;
        return true;
    default:
        return false;
    }
}

/* ---------------------------------------------------------------- time */

void caption_glide_to(viz_view *view)
{
    caption_view *v = caption_of(view);
    const viz_player *p = &v->g.player;
    viz_glide_to(&v->glide, &v->g.caption, viz_generation_word(&v->g), p->now,
                 !p->has_clock || p->exporting);
}

bool caption_tick(viz_view *view, double now)
{
    caption_view *v = caption_of(view);
    viz_player *p = &v->g.player;
    if (!p->has_clock || p->exporting)
        v->glide.start = now - VIZ_GLIDE_SECONDS;
    bool moves = viz_generation_tick(&v->g, now, v->g.base.figure);
    moves |= caption_demo_tick(v);
    return viz_glide_step(&v->glide, now, viz_player_glide_seconds(p)) || moves;
}

int caption_frames(const viz_view *view, int fps)
{
    return view->figure ? 1 : viz_generation_frames(view, fps);
}

void caption_frame(viz_view *view, int index, int fps)
{
    caption_view *v = caption_of(view);
    viz_player *p = &v->g.player;
    if (v->g.base.figure || !v->g.caption.count)
        return;
    v->g.fresh = false;
    viz_player_frame(p, v->g.caption.count, index, fps);
    viz_glide_from_before(&v->glide, &v->g.caption, p->step, p->step_since);
    viz_glide_step(&v->glide, p->now, viz_player_glide_seconds(p));
}

/* ---------------------------------------------------------------- what answers the pointer */

static const char *const value_tips[VALUE_COUNT] = {
    "How fast the words follow each other; 1.0× is one word in 0.8 seconds.",
    "Scores are divided by it before the softmax: above 1 the attention spreads, below 1 it "
    "gathers.",
    "How query and key are compared: each score is a model of its own, trained with it.",
    "Beam width: the number of sentences that the search keeps; the most probable one is shown.",
    "The layer whose attention is shown; else the mean of all.",
    "The head whose attention is shown; else the mean of all.",
    "What a map is made of: the word's attention, or what is known to point better.",
};

static const char *button_tip(const char *cap)
{
    static const char *const tips[][2] = {
        {"space", "Play it again, word by word."},
        {"U", "Show the whole picture to the model again."},
        {"H", "Drag over the picture: what you cover, the model does not see."},
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

/* The list of words covers everything else. */
void caption_spots(const viz_view *view, viz_spots *spots)
{
    const caption_view *v = (const caption_view *)view;
    const caption_layout *l = &v->layout;
    const caption_side_layout *s = &l->main;
    if (v->g.base.figure || caption_demo_runs(v)) /* nothing covers what it shows */
        return;
    if (v->g.list.open) {
        viz_word_list_spots(&v->g.list, spots);
        return;
    }
    if (!v->numbers)
        viz_spots_add(spots, s->picture, VIZ_SPOT_AREA,
                      "Drag over the picture: what you cover, the model does not see.");
    else
        viz_spots_add(
            spots, s->picture, VIZ_SPOT_AREA,
            v->g.source->weights.explain
                ? "Point at a cell for its weight, double click to see why; drag with the "
                  "right button to hide cells, with shift a rectangle."
                : "Point at a cell for its weight; drag with the right button to hide cells, "
                  "with shift a rectangle.");
    if (v->g.caption.count > 0) {
        viz_rect rows = {s->matrix_names.x, s->matrix.y,
                         s->matrix.x + s->matrix.w - s->matrix_names.x, s->matrix.h};
        viz_spots_add(spots, rows, VIZ_SPOT_AREA,
                      "One row a word, one column a cell of the picture; click a row to see it.");
        viz_spots_add(
            spots, s->measures, VIZ_SPOT_READOUT,
            v->g.caption.has_row_ends
                ? "β is the share of the attention on the picture's cells; tokens at the ends of "
                  "its rows lie on no cell and have their own share, and the text has the rest."
                : "Entropy measures how far the attention spreads, 0 bits being a single cell; β "
                  "is "
                  "how much the picture counts for this word.");
    }
    for (int i = 0; i < v->g.caption.count; i++) {
        viz_rect r = l->line.word[i];
        viz_spots_add(spots, (viz_rect){r.x - 4, r.y, r.w + 8, r.h}, VIZ_SPOT_PRESSES,
                      i == viz_generation_word(&v->g) ? "Click to put another word here."
                                                      : "Click to see where this word looks.");
        if (v->g.chosen[i])
            viz_spots_add(spots, l->line.cross[i], VIZ_SPOT_PRESSES,
                          "Take back the word that you chose.");
        viz_spots_add(spots, s->thumb[i], VIZ_SPOT_PRESSES, "Where this word looks.");
        viz_spots_add(spots, s->label[i], VIZ_SPOT_PRESSES, "Where this word looks.");
        viz_spots_add(spots, s->small[i], VIZ_SPOT_PRESSES,
                      v->g.truth && v->scene.has_truth
                          ? "The share of the attention that lies on the word's own object."
                          : "How probable this word was to the model.");
    }
    viz_spots_add_press(spots, l->bar, "L",
                        "What the colours mean, 1/N being the weight that every cell would have, "
                        "were all equal; click for the next scale.");
    viz_generation_spots(&v->g, spots, l->play, l->track, l->value, value_tips, VALUE_COUNT);
    viz_spots_add_caps(spots, &l->caps);
    for (int i = 0; i < l->buttons.count; i++)
        if (!l->button_caps[i])
            viz_spots_add_place(
                spots, l->buttons.items[i], "lesson",
                "Lessons: attention step by step, with numbers that you can change.");
        else
            viz_spots_add_press(spots, l->buttons.items[i], l->button_caps[i],
                                button_tip(l->button_caps[i]));
    viz_spots_add_choices(spots, &l->modes, viz_overlay_tips);
    const char *map_tips[SAC_ATTRIBUTIONS];
    for (int i = 0; i < l->maps.count; i++)
        map_tips[i] =
            sac_attribution_phrase(sac_attribution_at(v->g.source->speaker.attributions, i));
    viz_spots_add_choices(spots, &l->maps, map_tips);
}
