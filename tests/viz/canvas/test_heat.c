/* viz/canvas: weights over a picture are read at a glance, and the picture stays bright: on every
 * picture, in every colour map. */

#include "book_page.h"
#include "photographs.h"
#include "seen_heat.h"
#include "shapes/scene.h"
#include "status.h"
#include "test.h"

#define SIDE 350
#define GRID 14

/* ---------------------------------------------------------------- the difference of colours */

/* Pairs of the data published with "The CIEDE2000 Color-Difference Formula: Implementation Notes,
 * Supplementary Test Data, and Mathematical Observations" (Sharma, Wu, Dalal 2005). */
TEST(color_differences_are_those_published)
{
    const double known[][7] = {
        {50, 2.6772, -79.7751, 50, 0, -82.7485, 2.0425},
        {50, 3.1571, -77.2803, 50, 0, -82.7485, 2.8615},
        {50, 2.8361, -74.0200, 50, 0, -82.7485, 3.4412},
        {50, -1.3802, -84.2814, 50, 0, -82.7485, 1.0000},
        {50, 0, 0, 50, -1, 2, 2.3669},
        {50, 2.4900, -0.0010, 50, -2.4900, 0.0009, 7.1792},
        {50, 2.4900, -0.0010, 50, -2.4900, 0.0011, 7.2195},
        {50, -0.0010, 2.4900, 50, 0.0009, -2.4900, 4.8045},
        {50, -0.0010, 2.4900, 50, 0.0011, -2.4900, 4.7461},
        {50, 2.5, 0, 50, 0, -2.5, 4.3065},
        {50, 2.5, 0, 73, 25, -18, 27.1492},
        {50, 2.5, 0, 61, -5, 29, 22.8977},
        {50, 2.5, 0, 56, -27, -3, 31.9030},
        {50, 2.5, 0, 58, 24, 15, 19.4535},
        {60.2574, -34.0099, 36.2677, 60.4626, -34.1751, 39.4387, 1.2644},
        {63.0109, -31.0961, -5.8663, 62.8187, -29.7946, -4.0864, 1.2630},
        {61.2901, 3.7196, -5.3901, 61.4292, 2.2480, -4.9620, 1.8731},
        {22.7233, 20.0904, -46.6940, 23.0331, 14.9730, -42.5619, 2.0373},
        {90.8027, -2.0831, 1.4410, 91.1528, -1.6435, 0.0447, 1.4441},
        {6.7747, -0.2908, -2.4247, 5.8714, -0.0985, -2.2286, 0.6377},
        {2.0776, 0.0795, -1.1350, 0.9033, -0.0636, -0.5514, 0.9082},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_true(fabs(color_difference(known[i], known[i] + 3) - known[i][6]) < 6e-5);
        assert_true(fabs(color_difference(known[i] + 3, known[i]) - known[i][6]) < 6e-5);
    }
}

/* ---------------------------------------------------------------- pictures */

static void make_plain(viz_color color, sac_image *image)
{
    for (int i = 0; i < SIDE * SIDE; i++)
        memcpy(image->rgba + 4 * i, &color, 4);
}

/* Pages by night and at sunset, in the forest, on the sea, in the snow. */
static const uint64_t pages[] = {4, 6, 35, 40, 55, 32};
#define PAGES ((int)(sizeof pages / sizeof *pages))

/* Four plain ones, the photographs, scenes 91 to 99 of the test stream, what is bundled, pages. */
#define FIRST_PAGE (4 + 6 + 9 + 2)
#define PICTURES (FIRST_PAGE + PAGES)

static void make_picture(int index, sac_image *image)
{
    static const viz_color plain[4] = {
        {255, 255, 255, 255}, {0, 0, 0, 255}, {255, 230, 0, 255}, {0, 235, 10, 255}};
    static const char *const bundled[2] = {"harbour.png", "garden.png"};
    char path[1024];
    sac_scene scene;
    sac_status status = SAC_OK;
    *image = (sac_image){0};
    if (index >= FIRST_PAGE) {
        make_page(pages[index - FIRST_PAGE], SIDE, image);
    } else if (index >= 19) {
        snprintf(path, sizeof path, ASSETS "/pictures/%s", bundled[index - 19]);
        status = sac_image_load(path, image, &failure);
    } else if (index >= 10) {
        sac_scene_make(SAC_STREAM_TEST, (uint64_t)(91 + index - 10), &scene);
        status = sac_scene_image(&scene, SIDE, image, &failure);
    } else {
        status = sac_image_create(SIDE, SIDE, image, &failure);
    }
    OK(status);
    if (index < 4)
        make_plain(plain[index], image);
    else if (index < 10)
        make_photograph(index - 4, image);
}

