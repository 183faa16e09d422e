/* The pointer and the keys in the picture view, and the tips. */
#include <math.h>
#include <stdlib.h>

#include "parts/figures/overlays.h"
#include "picture/picture_state.h"

void picture_spots(const viz_view *view, viz_spots *spots)
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
                  "The score of one query q and one key k; the softmax of the scores is the "
                  "attention.");
    viz_controls_spots(&l->controls, view, spots);
    viz_spots_add_caps(spots, &l->caps);
}

/* ---------------------------------------------------------------- pointer */

static gaze_point place_in(viz_rect rect, float x, float y)
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
        picture_changed(v);
}

/* The user took over: the scan path follows the pointer again, and moves on its own only after a
 * pause. */
static void touch(picture_view *v)
{
    v->last_touch = v->now;
    v->wanders = false;
}

static bool move_to(picture_view *v, float x, float y)
{
    bool left = viz_inside(v->layout.left, x, y), right = viz_inside(v->layout.right, x, y);
    gaze_point before = v->pointer;
    bool was_pointed = v->pointed;
    v->pointed = left || right;
    if (!v->pointed)
        return was_pointed;
    v->pointer = place_in(left ? v->layout.left : v->layout.right, x, y);
    if (was_pointed && picture_cell(before.x, v->grid_w) == picture_cell(v->pointer.x, v->grid_w) &&
        picture_cell(before.y, v->grid_h) == picture_cell(v->pointer.y, v->grid_h))
        return false;
    if (left && !v->held) {
        touch(v);
        picture_look_at(v, v->pointer);
    }
    return true;
}

static bool press(picture_view *v, const viz_event *e)
{
    bool on_picture = viz_inside(v->layout.left, e->x, e->y);
    gaze_point place = place_in(v->layout.left, e->x, e->y);
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
        touch(v);
        picture_look_at(v, place);
        return true;
    }
    return false;
}

/* ---------------------------------------------------------------- keys */

static bool press_query(viz_view *view, viz_pressed pressed)
{
    picture_view *v = picture_of(view);
    bool across = pressed.key == VIZ_KEY_LEFT || pressed.key == VIZ_KEY_RIGHT;
    touch(v);
    viz_picture_view_look(view, picture_query_x(v) + (across ? pressed.step : 0),
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
static bool press_turn(viz_view *view, viz_pressed pressed)
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

static bool press_hide(viz_view *view, viz_pressed pressed)
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

const viz_key_row picture_keys[] = {
    {"pointer", "the cell under it is the query"},
    {"click", "hold the query; again: let go"},
    {"←  ↑  →  ↓", "move the query", press_query},
    {"space", "let the gaze wander, or stop it", press_wander},
    {"+  −", "faster, slower", press_speed},
    {"N  P", "next picture, back", press_turn},
    {"G", "the next score", .setting = "score"},
    {"W", "width up (shift: down)", .setting = "bandwidth"},
    {"E", "temperature up (shift: down)", .setting = "temperature"},
    {"X", "position up (shift: down)", .setting = "position", .what = 5},
    {"Z", "more cells (shift: fewer)", .setting = "cells"},
    {"right drag", "hide cells from attention"},
    {"H", "hide with the left button", press_hide},
    {"U", "show all cells again", press_show_all},
    {"L", "the next colour scale", .setting = "scale"},
    VIZ_STYLE_KEYS,
    {"B", "blocky or smooth", .setting = "cells drawn"},
    {NULL, NULL},
};

bool picture_event(viz_view *view, const viz_event *e)
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
            return move_to(v, e->x, e->y);
        v->last_touch = v->now;
        hide_stroke(v, place_in(v->layout.left, e->x, e->y));
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

void picture_seen(picture_view *v)
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
static bool jump(picture_view *v)
{
    int x, y;
    if (shows_query(v))
        picture_seen(v);
    if (!v->fixated || v->now < v->next_jump || !viz_gaze_next(&v->gaze, v->hidden, &x, &y))
        return false;
    viz_picture_view_look(&v->base, x, y);
    v->next_jump = v->now + (v->exporting ? 1.0 : JUMP_SECONDS / v->speed);
    return true;
}

bool picture_tick(viz_view *view, double now)
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
        moves |= jump(v);
    else if (shows_query(v))
        picture_seen(v);
    return moves;
}

/* ---------------------------------------------------------------- the story, for export */

#define FIXATIONS 8 /* of one second each: glide, then rest */

int picture_frames(const viz_view *view, int fps)
{
    (void)view;
    return FIXATIONS * fps;
}

/* Frames are requested in order; the first one begins anew from the query there is. */
void picture_frame(viz_view *view, int index, int fps)
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
    jump(v);
}
