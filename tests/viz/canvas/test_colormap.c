/* viz/canvas: colour maps are even, scales are true, heat never hides what is below. */

#include "canvas/heat.h"
#include "status.h"
#include "test.h"

static float distance(const float a[3], const float b[3])
{
    return sqrtf((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                 (a[2] - b[2]) * (a[2] - b[2]));
}

TEST(lab_of_known_colours_is_right)
{
    /* Reference values of the CIE 1976 formulas for sRGB under D65. */
    const struct {
        viz_color color;
        float lab[3];
    } known[] = {{{255, 255, 255, 255}, {100, 0, 0}},
                 {{0, 0, 0, 255}, {0, 0, 0}},
                 {{255, 0, 0, 255}, {53.24f, 80.09f, 67.20f}},
                 {{0, 0, 255, 255}, {32.30f, 79.19f, -107.86f}}};
    for (size_t i = 0; i < 4; i++) {
        float lab[3];
        viz_color_lab(known[i].color, lab);
        assert_true(distance(lab, known[i].lab) < 0.05f);
    }
}

/* A byte of sRGB is worth up to 0.6 in L* near black: that much may rounding take back. */
TEST(lightness_rises_along_each_map)
{
    for (int map = 0; map < VIZ_DIVERGING; map++) {
        const viz_color *table = viz_colormap_table((viz_colormap)map);
        float highest = -1, lab[3];
        for (int i = 0; i < 256; i++) {
            viz_color_lab(table[i], lab);
            assert_true(lab[0] > highest - 0.6f);
            highest = fmaxf(highest, lab[0]);
        }
        float first[3];
        viz_color_lab(table[0], first);
        assert_true(lab[0] - first[0] > 70); /* and far enough to be read in grey */
    }
}

TEST(the_diverging_map_is_darkest_in_its_middle)
{
    const viz_color *table = viz_colormap_table(VIZ_DIVERGING);
    float middle[3], lab[3], before = 0;
    viz_color_lab(table[128], middle);
    for (int i = 0; i < 128; i += 8) { /* outwards, both ways */
        viz_color_lab(table[128 + i], lab);
        assert_true(lab[0] >= before);
        before = lab[0];
        float other[3];
        viz_color_lab(table[127 - i], other);
        assert_true(fabsf(other[0] - lab[0]) < 6); /* neither side shouts */
    }
    assert_true(hypotf(middle[1], middle[2]) < 4 && middle[0] < 20);
}

/* Sixteen steps of the table together, so that rounding to bytes (under 1 ΔE a step) weighs little:
 * within 20 per cent of the mean. */
TEST(equal_ways_along_a_map_are_equal_differences)
{
    for (int map = 0; map < VIZ_COLORMAP_COUNT; map++) {
        const viz_color *table = viz_colormap_table((viz_colormap)map);
        float steps[15], mean = 0;
        for (int i = 0; i < 15; i++) {
            float a[3], b[3];
            viz_color_lab(table[16 * i], a);
            viz_color_lab(table[16 * i + 16], b);
            steps[i] = distance(a, b);
            mean += steps[i] / 15;
        }
        for (int i = 0; i < 15; i++)
            assert_true(steps[i] > 0.8f * mean && steps[i] < 1.2f * mean);
    }
}

TEST(maps_and_scales_are_found_by_name)
{
    viz_colormap map;
    viz_scale_kind kind;
    for (int i = 0; i < VIZ_COLORMAP_COUNT; i++) {
        assert_true(viz_colormap_from_name(viz_colormap_name((viz_colormap)i), &map));
        assert_int_equal(map, i);
    }
    for (int i = 0; i < VIZ_SCALE_COUNT; i++) {
        assert_true(viz_scale_from_name(viz_scale_name((viz_scale_kind)i), &kind));
        assert_int_equal(kind, i);
    }
    assert_false(viz_colormap_from_name("jet", &map));
    assert_false(viz_scale_from_name("", &kind));
}

TEST(a_scale_takes_weights_to_their_place)
{
    for (int kind = 0; kind < VIZ_SCALE_COUNT; kind++) {
        viz_scale scale = viz_scale_for((viz_scale_kind)kind, 0.02f);
        assert_true(viz_scale_at(&scale, -1) == 0 && viz_scale_at(&scale, 2) == 1);
        assert_true(viz_scale_at(&scale, NAN) == 0);
        assert_true(viz_scale_at(&scale, scale.high) > 0.9999f);
    }
    viz_scale linear = viz_scale_for(VIZ_PER_MAP, 0.02f), fixed = viz_scale_for(VIZ_FIXED, 0.02f);
    viz_scale decades = viz_scale_for(VIZ_LOG, 0.02f), nothing = viz_scale_for(VIZ_LOG, 0);
    assert_true(fabsf(viz_scale_at(&linear, 0.005f) - 0.25f) < 1e-6f);
    assert_true(viz_scale_at(&fixed, 0.25f) == 0.25f);
    assert_true(fabsf(viz_scale_at(&decades, 0.0002f) - 0.5f) < 1e-5f); /* two of four decades */
    assert_true(viz_scale_at(&nothing, 0) == 0);
}

TEST(a_scale_about_zero_has_it_in_the_middle_and_is_symmetric)
{
    for (int kind = 0; kind < VIZ_SCALE_COUNT; kind++) {
        viz_scale scale = viz_scale_for((viz_scale_kind)kind, 0.02f);
        viz_scale plain = scale;
        scale.about_zero = true;
        assert_true(viz_scale_at(&scale, 0) == 0.5f);
        assert_true(viz_scale_at(&scale, -2) == 0 && viz_scale_at(&scale, 2) == 1);
        for (float w = 1e-5f; w < 1; w *= 3) {
            float above = viz_scale_at(&scale, w), below = viz_scale_at(&scale, -w);
            assert_true(fabsf(above + below - 1) < 1e-6f);
            assert_true(fabsf(above - 0.5f - viz_scale_at(&plain, w) / 2) < 1e-6f);
        }
    }
}

TEST(a_scale_by_the_root_shows_faint_weights_beside_strong_ones)
{
    viz_scale root = viz_scale_for(VIZ_ROOT, 0.04f);
    assert_true(root.low == 0 && root.high == 0.04f);
    assert_true(fabsf(viz_scale_at(&root, 0.01f) - 0.5f) < 1e-6f);
    assert_true(viz_scale_at(&root, -1) == 0 && viz_scale_at(&root, NAN) == 0);
    assert_true(viz_scale_at(&root, 1) == 1);
    assert_string_equal(viz_scale_name(VIZ_ROOT), "shared scale, square root");
}

TEST(text_on_any_cell_can_be_read)
{
    for (int map = 0; map < VIZ_COLORMAP_COUNT; map++)
        for (int i = 0; i < 256; i++) {
            viz_color cell = viz_colormap_table((viz_colormap)map)[i];
            assert_true(viz_contrast(viz_text_on(cell), cell) >= 4.5f);
        }
}

/* WCAG 2.2: 4.5 for text that is read, 3 for what is there to be found: words that have not come
 * yet, what is closed. Text stands on the ground and on panels. */
TEST(text_of_each_theme_can_be_read)
{
    const viz_theme *themes[] = {&viz_theme_dark, &viz_theme_light};
    for (size_t i = 0; i < sizeof themes / sizeof *themes; i++) {
        const viz_theme *t = themes[i];
        const viz_color below[] = {t->ground, t->panel}, read[] = {t->text, t->text2, t->accent};
        for (size_t b = 0; b < 2; b++) {
            for (size_t r = 0; r < 3; r++)
                assert_true(viz_contrast(read[r], below[b]) >= 4.5f);
            assert_true(viz_contrast(t->faint, below[b]) >= 3);
        }
        assert_true(viz_contrast(t->on_accent, t->accent) >= 4.5f);
        assert_true(viz_contrast(t->text, t->line) >= 4.5f); /* the lit row of a list */
        assert_true(viz_contrast(t->text2, t->line) >= 4.5f);
    }
}

/* ---------------------------------------------------------------- heat */

#define SIZE 96

static viz_canvas striped(void)
{
    viz_canvas canvas;
    OK(viz_canvas_create(SIZE, SIZE, 1, NULL, &canvas, NULL));
    for (int x = 0; x < SIZE; x += 2)
        viz_fill(&canvas, (viz_rect){(float)x, 0, 1, SIZE}, (viz_color){255, 255, 255, 255});
    return canvas;
}

static int grey(const viz_canvas *canvas, int x, int y)
{
    const uint8_t *p = canvas->rgba + 4 * (y * SIZE + x);
    return (p[0] + p[1] + p[2]) / 3;
}

/* Stripes that differ by 237 still differ by a third of that under heat of half the usual opacity:
 * the picture is made out below. */
TEST(no_overlay_hides_the_picture)
{
    const float weights[4] = {0, 0.2f, 0.5f, 1};
    for (int overlay = 0; overlay < VIZ_OVERLAY_COUNT; overlay++) {
        viz_canvas canvas = striped();
        viz_heat_style style = {.overlay = (viz_overlay)overlay,
                                .opacity = 0.5f,
                                .brightness = VIZ_BRIGHTNESS,
                                .scale = viz_scale_for(VIZ_PER_MAP, 1)};
        viz_heat(&canvas, NULL, (viz_rect){0, 0, SIZE, SIZE}, weights, 2, 2, &style);
        int kept = 0;
        for (int y = 0; y < SIZE; y++)
            for (int x = 0; x < SIZE; x += 2)
                kept += abs(grey(&canvas, x, y) - grey(&canvas, x + 1, y)) > 237 / 3;
        assert_true(kept > SIZE * SIZE / 2 * 9 / 10); /* contour lines cover a few */
        viz_canvas_free(&canvas);
    }
}

TEST(a_blocky_heat_is_even_within_a_cell)
{
    const float weights[4] = {0.1f, 0.4f, 0.7f, 1};
    viz_canvas canvas;
    OK(viz_canvas_create(SIZE, SIZE, 1, NULL, &canvas, NULL));
    viz_heat_style style = {
        .overlay = VIZ_HEAT, .opacity = 1, .blocky = true, .scale = viz_scale_for(VIZ_PER_MAP, 1)};
    viz_heat(&canvas, NULL, (viz_rect){0, 0, SIZE, SIZE}, weights, 2, 2, &style);
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++)
            assert_int_equal(grey(&canvas, x, y), grey(&canvas, x < SIZE / 2 ? 0 : SIZE - 1,
                                                       y < SIZE / 2 ? 0 : SIZE - 1));
    viz_canvas_free(&canvas);
}

