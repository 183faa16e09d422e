/* The rectangles of a layout with names, for tests that nothing overlaps and nothing leaves. */
#ifndef TESTS_VIZ_RECTS_H
#define TESTS_VIZ_RECTS_H

#include "canvas/canvas.h"
#include "test.h"

#define MAX_RECTS 1600

typedef struct named_rect {
    char name[32];
    viz_rect rect;
} named_rect;

typedef struct rect_list {
    named_rect items[MAX_RECTS];
    int count;
} rect_list;

static inline void add(rect_list *list, const char *name, int number, viz_rect rect)
{
    if (rect.w <= 0 || rect.h <= 0)
        return;
    assert_true(list->count < MAX_RECTS);
    snprintf(list->items[list->count].name, 32, "%s %d", name, number);
    list->items[list->count++].rect = rect;
}

static inline bool overlap(viz_rect a, viz_rect b)
{
    float slack = 0.02f; /* rounding of float sums */
    return a.x + slack < b.x + b.w && b.x + slack < a.x + a.w && a.y + slack < b.y + b.h &&
           b.y + slack < a.y + a.h;
}

#endif
