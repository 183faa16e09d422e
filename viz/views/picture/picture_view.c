/* The picture view: its settings, its answers to pointer, keys and time, its requests, and its class. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/text/suggestion.h"
#include "images/resample.h"
#include "parts/figures/overlays.h"
#include "picture/picture_state.h"
#include "view/map.h"
#include "view/settings.h"
#include "view/words.h"

/* ---------------------------------------------------------------- what is chosen */

static bool picture_look_at(picture_view *v, gaze_point place)
{
    int x = picture_query_x(v), y = picture_query_y(v);
    v->look = place;
    if (x == picture_query_x(v) && y == picture_query_y(v))
        return false;
    v->query_since = v->now;
    v->fixated = false;
    return true;
}

/* Settings or hidden cells changed: everything is to be computed anew. */
static void picture_mark_outdated(picture_view *v)
{
    v->revision++;
    v->identical = false;
}

static void picture_hide_none(picture_view *v)
{
    if (v->hidden_count > 0)
        picture_mark_outdated(v);
    memset(v->hidden, 0, (size_t)v->grid_w * (size_t)v->grid_h);
    v->hidden_count = 0;
}

/* Takes the grid that settings.cells asks for; hidden cells keep their place. */
static void picture_regrid(picture_view *v)
{
    int w, h, count = 0;
    sac_picture_grid(v->source->picture.image->width, v->source->picture.image->height,
                     v->settings.cells, &w, &h);
    picture_mark_outdated(v);
    if (w == v->grid_w && h == v->grid_h)
        return;
    uint8_t *hidden = viz_allocate((size_t)w, (size_t)h);
    if (!hidden || !viz_gaze_resize(&v->gaze, picture_image(v), w, h)) {
        free(hidden);
        v->settings.cells = v->grid_w > v->grid_h ? v->grid_w : v->grid_h; /* stays as it was */
        return;
    }
    for (int y = 0; y < h && v->hidden_count > 0; y++)
        for (int x = 0; x < w; x++)
            count += hidden[y * w + x] = v->hidden[(2 * y + 1) * v->grid_h / (2 * h) * v->grid_w +
                                                   (2 * x + 1) * v->grid_w / (2 * w)];
    free(v->hidden);
    v->hidden = hidden;
    v->hidden_count = count;
    v->grid_w = w;
    v->grid_h = h;
    v->fixated = false;
}

/* Makes (x, y) the query, clamped to the grid. */
static void look_at_cell(picture_view *v, int x, int y)
{
    x = x < 0 ? 0 : x >= v->grid_w ? v->grid_w - 1 : x;
    y = y < 0 ? 0 : y >= v->grid_h ? v->grid_h - 1 : y;
    picture_look_at(v, (gaze_point){((float)x + 0.5f) / (float)v->grid_w,
                                    ((float)y + 0.5f) / (float)v->grid_h});
}

/* True while it moves. */
static bool picture_glide_step(viz_glide *g, double now)
{
    if (!g->moving)
        return false;
    float t = (float)((now - g->start) / viz_glide_seconds());
    t = t > 0 ? t < 1 ? t : 1 : 0;
    /* Sets off at once and settles gently: a glide that restarts with every move of the pointer
     * still follows it. */
    float rest = 1 - t, done = 1 - rest * rest * rest;
    for (int i = 0; i < g->grid_w * g->grid_h; i++)
        g->now[i] = t < 1 ? g->from[i] + (g->to[i] - g->from[i]) * done : g->to[i];
    g->moving = t < 1;
    return g->moving;
}

/* ---------------------------------------------------------------- the table */

static void save_score(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    put(user, s->name, sac_score_name(((const picture_view *)view)->settings.score));
}

static void restore_score(viz_view *view, const viz_setting *s, const char *value)
{
    sac_score score;
    if (sac_score_from_name(value, &score))
        s->set(view, s, sac_score_class_of(score)->words.place);
}

/* The scores as a person meets them. */
static int scores(const viz_view *view, const viz_setting *s, const char **names, const char **tips)
{
    (void)view;
    (void)s;
    for (int i = 0; i < SAC_SCORE_COUNT; i++) {
        names[i] = sac_score_class_of(sac_score_at_place(i))->words.label;
        tips[i] = sac_score_class_of(sac_score_at_place(i))->words.help;
    }
    return SAC_SCORE_COUNT;
}
_Static_assert((int)SAC_SCORE_COUNT <= (int)VIZ_MAX_CHOICES, "a chip for each score");

static bool is_score(const char *name)
{
    sac_score score;
    return sac_score_from_name(name, &score);
}

