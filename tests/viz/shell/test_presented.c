/* What is presented to a room: text that the last row reads, and nothing but the view. */

#include "every_view.h"
#include "test.h"

/* The linker puts these in the place of the canvas's own, to see every text that is drawn. */
float __real_viz_text(viz_canvas *canvas, viz_face face, float size, float x, float y,
                      viz_align align, viz_color color, const char *utf8);
float __wrap_viz_text(viz_canvas *canvas, viz_face face, float size, float x, float y,
                      viz_align align, viz_color color, const char *utf8);
void __real_viz_text_up(viz_canvas *canvas, viz_face face, float size, float x, float y,
                        viz_color color, const char *utf8);
void __wrap_viz_text_up(viz_canvas *canvas, viz_face face, float size, float x, float y,
                        viz_color color, const char *utf8);

static float least; /* pixels of the text drawn since it was set */
static char least_text[64];
static float of_cap; /* pixels of the text "ctrl R" drawn since it was set to 0 */

static void note_text(const viz_canvas *canvas, float size, const char *utf8)
{
    if (strcmp(utf8, "ctrl R") == 0)
        of_cap = size * canvas->density;
    if (!utf8[0] || size * canvas->density >= least)
        return;
    least = size * canvas->density;
    snprintf(least_text, sizeof least_text, "%s", utf8);
}

float __wrap_viz_text(viz_canvas *canvas, viz_face face, float size, float x, float y,
                      viz_align align, viz_color color, const char *utf8)
{
    note_text(canvas, size, utf8);
    return __real_viz_text(canvas, face, size, x, y, align, color, utf8);
}

void __wrap_viz_text_up(viz_canvas *canvas, viz_face face, float size, float x, float y,
                        viz_color color, const char *utf8)
{
    note_text(canvas, size, utf8);
    __real_viz_text_up(canvas, face, size, x, y, color, utf8);
}

static one_view *present(const viz_view_class *class, int width, int height, const viz_theme *theme)
{
    one_view *v = one_open(class, width, height);
    v->canvas.theme = viz_theme_presented(theme);
    v->canvas.density = viz_presented_density(width, height, 1);
    least = INFINITY;
    one_draw(v);
    return v;
}

TEST(the_least_letter_of_every_view_is_22_pixels_high)
{
    const viz_theme *themes[] = {&viz_theme_dark, &viz_theme_light};
    static const int sizes[][2] = {{1280, 800}, {1920, 1080}};
    for (int i = 0; viz_views[i]; i++)
        for (int j = 0; j < 4; j++) {
            one_view *v = present(viz_views[i], sizes[j / 2][0], sizes[j / 2][1], themes[j % 2]);
            if (!(least >= 22 && isfinite(least)))
                fail_msg("%s at %d × %d: “%s” has %.1f pixels", v->class->name, v->canvas.width,
                         v->canvas.height, least_text, (double)least);
            one_close(v);
        }
}

/* Nothing of the tab bar and no cap answers the pointer, and the view begins at the top. */
TEST(nothing_but_the_view_is_presented)
{
    for (int i = 0; viz_views[i]; i++) {
        static viz_spots spots;
        one_view *v = present(viz_views[i], 1280, 800, &viz_theme_dark);
        assert_true(v->shell.bar.items[0].rect.w <= 0);
        viz_shell_spots(&v->shell, &spots);
        for (int s = 0; s < spots.count; s++)
            assert_ptr_not_equal(spots.items[s].tip, v->class->about);
        one_close(v);
    }
}

static float map_height(one_view *v)
{
    return v->class->map_rect(one_of(v)).h * v->canvas.density;
}

/* What is looked at has more pixels than in the window; a matrix, beside its larger labels and its controls, at least as many:
 * its squares are whole pixels, and with some fonts the next size has no room. */
TEST(what_is_presented_is_larger_than_in_the_window)
{
    static const char *const names[] = {"caption", "picture", "matrix"};
    for (int i = 0; i < 3; i++) {
        const viz_view_class *class = viz_views_find(names[i]);
        one_view *window = one_open(class, 1280, 800), *shown;
        shown = present(class, 1280, 800, &viz_theme_dark);
        const bool may_be_equal = strcmp(names[i], "matrix") == 0;
        if (map_height(shown) < map_height(window) ||
            (!may_be_equal && map_height(shown) == map_height(window)))
            fail_msg("%s: %.0f pixels, in a window %.0f", names[i], (double)map_height(shown),
                     (double)map_height(window));
        one_close(window);
        one_close(shown);
    }
}

TEST(a_small_window_is_presented_as_it_is)
{
    assert_true(viz_presented_density(640, 400, 1) == 1);
    assert_true(viz_presented_density(500, 1000, 1) == 1);
    assert_true(viz_presented_density(1280, 800, 1) == 2);
    assert_true(viz_presented_density(2560, 1600, 2) == 4);
}

TEST(the_contrast_of_what_is_presented_is_high)
{
    const viz_theme *themes[] = {&viz_theme_dark_presented, &viz_theme_light_presented};
    for (int i = 0; i < 2; i++) {
        const viz_theme *t = themes[i];
        const viz_color below[] = {t->ground, t->panel};
        for (int b = 0; b < 2; b++) { /* WCAG 2's enhanced contrast: 7 */
            assert_true(viz_contrast(t->text, below[b]) >= 15);
            assert_true(viz_contrast(t->text2, below[b]) >= 7);
            assert_true(viz_contrast(t->accent, below[b]) >= 7);
            assert_true(viz_contrast(t->faint, below[b]) >= 4.5f);
        }
        assert_true(viz_contrast(t->on_accent, t->accent) >= 7);
    }
}

/* For a moment, and never in a window that a person sits before. */
TEST(a_pressed_key_is_shown_large_to_a_room)
{
    const viz_event key = {.kind = VIZ_KEY, .key = 'r', .ctrl = true};
    one_view *v = present(viz_views[0], 1280, 800, &viz_theme_dark);
    of_cap = 0;
    viz_shell_note_key(&v->shell, &key);
    one_draw(v);
    assert_true(of_cap >= 44);
    assert_true(viz_shell_tick(&v->shell, 100));
    of_cap = 0;
    one_draw(v);
    viz_shell_note_key(&v->shell, &key);
    v->canvas.theme = &viz_theme_dark;
    one_draw(v);
    assert_true(of_cap == 0);
    one_close(v);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