/* ---------------------------------------------------------------- maps */

#define MAPS 4

static void add_spot(float *map, float x, float y, float sigma, float mass)
{
    float sum = 0, spot[GRID * GRID];
    for (int i = 0; i < GRID * GRID; i++) {
        float dx = (float)(i % GRID) - x, dy = (float)(i / GRID) - y;
        spot[i] = expf(-(dx * dx + dy * dy) / (2 * sigma * sigma));
        sum += spot[i];
    }
    for (int i = 0; i < GRID * GRID; i++)
        map[i] += mass * spot[i] / sum;
}

/* One cell; an object; two objects; an object and a faint share of everything. */
static void make_map(int index, float *map)
{
    memset(map, 0, GRID * GRID * sizeof *map);
    if (index == 0)
        add_spot(map, 10, 4, 0.2f, 1);
    else
        add_spot(map, 4, 9, 1.2f, index == 1 ? 1 : 0.6f);
    if (index == 2)
        add_spot(map, 10, 3, 0.8f, 0.4f);
    for (int i = 0; i < GRID * GRID && index == 3; i++)
        map[i] += 1e-4f * random_share();
}

/* ---------------------------------------------------------------- what is seen */

/* Colour maps, scales, themes and ways to draw cells, on every picture; `check` looks at each. */
typedef struct trial {
    viz_heat_style style;
    int picture, map;
    viz_canvas *canvas;
    const sac_image *image;
    seen_map seen;
} trial;

static void draw_trial(trial *t, viz_scaled *kept, float *weights, int variant)
{
    static const viz_scale_kind scales[] = {VIZ_PER_MAP, VIZ_SHARED, VIZ_ROOT};
    viz_scale_kind kind = scales[variant / 6 % 3];
    viz_rect rect = {0, 0, SIDE, SIDE};
    float most = 0;
    t->map = variant / 18;
    make_map(t->map, weights);
    for (int i = 0; i < GRID * GRID; i++)
        most = fmaxf(most, weights[i]);
    t->style.map = (viz_colormap)(variant / 2 % 3);
    /* A shared scale reaches further than this map. */
    t->style.scale = viz_scale_for(kind, kind == VIZ_SHARED ? 1.5f * most : most);
    t->style.blocky = variant / 2 % 2 == 1;
    t->canvas->theme = variant % 2 ? &viz_theme_light : &viz_theme_dark;
    viz_image_kept(t->canvas, kept, t->image, (unsigned)t->picture, rect, true);
    viz_heat(t->canvas, kept, rect, weights, GRID, GRID, &t->style);
    t->seen = (seen_map){t->canvas, t->image, rect, weights, GRID, GRID};
}

static void try_all(viz_overlay overlay, void (*check)(const trial *t))
{
    viz_canvas canvas;
    viz_scaled kept = {0};
    OK(viz_canvas_create(SIDE, SIDE, 1, NULL, &canvas, NULL));
    for (int picture = 0; picture < PICTURES; picture++) {
        sac_image image;
        make_picture(picture, &image);
        for (int variant = 0; variant < 2 * 3 * 3 * MAPS; variant += 5) {
            float weights[GRID * GRID];
            trial t = {{.overlay = overlay, VIZ_HEAT_DEFAULTS}, picture, 0, &canvas, &image, {0}};
            draw_trial(&t, &kept, weights, variant);
            check(&t);
        }
        sac_image_free(&image);
    }
    viz_scaled_free(&kept);
    viz_canvas_free(&canvas);
}

static void fail_trial(const trial *t, const char *what, double number)
{
    fail_msg("picture %d, map %d, %s, %s, %s: %s %.3f", t->picture, t->map,
             viz_colormap_name(t->style.map), viz_scale_name(t->style.scale.kind),
             t->canvas->theme->name, what, number);
}

static void check_brightness(const trial *t)
{
    double bright = bright_share(&t->seen);
    if (bright < 1)
        fail_trial(t, "the share of cells that stay bright is", bright);
}

static void check_colours(const trial *t)
{
    double off = own_difference(&t->seen);
    if (!(off < 4))
        fail_trial(t, "from its own colours what is attended is", off);
}

TEST(the_picture_keeps_seven_tenths_of_its_brightness_where_it_is_not_attended)
{
    try_all(VIZ_LIGHT, check_brightness);
    try_all(VIZ_HEAT, check_brightness);
    try_all(VIZ_CONTOUR, check_brightness);
}

