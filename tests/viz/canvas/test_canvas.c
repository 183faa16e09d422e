/* viz/canvas: shapes, clipping, density, scaled pictures. */

#include "canvas/canvas.h"
#include "canvas/colormap.h"
#include "canvas/text.h"
#include "images/resample.h"
#include "status.h"
#include "test.h"

static const viz_color red = {255, 0, 0, 255}, white = {255, 255, 255, 255};

static viz_canvas canvas_of(int width, int height, float density)
{
    viz_canvas canvas;
    OK(viz_canvas_create(width, height, density, &viz_theme_dark, &canvas, NULL));
    return canvas;
}

static const uint8_t *at(const viz_canvas *canvas, int x, int y)
{
    return canvas->rgba + 4 * (y * canvas->width + x);
}

static bool is_ground(const viz_canvas *canvas, int x, int y)
{
    viz_color g = canvas->theme->ground;
    const uint8_t *p = at(canvas, x, y);
    return p[0] == g.r && p[1] == g.g && p[2] == g.b && p[3] == 255;
}

static int count_touched(const viz_canvas *canvas)
{
    int count = 0;
    for (int y = 0; y < canvas->height; y++)
        for (int x = 0; x < canvas->width; x++)
            count += !is_ground(canvas, x, y);
    return count;
}

TEST(a_size_without_pixels_is_refused)
{
    viz_canvas canvas;
    REFUSES(SAC_E_ARGUMENT, "canvas: …", viz_canvas_create(0, 10, 1, NULL, &canvas, &failure));
}

TEST(a_new_canvas_is_ground_and_opaque)
{
    viz_canvas canvas = canvas_of(7, 5, 1);
    assert_int_equal(count_touched(&canvas), 0);
    viz_canvas_free(&canvas);
}

/* … and never shrinks; twice the pixels on a display twice as dense are the same window. */
TEST(type_grows_with_the_canvas_and_less_than_the_pictures)
{
    assert_true(viz_usual_density(640, 400, 1) == 1 && viz_usual_density(1280, 800, 1) == 1);
    assert_true(viz_usual_density(2560, 800, 1) == 1); /* not with its width alone */
    float full = viz_usual_density(1920, 1200, 1), huge = viz_usual_density(3840, 2400, 1);
    assert_true(full > 1.2f && full <= 1.5f && huge > 2 && huge < 3);
    assert_true(VIZ_LABEL * viz_usual_density(3840, 2160, 1) >= 0.014f * 2160);
    assert_true(VIZ_LABEL * viz_usual_density(1920, 1080, 1) >= 0.014f * 1080);
    assert_true(viz_usual_density(3840, 2400, 2) == 2 * full);
}

TEST(a_rectangle_covers_whole_pixels_at_any_density)
{
    const float densities[] = {1, 1.25f, 1.5f, 2, 3};
    for (size_t i = 0; i < 5; i++) {
        float d = densities[i];
        viz_canvas canvas = canvas_of(90, 90, d);
        viz_rect rect = {3.3f, 4.7f, 10.2f, 7.1f};
        viz_pixels p = viz_to_pixels(&canvas, rect);
        viz_fill(&canvas, rect, red);
        assert_int_equal(count_touched(&canvas), (p.x1 - p.x0) * (p.y1 - p.y0));
        assert_memory_equal(at(&canvas, p.x0, p.y0), "\xff\0\0\xff", 4);
        assert_memory_equal(at(&canvas, p.x1 - 1, p.y1 - 1), "\xff\0\0\xff", 4);
        viz_canvas_free(&canvas);
    }
}

TEST(rectangles_side_by_side_leave_no_gap)
{
    viz_canvas canvas = canvas_of(100, 4, 1.37f);
    for (int i = 0; i < 10; i++)
        viz_fill(&canvas, (viz_rect){7.3f * (float)i, 0, 7.3f, 4}, red);
    for (int x = 0; x < 99; x++)
        assert_false(is_ground(&canvas, x, 1));
    viz_canvas_free(&canvas);
}

TEST(a_frame_lies_inside_its_rectangle)
{
    viz_canvas canvas = canvas_of(40, 40, 2);
    viz_frame(&canvas, (viz_rect){5, 5, 10, 8}, 1, red);
    assert_int_equal(count_touched(&canvas), 20 * 16 - 16 * 12); /* two pixels on each side */
    assert_true(is_ground(&canvas, 9, 10) && is_ground(&canvas, 30, 10));
    assert_false(is_ground(&canvas, 10, 10) || is_ground(&canvas, 29, 25));
    viz_canvas_free(&canvas);
}

