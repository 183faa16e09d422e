/* The few lines of PyTorch of a step, over the page's arithmetic. */
#include <math.h>
#include <string.h>

#include "canvas/text.h"
#include "lesson/lesson_state.h"

#define SIZE 16.0f
#define LINE 1.4f
#define INSET 0.7f /* round the lines, in sizes of the text */

const char *lesson_code_shown(const lesson_view *v)
{
    const char *code = v->codes ? lesson_step(v)->code : NULL;
    return code && !lesson_asks(v) ? code : NULL;
}

/* Small enough for the longest line. */
static float text_size(const lesson_view *v, const viz_canvas *canvas, const char *code, float room)
{
    float size = fmaxf(12, SIZE * v->layout.unit), longest = 1;
    for (const char *at = code; *at; at += strcspn(at, "\n"), at += *at == '\n')
        longest = fmaxf(longest, (float)strcspn(at, "\n"));
    float letter = viz_text_width(canvas, VIZ_MONO, size, "0") / size;
    float fits = room / (longest * letter + 2 * INSET);
    return fmaxf(viz_least_text(canvas, 9), fminf(size, fits));
}

static int line_count(const char *code)
{
    int count = 1;
    for (; *code; code++)
        count += *code == '\n';
    return count;
}

float lesson_code_lay(lesson_view *v, const viz_canvas *canvas, viz_rect room)
{
    const char *code = lesson_code_shown(v);
    v->layout.code = (viz_rect){0};
    if (!code)
        return 0;
    float size = text_size(v, canvas, code, room.w);
    float height = (LINE * (float)line_count(code) + 2 * INSET) * size;
    v->layout.code = (viz_rect){room.x, room.y + room.h - height, room.w, height};
    return height;
}

void lesson_code_draw(const lesson_view *v, viz_canvas *canvas)
{
    const char *code = lesson_code_shown(v);
    viz_rect r = v->layout.code;
    char line[200];
    if (!code || r.h <= 0)
        return;
    float size = text_size(v, canvas, code, r.w), y = r.y + INSET * size;
    viz_fill_round(canvas, r, 5, canvas->theme->panel);
    for (const char *at = code; *at; at += strcspn(at, "\n"), at += *at == '\n', y += LINE * size) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        viz_text(canvas, VIZ_MONO, size, r.x + INSET * size, y + size, VIZ_LEFT,
                 canvas->theme->text, line);
    }
}

bool lesson_code_key(lesson_view *v)
{
    v->codes = !v->codes;
    v->code_copied = v->codes;
    return true;
}

const char *lesson_code_copied(viz_view *view)
{
    lesson_view *v = lesson_of(view);
    bool asked = v->code_copied && v->known;
    v->code_copied = false;
    return asked ? lesson_code_shown(v) : NULL;
}