static const char *score_names(char *text, size_t size)
{
    const char *names[SAC_SCORE_COUNT];
    for (int i = 0; i < SAC_SCORE_COUNT; i++)
        names[i] = sac_score_name(sac_score_at_place(i));
    sac_names_join(names, SAC_SCORE_COUNT, text, size);
    return text;
}

static double score_place(const viz_view *view, const viz_setting *s)
{
    (void)s;
    return picture_score((const picture_view *)view)->words.place;
}

/* The normalizers as a person meets them. */
static int normalizers(const viz_view *view, const viz_setting *s, const char **names,
                       const char **tips)
{
    (void)view;
    (void)s;
    for (int i = 0; i < SAC_NORMALIZER_COUNT; i++) {
        names[i] = sac_normalizer_class_of((sac_normalizer)i)->words.label;
        tips[i] = sac_normalizer_class_of((sac_normalizer)i)->words.help;
    }
    return SAC_NORMALIZER_COUNT;
}

static void request_recompute(viz_view *view)
{
    picture_mark_outdated(picture_of(view));
}

static void set_score_place(viz_view *view, const viz_setting *s, double number)
{
    sac_score score = sac_score_at_place((int)number);
    (void)s;
    if (picture_of(view)->settings.score != score)
        request_recompute(view);
    picture_of(view)->settings.score = score;
}

static double score_width(const viz_view *view, const viz_setting *s)
{
    (void)s;
    return (double)(1 / ((const picture_view *)view)->settings.inverse_width);
}

static void set_score_width(viz_view *view, const viz_setting *s, double number)
{
    float *inverse_width = &picture_of(view)->settings.inverse_width;
    (void)s;
    if (*inverse_width != 1 / (float)number)
        request_recompute(view);
    *inverse_width = 1 / (float)number;
}

static void show_width(const viz_view *view, double number, char *text, size_t size)
{
    (void)view;
    snprintf(text, size, "%.*f", number >= 10 ? 1 : 2, number);
}

static bool has_no_width(const viz_view *view)
{
    return !picture_score((const picture_view *)view)->has_width;
}

static void regrid(viz_view *view)
{
    picture_regrid(picture_of(view));
}

static void show_grid(const viz_view *view, double number, char *text, size_t size)
{
    const picture_view *v = (const picture_view *)view;
    (void)number;
    snprintf(text, size, "%d × %d", v->grid_w, v->grid_h);
}

/* Of light the brightness of the rest; of heat and lines their opacity. */
static float *strength_field(const viz_view *view)
{
    viz_heat_style *style = &((picture_view *)view)->style;
    return style->overlay == VIZ_LIGHT ? &style->brightness : &style->opacity;
}

static double strength(const viz_view *view, const viz_setting *s)
{
    (void)s;
    return (double)*strength_field(view);
}

static void set_strength(viz_view *view, const viz_setting *s, double number)
{
    (void)s;
    *strength_field(view) = (float)number;
}

static const char *strength_label(const viz_view *view)
{
    viz_overlay overlay = ((const picture_view *)view)->style.overlay;
    return overlay == VIZ_LIGHT  ? "brightness around"
           : overlay == VIZ_HEAT ? "heat over picture"
                                 : "lines";
}

static void save_query(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const picture_view *v = (const picture_view *)view;
    char query[64];
    snprintf(query, sizeof query, "%d,%d of %dx%d", picture_query_x(v), picture_query_y(v),
             v->grid_w, v->grid_h);
    put(user, s->name, query);
}

static void save_hidden(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const picture_view *v = (const picture_view *)view;
    char *hidden = viz_hidden_text(v->hidden, v->grid_w, v->grid_h);
    put(user, s->name, hidden ? hidden : ""); /* a reader learns the keys from here */
    free(hidden);
}

static void restore_hidden(viz_view *view, const viz_setting *setting, const char *value)
{
    (void)setting;
    picture_view *v = picture_of(view);
    int w, h, used = 0;
    if (!value[0])
        picture_hide_none(v);
    if (sscanf(value, "%dx%d:%n", &w, &h, &used) != 2 || !used)
        return;
    viz_setting_change(viz_view_setting(view->class, "cells"), view, w > h ? w : h);
    if (!viz_hidden_parse(value, v->hidden, v->grid_w, v->grid_h))
        return;
    v->hidden_count = viz_hidden_count(v->hidden, v->grid_w, v->grid_h);
    picture_mark_outdated(v);
}

static bool is_place(const char *text)
{
    int x, y, used = 0;
    return sscanf(text, "%d,%d%n", &x, &y, &used) == 2 && !text[used] && x >= 0 && y >= 0;
}

