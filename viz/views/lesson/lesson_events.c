/* The lesson view's input: typing, answering, choosing from the list, and all keys and presses. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/text.h"
#include "lesson/lesson_state.h"
#include "parts/pages/steps.h"

void lesson_write_typed(const lesson_view *v, char *text, size_t size)
{
    snprintf(text, size, "%s %s▏  %s", lesson_text(v, "Your sentence:"), v->written,
             lesson_text(v, "Return takes it, Esc lets it be."));
}

static void add(lesson_view *v, const char *letters)
{
    size_t used = strlen(v->written);
    for (; *letters && used + 1 < sizeof v->written; letters++)
        v->written[used++] = *letters == '\n' || *letters == '\t' ? ' ' : *letters;
    v->written[used] = '\0';
}

/* Whole letters go, of which UTF-8 has several bytes. */
static void take_back(lesson_view *v)
{
    size_t used = strlen(v->written);
    while (used > 0 && ((unsigned char)v->written[--used] & 0xc0) == 0x80)
        ;
    v->written[used] = '\0';
}

static bool lesson_write_key(lesson_view *v, const viz_event *e)
{
    if (e->ctrl && e->key == 'l') {
        v->writes = true;
        memcpy(v->written, v->wanted.text, sizeof v->written);
        return true;
    }
    if (e->ctrl && e->key == 'v' && e->text && !lesson_asks(v)) {
        v->writes = true;
        add(v, e->text);
        return true;
    }
    if (!v->writes || e->ctrl)
        return false;
    if (e->key == VIZ_KEY_RETURN) {
        v->writes = false;
        if (strcmp(v->wanted.text, v->written) != 0) {
            memcpy(v->wanted.text, v->written, sizeof v->wanted.text);
            v->demand++;
        }
        return true;
    }
    if (e->key == VIZ_KEY_BACKSPACE)
        take_back(v);
    else if (e->key == VIZ_KEY_ESCAPE)
        v->writes = false;
    else if (e->key == VIZ_KEY_TEXT)
        add(v, e->text);
    else if (e->key >= ' ' && e->key < 127)
        add(v, (char[]){(char)e->key, '\0'});
    return true;
}

/* ---------------------------------------------------------------- keys and pointer on a lesson's page */

/* ---------------------------------------------------------------- what can be changed */

static int control_at(const lesson_view *v, float x, float y)
{
    const lesson_layout *l = &v->layout;
    for (int i = 0; i < l->control_count; i++)
        if (l->switches[i].w > 0 ? viz_inside(l->switches[i], x, y)
                                 : viz_slider_hit(&l->sliders[i], x, y))
            return i;
    return -1;
}

/* Three digits: a command that is copied should be short. */
static float rounded(float value)
{
    char text[32];
    snprintf(text, sizeof text, "%.3g", (double)value);
    return strtof(text, NULL);
}

/* The value is shown at once; the arrays follow when they are computed. */
void lesson_set_parameter(lesson_view *v, int i, float value)
{
    const sac_lesson_parameter *p = &v->lesson.parameters[i];
    value = p->whole ? rintf(value) : fminf(fmaxf(rounded(value), p->low), p->high);
    v->lesson.values[i] = value;
    lesson_set(v, p->name, value, value == p->initial);
}

static void drag(lesson_view *v, float x)
{
    lesson_set_parameter(v, v->dragged, viz_slider_value(&v->layout.sliders[v->dragged], x));
}

static void press_control(lesson_view *v, int i, float x)
{
    if (v->layout.switches[i].w > 0) {
        lesson_set_parameter(v, i, v->lesson.values[i] == 0);
    } else {
        v->dragged = i;
        drag(v, x);
    }
}

/* ---------------------------------------------------------------- cells and steps */

static lesson_cell cell_at(const lesson_view *v, float x, float y)
{
    const lesson_layout *l = &v->layout;
    lesson_cell cell = {0};
    for (int i = 0; i < l->block_count; i++)
        if (lesson_cell_at(&l->blocks[i], lesson_array(v, l->blocks[i].node), x, y, &cell.cell))
            cell.array = l->blocks[i].node;
    return cell;
}

static bool hover(lesson_view *v, lesson_cell cell)
{
    bool changed = cell.array != v->hovered.array || cell.cell != v->hovered.cell;
    v->hovered = cell;
    return changed;
}

/* A number that the lesson is given grows with the pointer's way up or to the right. */
static void hold(lesson_view *v, lesson_cell cell, float x, float y)
{
    const sac_shown_array *array = lesson_array(v, cell.array);
    lesson_choose(v, cell);
    v->held = array->given ? cell : (lesson_cell){0};
    v->held_value = array->numbers[cell.cell];
    v->held_step = lesson_heat_of(array, v->map).most > 1 ? 0.1f : 0.01f;
    v->held_x = x;
    v->held_y = y;
}

