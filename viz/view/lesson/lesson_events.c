/* Keys and pointer on a lesson's page. */
#include <math.h>

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

/* The value is shown at once; the arrays follow when they are computed. */
static void set_parameter(lesson_view *v, int i, float value)
{
    const sac_lesson_parameter *p = &v->lesson.parameters[i];
    value = p->whole ? rintf(value) : value;
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

static bool press(lesson_view *v, float x, float y)
{
    int step = viz_turns_hit(&v->layout.turns, x, y), control = control_at(v, x, y);
    lesson_cell cell = cell_at(v, x, y);
    if (step >= 0)
        return lesson_turn(v, step);
    if (control >= 0)
        press_control(v, control, x);
    else if (cell.array)
        lesson_choose(v, cell);
    return control >= 0 || cell.array;
}

static bool press_key(lesson_view *v, const viz_event *e)
{
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
    default:
        return false;
    }
}

bool lesson_event(viz_view *view, const viz_event *e)
{
    lesson_view *v = lesson_of(view);
    bool was_dragged = v->dragged >= 0;
    if (!v->known)
        return false;
    switch (e->kind) {
    case VIZ_KEY:
        return (!e->ctrl || e->key == VIZ_KEY_LEFT || e->key == VIZ_KEY_RIGHT) && press_key(v, e);
    case VIZ_PRESS:
        return e->button == 1 && press(v, e->x, e->y);
    case VIZ_MOVE:
        if (was_dragged)
            drag(v, e->x);
        return was_dragged || hover(v, cell_at(v, e->x, e->y));
    case VIZ_RELEASE:
        v->dragged = -1;
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
    if (!v->known)
        return;
    viz_turns_spots(&l->turns, spots);
    for (int i = 0; i < l->control_count; i++) {
        viz_spots_add(spots, l->switches[i], VIZ_SPOT_PRESSES, "On, or off.");
        viz_spots_add_slider(spots, &l->sliders[i], "Drag it: all that depends on it follows.");
    }
    for (int i = 0; i < l->block_count; i++)
        viz_spots_add(spots, l->blocks[i].rect, VIZ_SPOT_AREA,
                      "Point at a number: its arithmetic stands below.");
    viz_spots_add_caps(spots, &l->caps);
}