/* "12,8" of the grid there is, or "12,8 of 32x21". */
static void restore_query(viz_view *view, const viz_setting *setting, const char *value)
{
    (void)setting;
    picture_view *v = picture_of(view);
    int x, y, w = v->grid_w, h = v->grid_h;
    int found = sscanf(value, "%d,%d of %dx%d", &x, &y, &w, &h);
    if ((found != 2 && found != 4) || w < 1 || h < 1 || x < 0 || x >= w || y < 0 || y >= h)
        return;
    picture_look_at(v, (gaze_point){((float)x + 0.5f) / (float)w, ((float)y + 0.5f) / (float)h});
}

#define IN(member) offsetof(picture_view, member)

static const char *const normalizer_names[] = {"softmax", "entmax15", "sparsemax"};
_Static_assert(sizeof normalizer_names / sizeof *normalizer_names == SAC_NORMALIZER_COUNT,
               "a name for each normalizer");

static const viz_setting picture_settings[] = {
    VIZ_SOURCE_TEXT("title", title), /* a scene has no file: this is how it is found again */
    VIZ_SOURCE_TEXT("file", origin.file),
    VIZ_SOURCE_TEXT("hash", origin.hash),
    VIZ_SOURCE_TEXT("device", origin.device),
    VIZ_VERSION_SETTING,
    {"score", .save = save_score, .take = restore_score, .get = score_place, .set = set_score_place,
     .choices = scores, .widget = VIZ_CHIPS, .form_of = score_names, .valid = is_score,
     VIZ_OPTION("--score", "S", "score function")},
    {"inverse width", VIZ_REAL, IN(settings.inverse_width), 0.05, 20, .changed = request_recompute},
    {"bandwidth", VIZ_REAL, .low = 0.05, .high = 20, .unmentioned = true, .get = score_width,
     .set = set_score_width, .widget = VIZ_SLIDER, .label = "width 1/w", .logarithmic = true,
     .show = show_width, .idle = has_no_width, .option = "--bandwidth", .value_name = "H",
     .tip = "The width of the Gaussian, 1/w: how far away a key may be and still count."},
    {"temperature", VIZ_REAL, IN(settings.temperature), 0.1, 10, .changed = request_recompute,
     .widget = VIZ_SLIDER, .label = "temperature", .logarithmic = true, .option = "--temperature",
     .value_name = "T",
     .tip = "Scores are divided by it before they become weights: above 1 the attention spreads, "
            "below 1 it gathers."},
    {"normalizer", VIZ_CHOICE, IN(settings.normalizer), VIZ_NAMES(normalizer_names),
     .changed = request_recompute, .widget = VIZ_WORDS, .label = "normalizer",
     .choices = normalizers,
     VIZ_OPTION("--normalizer", "N",
                "what makes weights of scores; the last two give exact zeros")},
    {"position", VIZ_REAL, IN(settings.position), 0, 1, .changed = request_recompute,
     .widget = VIZ_SLIDER, .label = "weight of position", .option = "--position", .value_name = "P",
     .tip = "How much a cell's place counts in queries and keys, beside its colours."},
    {"cells", VIZ_WHOLE, IN(settings.cells), 8, 128, .changed = regrid, .grain = 1,
     .widget = VIZ_SLIDER, .label = "cells", .logarithmic = true, .show = show_grid,
     .tip = "How many cells the longer side of the picture is cut into."},
    {"strength", VIZ_REAL, .low = 0, .high = 1, .unmentioned = true, .get = strength,
     .set = set_strength, .widget = VIZ_SLIDER, .label_of = strength_label,
     .tip =
         "How bright the picture is where it is not attended; of heat and contours, how strongly "
         "they lie over it."},
    {"query", .moves = true, .save = save_query, .take = restore_query,
     .form = "two whole numbers, such as 12,8", .valid = is_place,
     VIZ_OPTION("--query", "X,Y", "query: a cell of a picture, or a column and row")},
    {"hidden", .save = save_hidden, .take = restore_hidden},
    {VIZ_SCALE_SETTING(IN(scale))},
    VIZ_STYLE_SETTINGS(IN, style),
    {0},
};

/* ---------------------------------------------------------------- what answers the pointer */