TEST(nothing_is_drawn_outside_the_clip_or_the_canvas)
{
    viz_canvas canvas = canvas_of(60, 60, 1);
    sac_image image = {0};
    OK(sac_image_create(8, 8, &image, NULL));
    memset(image.rgba, 200, 8 * 8 * 4);
    viz_clip(&canvas, (viz_rect){20, 20, 10, 10});
    viz_fill(&canvas, (viz_rect){-100, -100, 500, 500}, red);
    viz_fill_round(&canvas, (viz_rect){-5, -5, 100, 100}, 9, white);
    viz_frame_round(&canvas, (viz_rect){-5, 22, 100, 100}, 9, 3, white);
    viz_line(&canvas, -50, 0, 200, 60, 9, white);
    viz_disc(&canvas, 25, 25, 50, white);
    viz_image(&canvas, &image, (viz_rect){-10, -10, 80, 80}, true);
    assert_int_equal(count_touched(&canvas), 100);
    viz_clip(&canvas, (viz_rect){-30, -30, 10, 10}); /* beside the canvas */
    viz_fill(&canvas, (viz_rect){-100, -100, 500, 500}, red);
    viz_clip_none(&canvas);
    viz_disc(&canvas, 1000, -1000, 5, white);
    viz_fill(&canvas, (viz_rect){70, 10, 5, 5}, red);
    assert_int_equal(count_touched(&canvas), 100);
    /* A frame bounds every clip, and none. */
    canvas.frame = (viz_pixels){20, 20, 30, 30};
    canvas.has_frame = true;
    viz_clip(&canvas, (viz_rect){0, 0, 60, 60});
    viz_fill(&canvas, (viz_rect){0, 0, 60, 60}, red);
    viz_clip_none(&canvas);
    viz_fill(&canvas, (viz_rect){0, 0, 60, 60}, white);
    assert_int_equal(count_touched(&canvas), 100);
    sac_image_free(&image);
    viz_canvas_free(&canvas);
}

/* Coverage is estimated from the distance to the edge: right to about a pixel of outline. */
TEST(a_disc_has_the_area_of_a_disc)
{
    for (float radius = 2; radius < 40; radius *= 1.7f) {
        viz_canvas canvas = canvas_of(100, 100, 1);
        viz_fill(&canvas, (viz_rect){0, 0, 100, 100}, (viz_color){0, 0, 0, 255});
        viz_disc(&canvas, 50.3f, 49.6f, radius, white);
        double area = 0;
        for (int i = 0; i < 100 * 100; i++)
            area += canvas.rgba[4 * i] / 255.0;
        double exact = 3.14159265 * radius * radius, bound = 0.02 * exact + 0.5;
        assert_true(area > exact - bound && area < exact + bound);
        viz_canvas_free(&canvas);
    }
}

TEST(a_line_is_the_same_drawn_from_either_end)
{
    viz_canvas a = canvas_of(80, 60, 1.5f), b = canvas_of(80, 60, 1.5f);
    viz_line(&a, 3, 4, 45, 33, 2, white);
    viz_line(&b, 45, 33, 3, 4, 2, white);
    for (int i = 0; i < 80 * 60 * 4; i++)
        assert_true(abs(a.rgba[i] - b.rgba[i]) <= 1); /* rounding */
    assert_true(count_touched(&a) > 100);
    viz_canvas_free(&a);
    viz_canvas_free(&b);
}

TEST(half_transparent_paint_is_half_way)
{
    viz_canvas canvas = canvas_of(4, 4, 1);
    viz_fill(&canvas, (viz_rect){0, 0, 4, 4}, (viz_color){0, 0, 0, 255});
    viz_fill(&canvas, (viz_rect){0, 0, 4, 4}, viz_with_alpha(white, 0.5f));
    assert_int_equal(at(&canvas, 1, 1)[0], 128);
    viz_fill(&canvas, (viz_rect){0, 0, 4, 4}, viz_with_alpha(red, 0));
    assert_int_equal(at(&canvas, 1, 1)[1], 128);
    viz_canvas_free(&canvas);
}

/* ---------------------------------------------------------------- pictures */

static sac_image gradient(int width, int height)
{
    sac_image image;
    OK(sac_image_create(width, height, &image, NULL));
    for (int i = 0; i < width * height; i++) {
        image.rgba[4 * i] = (uint8_t)(255 * (i % width) / (width > 1 ? width - 1 : 1));
        image.rgba[4 * i + 1] = (uint8_t)(255 * (i / width) / (height > 1 ? height - 1 : 1));
        image.rgba[4 * i + 2] = (uint8_t)(i * 37);
        image.rgba[4 * i + 3] = 255;
    }
    return image;
}

TEST(a_picture_at_its_own_size_is_copied)
{
    sac_image image = gradient(33, 21), scaled;
    for (int smooth = 0; smooth < 2; smooth++) {
        OK(sac_image_scale(&image, 33, 21, smooth, &scaled, NULL));
        assert_memory_equal(scaled.rgba, image.rgba, 33 * 21 * 4);
        sac_image_free(&scaled);
    }
    sac_image_free(&image);
}

