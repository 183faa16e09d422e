/* What a view shows, as anybody can ask it: its settings as text, and its spots by their tips. */
#ifndef TESTS_VIZ_ONE_STATE_H
#define TESTS_VIZ_ONE_STATE_H

#include "every_view.h"
#include "parts/controls/spots.h"
#include "test.h"
#include "view/map.h"
#include "view/settings.h"

typedef struct one_setting {
    const char *name;
    char value[256];
} one_setting;

static inline void one_put(void *user, const char *key, const char *value)
{
    one_setting *s = user;
    if (strcmp(key, s->name) == 0)
        snprintf(s->value, sizeof s->value, "%s", value);
}

static inline void assert_setting(const one_view *v, const char *name, const char *value)
{
    one_setting s = {name, ""};
    viz_view_describe(one_of(v), one_put, &s);
    assert_string_equal(s.value, value);
}

/* The spots whose tip begins so: how many there are, and number `index` of them into *rect. */
static inline int one_spots(const one_view *v, const char *tip, int index, viz_rect *rect)
{
    viz_spots *spots = calloc(1, sizeof *spots);
    int count = 0;
    if (rect)
        *rect = (viz_rect){0};
    v->class->spots(one_of(v), spots);
    for (int i = 0; i < spots->count; i++)
        if (strncmp(spots->items[i].tip, tip, strlen(tip)) == 0 && count++ == index && rect)
            *rect = spots->items[i].rect;
    free(spots);
    return count;
}

static inline void one_send(one_view *v, viz_event event)
{
    viz_shell_event(&v->shell, &event);
    one_draw(v);
}

static inline void one_key(one_view *v, int key)
{
    one_send(v, (viz_event){.kind = VIZ_KEY, .key = key});
}

static inline void one_click(one_view *v, float x, float y)
{
    one_send(v, (viz_event){.kind = VIZ_PRESS, .button = 1, .x = x, .y = y});
    one_send(v, (viz_event){.kind = VIZ_RELEASE, .button = 1, .x = x, .y = y});
}

/* Clicks near the left edge of such a spot. */
static inline void one_click_spot(one_view *v, const char *tip, int index)
{
    viz_rect r = {0};
    assert_true(one_spots(v, tip, index, &r) > index);
    one_click(v, r.x + 3, r.y + 0.4f * r.h);
}

/* The map that is shown, whose values are expected(cell, user). */
static inline void assert_map(const one_view *v, float (*expected)(int cell, const void *user),
                              const void *user)
{
    viz_map map = {0};
    assert_true(v->class->map(one_of(v), &map));
    for (int i = 0; i < map.rows * map.columns; i++)
        assert_float_equal(map.values[i], expected(i, user), 1e-6);
    viz_map_free(&map);
}

#endif
