/* Pages of all lessons, and every text that is drawn on one. The linker puts __wrap_viz_text in the
 * place of the canvas's own. */
#ifndef TESTS_LESSONS_SEEN_TEXTS_H
#define TESTS_LESSONS_SEEN_TEXTS_H

#include "canvas/colormap.h"
#include "canvas/text.h"
#include "lesson/lesson_view.h"
#include "lessons/ideas/lessons.h"
#include "lessons/lesson_source.h"
#include "on_device.h"
#include "shell/shell.h"
#include "status.h"
#include "view/settings.h"

float __real_viz_text(viz_canvas *canvas, viz_face face, float size, float x, float y,
                      viz_align align, viz_color color, const char *utf8);
float __wrap_viz_text(viz_canvas *canvas, viz_face face, float size, float x, float y,
                      viz_align align, viz_color color, const char *utf8);

enum { MOST_TEXTS = 6000 };

static struct {
    char text[160];
    viz_rect rect; /* of its letters */
    float pixels, contrast;
    bool number;
} seen[MOST_TEXTS];
static int seen_count;

static inline viz_color color_below(const viz_canvas *canvas, float x, float y)
{
    int column = (int)(x * canvas->density), row = (int)(y * canvas->density);
    bool inside = column >= 0 && row >= 0 && column < canvas->width && row < canvas->height;
    const uint8_t *p = canvas->rgba + 4 * ((size_t)row * (size_t)canvas->width + (size_t)column);
    return inside ? (viz_color){p[0], p[1], p[2], 255} : color_below(canvas, 0, 0);
}

float __wrap_viz_text(viz_canvas *canvas, viz_face face, float size, float x, float y,
                      viz_align align, viz_color color, const char *utf8)
{
    float width = viz_text_width(canvas, face, size, utf8);
    float left = align == VIZ_LEFT ? x : align == VIZ_RIGHT ? x - width : x - width / 2;
    if (utf8[0]) {
        assert_true(seen_count < MOST_TEXTS);
        snprintf(seen[seen_count].text, sizeof seen->text, "%s", utf8);
        seen[seen_count].rect = (viz_rect){left, y - 0.74f * size, width, 0.9f * size};
        seen[seen_count].pixels = size * canvas->density;
        seen[seen_count].number = face == VIZ_MONO;
        seen[seen_count++].contrast =
            viz_contrast(color, color_below(canvas, left - 1, y - 0.3f * size));
    }
    return __real_viz_text(canvas, face, size, x, y, align, color, utf8);
}

static inline bool overlap(viz_rect a, viz_rect b)
{
    return a.x < b.x + b.w - 0.5f && b.x < a.x + a.w - 0.5f && a.y < b.y + b.h - 0.5f &&
           b.y < a.y + a.h - 0.5f;
}

/* Each text is on the page and over no other one. */
static inline void check_places(const viz_canvas *canvas, const char *where)
{
    for (int i = 0; i < seen_count; i++) {
        viz_rect r = seen[i].rect;
        if (r.x < 0 || r.y < 0 || r.x + r.w > viz_width(canvas) + 0.5f ||
            r.y + r.h > viz_height(canvas))
            fail_msg("%s: “%s” is cut by the edge", where, seen[i].text);
        for (int j = 0; j < i; j++)
            if (overlap(r, seen[j].rect))
                fail_msg("%s: “%s” lies over “%s”", where, seen[i].text, seen[j].text);
    }
}

/* ---------------------------------------------------------------- the pages */

typedef struct pages {
    sac_source source;
    viz_shell shell;
    viz_view *view;
} pages;

static inline void open_pages(pages *p)
{
    const sac_lessons_options options = {.device = NULL};
    OK(sac_lessons_open(&options, &p->source, NULL));
    OK(viz_lesson_view_create(&p->source, NULL, &p->view, NULL));
    OK(viz_shell_add(&p->shell, p->view, NULL));
}

static inline void close_pages(pages *p)
{
    viz_shell_free(&p->shell);
    sac_source_destroy(&p->source);
}

static inline void restore(const pages *p, const char *key, const char *value)
{
    viz_view_restore(p->view, key, value);
}

/* Draws the step and returns whether there is one. */
static inline bool draw_step(pages *p, viz_canvas *canvas, int step)
{
    char text[16];
    snprintf(text, sizeof text, "%d", step + 1);
    restore(p, "step", text);
    seen_count = 0;
    viz_shell_draw(&p->shell, canvas);
    return step < p->view->class->pages(p->view);
}

#endif