static bool drag_number(lesson_view *v, float x, float y)
{
    char name[LESSON_CELL_NAME];
    float way = x - v->held_x + v->held_y - y, step = v->held_step;
    if (fabsf(way) < 3 || !isfinite(v->held_value))
        return false;
    float value = step * rintf((v->held_value + 0.25f * step * way) / step);
    lesson_set(v, lesson_cell_name(v, v->held, name, sizeof name), value, false);
    return true;
}

static bool press(lesson_view *v, float x, float y)
{
    if (lesson_buttons_press(v, x, y) || lesson_card_press(v, &v->card, x, y))
        return true;
    if (v->ends && lesson_end_press(v, x, y))
        return true;
    if (!v->ends && lesson_quiz_press(v, cell_at(v, x, y)))
        return true;
    int step = viz_turns_hit(&v->layout.turns, x, y), control = control_at(v, x, y);
    lesson_cell cell = cell_at(v, x, y);
    if (step < 0 && !v->ends) {
        step = lesson_block_hit(v, x, y);
        if (step >= 0 && v->layout.block_large) { /* a part of the large diagram is entered */
            v->shown = LESSON_BOTH;
            lesson_turn(v, step);
            return true;
        }
    }
    if (step >= 0)
        return lesson_turn(v, step);
    if (viz_inside(v->layout.reset, x, y))
        return lesson_reset(v);
    if (viz_inside(v->layout.back, x, y))
        return lesson_gallery_show(v);
    if (lesson_doors_press(v, x, y))
        return true;
    if (control >= 0)
        press_control(v, control, x);
    else if (cell.array)
        hold(v, cell, x, y);
    return control >= 0 || cell.array;
}

static bool press_step(viz_view *view, viz_pressed pressed)
{
    lesson_view *v = lesson_of(view);
    int last = v->lesson.step_count - 1, from = v->step + v->ends;
    v->motion.plays = false;
    return lesson_turn(v, !pressed.what ? from + pressed.step : pressed.step < 0 ? 0 : last);
}

static bool press_play(viz_view *view, viz_pressed pressed)
{
    lesson_view *v = lesson_of(view);
    (void)pressed;
    return lesson_motion_play(v, !v->motion.plays);
}

static bool turns_steps(const viz_event *e)
{
    return !e->ctrl && (e->key == VIZ_KEY_LEFT || e->key == VIZ_KEY_RIGHT ||
                        e->key == VIZ_KEY_PAGE_UP || e->key == VIZ_KEY_PAGE_DOWN || e->key == ' ');
}

static bool press_number(viz_view *view, viz_pressed pressed)
{
    return lesson_move(lesson_of(view), pressed.what ? 0 : pressed.step,
                       pressed.what ? pressed.step : 0);
}

static bool press_code(viz_view *view, viz_pressed pressed)
{
    lesson_view *v = lesson_of(view);
    (void)pressed;
    v->codes = !v->codes;
    v->code_copied = v->codes;
    return true;
}

static bool press_map(viz_view *view, viz_pressed pressed)
{
    lesson_view *v = lesson_of(view);
    v->map = (v->map + pressed.step + VIZ_DIVERGING) % VIZ_DIVERGING;
    return true;
}

static bool press_shown(viz_view *view, viz_pressed pressed)
{
    return lesson_turn_shown(lesson_of(view), pressed.step);
}

static bool has_drawing(const viz_view *view)
{
    const lesson_view *v = (const lesson_view *)view;
    return v->known && !v->lists && lesson_drawing(v);
}

static bool press_list(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    return lesson_gallery_show(lesson_of(view));
}

static bool press_door(viz_view *view, viz_pressed pressed)
{
    lesson_view *v = lesson_of(view);
    if (v->ends)
        return pressed.what && lesson_end_key(v);
    return lesson_press_door(v, pressed.what ? 0 : pressed.step);
}

static bool press_reset(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    lesson_reset(lesson_of(view));
    lesson_choose(lesson_of(view), (lesson_cell){0});
    return true;
}