TEST(shrinking_keeps_the_mean)
{
    const int sizes[][2] = {{1, 1}, {7, 5}, {13, 2}, {50, 40}, {99, 79}};
    sac_image image = gradient(100, 80), scaled;
    double mean = 0;
    for (int i = 0; i < 100 * 80; i++)
        mean += image.rgba[4 * i + 2] / 8000.0;
    for (size_t s = 0; s < 5; s++) {
        int w = sizes[s][0], h = sizes[s][1];
        double got = 0;
        OK(sac_image_scale(&image, w, h, true, &scaled, NULL));
        for (int i = 0; i < w * h; i++)
            got += scaled.rgba[4 * i + 2] / (double)(w * h);
        assert_true(fabs(got - mean) < 0.51); /* each pixel is rounded to a byte */
        sac_image_free(&scaled);
    }
    sac_image_free(&image);
}

TEST(an_even_picture_stays_even_at_every_size)
{
    sac_image image, scaled;
    OK(sac_image_create(9, 6, &image, NULL));
    memset(image.rgba, 177, 9 * 6 * 4);
    for (int i = 0; i < 54; i++)
        image.rgba[4 * i + 3] = 255;
    for (int size = 1; size < 200; size += 13)
        for (int smooth = 0; smooth < 2; smooth++) {
            OK(sac_image_scale(&image, size, size + 3, smooth, &scaled, NULL));
            for (int i = 0; i < size * (size + 3); i++)
                assert_memory_equal(scaled.rgba + 4 * i, "\xb1\xb1\xb1\xff", 4);
            sac_image_free(&scaled);
        }
    sac_image_free(&image);
}

TEST(blocky_cells_keep_their_edges)
{
    sac_image image = gradient(4, 3), scaled;
    OK(sac_image_scale(&image, 40, 30, false, &scaled, NULL));
    for (int y = 0; y < 30; y++)
        for (int x = 0; x < 40; x++)
            assert_memory_equal(scaled.rgba + 4 * (40 * y + x),
                                image.rgba + 4 * (4 * (y / 10) + x / 10), 4);
    sac_image_free(&scaled);
    sac_image_free(&image);
}

TEST(transparent_pixels_lend_no_colour)
{
    sac_image image, scaled;
    OK(sac_image_create(2, 1, &image, NULL));
    memcpy(image.rgba, "\xc8\x64\x32\xff\x00\xff\x00\x00", 8);
    OK(sac_image_scale(&image, 1, 1, true, &scaled, NULL));
    assert_memory_equal(scaled.rgba, "\xc8\x64\x32\x80", 4);
    sac_image_free(&scaled);
    sac_image_free(&image);
}

TEST(a_kept_picture_is_scaled_again_only_when_it_changed)
{
    viz_canvas canvas = canvas_of(50, 50, 1);
    sac_image image = gradient(10, 10);
    viz_scaled kept = {0};
    viz_rect rect = {5, 5, 30, 30};
    viz_image_kept(&canvas, &kept, &image, 1, rect, true);
    uint8_t *first = kept.image.rgba, before[4];
    memcpy(before, at(&canvas, 20, 20), 4);
    memset(image.rgba, 9, 400);
    viz_image_kept(&canvas, &kept, &image, 1, rect, true);
    assert_ptr_equal(kept.image.rgba, first);
    assert_memory_equal(at(&canvas, 20, 20), before, 4);
    for (int i = 0; i < 100; i++)
        image.rgba[4 * i + 3] = 255;
    viz_image_kept(&canvas, &kept, &image, 2, rect, true);
    assert_memory_equal(at(&canvas, 20, 20), "\x09\x09\x09\xff", 4);
    viz_scaled_free(&kept);
    sac_image_free(&image);
    viz_canvas_free(&canvas);
}

/* WCAG 2 asks 4.5 for text, 3 for large text and controls. */
TEST(both_themes_can_be_read)
{
    const viz_theme *themes[] = {&viz_theme_dark, &viz_theme_light};
    for (int i = 0; i < 2; i++) {
        const viz_theme *t = themes[i];
        assert_true(viz_contrast(t->text, t->ground) > 7);
        assert_true(viz_contrast(t->text, t->panel) > 7);
        assert_true(viz_contrast(t->text2, t->ground) > 4.5f);
        assert_true(viz_contrast(t->text2, t->panel) > 4.5f);
        assert_true(viz_contrast(t->faint, t->ground) > 4.5f);
        assert_true(viz_contrast(t->accent, t->ground) > 3);
        assert_true(viz_contrast(t->on_accent, t->accent) > 3);
    }
}

TEST_MAIN(NULL, NULL)
