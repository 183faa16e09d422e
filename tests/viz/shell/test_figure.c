/* Views as figures for paper: whole, legible at their width, and nothing but the panel. */

#include "canvas/heat.h"
#include "canvas/recording.h"
#include "every_view.h"
#include "shell/split/split.h"
#include "test.h"
#include "view/settings.h"

#define LEAST_TEXT 8 /* logical units: 6 points */

/* What is filled in shows nothing that a figure could. */
static bool is_form(const viz_view_class *class)
{
    return strcmp(class->name, "train") == 0;
}

/* Computed and drawn as a figure as wide as the canvas and as high as it asks for; what was drawn is
 * in `recording`. */
static void make_figure(one_view *v, const viz_theme *theme, viz_recording *recording)
{
    float width = (float)v->canvas.width;
    viz_view_restore(one_of(v), "layout", "figure");
    assert_true(viz_view_is_figure(one_of(v)));
    v->canvas.theme = theme;
    one_draw(v);
    float height = viz_view_figure_height(one_of(v), &v->canvas, width);
    assert_true(height >= 50 && height <= 4 * width);
    assert_int_equal(viz_canvas_resize(&v->canvas, v->canvas.width, (int)height + 1, NULL), SAC_OK);
    *recording = (viz_recording){0};
    v->canvas.recording = recording;
    one_draw(v);
}

static one_view *as_figure(const viz_view_class *class, int width, const viz_theme *theme,
                           viz_recording *recording)
{
    one_view *v = one_open(class, width, 600);
    make_figure(v, theme, recording);
    return v;
}

static bool has_text(const viz_recording *r, const char *text)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->shapes[i].kind == VIZ_SHAPE_TEXT && strcmp(r->shapes[i].text, text) == 0)
            return true;
    return false;
}

static void assert_whole(const one_view *v, const viz_shape *s)
{
    const char *name = v->class->name;
    float x0 = s->points[0].x, y0 = s->points[0].y, x1 = x0 + s->advance, y1 = y0;
    if (s->size < LEAST_TEXT)
        fail_msg("%s of %d: “%s” has %d units", name, v->canvas.width, s->text, s->size);
    if (s->upwards) {
        x1 = x0;
        y1 = y0 - s->advance;
    }
    bool inside = x0 >= 0 && x1 <= (float)v->canvas.width && fminf(y0, y1) >= 0 &&
                  fmaxf(y0, y1) <= (float)v->canvas.height;
    if (!inside)
        fail_msg("%s of %d × %d: “%s” is cut", name, v->canvas.width, v->canvas.height, s->text);
}

static void assert_all_whole(const one_view *v, const viz_recording *r)
{
    int texts = 0;
    for (size_t k = 0; k < r->count; k++)
        if (r->shapes[k].kind == VIZ_SHAPE_TEXT && ++texts)
            assert_whole(v, &r->shapes[k]);
    assert_true(texts > 0);
}

TEST(a_figure_is_whole_and_legible_at_the_width_of_a_column_and_of_a_page)
{
    static const int widths[] = {340, 680}; /* 90 mm, 180 mm */
    for (int i = 0; viz_views[i]; i++)
        for (size_t w = 0; w < 2 && !is_form(viz_views[i]); w++) {
            viz_recording r;
            one_view *v = as_figure(viz_views[i], widths[w], &viz_theme_light, &r);
            assert_all_whole(v, &r);
            viz_recording_free(&r);
            one_close(v);
        }
}

/* Nine keys of five names: those that are named twice are listed with their places. */
TEST(keys_of_one_name_are_distinguished)
{
    viz_recording r = {0};
    one_view *v = one_open(viz_views_find("matrix"), 1280, 800);
    v->canvas.recording = &r;
    viz_shell_draw(&v->shell, &v->canvas);
    v->canvas.recording = NULL;
    assert_true(has_text(&r, "the (0)") && has_text(&r, "the (5)"));
    assert_true(has_text(&r, "was") && !has_text(&r, "was (4)"));
    viz_recording_free(&r);
    one_close(v);
}

/* No wordmark, no tab, no cap of a key, no choice; the ground is white, or that of the dark theme. */
TEST(a_figure_shows_nothing_that_is_operated)
{
    static const char *const operated[] = {"saccade", "keys",  "PNG", "open", "reduce",
                                           "scale",   "space", "?",   "S"};
    for (int i = 0; viz_views[i]; i++)
        for (int dark = 0; dark < 2 && !is_form(viz_views[i]); dark++) {
            viz_recording r;
            one_view *v =
                as_figure(viz_views[i], 680, dark ? &viz_theme_dark : &viz_theme_light, &r);
            for (size_t k = 0; k < sizeof operated / sizeof *operated; k++)
                if (has_text(&r, operated[k]))
                    fail_msg("%s: “%s”", v->class->name, operated[k]);
            assert_false(has_text(&r, v->class->tab));
            assert_true(v->shell.bar.items[0].rect.w <= 0 && v->shell.bar.open.w <= 0);
            const uint8_t *corner = v->canvas.rgba;
            assert_int_equal(corner[0], dark ? viz_theme_dark.ground.r : 255);
            assert_int_equal(corner[1], dark ? viz_theme_dark.ground.g : 255);
            viz_recording_free(&r);
            one_close(v);
        }
}

