/* src/sources/files/features: what a picture's cells look like in numbers. */

#include "base/cancel.h"
#include "base/random/random.h"
#include "sources/files/picture/features.h"
#include "sources/source.h"
#include "status.h"
#include "test.h"

typedef uint32_t pixel_at(int x, int y); /* 0xRRGGBBAA */

static sac_image make_image(int width, int height, pixel_at *at)
{
    sac_image image;
    OK(sac_image_create(width, height, &image, NULL));
    uint8_t *out = image.rgba;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++, out += 4) {
            uint32_t p = at(x, y);
            out[0] = (uint8_t)(p >> 24), out[1] = (uint8_t)(p >> 16);
            out[2] = (uint8_t)(p >> 8), out[3] = (uint8_t)p;
        }
    return image;
}

static sac_cells measure(int width, int height, pixel_at *at, int grid_w, int grid_h)
{
    sac_image image = make_image(width, height, at);
    sac_light_image linear;
    sac_cells cells;
    OK(sac_light_image_create(&image, 1024, &linear, NULL));
    OK(sac_cells_measure(&linear, grid_w, grid_h, &cells, NULL));
    sac_light_image_free(&linear);
    sac_image_free(&image);
    return cells;
}

static const float *look_at(const sac_cells *cells, int x, int y)
{
    return cells->look + (size_t)SAC_PLACE_X * (size_t)(y * cells->grid_w + x);
}

static void near(double actual, double expected, double bound)
{
    if (!(fabs(actual - expected) <= bound))
        fail_msg("%.9g is not within %.2g of %.9g", actual, bound, expected);
}

/* ---------------------------------------------------------------- the grid */

TEST(the_grid_keeps_the_aspect_and_never_vanishes)
{
    static const int cases[][5] = {{451, 300, 32, 32, 21},  {300, 451, 32, 21, 32},
                                   {1, 1, 8, 8, 8},         {10000, 1, 32, 32, 1},
                                   {1, 10000, 128, 1, 128}, {4000, 6000, 128, 85, 128},
                                   {100, 3, 8, 8, 1},       {640, 640, 64, 64, 64}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int w, h;
        sac_picture_grid(cases[i][0], cases[i][1], cases[i][2], &w, &h);
        assert_int_equal(w, cases[i][3]);
        assert_int_equal(h, cases[i][4]);
    }
}

/* ---------------------------------------------------------------- colour */

static uint32_t flat_color;
static uint32_t flat(int x, int y)
{
    (void)x, (void)y;
    return flat_color;
}

