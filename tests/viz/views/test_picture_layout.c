/* viz/view: nothing of the picture view overlaps or leaves the window, at any size. */

#include <math.h>

#include "canvas/text.h"
#include "control_named.h"
#include "fake_picture.h"
#include "picture/picture_state.h"
#include "shell/shell.h"
#include "test.h"

#define MAX_RECTS 64

static viz_view *view; /* of an invented picture, whose shape is given apart */

typedef struct named_rect {
    const char *name;
    viz_rect rect;
} named_rect;

static void add(named_rect *list, int *count, const char *name, viz_rect rect)
{
    if (rect.w > 0 && rect.h > 0)
        list[(*count)++] = (named_rect){name, rect};
}

static int collect(const picture_layout *l, named_rect *list)
{
    int n = 0;
    add(list, &n, "left title", l->left_title);
    add(list, &n, "right title", l->right_title);
    add(list, &n, "left", l->left);
    add(list, &n, "right", l->right);
    add(list, &n, "readout", l->readout);
    add(list, &n, "entropy", l->entropy);
    add(list, &n, "bar", l->bar);
    add(list, &n, "rule", l->rule);
    add(list, &n, "score title", l->score_title);
    add(list, &n, "formula", l->formula);
    add(list, &n, "explanation", l->explanation);
    for (int i = 0; i < l->controls.count; i++) {
        const viz_control *c = &l->controls.items[i];
        add(list, &n, c->setting->name, c->slider.rect);
        for (int k = 0; k < c->choices.count; k++)
            add(list, &n, c->choices.names[k], c->choices.items[k]);
        if (c->choices.count && c->choices.label)
            add(list, &n, c->choices.label,
                (viz_rect){c->rect.x, c->rect.y, c->choices.items[0].x - c->rect.x - VIZ_GAP,
                           VIZ_WORDS_HEIGHT});
    }
    for (int i = 0; i < l->caps.count; i++)
        add(list, &n, l->caps.keys[i].key, l->caps.items[i]);
    return n;
}

static bool overlap(viz_rect a, viz_rect b)
{
    float slack = 0.01f; /* rounding of float sums */
    return a.x + slack < b.x + b.w && b.x + slack < a.x + a.w && a.y + slack < b.y + b.h &&
           b.y + slack < a.y + a.h;
}

static void check(const viz_canvas *canvas, int image_w, int image_h)
{
    named_rect list[MAX_RECTS];
    viz_rect area = {0, VIZ_TABS_HEIGHT, viz_width(canvas), viz_height(canvas) - VIZ_TABS_HEIGHT};
    picture_layout layout = viz_picture_layout(view, canvas, area, image_w, image_h);
    int count = collect(&layout, list);
    assert_true(count > 20 && count < MAX_RECTS);
    for (int i = 0; i < count; i++) {
        viz_rect r = list[i].rect;
        if (r.x < area.x || r.y < area.y - 0.01f || r.x + r.w > area.x + area.w + 0.01f ||
            r.y + r.h > area.y + area.h + 0.01f)
            fail_msg("%s leaves %g×%g (picture %d×%d)", list[i].name, viz_width(canvas),
                     viz_height(canvas), image_w, image_h);
        for (int k = 0; k < i; k++)
            if (overlap(r, list[k].rect))
                fail_msg("%s overlaps %s at %g×%g (picture %d×%d)", list[i].name, list[k].name,
                         viz_width(canvas), viz_height(canvas), image_w, image_h);
    }
    /* The picture is the main thing: it keeps its shape, and is not lost. */
    float shape = layout.left.w / layout.left.h * (float)image_h / (float)image_w;
    assert_true(shape > 0.99f && shape < 1.01f);
    assert_true(layout.left.w == layout.right.w && layout.left.h == layout.right.h);
    assert_true(layout.left.y == layout.right.y || layout.left.x == layout.right.x);
    assert_true(layout.left.w > 0.3f * viz_width(canvas) ||
                layout.left.h > 0.45f * viz_height(canvas));
}

static const int pictures[][2] = {{451, 300},  {512, 512},  {300, 451},
                                  {3000, 700}, {400, 1600}, {8, 8}};

