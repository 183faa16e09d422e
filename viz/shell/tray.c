/* The tray: pins, the rows in which they are shown, and the view on them. */

#include "shell/tray.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "shell/tray_state.h"
#include "view/settings.h"

/* ---------------------------------------------------------------- pins, and steps back */

static bool is_in_row(const tray_row *row, int pin)
{
    for (int i = 0; i < row->count; i++)
        if (row->pins[i] == pin)
            return true;
    return false;
}

static bool is_used(const tray_view *t, int pin)
{
    bool used = is_in_row(&t->now, pin);
    for (int i = 0; i < t->past_count; i++)
        used = used || is_in_row(&t->past[i], pin);
    for (int i = 0; i < t->future_count; i++)
        used = used || is_in_row(&t->future[i], pin);
    return used;
}

static void drop_unused(tray_view *t)
{
    for (int i = 0; i < TRAY_KEPT; i++)
        if (t->kept[i].values && !is_used(t, i))
            viz_pin_free(&t->kept[i]);
}

static void forget_first_step(tray_view *t)
{
    memmove(t->past, t->past + 1, (size_t)--t->past_count * sizeof *t->past);
    drop_unused(t);
}

/* A free place, for which the oldest steps are forgotten. */
static int free_place(tray_view *t)
{
    for (;;) {
        for (int i = 0; i < TRAY_KEPT; i++)
            if (!t->kept[i].values)
                return i;
        forget_first_step(t);
    }
}

/* Shows this row from now on, by a step that can be taken back. */
static void show_row(tray_view *t, const tray_row *row)
{
    if (t->past_count == TRAY_STEPS)
        forget_first_step(t);
    t->past[t->past_count++] = t->now;
    t->now = *row;
    t->future_count = 0;
    drop_unused(t);
}

static tray_row row_without(const tray_row *row, int panel)
{
    tray_row less = *row;
    memmove(less.pins + panel, less.pins + panel + 1,
            (size_t)(--less.count - panel) * sizeof *less.pins);
    return less;
}

/* The map that others are compared with stays the same one, where it is still there. */
static void find_reference(tray_view *t, int pin)
{
    t->reference = 0;
    for (int i = 0; i < t->now.count; i++)
        if (t->now.pins[i] == pin)
            t->reference = i;
}

static int reference_pin(const tray_view *t)
{
    return t->now.count ? t->now.pins[t->reference] : -1;
}

bool viz_tray_add(viz_view *view, viz_pin *pin)
{
    tray_view *t = tray_of(view);
    int reference = reference_pin(t), place = free_place(t);
    tray_row row = t->now.count == VIZ_TRAY_MOST ? row_without(&t->now, 0) : t->now;
    t->kept[place] = *pin;
    t->stamps[place] = ++t->last_stamp;
    *pin = (viz_pin){0};
    row.pins[row.count++] = place;
    show_row(t, &row);
    find_reference(t, reference);
    return true;
}

static bool take_away(tray_view *t, int panel)
{
    if (panel < 0 || panel >= t->now.count)
        return false;
    int reference = reference_pin(t);
    tray_row row = row_without(&t->now, panel);
    show_row(t, &row);
    find_reference(t, reference);
    return true;
}

int viz_tray_count(const viz_view *view)
{
    return view ? ((const tray_view *)view)->now.count : 0;
}

static bool go(tray_view *t, tray_row *from, int *from_count, tray_row *to, int *to_count)
{
    int reference = reference_pin(t);
    if (*from_count == 0 || *to_count == TRAY_STEPS)
        return false;
    to[(*to_count)++] = t->now;
    t->now = from[--*from_count];
    find_reference(t, reference);
    return true;
}

bool viz_tray_undo(viz_view *view)
{
    tray_view *t = tray_of(view);
    return go(t, t->past, &t->past_count, t->future, &t->future_count);
}

bool viz_tray_redo(viz_view *view)
{
    tray_view *t = tray_of(view);
    return go(t, t->future, &t->future_count, t->past, &t->past_count);
}

void viz_tray_lie_over(viz_view *view, viz_view *below)
{
    tray_view *t = tray_of(view);
    t->below = below;
    t->base.source = below ? below->source : NULL;
}

/* The middle of a cell as a share of the side, so that another grid finds the cell that lies there.
 */
