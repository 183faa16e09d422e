/* A caption view over the invented source, for the tests of its parts. */
#ifndef TESTS_VIZ_CAPTION_COMMON_H
#define TESTS_VIZ_CAPTION_COMMON_H

#include "canvas/text.h"
#include "caption/caption_state.h"
#include "fake_caption.h"
#include "shell/shell.h"

typedef struct scene {
    fake_caption fake;
    viz_view *view;
    caption_view *v; /* the same, from inside */
    viz_canvas canvas;
    double now;
} scene;

static inline void draw(scene *s)
{
    viz_rect area = {0, VIZ_TABS_HEIGHT, viz_width(&s->canvas),
                     viz_height(&s->canvas) - VIZ_TABS_HEIGHT};
    viz_clip_none(&s->canvas);
    viz_clear(&s->canvas);
    viz_view_draw(s->view, &s->canvas, area);
}

static inline void settle(scene *s)
{
    viz_view_settle(s->view, NULL);
    draw(s);
}

/* Nothing was computed yet. */
static inline int open_scene(void **state)
{
    scene *s = calloc(1, sizeof *s);
    fake_open(&s->fake);
    if (viz_caption_view_create(&s->fake.source, NULL, &s->view, NULL) != SAC_OK ||
        viz_canvas_create(900, 600, 1, NULL, &s->canvas, NULL) != SAC_OK)
        return 1;
    s->v = caption_of(s->view);
    s->v->numbers = true; /* all that there is to see and to press */
    draw(s);
    *state = s;
    return 0;
}

static inline int close_scene(void **state)
{
    scene *s = *state;
    viz_view_destroy(s->view);
    viz_canvas_free(&s->canvas);
    fake_close(&s->fake);
    free(s);
    return 0;
}

/* Time passes in frames of a 60th, and what is wanted is computed at once. */
static inline void pass(scene *s, double seconds)
{
    for (double until = s->now + seconds; s->now < until - 1e-9;) {
        s->now += 1.0 / 60;
        s->view->class->tick(s->view, s->now);
        viz_view_settle(s->view, NULL);
    }
}

static inline bool press_key(scene *s, int key)
{
    return s->view->class->event(s->view, &(viz_event){.kind = VIZ_KEY, .key = key});
}

static inline bool press_shifted(scene *s, int key)
{
    return s->view->class->event(s->view, &(viz_event){.kind = VIZ_KEY, .key = key, .shift = true});
}

static inline bool point(scene *s, viz_event_kind kind, int button, float x, float y)
{
    return s->view->class->event(s->view,
                                 &(viz_event){.kind = kind, .button = button, .x = x, .y = y});
}

static inline bool wheel_at(scene *s, viz_rect r, float notches)
{
    viz_event event = {
        .kind = VIZ_WHEEL, .x = r.x + r.w / 2, .y = r.y + r.h / 2, .wheel_y = notches};
    return s->view->class->event(s->view, &event);
}

static inline bool click(scene *s, viz_rect r, int button)
{
    bool changed = point(s, VIZ_PRESS, button, r.x + r.w / 2, r.y + r.h / 2);
    point(s, VIZ_RELEASE, button, r.x + r.w / 2, r.y + r.h / 2);
    return changed;
}

/* A cell of the picture. */
static inline viz_rect cell(const scene *s, int x, int y)
{
    viz_rect p = s->v->layout.main.picture;
    float w = p.w / FAKE_GRID, h = p.h / FAKE_GRID;
    return (viz_rect){p.x + w * (float)x, p.y + h * (float)y, w, h};
}

static inline const char *generated(scene *s)
{
    static char text[512];
    return sac_caption_text(&s->v->g.caption, text, sizeof text);
}

#define IN_SCENE(name) TEST_ON(scene, s, name, open_scene, close_scene)

#endif
