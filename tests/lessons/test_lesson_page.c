/* Every step of every lesson on its page, as it is presented to a room: read from the last row,
 * nothing over another, nothing cut. */

#include "canvas/colormap.h"
#include "canvas/text.h"
#include "lesson/lesson_state.h"
#include "lesson/lesson_view.h"
#include "lessons/ideas/lessons.h"
#include "lessons/lesson_source.h"
#include "on_device.h"
#include "shell/shell.h"
#include "status.h"
#include "view/settings.h"

/* The linker puts this in the place of the canvas's own, to see every text that is drawn. */
float __real_viz_text(viz_canvas *canvas, viz_face face, float size, float x, float y,
                      viz_align align, viz_color color, const char *utf8);
float __wrap_viz_text(viz_canvas *canvas, viz_face face, float size, float x, float y,
                      viz_align align, viz_color color, const char *utf8);

enum { MOST_TEXTS = 2000 };

static struct {
    char text[160];
    viz_rect rect; /* of its letters */
    float pixels, contrast;
    bool number;
} seen[MOST_TEXTS];
static int seen_count;

static viz_color color_below(const viz_canvas *canvas, float x, float y)
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

static bool overlap(viz_rect a, viz_rect b)
{
    return a.x < b.x + b.w - 0.5f && b.x < a.x + a.w - 0.5f && a.y < b.y + b.h - 0.5f &&
           b.y < a.y + a.h - 0.5f;
}

static void check_texts(const viz_canvas *canvas, const char *where)
{
    float least = canvas->width >= 1280 ? 22 : 17;
    for (int i = 0; i < seen_count; i++) {
        viz_rect r = seen[i].rect;
        if (seen[i].pixels < least)
            fail_msg("%s: “%s” has %.1f pixels", where, seen[i].text, (double)seen[i].pixels);
        if (seen[i].contrast < (seen[i].number ? 6.99f : 4.5f))
            fail_msg("%s: “%s” has a contrast of %.1f", where, seen[i].text,
                     (double)seen[i].contrast);
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

static void open_pages(pages *p)
{
    const sac_lessons_options options = {.device = NULL};
    OK(sac_lessons_open(&options, &p->source, NULL));
    OK(viz_lesson_view_create(&p->source, NULL, &p->view, NULL));
    OK(viz_shell_add(&p->shell, p->view, NULL));
}

static void close_pages(pages *p)
{
    viz_shell_free(&p->shell);
    sac_source_destroy(&p->source);
}

static void restore(const pages *p, const char *key, const char *value)
{
    viz_view_restore(p->view, key, value);
}

/* Draws the step and says whether there is such a one. */
static bool draw_step(pages *p, viz_canvas *canvas, int step)
{
    char text[16];
    snprintf(text, sizeof text, "%d", step + 1);
    restore(p, "step", text);
    seen_count = 0;
    viz_shell_draw(&p->shell, canvas);
    return step < p->view->class->pages(p->view);
}

static void check_lesson(pages *p, const char *lesson, viz_canvas *canvas, const char *language)
{
    char where[160];
    restore(p, "pages", "all");
    restore(p, "language", language);
    restore(p, "settings", "");
    restore(p, "lesson", lesson);
    OK(viz_view_settle(p->view, NULL));
    for (int step = 0; draw_step(p, canvas, step); step++) {
        snprintf(where, sizeof where, "%s, step %d, %s at %d × %d, %s", lesson, step + 1, language,
                 canvas->width, canvas->height, canvas->theme->name);
        assert_true(seen_count > 0);
        check_texts(canvas, where);
    }
}

/* With the lines of PyTorch where `code` is "yes". */
static void check_at(int width, int height, const viz_theme *theme, const char *language,
                     const char *code)
{
    pages p = {0};
    viz_canvas canvas;
    open_pages(&p);
    restore(&p, "code", code);
    OK(viz_canvas_create(width, height, viz_presented_density(width, height, 1),
                         viz_theme_presented(theme), &canvas, NULL));
    for (int i = 0; sac_lessons[i]; i++)
        check_lesson(&p, sac_lessons[i]->name, &canvas, language);
    viz_canvas_free(&canvas);
    close_pages(&p);
}

TEST(every_step_is_read_from_the_last_row_at_1280)
{
    check_at(1280, 800, &viz_theme_dark, "en", "no");
    check_at(1280, 800, &viz_theme_light, "zh", "no");
}

TEST(every_step_is_read_from_the_last_row_at_1024)
{
    check_at(1024, 768, &viz_theme_light, "en", "no");
    check_at(1024, 768, &viz_theme_dark, "zh", "no");
}

TEST(every_step_is_read_from_the_last_row_at_1920)
{
    check_at(1920, 1080, &viz_theme_dark, "en", "no");
    check_at(1920, 1080, &viz_theme_light, "zh", "no");
}

TEST(lines_of_pytorch_are_read_too)
{
    check_at(1280, 800, &viz_theme_light, "en", "yes");
}

/* ---------------------------------------------------------------- numbers and state */

TEST(a_number_has_a_contrast_of_7_on_every_colour)
{
    const viz_theme *themes[] = {&viz_theme_dark, &viz_theme_light, &viz_theme_dark_presented,
                                 &viz_theme_light_presented};
    for (int i = 0; i < 24; i++)
        for (int value = -100; value <= 100; value++) {
            lesson_heat heat = {i % 2, 100, (viz_colormap)(i / 2 % 3)};
            viz_color color = lesson_heat_color(&heat, themes[i / 6], (float)value);
            assert_true(viz_contrast(color, viz_text_on(color)) >= 7);
        }
}

TEST(lesson_command_reproduces_what_is_shown)
{
    pages p = {0};
    char command[512];
    open_pages(&p);
    restore(&p, "lesson", "masks");
    restore(&p, "settings", "causal=0 padding=0");
    restore(&p, "step", "4");
    restore(&p, "cell", "mask,0,2,1");
    OK(viz_view_settle(p.view, NULL));
    assert_string_equal(p.view->class->command(p.view, command, sizeof command),
                        "saccade lesson masks --step 4 --set causal=0 --set padding=0 --cell "
                        "mask,0,2,1");
    close_pages(&p);
}

static int open_text(void **state)
{
    (void)state;
    return viz_text_open(NULL) != SAC_OK;
}

static int close_text(void **state)
{
    (void)state;
    viz_text_close();
    return 0;
}

TEST_MAIN(open_text, close_text)
