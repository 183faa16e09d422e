/* Rectangles that answer the pointer, and the sentence that explains each. */

#include "parts/controls/spots.h"

#include <math.h>

#define SLIDE_STRIDE 8.0f

viz_spot *viz_spots_add(viz_spots *spots, viz_rect rect, viz_spot_kind kind, const char *tip)
{
    if (!(rect.w > 0 && rect.h > 0) || spots->count >= VIZ_SPOTS_MOST)
        return NULL;
    spots->items[spots->count] = (viz_spot){.rect = rect, .kind = kind, .tip = tip};
    return &spots->items[spots->count++];
}

void viz_spots_add_press(viz_spots *spots, viz_rect rect, const char *cap, const char *tip)
{
    viz_spot *spot = viz_spots_add(spots, rect, VIZ_SPOT_PRESSES, tip);
    if (spot)
        spot->key = viz_key_named(cap, NULL);
}

void viz_spots_add_place(viz_spots *spots, viz_rect rect, const char *place, const char *tip)
{
    viz_spot *spot = viz_spots_add(spots, rect, VIZ_SPOT_PRESSES, tip);
    if (spot)
        spot->place = place;
}

void viz_spots_add_key(viz_spots *spots, viz_rect rect, const char *cap)
{
    const viz_key *key = viz_key_named(cap, NULL);
    viz_spots_add_press(spots, rect, cap, key ? key->meaning : NULL);
}

/* Of caps that are the same in all views. */
static const char *shared_tip(const char *cap)
{
    static const struct {
        const char *cap, *tip;
    } shared[] = {{"?", N_("All keys of this view (?).")},
                  {"S", N_("Save what is seen as a picture, a page or an animation (S).")},
                  {"space", N_("Plays, or holds (space).")},
                  {"I", N_("How this number is computed, step by step (I).")},
                  {"←", N_("The step before (←).")},
                  {"→", N_("The next step (→).")}};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (viz_key_named(cap, NULL) == viz_key_named(shared[i].cap, NULL))
            return shared[i].tip;
    return NULL;
}

static void add_cap(viz_spots *spots, viz_rect rect, const char *cap, const char *tip)
{
    const viz_key *key = viz_key_named(cap, NULL);
    tip = tip ? tip : shared_tip(cap);
    viz_spots_add_press(spots, rect, cap, tip ? tip : key ? key->meaning : NULL);
}

void viz_spots_add_caps(viz_spots *spots, const viz_caps *caps)
{
    for (int i = 0; i < caps->count; i++) {
        const char *cap = caps->keys[i].key, *second = NULL;
        const char *const *tips = caps->keys[i].tips;
        viz_rect first = caps->items[i], rest = first;
        if (first.w > 0 && caps->second[i] > 0 && viz_key_named(cap, &second) && second) {
            first.w = caps->second[i];
            rest.x += first.w;
            rest.w -= first.w;
        }
        add_cap(spots, first, cap, tips[0]);
        if (second)
            add_cap(spots, rest, second, tips[1]);
    }
}

void viz_spots_add_choices(viz_spots *spots, const viz_choices *choices, const char *const *tips)
{
    for (int i = 0; i < choices->count; i++)
        viz_spots_add(spots, choices->items[i], VIZ_SPOT_PRESSES, tips[i]);
}

void viz_spots_add_slider(viz_spots *spots, const viz_slider *slider, float value, const char *tip)
{
    viz_rect r = slider->rect, around = {r.x - 7, r.y, r.w > 0 ? r.w + 14 : 0, r.h};
    viz_spot *spot = viz_spots_add(spots, around, VIZ_SPOT_SLIDES, tip);
    if (!spot || slider->idle)
        return;
    float one = slider->whole ? r.w / (slider->high - slider->low) : 0; /* from number to number */
    spot->knob = viz_slider_knob_x(slider, value);
    spot->stride = fmaxf(one, SLIDE_STRIDE);
}

const viz_spot *viz_spots_at(const viz_spots *spots, float x, float y)
{
    for (int i = spots->count - 1; i >= 0; i--)
        if (viz_inside(spots->items[i].rect, x, y))
            return &spots->items[i];
    return NULL;
}

bool viz_spot_is_pressable(const viz_spot *spot)
{
    return spot->kind != VIZ_SPOT_READOUT && spot->kind != VIZ_SPOT_AREA;
}

bool viz_spot_steps_down(const viz_spot *spot, float x)
{
    return spot->kind == VIZ_SPOT_STEPS && x < spot->rect.x + VIZ_STEP_ARROW + 2;
}

/* ---------------------------------------------------------------- drawing */

static void draw_arrow(viz_canvas *canvas, float x, float y, float way)
{
    viz_color color = canvas->theme->text;
    viz_line(canvas, x + 2 * way, y - 4, x - 2 * way, y, 1.5f, color);
    viz_line(canvas, x - 2 * way, y, x + 2 * way, y + 4, 1.5f, color);
}

void viz_spot_draw(viz_canvas *canvas, const viz_spot *spot)
{
    viz_rect r = spot->rect;
    if (!viz_spot_is_pressable(spot))
        return;
    viz_rect around = {r.x - 3, r.y, r.w + 6, r.h};
    viz_fill_round(canvas, around, 5, viz_with_alpha(canvas->theme->text, 0.09f));
    if (spot->kind != VIZ_SPOT_STEPS)
        return;
    draw_arrow(canvas, r.x + 3, r.y + r.h / 2, 1);
    draw_arrow(canvas, r.x + r.w - 3, r.y + r.h / 2, -1);
}
