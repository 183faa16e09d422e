/* viz/canvas: heat is read at a glance, on every picture, in every colour map. */

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
        snprintf(path, sizeof path, PICTURES_FOLDER "/%s", bundled[index - 19]);
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

typedef struct trial {
    const viz_theme *theme;
    viz_colormap map;
    viz_scale_kind scale;
    bool blocky;
} trial;

static void check_map(const trial *t, viz_canvas *canvas, viz_scaled *kept, const sac_image *image,
                      int picture, int number)
{
    float weights[GRID * GRID], most = 0;
    make_map(number, weights);
    for (int i = 0; i < GRID * GRID; i++)
        most = fmaxf(most, weights[i]);
    /* A shared scale reaches further than this map. */
    viz_heat_style style = {
        .map = t->map,
        .scale = viz_scale_for(t->scale, t->scale == VIZ_SHARED ? 1.5f * most : most),
        .opacity = VIZ_HEAT_OPACITY,
        .blocky = t->blocky};
    viz_rect rect = {0, 0, SIDE, SIDE};
    canvas->theme = t->theme;
    viz_image_kept(canvas, kept, image, (unsigned)picture, rect, true);
    viz_heat(canvas, kept, rect, weights, GRID, GRID, &style);
    seen_map seen = {canvas, rect, weights, GRID, GRID};
    double off = peak_difference(&seen, viz_heat_colors(t->map), &style.scale);
    double gain = lightness_gain(&seen, viz_heat_colors(t->map), &style.scale);
    if (!(off < 15) || !(gain >= 25))
        fail_msg("picture %d, map %d, %s, %s: %.1f from the bar, %.1f lighter", picture, number,
                 viz_colormap_name(t->map), viz_scale_name(t->scale), off, gain);
}

/* The differences that a person reads: 15 ΔE₀₀ is another colour of the same family, 25 L* is
 * light beside dark. */
TEST(heat_has_the_colour_of_its_bar_and_is_lighter_than_any_picture)
{
    static const viz_scale_kind scales[] = {VIZ_PER_MAP, VIZ_SHARED, VIZ_ROOT};
    viz_canvas canvas;
    viz_scaled kept = {0};
    OK(viz_canvas_create(SIDE, SIDE, 1, NULL, &canvas, NULL));
    for (int picture = 0; picture < PICTURES; picture++) {
        sac_image image;
        make_picture(picture, &image);
        for (int i = 0; i < 2 * 3 * 3 * MAPS; i++) {
            trial t = {i % 2 ? &viz_theme_light : &viz_theme_dark, (viz_colormap)(i / 2 % 3),
                       scales[i / 6 % 3], i / 2 % 2 == 1};
            check_map(&t, &canvas, &kept, &image, picture, i / 18);
        }
        sac_image_free(&image);
    }
    viz_scaled_free(&kept);
    viz_canvas_free(&canvas);
}