static void picture_add_spots(const viz_view *view, viz_spots *spots)
{
    const picture_view *v = (const picture_view *)view;
    const picture_layout *l = &v->layout;
    viz_spots_add(spots, l->left, VIZ_SPOT_AREA,
                  "The cell under the pointer is the query; click to hold it, drag with the right "
                  "button to hide cells.");
    viz_spots_add(spots, l->right, VIZ_SPOT_READOUT,
                  "Each cell again as the sum of all cells, weighted by its attention.");
    viz_spots_add_press(spots, l->readout, "I",
                        "The cell that asks, and the weight of the cell under the pointer; click "
                        "to see why.");
    viz_spots_add(spots, l->entropy, VIZ_SPOT_READOUT,
                  "How far the attention spreads: 0 bits for one cell, the second number for all "
                  "alike.");
    viz_spots_add(spots, l->bar, VIZ_SPOT_READOUT,
                  "What the colours mean; 1/N is the weight that every cell would have, were all "
                  "equal.");
    viz_spots_add(spots, l->formula, VIZ_SPOT_READOUT,
                  "The score of one query q and one key k; the normalizer makes weights of all "
                  "scores of a query.");
    viz_controls_spots(&l->controls, view, spots);
    viz_spots_add_caps(spots, &l->caps);
}

/* ---------------------------------------------------------------- pointer */

static gaze_point relative_position(viz_rect rect, float x, float y)
{
    return (gaze_point){(x - rect.x) / rect.w, (y - rect.y) / rect.h};
}

/* Paints from where the brush was to `place`. */
static void hide_stroke(picture_view *v, gaze_point place)
{
    int from[2] = {picture_cell(v->brush.x, v->grid_w), picture_cell(v->brush.y, v->grid_h)};
    int to[2] = {picture_cell(place.x, v->grid_w), picture_cell(place.y, v->grid_h)};
    int changed = viz_hidden_stroke(v->hidden, v->grid_w, v->grid_h, from, to, 0, v->hide_value);
    v->brush = place;
    v->hidden_count += v->hide_value ? changed : -changed;
    if (changed)
        picture_mark_outdated(v);
}

/* The user took over: the scan path follows the pointer again, and moves on its own only after a
 * pause. */
static void note_user_input(picture_view *v)
{
    v->last_touch = v->now;
    v->wanders = false;
}

static bool handle_pointer_move(picture_view *v, float x, float y)
{
    bool left = viz_inside(v->layout.left, x, y), right = viz_inside(v->layout.right, x, y);
    gaze_point before = v->pointer;
    bool was_pointed = v->pointed;
    v->pointed = left || right;
    if (!v->pointed)
        return was_pointed;
    v->pointer = relative_position(left ? v->layout.left : v->layout.right, x, y);
    if (was_pointed && picture_cell(before.x, v->grid_w) == picture_cell(v->pointer.x, v->grid_w) &&
        picture_cell(before.y, v->grid_h) == picture_cell(v->pointer.y, v->grid_h))
        return false;
    if (left && !v->held) {
        note_user_input(v);
        picture_look_at(v, v->pointer);
    }
    return true;
}

static bool press(picture_view *v, const viz_event *e)
{
    bool on_picture = viz_inside(v->layout.left, e->x, e->y);
    gaze_point place = relative_position(v->layout.left, e->x, e->y);
    if (on_picture && (e->button == 3 || (e->button == 1 && v->hide_mode))) {
        int x = picture_cell(place.x, v->grid_w), y = picture_cell(place.y, v->grid_h);
        v->hides = true;
        v->hide_value = !v->hidden[y * v->grid_w + x];
        v->brush = place;
        hide_stroke(v, place);
        return true;
    }
    if (on_picture && e->button == 1) {
        v->held = !v->held;
        note_user_input(v);
        picture_look_at(v, place);
        return true;
    }
    return false;
}

/* ---------------------------------------------------------------- keys */

static bool press_move_query(viz_view *view, viz_pressed pressed)
{
    picture_view *v = picture_of(view);
    bool across = pressed.key == VIZ_KEY_LEFT || pressed.key == VIZ_KEY_RIGHT;
    note_user_input(v);
    look_at_cell(v, picture_query_x(v) + (across ? pressed.step : 0),
                 picture_query_y(v) + (across ? 0 : pressed.step));
    return true;
}

static bool press_wander(viz_view *view, viz_pressed pressed)
{
    picture_view *v = picture_of(view);
    (void)pressed;
    v->wanders = !v->wanders;
    v->may_wander = v->wanders;
    v->held = v->held && !v->wanders;
    v->next_jump = v->now;
    return true;
}

static bool press_speed(viz_view *view, viz_pressed pressed)
{
    picture_view *v = picture_of(view);
    v->speed = fminf(fmaxf(v->speed * (pressed.step < 0 ? 0.8f : 1.25f), 0.25f), 4.0f);
    return true;
}

/* Another picture of the folder is another document, which the window opens. */
static bool press_next_picture(viz_view *view, viz_pressed pressed)
{
    picture_view *v = picture_of(view);
    const sac_source *source = v->source;
    int to =
        viz_picture_after(v->wanted, pressed.step, source->picture.count, source->picture.scenes);
    if (to == v->wanted)
        return false;
    v->wanted = v->chosen = to;
    return true;
}

