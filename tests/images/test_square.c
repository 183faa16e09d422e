/* The square that our captioners see of pictures of any size. */

#include "base/cancel.h"
#include "images/resample.h"
#include "status.h"
#include "test.h"

/* Grey levels [height,width] as an opaque picture. */
static sac_image grey(int width, int height, const uint8_t *levels)
{
    sac_image image;
    OK(sac_image_create(width, height, &image, NULL));
    for (int i = 0; i < width * height; i++) {
        memset(image.rgba + 4 * i, levels[i], 3);
        image.rgba[4 * i + 3] = 255;
    }
    return image;
}

/* The square of `image`, which is freed, holds the grey levels [side,side], opaque. */
static void assert_square(sac_image image, int side, const uint8_t *levels)
{
    sac_image square;
    OK(sac_image_fit_in_square(&image, side, &square, NULL));
    assert_int_equal(square.width, side);
    assert_int_equal(square.height, side);
    for (int i = 0; i < side * side; i++) {
        const uint8_t *pixel = square.rgba + 4 * i;
        for (int c = 0; c < 3; c++)
            if (pixel[c] != levels[i])
                fail_msg("pixel %d,%d is %d, not %d", i % side, i / side, pixel[c], levels[i]);
        assert_int_equal(pixel[3], 255);
    }
    sac_image_free(&square);
    sac_image_free(&image);
}

TEST(a_picture_of_that_size_stays_as_it_is)
{
    uint8_t levels[256];
    for (int i = 0; i < 256; i++)
        levels[i] = (uint8_t)i;
    assert_square(grey(16, 16, levels), 16, levels);
}

TEST(shrinking_takes_the_mean_of_the_area)
{
    const uint8_t four[] = {0, 100, 10, 20, 200, 100, 30, 40, 0, 0, 8, 8, 255, 255, 0, 0};
    assert_square(grey(4, 4, four), 2, (uint8_t[]){100, 25, 128, 4});
    /* 3 to 2: a pixel is two thirds of a column and one of the middle's halves. */
    const uint8_t three[] = {90, 30, 0, 90, 30, 0, 90, 30, 0};
    assert_square(grey(3, 3, three), 2, (uint8_t[]){70, 10, 70, 10});
}

TEST(enlarging_goes_straight_from_pixel_to_pixel)
{
    const uint8_t levels[] = {0, 100, 200, 100};
    const uint8_t expected[] = {0,   25,  75,  100, 50,  63,  88,  100,
                                150, 138, 113, 100, 200, 175, 125, 100};
    assert_square(grey(2, 2, levels), 4, expected);
    assert_square(grey(1, 1, levels + 1), 3,
                  (uint8_t[]){100, 100, 100, 100, 100, 100, 100, 100, 100});
}

TEST(wide_pictures_are_filled_with_their_upper_and_lower_edge)
{
    const uint8_t levels[] = {10, 20, 30, 40, 50, 60, 70, 80};
    const uint8_t expected[] = {10, 20, 30, 40, 10, 20, 30, 40, 50, 60, 70, 80, 50, 60, 70, 80};
    assert_square(grey(4, 2, levels), 4, expected);
    assert_square(grey(4, 2, levels), 2, (uint8_t[]){15, 35, 55, 75});
}

TEST(tall_pictures_are_filled_with_their_left_and_right_edge)
{
    const uint8_t levels[] = {10, 50, 20, 60, 30, 70, 40, 80};
    const uint8_t expected[] = {10, 10, 50, 50, 20, 20, 60, 60, 30, 30, 70, 70, 40, 40, 80, 80};
    assert_square(grey(2, 4, levels), 4, expected);
}

TEST(odd_borders_are_shared)
{
    /* 3 × 2 lies half a line below the square's upper edge. */
    const uint8_t levels[] = {0, 0, 0, 100, 100, 100};
    assert_square(grey(3, 2, levels), 3, (uint8_t[]){0, 0, 0, 50, 50, 50, 100, 100, 100});
}

TEST(what_is_transparent_is_white)
{
    sac_image image, square;
    const uint8_t pixels[] = {9, 9, 9, 0, 0, 100, 255, 128, 10, 20, 30, 255, 0, 0, 0, 51};
    OK(sac_image_create(2, 2, &image, NULL));
    memcpy(image.rgba, pixels, sizeof pixels);
    OK(sac_image_fit_in_square(&image, 2, &square, NULL));
    const uint8_t expected[] = {255, 255, 255, 255, 127, 177, 255, 255,
                                10,  20,  30,  255, 204, 204, 204, 255};
    assert_memory_equal(square.rgba, expected, sizeof expected);
    sac_image_free(&square);
    sac_image_free(&image);
}

TEST(lines_of_one_pixel_are_pictures_too)
{
    uint8_t *levels = malloc(10000);
    memset(levels, 77, 10000);
    const uint8_t expected[] = {77, 77, 77, 77, 77, 77, 77, 77, 77};
    assert_square(grey(10000, 1, levels), 3, expected);
    assert_square(grey(1, 10000, levels), 3, expected);
    free(levels);
}

/* Whatever the sizes, weights sum to 1: white stays white, and nothing is read beyond the picture
 * (as a sanitizer sees it). */
TEST(white_stays_white_at_any_size)
{
    uint8_t levels[40 * 40], expected[23 * 23];
    memset(levels, 255, sizeof levels);
    memset(expected, 255, sizeof expected);
    for (int width = 1; width <= 40; width += 3)
        for (int height = 1; height <= 40; height += 4)
            for (int side = 1; side <= 23; side += 2)
                assert_square(grey(width, height, levels), side, expected);
}

static bool stop(void)
{
    return true;
}

TEST(shrinking_stops_when_asked_to)
{
    sac_image square, image = grey(2, 2, (uint8_t[]){1, 2, 3, 4});
    sac_cancel_when(stop);
    assert_int_equal(sac_image_fit_in_square(&image, 4, &square, &failure), SAC_E_CANCELLED);
    sac_cancel_when(NULL);
    assert_string_equal(failure.what, "stopped on request");
    assert_null(square.rgba);
    sac_image_free(&image);
}

TEST_MAIN(NULL, NULL)
