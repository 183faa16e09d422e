/* The painter: coverage is exact, and what lies outside of the canvas does no harm. */

#include "book/paint/canvas.h"
#include "status.h"
#include "test.h"

enum { SIDE = 32 };

static const sac_place as_it_is = {1, 0, 0, 1, 0, 0};

/* Fills `text` in white on black, and sums up what it covers, in pixels. */
static double area_of(const char *text)
{
    sac_canvas canvas;
    sac_path path;
    double sum = 0;
    OK(sac_canvas_create(SIDE, &canvas, NULL));
    sac_path_start(&path);
    assert_true(sac_path_add(&path, text, &as_it_is));
    sac_canvas_fill(&canvas, &path, &(sac_paint){.from = {1, 1, 1, 1}});
    for (int i = 0; i < SIDE * SIDE; i++)
        sum += (double)canvas.rgb[4 * i];
    for (int i = 0; i < SIDE * (SIDE + 2); i++)
        assert_true(canvas.cover[i] == 0); /* ready for the next fill */
    sac_canvas_free(&canvas);
    return sum;
}

TEST(path_fill_covers_its_area)
{
    static const struct {
        const char *text;
        double area, bound; /* coverage below 1/1024 is left out; an ellipse is of lines */
    } cases[] = {
        {"R2 3 10 5 0", 50, 1e-3},
        {"R2.25 3.5 10.5 5.25 0", 55.125, 1e-3},
        {"M4 28 L16 4 28 28Z", 288, 0.05},
        {"M1.3 2.7 L30.1 9.9 12.2 29.4Z", 345.24, 0.05},
        {"E16 16 10 8", 251.327, 1.6},
        {"R4 4 20 20 4", 386.265, 0.6},
        {"M4 4 L28 4 28 28 4 28Z M10 10 L10 20 20 20 20 10Z", 476, 1e-2}, /* with a hole */
        {"R-10 -10 20 20 0", 100, 1e-3},                                  /* partly outside */
        {"R-9 5 100 2 0", 64, 1e-3},
        {"M-20 16 L16 -20 52 16 16 52Z", 1024, 1e-2}, /* all of the canvas */
        {"R40 2 5 5 0 R2 -9 5 5 0 R-30 2 9 9 0", 0, 1e-6},
        {"R2 2 10 10 0 R2 2 10 10 0", 100, 1e-3}, /* twice is not more */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(fabs(area_of(cases[i].text) - cases[i].area) <= cases[i].bound);
}

TEST(stroke_has_its_width)
{
    sac_canvas canvas;
    sac_path path, stroke;
    double sum = 0;
    OK(sac_canvas_create(SIDE, &canvas, NULL));
    sac_path_start(&path);
    assert_true(sac_path_add(&path, "M6 6 L16 6 16 20", &as_it_is));
    sac_path_stroke(&path, 4, &stroke);
    sac_canvas_fill(&canvas, &stroke, &(sac_paint){.from = {1, 1, 1, 1}});
    for (int i = 0; i < SIDE * SIDE; i++)
        sum += (double)canvas.rgb[4 * i];
    /* two bars of 4, the corner's square once, and half an octagon of radius 2 at each end */
    assert_true(fabs(sum - (24 * 4 + 2 * 1.41421 * 4)) < 0.5);
    sac_canvas_free(&canvas);
}

/* The area between a triangle's parallels, its corners cut where they are sharp. */
TEST(an_outline_goes_round_sharp_corners)
{
    sac_canvas canvas;
    sac_path path, stroke;
    OK(sac_canvas_create(SIDE, &canvas, NULL));
    sac_path_start(&path);
    assert_true(sac_path_add(&path, "M16 16 L2 24 30 24Z", &as_it_is));
    sac_path_stroke(&path, 2, &stroke);
    sac_canvas_fill(&canvas, &stroke, &(sac_paint){.from = {1, 1, 1, 1}});
    for (int x = 8; x < 24; x++) { /* the edge below is 2 wide all along */
        assert_float_equal(canvas.rgb[4 * (23 * SIDE + x)], 1, 1e-4);
        assert_float_equal(canvas.rgb[4 * (24 * SIDE + x)], 1, 1e-4);
        assert_float_equal(canvas.rgb[4 * (25 * SIDE + x)], 0, 1e-4);
    }
    sac_canvas_free(&canvas);
}

TEST(gradients_go_from_one_colour_to_the_other)
{
    sac_canvas canvas;
    sac_path path;
    OK(sac_canvas_create(SIDE, &canvas, NULL));
    sac_path_start(&path);
    assert_true(sac_path_add(&path, "R0 0 32 32 0", &as_it_is));
    sac_canvas_fill(&canvas, &path,
                    &(sac_paint){SAC_PAINT_LINEAR, {1, 0, 0, 1}, {0, 0, 1, 1}, 0, 0, 0, 32});
    for (int y = 0; y < SIDE; y++) {
        assert_float_equal(canvas.rgb[4 * y * SIDE], 1 - (y + 0.5) / 32, 1e-5);
        assert_float_equal(canvas.rgb[4 * y * SIDE + 2], (y + 0.5) / 32, 1e-5);
    }
    sac_canvas_fill(&canvas, &path,
                    &(sac_paint){SAC_PAINT_RADIAL, {0, 1, 0, 1}, {0, 0, 0, 1}, 16, 16, 8, 1});
    assert_float_equal(canvas.rgb[4 * (16 * SIDE + 20) + 1], 1 - sqrt(4.5 * 4.5 + 0.25) / 8, 1e-5);
    assert_float_equal(canvas.rgb[4 * (16 * SIDE + 28) + 1], 0, 1e-6);
    sac_canvas_free(&canvas);
}

TEST(path_add_refuses_invalid_text)
{
    static const char *const wrong[] = {"X1 2", "L1",     "C1 2 3 4 5",  "M1 2 3", "E1 2 3",
                                        "B1 2", "B1 2 3", "M1 2 L3 4 5", "1 2",    "M1 x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sac_path path;
        sac_path_start(&path);
        assert_false(sac_path_add(&path, wrong[i], &as_it_is));
    }
}

TEST_MAIN(NULL, NULL)
