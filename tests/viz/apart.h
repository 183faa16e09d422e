/* Whether what a view draws, and what of it answers the pointer, has a place of its own: for every view alike, by the
 * texts and pictures that are drawn and by its spots. */
#ifndef TESTS_VIZ_APART_H
#define TESTS_VIZ_APART_H

#include "canvas/recording.h"
#include "every_view.h"

typedef struct placed {
    char name[64];
    enum { PLACED_TEXT = 0, PLACED_PICTURE, PLACED_SPOT } kind;
    viz_rect rect;
} placed;

enum { PLACED_MOST = 4096 };

static inline viz_rect unit_rect(viz_pixels p, float density)
{
    return (viz_rect){(float)p.x0 / density, (float)p.y0 / density, (float)(p.x1 - p.x0) / density,
                      (float)(p.y1 - p.y0) / density};
}

/* As far as it is seen. */
static inline viz_rect seen_rect(viz_pixels p, const viz_shape *s, float density)
{
    p.x0 = p.x0 > s->clip.x0 ? p.x0 : s->clip.x0;
    p.y0 = p.y0 > s->clip.y0 ? p.y0 : s->clip.y0;
    p.x1 = p.x1 < s->clip.x1 ? p.x1 : s->clip.x1;
    p.y1 = p.y1 < s->clip.y1 ? p.y1 : s->clip.y1;
    return unit_rect(p, density);
}

/* The letters of a text without what is below the line. */
static inline viz_rect text_rect(const viz_shape *s, float density)
{
    int high = 6 * s->size / 10, x = (int)s->points[0].x, y = (int)s->points[0].y;
    int wide = (int)s->advance;
    return seen_rect(s->upwards ? (viz_pixels){x - high, y - wide, x, y}
                                : (viz_pixels){x, y - high, x + wide, y},
                     s, density);
}

static inline void place(placed *list, int *count, int kind, const char *name, viz_rect rect)
{
    if (rect.w <= 0 || rect.h <= 0 || *count >= PLACED_MOST)
        return;
    list[*count].kind = kind;
    snprintf(list[*count].name, sizeof list->name, "%s", name);
    list[(*count)++].rect = rect;
}

static inline int place_all(one_view *v, placed *list)
{
    static viz_spots spots;
    viz_recording r = {0};
    int count = 0;
    float d = v->canvas.density;
    v->canvas.recording = &r;
    one_lay(v);
    v->canvas.recording = NULL;
    for (size_t i = 0; i < r.count; i++) {
        const viz_shape *s = &r.shapes[i];
        if (s->kind == VIZ_SHAPE_TEXT && *s->text && strcmp(s->text, " · ") != 0)
            place(list, &count, PLACED_TEXT, s->text, text_rect(s, d));
        if (s->kind == VIZ_SHAPE_IMAGE || s->kind == VIZ_SHAPE_CELLS)
            place(list, &count, PLACED_PICTURE, "a picture", seen_rect(s->box, s, d));
    }
    viz_recording_free(&r);
    spots.count = 0;
    viz_shell_spots(&v->shell, &spots);
    for (int i = 0; i < spots.count; i++)
        if (spots.items[i].kind != VIZ_SPOT_READOUT && spots.items[i].kind != VIZ_SPOT_AREA)
            place(list, &count, PLACED_SPOT, spots.items[i].tip ? spots.items[i].tip : "a spot",
                  spots.items[i].rect);
    return count;
}

static inline bool rects_overlap(viz_rect a, viz_rect b, float slack)
{
    return a.x + slack < b.x + b.w && b.x + slack < a.x + a.w && a.y + slack < b.y + b.h &&
           b.y + slack < a.y + a.h;
}

static inline bool rect_holds(viz_rect a, viz_rect b)
{
    return b.x >= a.x - 0.51f && b.y >= a.y - 0.51f && b.x + b.w <= a.x + a.w + 0.51f &&
           b.y + b.h <= a.y + a.h + 0.51f;
}

/* True where no picture that is drawn is larger than the map on show. */
static inline bool one_map_is_large(one_view *v)
{
    static placed list[PLACED_MOST];
    int count = place_all(v, list);
    viz_rect map = v->class->map_rect(one_of(v));
    for (int i = 0; i < count; i++)
        if (list[i].kind == PLACED_PICTURE &&
            list[i].rect.w * list[i].rect.h > 1.02f * map.w * map.h)
            return false;
    return true;
}

/* Both are over the same picture: numbers of a path, whose places are the model's. */
static inline bool over_one_picture(const placed *list, int count, const placed *a, const placed *b)
{
    for (int i = 0; i < count; i++)
        if (list[i].kind == PLACED_PICTURE && rect_holds(list[i].rect, a->rect) &&
            rect_holds(list[i].rect, b->rect))
            return true;
    return false;
}

/* What is not apart, or leaves the window; NULL: all is. */
static inline const char *one_clash(one_view *v)
{
    static placed list[PLACED_MOST];
    static char text[256];
    int count = place_all(v, list);
    const viz_rect window = {0, 0, viz_width(&v->canvas), viz_height(&v->canvas)};
    for (int i = 0; i < count; i++) {
        const placed *a = &list[i];
        if (!rect_holds(window, a->rect)) {
            snprintf(text, sizeof text, "%s leaves", a->name);
            return text;
        }
        for (int k = 0; k < i; k++) {
            const placed *b = &list[k];
            bool nested = rect_holds(a->rect, b->rect) || rect_holds(b->rect, a->rect);
            /* What answers reaches a little beyond what is drawn; pixels are whole. */
            float slack = a->kind == PLACED_SPOT ? 9 : 0.51f;
            if (a->kind != b->kind || (a->kind != PLACED_TEXT && nested) ||
                !rects_overlap(a->rect, b->rect, slack) ||
                (a->kind == PLACED_TEXT && over_one_picture(list, count, a, b)))
                continue;
            snprintf(text, sizeof text, "%s (%g %g %g %g) touches %s (%g %g %g %g)", a->name,
                     (double)a->rect.x, (double)a->rect.y, (double)a->rect.w, (double)a->rect.h,
                     b->name, (double)b->rect.x, (double)b->rect.y, (double)b->rect.w,
                     (double)b->rect.h);
            return text;
        }
    }
    return NULL;
}

#endif