static bool press_toggle_hide_mode(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    picture_of(view)->hide_mode = !picture_of(view)->hide_mode;
    return true;
}

static bool press_show_all(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    picture_hide_none(picture_of(view));
    return true;
}

static const viz_key_row picture_keys[] = {
    {"pointer", "the cell under it is the query"},
    {"click", "hold the query; again: let go"},
    {"←  ↑  →  ↓", "move the query", press_move_query},
    {"space", "let the gaze wander, or stop it", press_wander},
    {"+  −", "faster, slower", press_speed},
    {"N  P", "next picture, back", press_next_picture},
    {"G", "the next score", .setting = "score"},
    {"W", "width up (shift: down)", .setting = "bandwidth"},
    {"E", "temperature up (shift: down)", .setting = "temperature"},
    {"R", "the next normalizer", .setting = "normalizer"},
    {"X", "position up (shift: down)", .setting = "position", .what = 5},
    {"Z", "more cells (shift: fewer)", .setting = "cells"},
    {"right drag", "hide cells from attention"},
    {"H", "hide with the left button", press_toggle_hide_mode},
    {"U", "show all cells again", press_show_all},
    {"L", "the next colour scale", .setting = "scale"},
    VIZ_STYLE_KEYS,
    {"B", "blocky or smooth", .setting = "cells drawn"},
    {NULL, NULL},
};

static bool picture_event(viz_view *view, const viz_event *e)
{
    picture_view *v = picture_of(view);
    bool changed;
    if (viz_controls_event(&v->layout.controls, view, e, &changed)) {
        v->last_touch = v->now;
        return changed;
    }
    switch (e->kind) {
    case VIZ_MOVE:
        if (!v->hides)
            return handle_pointer_move(v, e->x, e->y);
        v->last_touch = v->now;
        hide_stroke(v, relative_position(v->layout.left, e->x, e->y));
        return true;
    case VIZ_PRESS:
        return press(v, e);
    case VIZ_RELEASE:
        v->hides = false;
        return false;
    case VIZ_KEY:
        if (e->key != VIZ_KEY_ESCAPE)
            return viz_keys_press(picture_keys, view, e);
        if (e->ctrl || (!v->hide_mode && !v->held))
            return false;
        *(v->hide_mode ? &v->hide_mode : &v->held) = false; /* the topmost of both */
        return true;
    case VIZ_LEAVE:
        v->hides = false;
        v->pointed = false;
        return true;
    default:
        return false;
    }
}

/* ---------------------------------------------------------------- time */

static void picture_fixate_if_rested(picture_view *v)
{
    bool rested = v->wanders || v->now - v->query_since > DWELL_SECONDS;
    if (v->fixated || !rested || v->glide.grid_w != v->gaze.grid_w ||
        v->glide.grid_h != v->gaze.grid_h)
        return;
    viz_gaze_fixate(&v->gaze, v->shown_x, v->shown_y, v->glide.to);
    v->fixated = true;
}

static bool shows_query(const picture_view *v)
{
    return v->shown_x == picture_query_x(v) && v->shown_y == picture_query_y(v);
}

/* The next jump, once the result for the last one has been seen. */
static bool jump_gaze(picture_view *v)
{
    int x, y;
    if (shows_query(v))
        picture_fixate_if_rested(v);
    if (!v->fixated || v->now < v->next_jump || !viz_gaze_next(&v->gaze, v->hidden, &x, &y))
        return false;
    look_at_cell(v, x, y);
    v->next_jump = v->now + (v->exporting ? 1.0 : JUMP_SECONDS / v->speed);
    return true;
}

static bool picture_tick(viz_view *view, double now)
{
    picture_view *v = picture_of(view);
    if (!v->has_clock || v->exporting) {
        /* The clock of a window starts, or goes on after frames were drawn by another. */
        v->wanders = v->wanders && !v->exporting;
        v->has_clock = true;
        v->exporting = false;
        v->last_touch = v->query_since = v->next_jump = now;
        v->glide.start = now - VIZ_GLIDE_SECONDS;
    }
    v->now = now;
    bool moves = picture_glide_step(&v->glide, now);
    /* A query that the user points at stays. */
    if (v->pointed)
        v->last_touch = now;
    bool rests = now - v->last_touch > REST_SECONDS && !v->hides && !v->layout.controls.dragged;
    if (!v->wanders && v->may_wander && !v->held && rests) {
        v->wanders = true;
        v->next_jump = now;
    }
    if (v->wanders)
        moves |= jump_gaze(v);
    else if (shows_query(v))
        picture_fixate_if_rested(v);
    return moves;
}

/* ---------------------------------------------------------------- the story, for export */