TEST(nothing_overlaps_at_any_size)
{
    const struct {
        int width, height;
        float density;
    } sizes[] = {{800, 500, 1},   {1280, 800, 1},  {1920, 1080, 1}, {3840, 2160, 1},
                 {3840, 2160, 2}, {1600, 1000, 2}, {1366, 768, 1},  {1024, 768, 1},
                 {1024, 600, 1},  {900, 1400, 1},  {2560, 1080, 1}, {1200, 750, 1.5f}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t p = 0; p < sizeof pictures / sizeof *pictures; p++) {
            viz_canvas canvas = {.width = sizes[s].width,
                                 .height = sizes[s].height,
                                 .density = sizes[s].density,
                                 .theme = &viz_theme_dark};
            check(&canvas, pictures[p][0], pictures[p][1]);
        }
}

/* Every fourth width and height between the smallest window promised and a large one. */
TEST(nothing_overlaps_on_the_way_between)
{
    for (int width = 800; width < 2000; width += 84)
        for (int height = 500; height < 1200; height += 64) {
            viz_canvas canvas = {
                .width = width, .height = height, .density = 1, .theme = &viz_theme_dark};
            check(&canvas, 451, 300);
            check(&canvas, 300, 451);
        }
}

TEST(a_tiny_window_does_no_harm)
{
    for (int size = 1; size < 500; size += 31) {
        viz_canvas canvas = {.width = size, .height = size, .density = 1, .theme = &viz_theme_dark};
        viz_rect area = {0, VIZ_TABS_HEIGHT, (float)size, (float)size - VIZ_TABS_HEIGHT};
        picture_layout layout = viz_picture_layout(view, &canvas, area, 451, 300);
        assert_true(layout.left.w >= 0 && layout.left.h >= 0);
    }
}

TEST(small_windows_drop_the_explanation_large_ones_have_it)
{
    viz_canvas small = {.width = 800, .height = 500, .density = 1, .theme = &viz_theme_dark};
    viz_canvas large = {.width = 1280, .height = 800, .density = 1, .theme = &viz_theme_dark};
    viz_rect small_area = {0, 44, 800, 456}, large_area = {0, 44, 1280, 756};
    assert_true(viz_picture_layout(view, &small, small_area, 451, 300).explanation.w == 0);
    assert_true(viz_picture_layout(view, &large, large_area, 451, 300).explanation.w > 300);
}

TEST(edges_line_up)
{
    viz_canvas canvas = {.width = 1280, .height = 800, .density = 1, .theme = &viz_theme_dark};
    picture_layout l = viz_picture_layout(view, &canvas, (viz_rect){0, 44, 1280, 756}, 451, 300);
    assert_true(l.left.x == VIZ_MARGIN && l.left_title.x == VIZ_MARGIN);
    assert_true(l.readout.x == VIZ_MARGIN &&
                control_named(&l.controls, "score")->rect.x == VIZ_MARGIN);
    assert_true(l.bar.x == l.right.x && l.bar.w == l.right.w);
    assert_int_equal((int)(l.right.x + l.right.w + 0.5f), 1260);
    viz_rect cells = control_named(&l.controls, "cells")->rect;
    assert_int_equal((int)(cells.x + cells.w + 0.5f), 1260);
}

/* Pictures that do not fill the width stand together in the middle, and controls go where they leave
 * the pictures larger. */
TEST(narrow_pictures_stand_together)
{
    viz_canvas canvas = {.width = 1280, .height = 800, .density = 1, .theme = &viz_theme_dark};
    picture_layout l = viz_picture_layout(view, &canvas, (viz_rect){0, 44, 1280, 730}, 200, 512);
    assert_true(l.rule.w == 1 && l.left.h > 500); /* the controls are beside them */
    assert_true(l.right.x - l.left.x - l.left.w < 50);
    float room = l.rule.x - 2 * VIZ_MARGIN;
    assert_true(fabsf(l.left.x - VIZ_MARGIN - (room - l.right.x - l.right.w)) < 2 * VIZ_MARGIN);
    canvas.width = 1396;
    canvas.height = 785; /* 1920 × 1080 */
    l = viz_picture_layout(view, &canvas, (viz_rect){0, 44, 1396, 715}, 600, 400);
    assert_true(l.rule.h == 1 && l.left.w > 520 && l.right.x - l.left.x - l.left.w < 50);
}

int main(void)
{
    static fake_picture fake;
    fake_open(&fake, 96, 64);
    if (viz_picture_view_create(&fake.source, NULL, &view, NULL) != SAC_OK)
        abort();
    int failed = test_run(NULL, NULL);
    viz_view_destroy(view);
    fake_close(&fake);
    viz_text_close();
    return failed;
}
