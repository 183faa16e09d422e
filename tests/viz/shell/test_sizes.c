/* Every view in the windows that people have, in both themes: no text is cut, touches another, is
 * too small, or is too pale on what is behind it. */

#include "canvas/recording.h"
#include "chart/chart_view.h"
#include "every_view.h"
#include "extent.h"
#include "rects.h"
#include "status.h"
#include "test.h"
#include "view/words.h"

static const int windows[][2] = {{640, 400}, {1280, 800}, {1920, 1080}, {3840, 2160}};
#define WINDOWS (sizeof windows / sizeof *windows)
#define LEAST_TEXT 0.0133f /* of the height, in windows of 800 and more */
#define LEAST_CONTRAST 4.5f

/* The letters of a text without what hangs below the line, in pixels. */
static viz_rect letters(const viz_shape *s)
{
    float x = s->points[0].x, y = s->points[0].y, high = 0.7f * (float)s->size;
    return s->upwards ? (viz_rect){x - high, y - s->advance, high, s->advance}
                      : (viz_rect){x, y - high, s->advance, high};
}

static int by_value(const void *a, const void *b)
{
    float d = *(const float *)a - *(const float *)b;
    return (d > 0) - (d < 0);
}

/* Of the text with what is around its letters: the middle one of the contrasts along its edges. */
static float contrast(one_view *v, const viz_shape *s)
{
    enum { MOST = 8192 };
    viz_rect box = letters(s);
    float all[MOST];
    int count = 0, x0 = (int)box.x - 2, x1 = (int)(box.x + box.w) + 2, y0 = (int)box.y - 2,
        y1 = (int)(box.y + box.h) + 2;
    for (int x = x0; x <= x1; x++)
        for (int y = y0; y <= y1 && count < MOST; y++) {
            bool edge = x == x0 || x == x1 || y == y0 || y == y1;
            if (!edge || x < 0 || y < 0 || x >= v->canvas.width || y >= v->canvas.height)
                continue;
            const uint8_t *p = viz_pixel_at(&v->canvas, x, y);
            viz_color behind = {p[0], p[1], p[2], 255};
            all[count++] = viz_contrast(s->color, behind);
        }
    qsort(all, (size_t)count, sizeof *all, by_value);
    return count ? all[count / 2] : 21;
}

static bool is_text(const viz_shape *s)
{
    return s->kind == VIZ_SHAPE_TEXT && *s->text && strcmp(s->text, " · ") != 0;
}

static void assert_clear(one_view *v, const viz_recording *r, size_t at)
{
    const viz_shape *s = &r->shapes[at];
    const viz_canvas *canvas = &v->canvas;
    viz_rect box = letters(s);
    char where[256];
    snprintf(where, sizeof where, "%s, %d × %d, %s: “%s”", v->class->name, canvas->width,
             canvas->height, canvas->theme->name, s->text);
    if (box.x < 0 || box.y < 0 || box.x + box.w > (float)canvas->width ||
        box.y + box.h > (float)canvas->height)
        fail_msg("%s is cut by the window", where);
    const char *dots = strstr(s->text, "…");
    bool shortened = dots && dots > s->text && dots[-1] != ' ' && !dots[strlen("…")];
    if (viz_shape_is_cut(s) || shortened)
        fail_msg("%s is cut", where);
    if (canvas->height >= 800 && (float)s->size < LEAST_TEXT * (float)canvas->height)
        fail_msg("%s has %d pixels", where, s->size);
    float ratio = contrast(v, s);
    if (ratio < LEAST_CONTRAST)
        fail_msg("%s has a contrast of %.2f", where, (double)ratio);
    box.x -= 2 * canvas->density; /* numbers beside each other are apart */
    box.w += 4 * canvas->density;
    for (size_t k = 0; k < at; k++)
        if (is_text(&r->shapes[k]) && overlap(box, letters(&r->shapes[k])))
            fail_msg("%s touches “%s”", where, r->shapes[k].text);
}

static void assert_all_clear(one_view *v)
{
    viz_recording r = {0};
    v->canvas.recording = &r;
    viz_shell_draw(&v->shell, &v->canvas);
    v->canvas.recording = NULL;
    for (size_t i = 0; i < r.count; i++)
        if (is_text(&r.shapes[i]))
            assert_clear(v, &r, i);
    viz_recording_free(&r);
}