static bool has_beginning(const viz_recording *r, const char *text)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->shapes[i].kind == VIZ_SHAPE_TEXT &&
            strncmp(r->shapes[i].text, text, strlen(text)) == 0)
            return true;
    return false;
}

static bool has_within(const viz_recording *r, const char *text)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->shapes[i].kind == VIZ_SHAPE_TEXT && strstr(r->shapes[i].text, text))
            return true;
    return false;
}

/* Of light and contours a scale of colours has no meaning. */
TEST(the_legend_names_what_is_seen)
{
    static const char *const views[] = {"caption", "picture"};
    static const char *const toast_area[][2] = {
        {"dimmed: at most 1/N = 0.0", "own colours: at least 4/N = 0.0"},
        {"0", "1/N 0.0"},
        {"50 %", "90 % of the weight"}};
    for (int i = 0; i < 2; i++)
        for (int overlay = 0; overlay < VIZ_OVERLAY_COUNT; overlay++) {
            viz_recording r;
            one_view *v = one_open(viz_views_find(views[i]), 340, 600);
            viz_view_restore(one_of(v), "overlay", viz_overlay_names[overlay]);
            make_figure(v, &viz_theme_light, &r);
            for (int other = 0; other < VIZ_OVERLAY_COUNT; other++)
                for (int k = other == VIZ_HEAT; k < 2; k++)
                    if (has_beginning(&r, toast_area[other][k]) != (other == overlay))
                        fail_msg("%s, %s: “%s”", views[i], viz_overlay_names[overlay],
                                 toast_area[other][k]);
            viz_recording_free(&r);
            one_close(v);
        }
}

TEST(a_figure_of_the_contents_has_all_rows_and_none_to_click)
{
    viz_recording r;
    one_view *v = as_figure(viz_views_find("contents"), 340, &viz_theme_light, &r);
    assert_true(has_text(&r, v->source->title));
    assert_true(v->canvas.height > 40 * READINGS);
    for (size_t i = 1; i < r.count; i++) /* the first is the ground */
        assert_true(r.shapes[i].kind != VIZ_SHAPE_FILL || r.shapes[i].radius == 0);
    viz_recording_free(&r);
    one_close(v);
}

static void assert_names(const char *view, const char *first, const char *second)
{
    for (int i = 0; viz_views[i]; i++) {
        viz_recording r;
        if (strcmp(viz_views[i]->name, view) != 0)
            continue;
        one_view *v = as_figure(viz_views[i], 340, &viz_theme_light, &r);
        assert_true(has_text(&r, first) && has_text(&r, second));
        viz_recording_free(&r);
        one_close(v);
        return;
    }
    fail_msg("no view %s", view);
}

static bool is_color(viz_color a, viz_color b)
{
    return a.r == b.r && a.g == b.g && a.b == b.b;
}

/* In the window the side in focus has the brighter title. */
static void titles_are_alike(const one_view *v, const viz_recording *r)
{
    int titles = 0;
    for (size_t k = 0; k < r->count; k++) {
        const viz_shape *s = &r->shapes[k];
        if (s->kind != VIZ_SHAPE_TEXT || s->face != VIZ_SANS_BOLD)
            continue;
        assert_true(is_color(s->color, viz_theme_light.text));
        titles++;
    }
    if (titles < 2)
        fail_msg("%s: %d titles", v->class->name, titles);
}

TEST(two_sides_of_a_split_are_one_figure)
{
    const viz_event key = {.kind = VIZ_KEY, .key = 'p', .ctrl = true};
    for (int i = 0; viz_views[i]; i++) {
        if (viz_views[i]->is_live || viz_views[i]->pages ||
            strcmp(viz_views[i]->name, "contents") == 0)
            continue;
        viz_recording r;
        one_view *v = one_open(viz_views[i], 340, 600);
        assert_true(viz_shell_event(&v->shell, &key));
        make_figure(v, &viz_theme_light, &r);
        assert_all_whole(v, &r);
        titles_are_alike(v, &r);
        viz_recording_free(&r);
        one_close(v);
    }
}