#define FIXATIONS 8 /* of one second each: glide, then rest */

static int picture_frames(const viz_view *view, int fps)
{
    (void)view;
    return FIXATIONS * fps;
}

/* Frames are requested in order; the first one begins anew from the query there is. */
static void picture_frame(viz_view *view, int index, int fps)
{
    picture_view *v = picture_of(view);
    v->exporting = v->has_clock = v->wanders = true;
    v->now = (double)index / fps;
    if (index == 0) {
        viz_gaze_forget(&v->gaze);
        v->fixated = false;
        v->next_jump = 1;
        v->glide.start = -VIZ_GLIDE_SECONDS;
    }
    picture_glide_step(&v->glide, v->now);
    jump_gaze(v);
}

/* ---------------------------------------------------------------- the weight that is asked about */

/* The pointer makes the query, so the key is the cell that the query attends to most: itself only
 * where there is no other. */
static size_t most_attended_cell(const picture_view *v, size_t query)
{
    size_t best = query, cells = (size_t)v->grid_w * (size_t)v->grid_h;
    const viz_glide *g = &v->glide;
    if (g->grid_w != v->grid_w || g->grid_h != v->grid_h)
        return query;
    for (size_t i = 0; i < cells; i++)
        if (i != query && (best == query || g->to[i] > g->to[best]))
            best = i;
    return best;
}

static bool picture_subject(const viz_view *view, viz_subject *subject)
{
    const picture_view *v = (const picture_view *)view;
    int x = picture_query_x(v), y = picture_query_y(v);
    size_t query = (size_t)(y * v->grid_w + x);
    subject->picture = (sac_picture_request){.settings = v->settings,
                                             .query_x = x,
                                             .query_y = y,
                                             .hidden = v->hidden_count > 0 ? v->hidden : NULL};
    subject->hidden_count = (size_t)v->grid_w * (size_t)v->grid_h;
    subject->request = (sac_explanation_request){
        .step = query, .position = most_attended_cell(v, query), .picture = &subject->picture};
    subject->pointed = v->pointed;
    if (v->pointed && v->held)
        subject->request.position = (size_t)(picture_cell(v->pointer.y, v->grid_h) * v->grid_w +
                                             picture_cell(v->pointer.x, v->grid_w));
    snprintf(subject->query, sizeof subject->query, viz_word("cell (%d, %d)"), x, y);
    bool is_softmax = v->settings.normalizer == SAC_NORMALIZER_SOFTMAX;
    snprintf(subject->where, sizeof subject->where, "%s score%s%s",
             sac_score_name(v->settings.score), is_softmax ? "" : ", ",
             is_softmax ? "" : sac_normalizer_name(v->settings.normalizer));
    return true;
}

static char *picture_key_name(const viz_view *view, size_t position, char *text, size_t size)
{
    size_t width = (size_t)((const picture_view *)view)->grid_w;
    snprintf(text, size, viz_word("cell (%zu, %zu)"), position % width, position / width);
    return text;
}

/* The current query's weights over the picture, as numbers. */
static bool picture_map(const viz_view *view, viz_map *map)
{
    const picture_view *v = (const picture_view *)view;
    const viz_glide *g = &v->glide;
    if (!g->to || g->grid_w != v->grid_w || g->grid_h != v->grid_h ||
        !viz_map_allocate(map, (size_t)g->grid_h, (size_t)g->grid_w))
        return false;
    memcpy(map->values, g->to, (size_t)(map->rows * map->columns) * sizeof *map->values);
    viz_map_hide(map, v->hidden_count > 0 ? v->hidden : NULL);
    map->image = picture_image(v);
    return true;
}

static viz_rect picture_map_rect(const viz_view *view)
{
    return ((const picture_view *)view)->layout.right;
}

/* ---------------------------------------------------------------- the picture view's table and its jobs */

typedef struct picture_job {
    viz_job base;
    sac_picture_request request;
    uint8_t *hidden; /* a copy, as the person may go on painting; owned */
    sac_picture_result result;
    unsigned revision;
} picture_job;

/* ---------------------------------------------------------------- jobs */

static void job_free(picture_job *job)
{
    sac_picture_result_free(&job->result);
    free(job->hidden);
    free(job);
}

static picture_job *job_create(const picture_view *v, bool rebuild)
{
    size_t cells = (size_t)v->grid_w * (size_t)v->grid_h;
    picture_job *job = viz_job_create(&viz_picture_class, sizeof *job);
    if (!job)
        return NULL;
    job->revision = v->revision;
    job->request = (sac_picture_request){.settings = v->settings,
                                         .query_x = picture_query_x(v),
                                         .query_y = picture_query_y(v),
                                         .rebuild = rebuild};
    if (v->hidden_count > 0) {
        job->hidden = viz_allocate(cells, 1);
        if (!job->hidden) {
            job_free(job);
            return NULL;
        }
        memcpy(job->hidden, v->hidden, cells);
        job->request.hidden = job->hidden;
    }
    return job;
}