/* Interpolation passes through the cells' own weights at their centres. */
TEST(a_smooth_heat_is_true_at_the_centres)
{
    float weights[9] = {0, 0.3f, 0.1f, 0.9f, 1, 0.2f, 0.5f, 0.4f, 0.8f};
    viz_canvas smooth, blocky;
    viz_rect rect = {0, 0, 99, 99};
    OK(viz_canvas_create(99, 99, 1, NULL, &smooth, NULL));
    OK(viz_canvas_create(99, 99, 1, NULL, &blocky, NULL));
    viz_heat_style style = {
        .overlay = VIZ_HEAT, .opacity = 1, .scale = viz_scale_for(VIZ_PER_MAP, 1)};
    viz_heat(&smooth, NULL, rect, weights, 3, 3, &style);
    style.blocky = true;
    viz_heat(&blocky, NULL, rect, weights, 3, 3, &style);
    for (int cell = 0; cell < 9; cell++) {
        size_t centre = 4 * (size_t)((16 + 33 * (cell / 3)) * 99 + 16 + 33 * (cell % 3));
        assert_memory_equal(smooth.rgba + centre, blocky.rgba + centre, 4);
    }
    viz_canvas_free(&smooth);
    viz_canvas_free(&blocky);
}

/* A Gaussian of deviation s holds the share p of its mass within the radius s·√(−2·ln(1−p)). */
TEST(contours_run_where_the_mass_shows)
{
    enum { GRID = 41, PIXELS = 410 };
    static float weights[GRID * GRID];
    double deviation = 5, radius50 = deviation * sqrt(2 * log(2)) * PIXELS / GRID;
    for (int i = 0; i < GRID * GRID; i++) {
        int x = i % GRID - GRID / 2, y = i / GRID - GRID / 2;
        weights[i] = expf((float)(-(x * x + y * y) / (2 * deviation * deviation)));
    }
    viz_canvas canvas;
    OK(viz_canvas_create(PIXELS, PIXELS, 1, NULL, &canvas, NULL));
    viz_heat_style style = {.overlay = VIZ_CONTOUR, .opacity = 1};
    viz_heat(&canvas, NULL, (viz_rect){0, 0, PIXELS, PIXELS}, weights, GRID, GRID, &style);
    int first = 0; /* the brightest pixel to the right of the middle, inside the outer contour */
    for (int x = PIXELS / 2, most = 0; x < PIXELS / 2 + 80; x++) {
        int level = canvas.rgba[4 * (PIXELS / 2 * PIXELS + x)];
        if (level > most) {
            most = level;
            first = x;
        }
    }
    assert_true(fabs(first - PIXELS / 2 - radius50) < 4); /* half a cell of 10 pixels, less a bit */
    viz_canvas_free(&canvas);
}