static float share(int place, int count)
{
    return ((float)place + 0.5f) / (float)count;
}

/* ---------------------------------------------------------------- events */

static bool point(tray_view *t, const viz_event *event)
{
    int panel, row, column;
    bool had = t->pointed;
    float x = t->pointed_x, y = t->pointed_y;
    t->pointed = event->kind == VIZ_MOVE && tray_hit(t, event->x, event->y, &panel, &row, &column);
    if (t->pointed) {
        t->pointed_x = share(column, tray_pin(t, panel)->columns);
        t->pointed_y = share(row, tray_pin(t, panel)->rows);
    }
    return had != t->pointed || x != t->pointed_x || y != t->pointed_y;
}

/* A cell is held until it is pressed again. */
static bool press_cell(tray_view *t, const viz_event *event)
{
    int panel, row, column;
    if (!tray_hit(t, event->x, event->y, &panel, &row, &column))
        return false;
    float x = share(column, tray_pin(t, panel)->columns), y = share(row, tray_pin(t, panel)->rows);
    t->held = !t->held || x != t->held_x || y != t->held_y;
    t->held_x = x;
    t->held_y = y;
    return true;
}

static bool press(tray_view *t, const viz_event *event)
{
    for (int i = 0; i < t->now.count; i++) {
        const tray_panel *p = &t->layout.panels[i];
        if (viz_inside(p->close, event->x, event->y))
            return take_away(t, i);
        if (viz_inside(p->title, event->x, event->y)) {
            t->reference = i;
            return true;
        }
    }
    return press_cell(t, event);
}

/* Moves from cell to cell of the first map; from its middle, where none is held. */
static bool move_cell(tray_view *t, int across, int down)
{
    int row, column;
    if (!t->now.count)
        return false;
    const viz_pin *pin = tray_pin(t, 0);
    tray_cell_at(pin, t->held ? t->held_x : 0.5f, t->held ? t->held_y : 0.5f, &row, &column);
    row = t->held ? (row + down + pin->rows) % pin->rows : row;
    column = t->held ? (column + across + pin->columns) % pin->columns : column;
    t->held = true;
    t->held_x = share(column, pin->columns);
    t->held_y = share(row, pin->rows);
    return true;
}

static bool press_key(tray_view *t, int key, bool back)
{
    int count = t->now.count;
    switch (key) {
    case VIZ_KEY_LEFT:
        return move_cell(t, -1, 0);
    case VIZ_KEY_RIGHT:
        return move_cell(t, 1, 0);
    case VIZ_KEY_UP:
        return move_cell(t, 0, -1);
    case VIZ_KEY_DOWN:
        return move_cell(t, 0, 1);
    case VIZ_KEY_BACKSPACE:
        return take_away(t, count - 1);
    case 'c':
        t->difference = !t->difference;
        return true;
    case 'n':
    case 'p':
        t->reference = count ? (t->reference + (key == 'n' ? 1 : count - 1)) % count : 0;
        return true;
    case 'l':
        t->scale =
            (viz_scale_kind)((t->scale + (back ? VIZ_SCALE_COUNT - 1 : 1)) % VIZ_SCALE_COUNT);
        return true;
    case 'm':
        t->style.map =
            (viz_colormap)((t->style.map + (back ? VIZ_DIVERGING - 1 : 1)) % VIZ_DIVERGING);
        return true;
    case 'b':
        t->style.blocky = !t->style.blocky;
        return true;
    default:
        return false;
    }
}

static bool event(viz_view *view, const viz_event *e)
{
    tray_view *t = tray_of(view);
    if (e->kind == VIZ_KEY)
        return !e->ctrl && press_key(t, e->key, e->shift);
    if (e->kind == VIZ_PRESS)
        return e->button == 1 && press(t, e);
    return (e->kind == VIZ_MOVE || e->kind == VIZ_LEAVE) && point(t, e);
}

/* ---------------------------------------------------------------- text */

static void status(const viz_view *view, char *text, size_t size)
{
    int count = viz_tray_count(view);
    snprintf(text, size, "%d map%s pinned", count, count == 1 ? "" : "s");
}

const char *const viz_tray_keys[] = {"pin 1",      "pin 2",    "pin 3",
                                     "pin 4",      "tray",     "tray reference",
                                     "tray scale", "tray map", "tray cells drawn",
                                     "tray cell",  NULL};