static int by_lightness(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* From the darkest to the lightest tenth of the canvas, in L*. */
static double lightness_range(const viz_canvas *canvas)
{
    static double lightness[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        const uint8_t *p = canvas->rgba + 4 * i;
        double lab[3];
        lab_of((viz_color){p[0], p[1], p[2], 255}, lab);
        lightness[i] = lab[0];
    }
    qsort(lightness, SIDE * SIDE, sizeof *lightness, by_lightness);
    return lightness[SIDE * SIDE * 9 / 10] - lightness[SIDE * SIDE / 10];
}

/* The heat of one cell leaves all else of a page as ground; a difference of 6 L* is seen well. */
TEST(what_a_dark_page_shows_is_seen_below_heat)
{
    float weights[GRID * GRID];
    viz_canvas canvas;
    viz_rect rect = {0, 0, SIDE, SIDE};
    viz_heat_style style = {.scale = viz_scale_for(VIZ_ROOT, 1), .opacity = VIZ_HEAT_OPACITY};
    make_map(0, weights);
    OK(viz_canvas_create(SIDE, SIDE, 1, NULL, &canvas, NULL));
    for (int page = 0; page < PAGES; page++) {
        sac_image image;
        viz_scaled kept = {0};
        make_page(pages[page], SIDE, &image);
        viz_image_kept(&canvas, &kept, &image, 0, rect, true);
        viz_heat(&canvas, &kept, rect, weights, GRID, GRID, &style);
        double range = lightness_range(&canvas);
        if (!(range > 6))
            fail_msg("page %d: %.1f", (int)pages[page], range);
        sac_image_free(&image);
        viz_scaled_free(&kept);
    }
    viz_canvas_free(&canvas);
}

/* The recipe is what passes: the colours of the map laid half over a white picture do not. */
TEST(heat_laid_half_over_a_picture_would_not_be_read)
{
    float weights[GRID * GRID];
    sac_image image;
    viz_canvas canvas;
    viz_rect rect = {0, 0, SIDE, SIDE};
    make_picture(0, &image);
    make_map(1, weights);
    OK(viz_canvas_create(SIDE, SIDE, 1, NULL, &canvas, NULL));
    seen_map seen = {&canvas, rect, weights, GRID, GRID};
    viz_heat_style style = {.opacity = 0.5f};
    style.scale = viz_scale_for(VIZ_ROOT, weights[peak_of(&seen)]);
    viz_image(&canvas, &image, rect, true);
    viz_heat(&canvas, NULL, rect, weights, GRID, GRID, &style);
    assert_true(lightness_gain(&seen, viz_heat_colors(style.map), &style.scale) < 25);
    sac_image_free(&image);
    viz_canvas_free(&canvas);
}

/* The luma in the middle of a white picture below a map of one weight. */
static unsigned luma_below(float weight, const viz_heat_style *style)
{
    float weights[GRID * GRID];
    sac_image image;
    viz_canvas canvas;
    viz_rect rect = {0, 0, SIDE, SIDE};
    for (int i = 0; i < GRID * GRID; i++)
        weights[i] = weight;
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
TEST(what_is_black_on_a_shared_scale_lets_the_picture_through)
{
    const viz_heat_style style = {.opacity = VIZ_HEAT_OPACITY,
                                  .scale = viz_scale_for(VIZ_SHARED, 1)};
    unsigned ground = luma_below(0, &style);
    assert_true((float)luma_below(0.01f, &style) > 0.85f * (float)ground);
    assert_true(luma_below(0.2f, &style) > ground);
}

TEST(opacity_0_leaves_the_picture_as_it_is)
{
    float weights[GRID * GRID];
    sac_image image;
    viz_canvas with, without;
    viz_rect rect = {0, 0, SIDE, SIDE};
    make_picture(7, &image);
    make_map(2, weights);
    OK(viz_canvas_create(SIDE, SIDE, 1, NULL, &with, NULL));
    OK(viz_canvas_create(SIDE, SIDE, 1, NULL, &without, NULL));
    viz_heat_style style = {.scale = viz_scale_for(VIZ_PER_MAP, 1)};
    viz_image(&with, &image, rect, true);
    viz_image(&without, &image, rect, true);
    viz_heat(&with, NULL, rect, weights, GRID, GRID, &style);
    assert_memory_equal(with.rgba, without.rgba, 4 * SIDE * SIDE);
    sac_image_free(&image);
    viz_canvas_free(&with);
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

/* Frames in which the heat, its strength, its overlay and the picture change; the last picture lets
 * the ground through. */
TEST(heat_over_a_kept_picture_has_the_pixels_of_one_drawn_anew)
{
    const struct {
        int picture, map;
        viz_overlay overlay;
        float opacity;
    } frames[] = {{4, 0, VIZ_HEAT, 0.9f}, {4, 1, VIZ_HEAT, 0.9f},      {4, 1, VIZ_HEAT, 0.3f},
                  {4, 2, VIZ_HEAT, 0.3f}, {4, 2, VIZ_SPOTLIGHT, 0.9f}, {4, 2, VIZ_CONTOUR, 0.9f},
                  {9, 0, VIZ_HEAT, 0.9f}, {-1, 2, VIZ_HEAT, 0.9f},     {-1, 1, VIZ_HEAT, 0.9f}};
    viz_canvas kept_canvas, fresh;
    viz_scaled kept = {0};
    OK(viz_canvas_create(SIDE, SIDE, 1, NULL, &kept_canvas, NULL));
    OK(viz_canvas_create(SIDE, SIDE, 1, NULL, &fresh, NULL));
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        sac_image image;
        viz_heat_style style = {.overlay = frames[i].overlay,
                                .scale = viz_scale_for(VIZ_ROOT, 0.2f),
                                .opacity = frames[i].opacity};
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