TEST(cells_of_a_matrix_stand_in_their_places)
{
    float values[6] = {0, 0.2f, 0.4f, 0.6f, 0.8f, 1};
    viz_canvas canvas;
    viz_scale scale = viz_scale_for(VIZ_FIXED, 1);
    OK(viz_canvas_create(31, 17, 1, NULL, &canvas, NULL));
    viz_cells(&canvas, (viz_rect){0, 0, 31, 17}, values, 2, 3, viz_colormap_table(VIZ_VIRIDIS),
              &scale);
    for (int y = 0; y < 17; y++)
        for (int x = 0; x < 31; x++) {
            viz_color c = viz_colormap_color(VIZ_VIRIDIS, values[3 * (y * 2 / 17) + x * 3 / 31]);
            assert_memory_equal(canvas.rgba + 4 * (y * 31 + x), &c, 4);
        }
    viz_canvas_free(&canvas);
}

/* Panning: what is clipped away is not computed, and what is left does not move. */
TEST(a_clipped_matrix_is_a_part_of_the_whole)
{
    enum { N = 64 };
    static float values[N * N];
    viz_canvas whole, part;
    viz_rect rect = {-20, -33, 150, 170};
    viz_scale scale = viz_scale_for(VIZ_FIXED, 1);
    for (int i = 0; i < N * N; i++)
        values[i] = (float)(i * 7 % 101) / 100;
    OK(viz_canvas_create(SIZE, SIZE, 1, NULL, &whole, NULL));
    OK(viz_canvas_create(SIZE, SIZE, 1, NULL, &part, NULL));
    viz_cells(&whole, rect, values, N, N, viz_colormap_table(VIZ_INFERNO), &scale);
    viz_clip(&part, (viz_rect){30, 40, 20, 10});
    viz_cells(&part, rect, values, N, N, viz_colormap_table(VIZ_INFERNO), &scale);
    for (int y = 40; y < 50; y++)
        assert_memory_equal(part.rgba + 4 * (y * SIZE + 30), whole.rgba + 4 * (y * SIZE + 30), 80);
    viz_color ground = part.theme->ground;
    assert_memory_equal(part.rgba, &ground, 4);
    viz_canvas_free(&whole);
    viz_canvas_free(&part);
}