/* A query under these settings as one number. */
static uint64_t heat_demand(const picture_view *v)
{
    return ((uint64_t)v->revision << 32) | ((uint64_t)picture_query_y(v) << 16) |
           (uint64_t)picture_query_x(v);
}

/* Heat for the pointer first; while settings change, heat and rebuilt picture take turns. A request
 * that was made is not made again, even where it failed. */
static viz_job *picture_create_job(viz_view *view)
{
    picture_view *v = picture_of(view);
    bool heat = viz_request_due(&v->heat, heat_demand(v));
    bool rebuild = viz_request_due(&v->rebuild, v->revision);
    if (v->heat.out || v->rebuild.out || (!heat && !rebuild))
        return NULL;
    rebuild = rebuild && (!heat || v->last_was_heat);
    picture_job *job = job_create(v, rebuild);
    if (!job)
        return NULL;
    v->last_was_heat = !rebuild;
    v->asked_at = v->now;
    return rebuild ? viz_request_submit(&v->rebuild, &job->base, v->revision)
                   : viz_request_submit(&v->heat, &job->base, heat_demand(v));
}

static sac_status picture_run_job(viz_view *view, viz_job *base, sac_error *error)
{
    picture_job *job = viz_job_of(base, &viz_picture_class);
    const sac_source *source = picture_of(view)->source;
    return source->picture.attend(source->self, &job->request, &job->result, error);
}

/* Maps are identical where no weight differs by as much as this. */
#define SAME 1e-6f

static void take_weights(picture_view *v, const picture_job *job)
{
    const sac_picture_result *r = &job->result;
    viz_glide *g = &v->glide;
    bool fresh = g->grid_w != r->grid_w || g->grid_h != r->grid_h;
    if (fresh && !viz_glide_resize(g, r->grid_w, r->grid_h))
        return;
    bool moved = v->shown_x != r->query_x || v->shown_y != r->query_y;
    if (!fresh && moved && v->shown_revision == job->revision) {
        v->identical = true;
        for (int i = 0; i < r->grid_w * r->grid_h; i++)
            v->identical &= fabsf(g->to[i] - r->weights[i]) < SAME;
    }
    /* Sets out for `weights` from whatever is shown; at once where `at_once`. */
    bool at_once = fresh || !v->has_clock;
    size_t bytes = (size_t)g->grid_w * (size_t)g->grid_h * sizeof *r->weights;
    memcpy(g->from, g->now, bytes);
    memcpy(g->to, r->weights, bytes);
    g->start =
        at_once ? v->now - VIZ_GLIDE_SECONDS : v->now - 1.0 / 60; /* the next frame already moves */
    g->moving = true;
    picture_glide_step(g, v->now);
    v->shown_x = r->query_x;
    v->shown_y = r->query_y;
    v->shown_revision = job->revision;
    v->entropy = r->entropy;
    v->heat_ms = r->milliseconds;
    if (r->query_x == picture_query_x(v) && r->query_y == picture_query_y(v))
        picture_fixate_if_rested(v);
}

static void take_rebuilt(picture_view *v, const sac_picture_result *r)
{
    sac_image image = {0};
    if (!r->rebuilt)
        return;
    if (sac_image_create(r->grid_w, r->grid_h, &image, NULL) != SAC_OK) {
        viz_drawing_lacks_memory();
        return;
    }
    for (int i = 0; i < r->grid_w * r->grid_h; i++) {
        for (int c = 0; c < 3; c++)
            image.rgba[4 * i + c] =
                (uint8_t)(255 * fminf(fmaxf(r->rebuilt[3 * i + c], 0), 1) + 0.5f);
        image.rgba[4 * i + 3] = 255;
    }
    sac_image_free(&v->rebuilt);
    v->rebuilt = image;
    v->rebuilt_stamp++;
    v->rebuild_max = r->rebuild_max;
    v->rebuild_ms = r->milliseconds;
}

static void picture_finish_job(viz_view *view, viz_job *base, const sac_error *error)
{
    picture_view *v = picture_of(view);
    picture_job *job = viz_job_of(base, &viz_picture_class);
    bool rebuild = job->request.rebuild;
    viz_request *request = rebuild ? &v->rebuild : &v->heat;
    viz_request *other = rebuild ? &v->heat : &v->rebuild;
    bool worked = viz_request_take(request, error);
    other->problem[0] = '\0'; /* the device's last answer is what counts */
    if (worked && job->result.grid_w == v->grid_w && job->result.grid_h == v->grid_h) {
        if (rebuild)
            take_rebuilt(v, &job->result);
        else
            take_weights(v, job);
    }
    job_free(job);
}

