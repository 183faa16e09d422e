/* src/models/captioner/drawn: drawings on checks are distinguished from photographs of them. */

#include <stdio.h>

#include <jpeglib.h>

#include "captioner/source/photograph.h"
#include "images/image_read.h"
#include "photographs.h"
#include "status.h"
#include "test.h"

enum { SIDE = 448 };

static bool is_drawn(const sac_image *image)
{
    bool drawn = false;
    OK(sac_is_drawn(image, &drawn, NULL));
    return drawn;
}

static bool is_photograph(const sac_image *image)
{
    bool photograph = false;
    OK(sac_is_photograph(image, sac_dataset_find("shapes"), &photograph, NULL));
    return photograph;
}

/* Checks of `fields` a side, with a disc that takes a tenth of them. */
static void make_checks(int fields, sac_image *image)
{
    static const uint8_t tones[3][4] = {
        {251, 248, 239, 255}, {91, 58, 140, 255}, {200, 30, 30, 255}};
    OK(sac_image_create(SIDE, SIDE, image, NULL));
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            int dx = x - 300, dy = y - 170, field = SIDE / fields;
            int tone = dx * dx + dy * dy < 80 * 80 ? 2 : (x / field + y / field) % 2;
            memcpy(image->rgba + 4 * (y * SIDE + x), tones[tone], 4);
        }
}

TEST(what_lies_on_checks_is_drawn)
{
    for (int fields = 5; fields <= 16; fields++) {
        sac_image image;
        make_checks(fields, &image);
        if (!is_drawn(&image) || is_photograph(&image))
            fail_msg("%d fields", fields);
        sac_image_free(&image);
    }
}

/* As a program saves it, and reads it again. */
static void pass_through_jpeg(int quality, sac_image *image)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr fatal;
    unsigned char *bytes = NULL;
    unsigned long size = 0;
    jpeg.err = jpeg_std_error(&fatal);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = (JDIMENSION)image->width;
    jpeg.image_height = (JDIMENSION)image->height;
    jpeg.input_components = 4;
    jpeg.in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, quality, TRUE);
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height) {
        JSAMPROW row = image->rgba + (size_t)4 * jpeg.next_scanline * jpeg.image_width;
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    sac_image_free(image);
    OK(sac_image_from_bytes(bytes, size, image, NULL));
    free(bytes);
}

/* JPEG leaves hardly a pixel of a field as it was. */
TEST(checks_saved_as_jpeg_are_drawn)
{
    for (int quality = 50; quality <= 95; quality += 15) {
        sac_image image;
        make_checks(9, &image);
        pass_through_jpeg(quality, &image);
        assert_true(is_drawn(&image));
        assert_false(is_photograph(&image));
        sac_image_free(&image);
    }
}

/* The light on a board falls off from one corner to the other, and a camera has grain. */
TEST(checks_that_a_camera_saw_are_a_photograph)
{
    sac_image image;
    make_checks(8, &image);
    random_state = 1;
    for (int i = 0; i < 4 * SIDE * SIDE; i++) {
        float across = (float)(i / 4 % SIDE + i / 4 / SIDE) / (2 * SIDE);
        float light = (float)image.rgba[i] * (1 - 0.6F * across);
        if (i % 4 != 3)
            image.rgba[i] = photograph_level(light + 24 * random_share() - 12);
    }
    assert_false(is_drawn(&image));
    assert_true(is_photograph(&image));
    sac_image_free(&image);
}

TEST(no_photograph_is_drawn)
{
    for (int number = 0; number < PHOTOGRAPHS; number++) {
        sac_image image;
        OK(sac_image_create(350, 350, &image, NULL));
        make_photograph(number, &image);
        assert_false(is_drawn(&image));
        sac_image_free(&image);
    }
}

/* In pictures of one colour all is flat; in those of one pixel's width no block has four. */
TEST(a_picture_may_be_flat_or_a_line)
{
    static const int sizes[][2] = {{90, 60}, {1, 1}, {1, 300}, {300, 1}};
    for (int i = 0; i < 4; i++) {
        sac_image image;
        OK(sac_image_create(sizes[i][0], sizes[i][1], &image, NULL));
        memset(image.rgba, 255, (size_t)4 * (size_t)sizes[i][0] * (size_t)sizes[i][1]);
        assert_true(is_drawn(&image) || i >= 2);
        assert_false(is_photograph(&image));
        sac_image_free(&image);
    }
}

TEST_MAIN(NULL, NULL)