/* A difference of 10 in L*a*b* is seen at a glance; the diverging map shows no masks. */
static void check_masked(const viz_theme *theme)
{
    float tone[3], color[3];
    viz_color_lab(theme->masked, tone);
    for (int map = 0; map < VIZ_COLORMAP_COUNT; map++)
        for (int i = 0; i < 256 && map != VIZ_DIVERGING; i++) {
            viz_color_lab(viz_map_colors(theme, (viz_colormap)map)[i], color);
            float away = hypotf(hypotf(tone[0] - color[0], tone[1] - color[1]), tone[2] - color[2]);
            if (away < 10)
                fail_msg("%s, %s %d: %g", theme->name, viz_colormap_name((viz_colormap)map), i,
                         (double)away);
        }
}

TEST(masked_cells_have_a_tone_of_no_map)
{
    check_masked(&viz_theme_dark);
    check_masked(&viz_theme_light);
}

/* White is where nothing is, and colours darken from there. */
TEST(maps_stand_on_white_where_the_ground_is_light)
{
    for (int map = 0; map < VIZ_COLORMAP_COUNT; map++) {
        const viz_color *table = viz_map_colors(&viz_theme_light, (viz_colormap)map);
        int nothing = map == VIZ_DIVERGING ? 128 : 0;
        float before[3], lab[3];
        viz_color_lab(table[nothing], before);
        assert_true(before[0] > 96);
        for (int i = nothing + 1; i < 256; i++) {
            viz_color_lab(table[i], lab);
            assert_true(lab[0] < before[0] + 0.6f);
            before[0] = lab[0];
            assert_true(viz_contrast(viz_text_on(table[i]), table[i]) >= 4.5f);
        }
        assert_true(lab[0] < 35);
    }
}

TEST_MAIN(NULL, NULL)