static void look_at_all(bool presented)
{
    for (int i = 0; viz_views[i]; i++)
        for (size_t w = 0; w < WINDOWS; w++)
            for (int light = 0; light < 2; light++) {
                int width = windows[w][0], height = windows[w][1];
                if (!test_is_thorough() && (w > 1 || light != (i + (int)w) % 2))
                    continue; /* two windows, one theme each */
                const viz_theme *theme = light ? &viz_theme_light : &viz_theme_dark;
                one_view *v = one_open(viz_views[i], width, height);
                v->canvas.density = presented ? viz_presented_density(width, height, 1)
                                              : viz_usual_density(width, height, 1);
                v->canvas.theme = presented ? viz_theme_presented(theme) : theme;
                one_draw(v);
                assert_all_clear(v);
                one_close(v);
            }
}

TEST(texts_are_whole_apart_large_and_clear_in_every_window)
{
    look_at_all(false);
}

TEST(and_so_they_are_before_an_audience)
{
    look_at_all(true);
}

TEST(and_in_chinese)
{
    if (!viz_text_has_fonts("注意力"))
        skip();
    viz_set_language(SAC_IN_CHINESE);
    look_at_all(false);
    viz_set_language(SAC_IN_ENGLISH);
}

/* The sheet of keys is one of the things that a window has to hold: no cap reaches into another row. */
TEST(caps_of_the_sheet_of_keys_are_apart)
{
    const viz_event question = {.kind = VIZ_KEY, .key = '?'};
    for (int i = 0; viz_views[i]; i++)
        for (size_t w = 0; w < (test_is_thorough() ? WINDOWS : 1); w++) {
            viz_recording r = {0};
            viz_rect caps[512];
            size_t count = 0;
            one_view *v = one_open(viz_views[i], windows[w][0], windows[w][1]);
            v->canvas.density = viz_usual_density(windows[w][0], windows[w][1], 1);
            viz_shell_event(&v->shell, &question);
            v->canvas.recording = &r;
            viz_shell_draw(&v->shell, &v->canvas);
            v->canvas.recording = NULL;
            size_t from = r.count;
            while (from > 0 &&
                   r.shapes[from - 1].box.y1 - r.shapes[from - 1].box.y0 < windows[w][1] / 3)
                from--; /* what the sheet's own ground and frame do not cover */
            for (size_t k = from; k < r.count && count < 512; k++) {
                const viz_shape *s = &r.shapes[k];
                if (s->kind == VIZ_SHAPE_FRAME)
                    caps[count++] =
                        (viz_rect){(float)s->box.x0, (float)s->box.y0,
                                   (float)(s->box.x1 - s->box.x0), (float)(s->box.y1 - s->box.y0)};
            }
            assert_true(count > 10);
            for (size_t a = 0; a < count; a++)
                for (size_t b = 0; b < a; b++)
                    if (overlap(caps[a], caps[b]))
                        fail_msg("%s, %d × %d: caps overlap", v->class->name, windows[w][0],
                                 windows[w][1]);
            viz_recording_free(&r);
            one_close(v);
        }
}

/* The name of what is marked near the right end stays in the figure and covers no curve. */
TEST(a_mark_of_a_chart_is_named_above_its_curves)
{
    viz_chart chart = {.title = "Shares",
                       .low = 4,
                       .high = 24,
                       .mark = 20.5f,
                       .mark_name = "longer than what was trained on",
                       .curve_count = 1,
                       .curve = {{"one", 2, {4, 24}, {1, 1}}}};
    viz_view *view;
    viz_canvas canvas;
    viz_recording r = {0};
    OK(viz_chart_view_create(&chart, &view, NULL));
    OK(viz_canvas_create(640, 400, 1, &viz_theme_dark, &canvas, NULL));
    canvas.recording = &r;
    view->class->draw(view, &canvas, (viz_rect){0, 0, 640, 400});
    int named = 0;
    for (size_t i = 0; i < r.count; i++) {
        const viz_shape *s = &r.shapes[i];
        if (s->kind != VIZ_SHAPE_TEXT || strcmp(s->text, chart.mark_name) != 0)
            continue;
        named++;
        assert_true(s->points[0].x + s->advance <= 640);
        assert_true(s->points[0].y < 86); /* where the plot begins */
    }
    assert_int_equal(named, 1);
    viz_recording_free(&r);
    viz_canvas_free(&canvas);
    viz_view_destroy(view);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