static void put_pins(const tray_view *t, viz_put *put, void *user)
{
    for (int i = 0; i < t->now.count; i++) {
        char *text = viz_pin_write(tray_pin(t, i), i ? tray_pin(t, i - 1) : NULL);
        if (text)
            put(user, viz_tray_keys[i], text);
        else
            viz_drawing_lacks_memory();
        free(text);
    }
}

static void describe(const viz_view *view, viz_put *put, void *user)
{
    const tray_view *t = (const tray_view *)view;
    char cell[64];
    snprintf(cell, sizeof cell, "%.9g %.9g", (double)t->held_x, (double)t->held_y);
    if (t->below)
        viz_view_describe(t->below, put, user);
    put_pins(t, put, user);
    put(user, "tray", t->difference ? "difference" : "side by side");
    viz_put_whole(put, user, "tray reference", t->reference);
    put(user, "tray scale", viz_scale_name(t->scale));
    put(user, "tray map", viz_colormap_name(t->style.map));
    put(user, "tray cells drawn", t->style.blocky ? "blocky" : "smooth");
    put(user, "tray cell", t->held ? cell : "");
}

static void restore_pin(tray_view *t, const char *value)
{
    viz_pin pin = {0};
    const viz_pin *before = t->now.count ? tray_pin(t, t->now.count - 1) : NULL;
    if (viz_pin_read(&pin, value, before))
        viz_tray_add(&t->base, &pin);
}

static void restore(viz_view *view, const char *key, const char *value)
{
    tray_view *t = tray_of(view);
    float x, y;
    if (strncmp(key, "pin ", 4) == 0)
        restore_pin(t, value);
    else if (strcmp(key, "tray") == 0)
        t->difference = strcmp(value, "difference") == 0;
    else if (strcmp(key, "tray reference") == 0 && value[0] >= '0' && value[0] - '0' < t->now.count)
        t->reference = value[0] - '0';
    else if (strcmp(key, "tray scale") == 0)
        viz_scale_from_name(value, &t->scale);
    else if (strcmp(key, "tray map") == 0)
        viz_colormap_from_name(value, &t->style.map);
    else if (strcmp(key, "tray cells drawn") == 0)
        t->style.blocky = strcmp(value, "blocky") == 0;
    else if (strcmp(key, "tray cell") == 0 && sscanf(value, "%f %f", &x, &y) == 2 && x >= 0 &&
             x < 1 && y >= 0 && y < 1) {
        t->held = true;
        t->held_x = x;
        t->held_y = y;
    }
}

/* ---------------------------------------------------------------- the class */

static void destroy(viz_view *view)
{
    tray_view *t = tray_of(view);
    for (int i = 0; i < TRAY_KEPT; i++) {
        viz_pin_free(&t->kept[i]);
        viz_scaled_free(&t->scaled[i]);
    }
    free(t);
}

static const viz_key_help keys[] = {
    {"C", "side by side, or the differences from one"},
    {"N  P", "the map that is subtracted: next, before"},
    {"pointer", "a cell, read in all maps"},
    {"click", "hold the cell; on a title: subtract this map"},
    {"←  →  ↑  ↓", "the next cell"},
    {"Backspace", "take the last map away"},
    {"L", "scale: per map, shared, square root, logarithmic, fixed"},
    {"M", "colour map"},
    {"B", "blocky or smooth"},
    {"Tab", "back to the view"},
    {NULL, NULL},
};

const viz_view_class viz_tray_class = {.name = "tray",
                                       .tab = "Tray",
                                       .draw = tray_draw,
                                       .event = event,
                                       .status = status,
                                       .describe = describe,
                                       .restore = restore,
                                       .keys = keys,
                                       .spots = tray_spots,
                                       .about = "Pinned maps beside each other.",
                                       .destroy = destroy};

sac_status viz_tray_create(viz_view **tray, sac_error *error)
{
    tray_view *t = calloc(1, sizeof *t);
    *tray = NULL;
    if (!t)
        return sac_fail(error, SAC_E_MEMORY, "tray", NULL, "no memory for the view");
    t->base.class = &viz_tray_class;
    t->scale = VIZ_SHARED;
    t->style.opacity = VIZ_HEAT_OPACITY;
    *tray = &t->base;
    return SAC_OK;
}
