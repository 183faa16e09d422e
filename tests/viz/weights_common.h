/* What the tests of the matrix view and the heads view share: views of made-up weights, drawn and
 * computed without a window. */
#ifndef TESTS_VIZ_MAPS_COMMON_H
#define TESTS_VIZ_MAPS_COMMON_H

#include "canvas/text.h"
#include "fake_matrix.h"
#include "status.h"
#include "test.h"
#include "view/view.h"
#include "weights/weights_model.h"

/* A source of [layers,1,heads,rows,columns] with labels, and a picture where `grid` is not 0: the
 * columns are then grid² cells behind one token. */
static inline viz_weights_model *model_of(size_t layers, size_t heads, size_t rows, size_t columns,
                                          bool labels, int grid, fake_matrix **fake)
{
    *fake = fake_create(layers, 1, heads, rows, columns);
    sac_source *source = &(*fake)->source;
    if (labels) {
        fake_label(&source->weights.step_labels, rows);
        fake_label(&source->weights.position_labels, columns);
    }
    if (grid)
        fake_see(*fake, 60, 40, grid, grid, 1);
    viz_weights_model *model;
    OK(viz_weights_model_create(source, &model, NULL));
    model->chosen = true; /* the first head stays open */
    return model;
}

static inline viz_canvas canvas_of(int width, int height, float density)
{
    viz_canvas canvas;
    OK(viz_canvas_create(width, height, density, &viz_theme_dark, &canvas, NULL));
    return canvas;
}

static inline viz_rect area_of(const viz_canvas *canvas)
{
    return (viz_rect){0, 44, viz_width(canvas), viz_height(canvas) - 44};
}

/* As the exporter does it. */
static inline void settle(viz_view *view, viz_canvas *canvas)
{
    for (bool any = true; any;) {
        viz_clear(canvas);
        view->class->draw(view, canvas, area_of(canvas));
        OK(viz_view_compute(view, NULL, &any, &failure));
    }
}

static inline bool send_key(viz_view *view, int key)
{
    return view->class->event(view, &(viz_event){.kind = VIZ_KEY, .key = key});
}

static inline bool send(viz_view *view, viz_event_kind kind, float x, float y, int button)
{
    return view->class->event(view, &(viz_event){.kind = kind, .x = x, .y = y, .button = button});
}

static inline viz_color pixel_at(const viz_canvas *canvas, float x, float y)
{
    const uint8_t *p = canvas->rgba + 4 * ((size_t)(y * canvas->density) * (size_t)canvas->width +
                                           (size_t)(x * canvas->density));
    return (viz_color){p[0], p[1], p[2], p[3]};
}

static inline bool same_color(viz_color a, viz_color b)
{
    return a.r == b.r && a.g == b.g && a.b == b.b;
}

/* Rectangles with names, to find out whether any two overlap or one sticks out. */
typedef struct named_rect {
    const char *name;
    viz_rect rect;
} named_rect;

static inline void assert_apart(const named_rect *rects, int count, viz_rect area, const char *what)
{
    for (int i = 0; i < count; i++) {
        viz_rect a = rects[i].rect;
        if (a.w <= 0 || a.h <= 0)
            continue;
        if (a.x < area.x - 0.5f || a.y < area.y - 0.5f || a.x + a.w > area.x + area.w + 0.5f ||
            a.y + a.h > area.y + area.h + 0.5f)
            fail_msg("%s: %s sticks out: %g %g %g %g", what, rects[i].name, (double)a.x,
                     (double)a.y, (double)a.w, (double)a.h);
        for (int j = i + 1; j < count; j++) {
            viz_rect b = rects[j].rect;
            if (b.w > 0 && b.h > 0 && a.x + a.w > b.x + 0.5f && b.x + b.w > a.x + 0.5f &&
                a.y + a.h > b.y + 0.5f && b.y + b.h > a.y + 0.5f)
                fail_msg("%s: %s and %s overlap: %g %g %g %g, %g %g %g %g", what, rects[i].name,
                         rects[j].name, (double)a.x, (double)a.y, (double)a.w, (double)a.h,
                         (double)b.x, (double)b.y, (double)b.w, (double)b.h);
        }
    }
}

/* The windows that views are tried in. */
static const struct {
    int width, height;
    float density;
} windows[] = {{800, 500, 1}, {1280, 800, 1}, {3840, 2160, 1},     {1600, 1000, 2},
               {640, 900, 1}, {640, 400, 1},  {1920, 1080, 1.375f}};
enum { WINDOWS = sizeof windows / sizeof *windows };

/* Maps of every kind of shape. */
static const struct {
    size_t layers, heads, rows, columns;
    bool labels;
    int grid;
} shapes[] = {{1, 1, 4, 4, true, 0},    {1, 1, 300, 300, false, 0}, {6, 8, 24, 24, true, 0},
              {2, 3, 17, 17, false, 4}, {1, 2, 5, 50, true, 7},     {24, 32, 12, 12, false, 0},
              {30, 9, 24, 24, true, 0}, {3, 2, 60, 6, true, 0},     {1, 1, 1, 1, false, 0}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static inline int open_fonts(void **state)
{
    (void)state;
    return viz_text_open(NULL) == SAC_OK ? 0 : -1;
}

static inline int close_fonts(void **state)
{
    (void)state;
    viz_text_close();
    return 0;
}

#endif