const viz_key_row lesson_keys[] = {
    {"←  →", "the step before, the next one", press_step},
    {"PgUp  PgDn", "the same, as a clicker has them", press_step},
    {"space", "play the steps, one after the other, or rest", press_play},
    {"+  −", "the pace of what moves: still, slow, usual, fast", .setting = "pace"},
    {"Home  End", "the first step, the last", press_step, true},
    {"↑  ↓", "the number above, below", press_number},
    {"ctrl ←  ctrl →", "the number to the left, to the right", press_number, true},
    {"pointer", "the arithmetic of a number"},
    {"click", "keep that number, turn to a step"},
    {"ctrl L", "a sentence of your own; ctrl V pastes it"},
    {"#", "the lines of PyTorch of this step, which are copied", press_code},
    {"M", "the colours of weights", press_map},
    {"=", "drawing and numbers, or one of them", press_shown, .acts = has_drawing},
    {"F", "the list of all lessons", press_list},
    {"N  P", "the next door of the closing lesson, the one before", press_door},
    {"Return", "open the marked door; at the end, what is lit", press_door, true},
    {"drag", "a slider, or a number that the lesson begins with"},
    {"ctrl R", "the lesson's own numbers again", press_reset},
    {"wheel", "through the steps"},
    {"ctrl C", "copy the command that shows this"},
    {NULL, NULL},
};

bool lesson_event(viz_view *view, const viz_event *e)
{
    lesson_view *v = lesson_of(view);
    bool was_dragged = v->dragged >= 0;
    if (v->lists)
        return lesson_gallery_event(v, e);
    if (!v->known)
        return false;
    if (e->kind == VIZ_KEY || e->kind == VIZ_PRESS || e->kind == VIZ_WHEEL) {
        if (e->kind == VIZ_PRESS && lesson_beat(v) >= 0) /* a hand takes over */
            v->motion.plays = v->draws.on = false;
        bool ended = lesson_motion_end(v);
        if (ended && e->kind == VIZ_KEY && turns_steps(e)) { /* it is done at once, and no more */
            v->motion.plays &= e->key != ' ';
            return true;
        }
    }
    if (lesson_bar_event(v, e) || lesson_drawing_event(v, e))
        return true;
    switch (e->kind) {
    case VIZ_KEY:
        return lesson_write_key(v, e) || (!e->ctrl && lesson_quiz_key(v, e->key)) ||
               viz_keys_press(lesson_keys, view, e);
    case VIZ_PRESS:
        return e->button == 1 && press(v, e->x, e->y);
    case VIZ_MOVE:
        if (was_dragged)
            drag(v, e->x);
        else if (v->held.array)
            return drag_number(v, e->x, e->y);
        return was_dragged || hover(v, cell_at(v, e->x, e->y));
    case VIZ_RELEASE:
        was_dragged = lesson_is_dragged(v);
        v->dragged = -1;
        v->held = (lesson_cell){0};
        return was_dragged;
    case VIZ_LEAVE:
        return hover(v, (lesson_cell){0});
    case VIZ_WHEEL:
        return lesson_turn(v, v->step + v->ends + (e->wheel_y < 0 ? 1 : -1));
    }
    return false;
}

/* ---------------------------------------------------------------- spots */

void lesson_spots(const viz_view *view, viz_spots *spots)
{
    const lesson_view *v = (const lesson_view *)view;
    const lesson_layout *l = &v->layout;
    if (v->lists)
        lesson_gallery_spots(v, spots);
    if (!v->known || v->lists)
        return;
    viz_spots_add_press(spots, l->back, "F", "Back to all lessons (F).");
    viz_spots_add(spots, l->reset, VIZ_SPOT_PRESSES, "Back to the lesson's own numbers.");
    viz_turns_spots(&l->turns, spots);
    lesson_buttons_spots(v, spots);
    if (v->ends) {
        lesson_end_spots(v, spots);
        return;
    }
    if (!v->answered)
        lesson_card_spots(&v->card, spots);
    lesson_block_spots(v, spots);
    lesson_drawing_spots(v, spots);
    lesson_doors_spots(v, spots);
    if (lesson_asks(v))
        viz_spots_add(spots, l->bar, VIZ_SPOT_SLIDES, "Drag it to your guess, and let go.");
    viz_spots_add_press(spots, l->code, "#", "The lines of PyTorch of this step: # copies them.");
    for (int i = 0; i < l->control_count; i++) {
        const char *other =
            lesson_is_idle(v, i) ? "It changes other steps, and nothing of this one." : NULL;
        viz_spots_add(spots, l->switches[i], VIZ_SPOT_PRESSES, other ? other : "On, or off.");
        viz_spots_add_slider(spots, &l->sliders[i], v->lesson.values[i],
                             other ? other : "Drag it: all that depends on it follows.");
    }
    for (int i = 0; i < l->block_count; i++)
        viz_spots_add(spots, l->blocks[i].rect, VIZ_SPOT_AREA,
                      "Point at a number: its arithmetic stands below. What the lesson begins with "
                      "is dragged, up or to the right for more.");
    viz_spots_add_caps(spots, &l->caps);
}
