/* Keys and pointer on a lesson's page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lesson/lesson_state.h"

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
static void set_parameter(lesson_view *v, int i, float value)
{
    const sac_lesson_parameter *p = &v->lesson.parameters[i];
    value = p->whole ? rintf(value) : fminf(fmaxf(rounded(value), p->low), p->high);
    v->lesson.values[i] = value;
    lesson_set(v, p->name, value, value == p->initial);
}

static void drag(lesson_view *v, float x)
{
    set_parameter(v, v->dragged, viz_slider_value(&v->layout.sliders[v->dragged], x));
}

static void press_control(lesson_view *v, int i, float x)
{
    if (v->layout.switches[i].w > 0) {
        set_parameter(v, i, v->lesson.values[i] == 0);
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

/* A number that the lesson is given goes up and down with the pointer. */
static void hold(lesson_view *v, lesson_cell cell, float y)
{
    const sac_shown_array *array = lesson_array(v, cell.array);
    lesson_choose(v, cell);
    v->held = array->given ? cell : (lesson_cell){0};
    v->held_value = array->numbers[cell.cell];
    v->held_y = y;
}

static bool drag_number(lesson_view *v, float y)
{
    char name[LESSON_CELL_NAME];
    float way = v->held_y - y, most = lesson_heat_of(lesson_array(v, v->held.array), v->map).most;
    float step = most > 1 ? 0.1f : 0.01f;
    if (fabsf(way) < 3 || !isfinite(v->held_value))
        return false;
    float value = step * rintf((v->held_value + 0.25f * step * way) / step);
    lesson_set(v, lesson_cell_name(v, v->held, name, sizeof name), value, false);
    return true;
}

static bool press(lesson_view *v, float x, float y)
{
    if (lesson_quiz_press(v, cell_at(v, x, y)))
        return true;
    int step = viz_turns_hit(&v->layout.turns, x, y), control = control_at(v, x, y);
    lesson_cell cell = cell_at(v, x, y);
    if (step < 0)
        step = lesson_block_hit(v, x, y);
    if (step >= 0)
        return lesson_turn(v, step);
    if (viz_inside(v->layout.reset, x, y))
        return lesson_reset(v);
    if (lesson_doors_press(v, x, y))
        return true;
    if (control >= 0)
        press_control(v, control, x);
    else if (cell.array)
        hold(v, cell, y);
    return control >= 0 || cell.array;
}

static bool press_key(lesson_view *v, const viz_event *e)
{
    if (lesson_write_key(v, e))
        return true;
    if (lesson_quiz_key(v, e->key) || (!e->ctrl && lesson_doors_key(v, e->key)))
        return true;
    switch (e->key) {
    case VIZ_KEY_LEFT:
        return e->ctrl ? lesson_move(v, 0, -1) : lesson_turn(v, v->step - 1);
    case VIZ_KEY_RIGHT:
        return e->ctrl ? lesson_move(v, 0, 1) : lesson_turn(v, v->step + 1);
    case VIZ_KEY_PAGE_UP:
        return lesson_turn(v, v->step - 1);
    case VIZ_KEY_PAGE_DOWN:
    case ' ':
        return lesson_turn(v, v->step + 1);
    case VIZ_KEY_HOME:
        return lesson_turn(v, 0);
    case VIZ_KEY_END:
        return lesson_turn(v, v->lesson.step_count - 1);
    case VIZ_KEY_UP:
        return lesson_move(v, -1, 0);
    case VIZ_KEY_DOWN:
        return lesson_move(v, 1, 0);
    case 'f':
        v->lists = true;
        return true;
    case 'm':
        v->map = (v->map + 1) % VIZ_DIVERGING;
        return true;
    case '#':
        return lesson_code_key(v);
    case 'r':
        if (!e->ctrl)
            return false;
        lesson_reset(v);
        lesson_choose(v, (lesson_cell){0});
        return true;
    default:
        return false;
    }
}

static bool is_of_ctrl(int key)
{
    return key == VIZ_KEY_LEFT || key == VIZ_KEY_RIGHT || key == 'r' || key == 'l' || key == 'v';
}

bool lesson_event(viz_view *view, const viz_event *e)
{
    lesson_view *v = lesson_of(view);
    bool was_dragged = v->dragged >= 0;
    if (v->lists)
        return lesson_list_event(v, e);
    if (!v->known)
        return false;
    if (lesson_bar_event(v, e))
        return true;
    switch (e->kind) {
    case VIZ_KEY:
        return (!e->ctrl || is_of_ctrl(e->key)) && press_key(v, e);
    case VIZ_PRESS:
        return e->button == 1 && press(v, e->x, e->y);
    case VIZ_MOVE:
        if (was_dragged)
            drag(v, e->x);
        else if (v->held.array)
            return drag_number(v, e->y);
        return was_dragged || hover(v, cell_at(v, e->x, e->y));
    case VIZ_RELEASE:
        v->dragged = -1;
        v->held = (lesson_cell){0};
        return was_dragged;
    case VIZ_LEAVE:
        return hover(v, (lesson_cell){0});
    case VIZ_WHEEL:
        return lesson_turn(v, v->step + (e->wheel_y < 0 ? 1 : -1));
    }
    return false;
}

/* ---------------------------------------------------------------- spots */

void lesson_spots(const viz_view *view, viz_spots *spots)
{
    const lesson_view *v = (const lesson_view *)view;
    const lesson_layout *l = &v->layout;
    if (v->lists)
        lesson_list_spots(v, spots);
    if (!v->known || v->lists)
        return;
    viz_spots_add(spots, l->reset, VIZ_SPOT_PRESSES, "Back to the lesson's own numbers.");
    viz_turns_spots(&l->turns, spots);
    lesson_block_spots(v, spots);
    lesson_doors_spots(v, spots);
    if (lesson_asks(v))
        viz_spots_add(spots, l->bar, VIZ_SPOT_SLIDES, "Drag it to your guess, and let go.");
    viz_spots_add_press(spots, l->code, "#", "The lines of PyTorch of this step: # copies them.");
    for (int i = 0; i < l->control_count; i++) {
        viz_spots_add(spots, l->switches[i], VIZ_SPOT_PRESSES, "On, or off.");
        viz_spots_add_slider(spots, &l->sliders[i], "Drag it: all that depends on it follows.");
    }
    for (int i = 0; i < l->block_count; i++)
        viz_spots_add(spots, l->blocks[i].rect, VIZ_SPOT_AREA,
                      "Point at a number: its arithmetic stands below. What the lesson begins with "
                      "is dragged.");
    viz_spots_add_caps(spots, &l->caps);
}
