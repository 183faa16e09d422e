/* The doors of a step: names that open another lesson or a view, each with its command. */
#include <math.h>
#include <string.h>

#include "canvas/text.h"
#include "lesson/lesson_state.h"

#define NAME 15.0f
#define LINE 2.0f  /* heights, in sizes of the name */
#define INSET 0.6f /* on both sides of a name */

static const sac_lesson_door *door_at(const lesson_view *v, int i)
{
    return i < SAC_STEP_DOORS ? lesson_step(v)->doors[i] : NULL;
}

static int door_count(const lesson_view *v)
{
    int count = 0;
    while (door_at(v, count))
        count++;
    return count;
}

static int marked_door(const lesson_view *v)
{
    int count = door_count(v);
    return v->door < count ? v->door : count - 1;
}

static float name_size(const lesson_view *v)
{
    return fmaxf(12, NAME * v->layout.unit);
}

/* Where letters are as large as for a room, there are names alone. */
static bool shows_commands(const lesson_view *v, const viz_canvas *canvas)
{
    return v->figure || !canvas->theme->presents;
}

static float door_width(const lesson_view *v, const viz_canvas *canvas, const sac_lesson_door *door)
{
    float size = name_size(v);
    float name = viz_text_width(canvas, VIZ_SANS_BOLD, size, lesson_text(v, door->name));
    float command = viz_text_width(canvas, VIZ_MONO, v->layout.label, door->command);
    return name + 2 * INSET * size + (shows_commands(v, canvas) ? command + size : 0);
}

float lesson_doors_lay(lesson_view *v, const viz_canvas *canvas, viz_rect room)
{
    lesson_layout *l = &v->layout;
    float size = name_size(v), line = LINE * size, gap = 0.6f * size, x = 0, y = 0;
    memset(l->doors, 0, sizeof l->doors);
    for (int i = 0; door_at(v, i); i++) {
        float w = fminf(door_width(v, canvas, door_at(v, i)), room.w);
        if (x > 0 && x + w > room.w) {
            x = 0;
            y += line + 0.5f * gap;
        }
        l->doors[i] = (viz_rect){room.x + x, y, w, line};
        x += w + gap;
    }
    float height = door_count(v) ? y + line : 0;
    for (int i = 0; door_at(v, i); i++)
        l->doors[i].y += room.y + room.h - height;
    return height;
}

void lesson_doors_draw(const lesson_view *v, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    float size = name_size(v);
    for (int i = 0; door_at(v, i); i++) {
        viz_rect r = v->layout.doors[i];
        bool marked = i == marked_door(v) && !v->figure;
        float x = r.x + INSET * size, y = r.y + r.h / 2 + 0.36f * size;
        char fit[128];
        viz_fill_round(canvas, r, 5, theme->panel);
        viz_frame_round(canvas, r, 5, 1, marked ? theme->accent : theme->line);
        x += viz_text(canvas, VIZ_SANS_BOLD, size, x, y, VIZ_LEFT, theme->text,
                      lesson_text(v, door_at(v, i)->name)) +
             size;
        if (shows_commands(v, canvas))
            viz_text(canvas, VIZ_MONO, v->layout.label, x, y, VIZ_LEFT, theme->text2,
                     viz_text_fit(canvas, VIZ_MONO, v->layout.label, r.x + r.w - x,
                                  door_at(v, i)->command, fit, sizeof fit));
    }
}

/* A lesson is opened here; a view is left to whoever holds this one. */
static bool open_door(lesson_view *v, const sac_lesson_door *door)
{
    if (!door->lesson) {
        v->opens = door;
        return true;
    }
    for (int i = 0; i < v->source->lesson.entry_count; i++)
        if (strcmp(v->source->lesson.entries[i].name, door->lesson) == 0)
            lesson_open(v, i);
    return true;
}

bool lesson_doors_press(lesson_view *v, float x, float y)
{
    for (int i = 0; door_at(v, i); i++)
        if (viz_inside(v->layout.doors[i], x, y))
            return open_door(v, door_at(v, i));
    return false;
}

bool lesson_doors_key(lesson_view *v, int key)
{
    int count = door_count(v), step = key == 'n' ? 1 : count - 1;
    if (!count || (key != 'n' && key != 'p' && key != VIZ_KEY_RETURN))
        return false;
    if (key == VIZ_KEY_RETURN)
        return open_door(v, door_at(v, marked_door(v)));
    v->door = (marked_door(v) + step) % count;
    return true;
}

void lesson_doors_spots(const lesson_view *v, viz_spots *spots)
{
    for (int i = 0; door_at(v, i); i++)
        viz_spots_add(spots, v->layout.doors[i], VIZ_SPOT_PRESSES,
                      "Opens this; ctrl B comes back. N marks the next one, Return opens it.");
}
