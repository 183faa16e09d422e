/* src/images: JPEG out, in memory. */
#include "scratch.h"

#include "images/image.h"
#include "images/jpeg_write.h"
#include "status.h"

/* Smooth colours come back nearly as they were. */
IN_SCRATCH(a_jpeg_that_was_encoded_opens_as_the_picture)
{
    enum { WIDTH = 61, HEIGHT = 40 };
    sac_image image, back;
    OK(sac_image_create(WIDTH, HEIGHT, &image, NULL));
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        uint8_t *pixel = image.rgba + 4 * i;
        pixel[0] = (uint8_t)(4 * (i % WIDTH));
        pixel[1] = (uint8_t)(6 * (i / WIDTH));
        pixel[2] = 90;
        pixel[3] = 255;
    }
    uint8_t *bytes;
    size_t size;
    OK(sac_jpeg_encode(&image, 90, &bytes, &size, &failure));
    const char *path = scratch_path(s, "out.jpg");
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    OK(sac_image_load(path, &back, &failure));
    assert_int_equal(back.width, WIDTH);
    assert_int_equal(back.height, HEIGHT);
    for (int i = 0; i < 4 * WIDTH * HEIGHT; i++)
        assert_true(abs(back.rgba[i] - image.rgba[i]) <= 6);
    free(bytes);
    sac_image_free(&image);
    sac_image_free(&back);
}

TEST(a_picture_that_no_jpeg_holds_is_refused)
{
    sac_image image;
    uint8_t *bytes;
    size_t size;
    OK(sac_image_create(70000, 1, &image, NULL));
    REFUSES(SAC_E_SHAPE, "JPEG: …; make the picture smaller",
            sac_jpeg_encode(&image, 90, &bytes, &size, &failure));
    assert_null(bytes);
    sac_image_free(&image);
}

TEST_MAIN(NULL, NULL)