/* A difference of 4 ΔE₀₀ is barely seen. */
TEST(what_is_attended_keeps_its_own_colours_in_light)
{
    try_all(VIZ_LIGHT, check_colours);
}

/* 15 ΔE₀₀ is another colour of the same family. */
static void check_heat(const trial *t)
{
    double off =
        peak_difference(&t->seen, viz_heat_colors(t->canvas->theme, t->style.map), &t->style.scale);
    if (!(off < 15))
        fail_trial(t, "from the bar heat is", off);
}

TEST(heat_has_the_colour_of_its_bar)
{
    try_all(VIZ_HEAT, check_heat);
}

/* Weights that are all alike change nothing, and those within a fifth of that no channel by more
 * than a tenth of itself, or of the luma. */
TEST(an_even_map_leaves_the_picture_as_it_is)
{
    viz_canvas canvas;
    viz_rect rect = {0, 0, SIDE, SIDE};
    OK(viz_canvas_create(SIDE, SIDE, 1, NULL, &canvas, NULL));
    for (int i = 0; i < PICTURES * VIZ_OVERLAY_COUNT * 2; i++) {
        float weights[GRID * GRID];
        int picture = i / VIZ_OVERLAY_COUNT / 2;
        viz_heat_style style = {.overlay = (viz_overlay)(i / 2 % VIZ_OVERLAY_COUNT),
                                .scale = viz_scale_for(VIZ_PER_MAP, 0.006f),
                                VIZ_HEAT_DEFAULTS};
        sac_image image;
        make_picture(picture, &image);
        for (int cell = 0; cell < GRID * GRID; cell++)
            weights[cell] = 0.005f * (i % 2 ? 0.8f + 0.4f * random_share() : 1);
        viz_image(&canvas, &image, rect, true);
        memcpy(image.rgba, canvas.rgba, 4 * SIDE * SIDE);
        viz_heat(&canvas, NULL, rect, weights, GRID, GRID, &style);
        assert_true(viz_heat_is_even(weights, GRID * GRID, 0));
        if (i % 2 == 0)
            assert_memory_equal(canvas.rgba, image.rgba, 4 * SIDE * SIDE);
        for (int at = 0; at < 4 * SIDE * SIDE; at++) {
            int luma = (int)viz_luma(image.rgba + at / 4 * 4), own = image.rgba[at];
            int most = (luma > own ? luma : own) / 10 + 4;
            if (abs(canvas.rgba[at] - image.rgba[at]) > most)
                fail_msg("picture %d, %s: %d for %d", picture, viz_overlay_name(style.overlay),
                         canvas.rgba[at], image.rgba[at]);
        }
        sac_image_free(&image);
    }
    viz_canvas_free(&canvas);
}

/* Of 196 cells 98 are hidden: the others' equal weights are 1/N. */
/* The rim is half way between 1/N and what shows fully. */
TEST(a_map_without_a_rim_is_faint)
{
    float weights[GRID * GRID];
    for (int percent = 100; percent <= 600; percent += 20) {
        float most = (float)percent / 100, rest = (float)(GRID * GRID) - most;
        for (int i = 0; i < GRID * GRID; i++)
            weights[i] = i ? rest / (float)(GRID * GRID - 1) : most;
        assert_true(viz_heat_is_faint(weights, GRID * GRID, 0) ==
                    (most < (1 + VIZ_FULL_WEIGHT) / 2));
    }
}

TEST(a_map_of_the_cells_that_are_left_is_even_too)
{
    float weights[GRID * GRID];
    for (int i = 0; i < GRID * GRID; i++)
        weights[i] = i % 2 ? 2.0f / (GRID * GRID) : 0;
    assert_true(viz_heat_is_even(weights, GRID * GRID, GRID * GRID / 2));
    assert_false(viz_heat_is_even(weights, GRID * GRID, 0));
}

/* The luma in the middle of a white picture below a map of one weight beside a heavy one. */
static unsigned luma_below(float weight, const viz_heat_style *style)
{
    float weights[GRID * GRID];
    sac_image image;
    viz_canvas canvas;
    viz_rect rect = {0, 0, SIDE, SIDE};
    for (int i = 0; i < GRID * GRID; i++)
        weights[i] = weight;
    weights[0] = 1;
    make_picture(0, &image);
    OK(viz_canvas_create(SIDE, SIDE, 1, NULL, &canvas, NULL));
    viz_image(&canvas, &image, rect, true);
    viz_heat(&canvas, NULL, rect, weights, GRID, GRID, style);
    unsigned luma = viz_luma(canvas.rgba + 4 * (SIDE / 2 * SIDE + SIDE / 2));
    sac_image_free(&image);
    viz_canvas_free(&canvas);
    return luma;
}