/* ---------------------------------------------------------------- the table */

static int picture_take_chosen(viz_view *view)
{
    picture_view *v = picture_of(view);
    int chosen = v->chosen;
    v->chosen = -1;
    return chosen;
}

static void picture_status(const viz_view *view, char *text, size_t size)
{
    const picture_view *v = (const picture_view *)view;
    const sac_origin *origin = &v->source->origin;
    const sac_source *source = v->source;
    const char *slash = strrchr(origin->file, '/');
    const char *name = slash ? slash + 1 : origin->file[0] ? origin->file : source->title;
    char place[32];
    viz_picture_place(source->picture.number, source->picture.count, source->picture.scenes, place,
                      sizeof place);
    int used = snprintf(text, size, viz_word("%s%s%s%d × %d cells"), name, place,
                        place[0]  ? "  ·  "
                        : name[0] ? ", "
                                  : "",
                        v->grid_w, v->grid_h);
    if (origin->device[0] && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "  ·  %s", origin->device);
    if (v->heat_ms > 0 && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "  ·  %.*f ms", v->heat_ms < 1 ? 2 : 1,
                 v->heat_ms);
}

static void picture_destroy(viz_view *view)
{
    picture_view *v = picture_of(view);
    free(v->hidden);
    viz_glide_free(&v->glide);
    viz_gaze_free(&v->gaze);
    sac_image_free(&v->shrunk);
    sac_image_free(&v->rebuilt);
    viz_scaled_free(&v->picture_kept);
    viz_scaled_free(&v->rebuilt_kept);
    free(v);
}

static bool picture_accepts(const sac_source *source)
{
    return source->picture.attend && source->picture.image;
}

const viz_view_class viz_picture_class = {
    .name = "picture",
    .tab = "Picture",
    .is_place = true,
    .accepts = picture_accepts,
    .create = viz_picture_view_create,
    .draw = picture_draw,
    .figure = picture_draw_figure,
    .figure_height = picture_figure_height,
    .event = picture_event,
    .tick = picture_tick,
    .create_job = picture_create_job,
    .run_job = picture_run_job,
    .finish_job = picture_finish_job,
    .choose = picture_take_chosen,
    .status = picture_status,
    .settings = {picture_settings},
    .map = picture_map,
    .map_rect = picture_map_rect,
    .subject = picture_subject,
    .key_name = picture_key_name,
    .keys = picture_keys,
    .spots = picture_add_spots,
    .about = "A picture that attends to itself: which cells look like the one you point at.",
    .frames = picture_frames,
    .frame = picture_frame,
    .destroy = picture_destroy,
};

/* Photographs of many megapixels would make every resize of the window wait. */
#define MOST_PIXELS 2560

sac_status viz_picture_view_create(sac_source *source, viz_view *beside, viz_view **view,
                                   sac_error *error)
{
    picture_view *v = calloc(1, sizeof *v);
    *view = NULL;
    (void)beside;
    if (!v)
        return sac_no_memory(error, "picture view");
    v->base.class = &viz_picture_class;
    v->base.source = source;
    v->source = source;
    v->settings = sac_picture_defaults();
    v->style = (viz_heat_style){.map = VIZ_INFERNO, VIZ_HEAT_DEFAULTS};
    v->revision = 1;
    v->may_wander = true;
    v->speed = 1;
    v->shown_x = v->shown_y = v->chosen = -1;
    v->wanted = source->picture.number;
    const sac_image *image = source->picture.image;
    int longer = image->width > image->height ? image->width : image->height, w, h;
    sac_status status = SAC_OK;
    if (longer > MOST_PIXELS) {
        sac_picture_grid(image->width, image->height, MOST_PIXELS, &w, &h);
        status = sac_image_scale(image, w, h, true, &v->shrunk, error);
    }
    if (status == SAC_OK)
        picture_regrid(v);
    if (status == SAC_OK && !v->hidden)
        status = sac_no_memory(error, "picture view");
    if (status != SAC_OK) {
        viz_view_destroy(&v->base);
        return status;
    }
    int x, y;
    viz_gaze_first(&v->gaze, &x, &y);
    look_at_cell(v, x, y);
    *view = &v->base;
    return SAC_OK;
}

void viz_picture_view_query(const viz_view *view, int *x, int *y)
{
    *x = picture_query_x((const picture_view *)view);
    *y = picture_query_y((const picture_view *)view);
}