/* CIELAB of sRGB's corners under D65, as tables give it, to two decimals. */
TEST(flat_colours_have_their_known_lab_values)
{
    static const struct {
        uint32_t color;
        double lab[3];
    } known[] = {{0xffffffff, {100, 0, 0}},
                 {0x000000ff, {0, 0, 0}},
                 {0xff0000ff, {53.24, 80.09, 67.20}},
                 {0x00ff00ff, {87.73, -86.18, 83.18}},
                 {0x0000ffff, {32.30, 79.19, -107.86}},
                 {0x777777ff, {50.03, 0, 0}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        flat_color = known[i].color;
        sac_cells cells = measure(37, 23, flat, 5, 3);
        for (int cell = 0; cell < 15; cell++) {
            const float *look = look_at(&cells, cell % 5, cell / 5);
            near(look[SAC_LIGHTNESS], known[i].lab[0] / 10, 0.002);
            near(look[SAC_GREEN_RED], known[i].lab[1] * 0.15, 0.002);
            near(look[SAC_BLUE_YELLOW], known[i].lab[2] * 0.15, 0.002);
            /* Samples of a flat picture differ by float32 rounding of sums, 1e-7; times 100 for
             * L*, under two square roots. */
            near(look[SAC_CONTRAST], 0, 2e-3);
        }
        sac_cells_free(&cells);
    }
}

static uint32_t black_and_white(int x, int y)
{
    return (x + y) % 2 ? 0xffffffff : 0x000000ff;
}

TEST(colours_are_averaged_in_linear_light)
{
    sac_cells cells = measure(64, 64, black_and_white, 4, 4);
    for (int i = 0; i < 16 * 3; i++)
        near(cells.color[i], 0.5, 1e-6);
    near(look_at(&cells, 1, 1)[SAC_LIGHTNESS], 7.607, 0.001); /* 116 · 0.5^⅓ − 16 = 76.07 */
    sac_cells_free(&cells);
}

TEST(what_is_transparent_is_mid_grey)
{
    flat_color = 0xff00ff00;
    sac_cells cells = measure(9, 9, flat, 3, 3);
    near(look_at(&cells, 1, 1)[SAC_LIGHTNESS], 5.0, 0.002);
    near(look_at(&cells, 1, 1)[SAC_GREEN_RED], 0.0, 0.002);
    sac_cells_free(&cells);
    flat_color = 0xffffff80;
    cells = measure(9, 9, flat, 3, 3);
    near(cells.color[0], 128 / 255.0 + 127 / 255.0 * 0.1842, 1e-6);
    sac_cells_free(&cells);
}

/* ---------------------------------------------------------------- structure */

static uint32_t grey(int level)
{
    return (uint32_t)level * 0x01010100u + 0xffu;
}
static uint32_t upright(int x, int y)
{
    (void)y;
    return grey(128 + (int)(100 * sin(x * 0.4)));
}
static uint32_t level(int x, int y)
{
    return upright(y, x);
}
static uint32_t rising_right(int x, int y)
{
    return upright(x + y, 0); /* bright along x + y = const: from lower left to upper right */
}
static uint32_t rising_left(int x, int y)
{
    return upright(x - y + 1000, 0);
}

TEST(the_direction_of_stripes_is_reported)
{
    pixel_at *const stripes[] = {upright, level, rising_right, rising_left};
    static const double along[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (int i = 0; i < 4; i++) {
        sac_cells cells = measure(256, 256, stripes[i], 8, 8);
        const float *look = look_at(&cells, 4, 4);
        assert_true(look[SAC_CONTRAST] > 0.3f);
        /* The diagonal phase makes dx and dy differ a little at the samples; 8 bit rounds too. */
        near(look[SAC_UPRIGHT] / look[SAC_CONTRAST], along[i][0], 0.02);
        near(look[SAC_SLANTED] / look[SAC_CONTRAST], along[i][1], 0.02);
        sac_cells_free(&cells);
    }
}

/* A random texture that repeats every 64 pixels, so that it can be moved without an edge. */
static int shift_x, shift_y;
static uint32_t texture(int x, int y)
{
    uint32_t u = (uint32_t)(x + shift_x) % 64 / 4, v = (uint32_t)(y + shift_y) % 64 / 4;
    return sac_philox(u, v, 5) | 0xff;
}

TEST(a_picture_moved_by_whole_cells_keeps_its_features)
{
    shift_x = shift_y = 0;
    sac_cells still = measure(256, 256, texture, 16, 16);
    shift_x = 32, shift_y = 16; /* two cells and one */
    sac_cells moved = measure(256, 256, texture, 16, 16);
    for (int y = 2; y < 12; y++)
        for (int x = 2; x < 12; x++)
            for (int f = 0; f < SAC_PLACE_X; f++)
                /* Running sums over 256 pixels are double; what differs is float32's last bits
                 * of values up to 16. */
                near(look_at(&moved, x, y)[f], look_at(&still, x + 2, y + 1)[f], 2e-5);
    sac_cells_free(&still);
    sac_cells_free(&moved);
}

static uint32_t doubled(int x, int y)
{
    return texture(x / 2, y / 2);
}

TEST(a_picture_of_more_pixels_has_the_same_features)
{
    shift_x = shift_y = 0;
    sac_cells small = measure(256, 128, texture, 16, 8);
    sac_cells large = measure(512, 256, doubled, 16, 8);
    for (int i = 0; i < 16 * 8 * SAC_PLACE_X; i++)
        near(large.look[i], small.look[i], 2e-5);
    sac_cells_free(&small);
    sac_cells_free(&large);
}

/* ---------------------------------------------------------------- sizes */

static uint32_t speckle(int x, int y)
{
    return sac_philox((uint32_t)x, (uint32_t)y, 6) | 0xff;
}

static void mean_color(const float *rgb, size_t count, double mean[3])
{
    memset(mean, 0, 3 * sizeof *mean);
    for (size_t i = 0; i < count * 3; i++)
        mean[i % 3] += rgb[i] / (double)count;
}

/* Sampling by area loses no light: at any size, the cells' mean is the picture's. */
TEST(pictures_of_any_size_keep_their_mean)
{
    static const int sizes[][4] = {{1, 1, 8, 8},     {3, 2, 8, 5},        {2, 3, 85, 128},
                                   {1, 500, 1, 32},  {500, 1, 128, 1},    {7, 5, 32, 23},
                                   {97, 61, 31, 20}, {1500, 900, 32, 19}, {1024, 1024, 128, 128}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int *s = sizes[i];
        sac_image image = make_image(s[0], s[1], speckle);
        sac_light_image whole, linear;
        sac_cells cells;
        double expected[3], mean[3];
        OK(sac_light_image_create(&image, 1 << 20, &whole, NULL));
        OK(sac_light_image_create(&image, 1024, &linear, NULL));
        OK(sac_cells_measure(&linear, s[2], s[3], &cells, NULL));
        mean_color(whole.rgb, (size_t)s[0] * (size_t)s[1], expected);
        mean_color(cells.color, (size_t)s[2] * (size_t)s[3], mean);
        for (int c = 0; c < 3; c++)
            near(mean[c], expected[c], 1e-5); /* float32 sums over up to 900 rows */
        for (int f = 0; f < s[2] * s[3] * SAC_PLACE_X; f++)
            assert_true(isfinite(cells.look[f]));
        sac_cells_free(&cells);
        sac_light_image_free(&linear);
        sac_light_image_free(&whole);
        sac_image_free(&image);
    }
}

TEST(a_picture_without_pixels_is_refused)
{
    sac_light_image linear;
    sac_cells cells;
    REFUSES(SAC_E_SHAPE, "…0 × 0 pixels cannot be looked at…",
            sac_light_image_create(&(sac_image){0}, 1024, &linear, &failure));
    float rgb[3] = {0};
    sac_light_image one = {1, 1, rgb};
    assert_int_equal(sac_cells_measure(&one, 0, 8, &cells, &failure), SAC_E_ARGUMENT);
    assert_null(cells.color);
}

/* ---------------------------------------------------------------- tokens */

TEST(tokens_are_centred_and_weigh_place_as_asked)
{
    enum { W = 12, H = 8, N = W * H };
    sac_cells cells = measure(120, 80, speckle, W, H);
    static float plain[N][SAC_FEATURES], placed[N][SAC_FEATURES];
    sac_cells_tokens(&cells, 0, plain[0]);
    sac_cells_tokens(&cells, 0.5f, placed[0]);
    for (int f = 0; f < SAC_CONSTANT; f++) {
        double sum = 0;
        for (int i = 0; i < N; i++)
            sum += placed[i][f];
        near(sum / N, 0, 1e-6);
    }
    for (int i = 0; i < N; i++) {
        assert_memory_equal(plain[i], placed[i], SAC_PLACE_X * sizeof(float));
        assert_true(plain[i][SAC_PLACE_X] == 0 && plain[i][SAC_PLACE_Y] == 0);
        assert_true(placed[i][SAC_CONSTANT] == 1);
        if (i % W > 0)
            near(placed[i][SAC_PLACE_X] - placed[i - 1][SAC_PLACE_X], 0.5 * SAC_PLACE_SPAN / W,
                 1e-6);
        if (i >= W)
            near(placed[i][SAC_PLACE_Y] - placed[i - W][SAC_PLACE_Y], 0.5 * SAC_PLACE_SPAN / W,
                 1e-6);
    }
    sac_cells_free(&cells);
}

static bool stop(void)
{
    return true;
}

TEST(averaging_stops_when_asked_to)
{
    sac_image image;
    sac_light_image linear;
    OK(sac_image_create(3, 2, &image, NULL));
    sac_cancel_when(stop);
    assert_int_equal(sac_light_image_create(&image, 2, &linear, NULL), SAC_E_CANCELLED);
    sac_cancel_when(NULL);
    assert_null(linear.rgb);
    sac_image_free(&image);
}

TEST_MAIN(NULL, NULL)