/* (a), (b) …, and one scale: the panel of smaller weights has the other's, too. */
TEST(panels_have_letters_and_one_scale)
{
    const viz_event key = {.kind = VIZ_KEY, .key = 'p', .ctrl = true};
    viz_recording r;
    one_view *v = one_open(viz_views_find("matrix"), 700, 600);
    viz_view_restore(one_of(v), "scale", "per map");
    assert_true(viz_shell_event(&v->shell, &key));
    viz_split_part(one_of(v), true);
    viz_split_subtract(one_of(v), false);
    viz_view_restore(viz_split_side(one_of(v), 1), "head", "1");
    make_figure(v, &viz_theme_light, &r);
    assert_true(has_beginning(&r, "(a)  ") && has_beginning(&r, "(b)  "));
    const viz_view *a = viz_split_side(one_of(v), 0), *b = viz_split_side(one_of(v), 1);
    assert_true(a->scale_end > 0 && a->scale_end == b->scale_end);
    assert_true(a->class->figure_scale(a) == b->class->figure_scale(b));
    assert_true(viz_split_area(one_of(v), 1).x > 300); /* beside it, at that width */
    viz_recording_free(&r);
    v->canvas.recording = NULL;
    viz_view_restore(one_of(v), "layout", "window");
    one_draw(v);
    assert_true(a->scale_end == 0 && !a->panel);
    one_close(v);
}

/* Where the play is at is no part of it, unless a person chose a word. */
TEST(a_figure_lights_the_word_that_was_chosen_or_none)
{
    static const char *const lit[][2] = {{"alignment", " attends to"},
                                         {"translation", " looks at"}};
    for (int i = 0; i < 2; i++)
        for (int chosen = 0; chosen < 2; chosen++) {
            viz_recording r;
            one_view *v = one_open(viz_views_find(lit[i][0]), 680, 600);
            if (chosen)
                viz_view_restore(one_of(v), "word", "1");
            make_figure(v, &viz_theme_light, &r);
            if (has_within(&r, lit[i][1]) != chosen)
                fail_msg("%s: chosen %d", lit[i][0], chosen);
            viz_recording_free(&r);
            one_close(v);
        }
}

/* A stem leads from a word that stands farther from the bands past the nearer ones. */
TEST(no_stem_goes_through_a_word)
{
    viz_recording r;
    one_view *v = as_figure(viz_views_find("translation"), 80, &viz_theme_light, &r);
    int stems = 0;
    for (size_t i = 0; i < r.count; i++) {
        const viz_pixels *b = &r.shapes[i].box;
        if (r.shapes[i].kind != VIZ_SHAPE_FILL || b->x1 - b->x0 > 2 || b->y1 - b->y0 < 5)
            continue;
        stems++;
        for (size_t k = 0; k < r.count; k++) {
            const viz_shape *s = &r.shapes[k];
            float x = s->kind == VIZ_SHAPE_TEXT ? s->points[0].x : 0;
            float y = s->kind == VIZ_SHAPE_TEXT ? s->points[0].y : 0;
            if (s->kind == VIZ_SHAPE_TEXT && (float)b->x0 > x && (float)b->x1 < x + s->advance &&
                (float)b->y0 < y && (float)b->y1 > y - 0.7f * s->size)
                fail_msg("a stem goes through “%s”", s->text);
        }
    }
    assert_true(stems > 0);
    viz_recording_free(&r);
    one_close(v);
}

TEST(the_axes_have_names)
{
    assert_names("alignment", "query", "key");
    assert_names("translation", "source", "translation");
    assert_names("matrix", "query", "key");
    assert_names("heads", "layer", "head");
    assert_names("training", "loss, logarithmic", "step");
}

TEST(a_figure_stands_in_the_middle_of_a_larger_area)
{
    viz_recording r;
    for (int i = 0; viz_views[i]; i++) {
        if (strcmp(viz_views[i]->name, "matrix") != 0)
            continue;
        one_view *v = as_figure(viz_views[i], 340, &viz_theme_light, &r);
        assert_int_equal(viz_canvas_resize(&v->canvas, 900, 500, NULL), SAC_OK);
        one_draw(v);
        float left = 900, right = 0;
        for (size_t k = 1; k < r.count; k++) { /* the first is the ground */
            const viz_shape *s = &r.shapes[k];
            bool text = s->kind == VIZ_SHAPE_TEXT;
            left = fminf(left, text ? s->points[0].x - (s->upwards ? 12 : 0) : (float)s->box.x0);
            right = fmaxf(right,
                          text ? s->points[0].x + (s->upwards ? 0 : s->advance) : (float)s->box.x1);
        }
        assert_true(left > 100 && fabsf(left - (900 - right)) < 30);
        viz_recording_free(&r);
        one_close(v);
    }
}

TEST(ctrl_f_makes_a_figure_and_escape_leaves_it)
{
    const viz_event key = {.kind = VIZ_KEY, .key = 'f', .ctrl = true},
                    escape = {.kind = VIZ_KEY, .key = VIZ_KEY_ESCAPE};
    for (int i = 0; viz_views[i]; i++) {
        if (is_form(viz_views[i]))
            continue;
        one_view *v = one_open(viz_views[i], 900, 600);
        assert_true(viz_shell_event(&v->shell, &key));
        assert_true(viz_view_is_figure(one_of(v)));
        one_draw(v);
        assert_true(v->shell.message[0] != 0); /* on how to go back */
        assert_true(viz_shell_event(&v->shell, &escape));
        assert_false(viz_view_is_figure(one_of(v)));
        one_draw(v);
        assert_true(v->shell.bar.count > 0);
        one_close(v);
    }
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