/* On a scale that is shared with a map of far larger weights, faint ones are no black stain. */
TEST(faint_weights_on_a_shared_scale_let_the_picture_through)
{
    const viz_heat_style style = {
        .overlay = VIZ_HEAT, .scale = viz_scale_for(VIZ_SHARED, 1), VIZ_HEAT_DEFAULTS};
    assert_int_equal(luma_below(0, &style), luma_below(0.001f, &style));
}

TEST(brightness_1_and_opacity_0_leave_the_picture_as_it_is)
{
    float weights[GRID * GRID];
    sac_image image;
    viz_canvas with, without;
    viz_rect rect = {0, 0, SIDE, SIDE};
    make_picture(7, &image);
    make_map(2, weights);
    OK(viz_canvas_create(SIDE, SIDE, 1, NULL, &without, NULL));
    viz_image(&without, &image, rect, true);
    for (int overlay = 0; overlay < VIZ_OVERLAY_COUNT; overlay++) {
        OK(viz_canvas_create(SIDE, SIDE, 1, NULL, &with, NULL));
        viz_heat_style style = {.overlay = (viz_overlay)overlay,
                                .brightness = 1,
                                .scale = viz_scale_for(VIZ_PER_MAP, 1)};
        viz_image(&with, &image, rect, true);
        viz_heat(&with, NULL, rect, weights, GRID, GRID, &style);
        assert_memory_equal(with.rgba, without.rgba, 4 * SIDE * SIDE);
        viz_canvas_free(&with);
    }
    sac_image_free(&image);
    viz_canvas_free(&without);
}

/* Draws a picture of an odd width, partly outside what may be drawn, and heat over it. */
static void draw_frame(viz_canvas *canvas, viz_scaled *kept, const sac_image *image, unsigned stamp,
                       int map, const viz_heat_style *style)
{
    float weights[GRID * GRID];
    viz_rect rect = {3, 5, SIDE - 7, SIDE - 40};
    make_map(map, weights);
    viz_clear(canvas);
    viz_clip(canvas, (viz_rect){12, 0, SIDE, SIDE - 60});
    viz_image_kept(canvas, kept, image, stamp, rect, true);
    viz_heat(canvas, kept, rect, weights, GRID, GRID, style);
    viz_clip_none(canvas);
}

/* Frames in which the weights, the overlay, the brightness and the picture change; the last picture lets
 * what is behind it through. */
TEST(weights_over_a_kept_picture_have_the_pixels_of_one_drawn_anew)
{
    const struct {
        int picture, map;
        viz_overlay overlay;
        float brightness;
    } frames[] = {{4, 0, VIZ_LIGHT, 0.7f}, {4, 1, VIZ_LIGHT, 0.7f}, {4, 1, VIZ_HEAT, 0.8f},
                  {4, 2, VIZ_HEAT, 0.8f},  {4, 2, VIZ_LIGHT, 0.9f}, {4, 2, VIZ_CONTOUR, 0.9f},
                  {9, 0, VIZ_LIGHT, 0.7f}, {-1, 2, VIZ_HEAT, 0.7f}, {-1, 1, VIZ_LIGHT, 0.7f}};
    viz_canvas kept_canvas, fresh;
    viz_scaled kept = {0};
    OK(viz_canvas_create(SIDE, SIDE, 1, NULL, &kept_canvas, NULL));
    OK(viz_canvas_create(SIDE, SIDE, 1, NULL, &fresh, NULL));
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        sac_image image;
        viz_heat_style style = {.overlay = frames[i].overlay,
                                .scale = viz_scale_for(VIZ_ROOT, 0.2f),
                                .brightness = frames[i].brightness,
                                .opacity = 0.9f};
        make_picture(frames[i].picture < 0 ? 5 : frames[i].picture, &image);
        for (int at = 0; at < SIDE * SIDE && frames[i].picture < 0; at++)
            image.rgba[4 * at + 3] = (uint8_t)at;
        draw_frame(&kept_canvas, &kept, &image, (unsigned)frames[i].picture, frames[i].map, &style);
        viz_scaled anew = {0};
        draw_frame(&fresh, &anew, &image, 0, frames[i].map, &style);
        assert_memory_equal(kept_canvas.rgba, fresh.rgba, 4 * SIDE * SIDE);
        viz_scaled_free(&anew);
        sac_image_free(&image);
    }
    viz_scaled_free(&kept);
    viz_canvas_free(&kept_canvas);
    viz_canvas_free(&fresh);
}

TEST_MAIN(NULL, NULL)
