/* src/images: pictures that break off or are damaged are shown as far as they go, with a notice. */
#include "scratch.h"

#include <webp/encode.h>

#include "base/notice.h"
#include "images/image_read.h"
#include "images/jpeg_write.h"
#include "images/png_write.h"
#include "status.h"

enum { WIDE = 160, HIGH = 160 };

static char notice[1200];

static void listen(void *user, const char *text)
{
    (void)user;
    snprintf(notice, sizeof notice, "%s", text);
}

/* Loads a file of `bytes`; the notice is in `notice`, which is empty where there was none. */
static sac_status load(scratch *s, const uint8_t *bytes, size_t size, sac_image *image)
{
    const char *path = scratch_write(s, "picture", (const char *)bytes, size);
    notice[0] = '\0';
    sac_notice_listen(listen, NULL);
    sac_status status = sac_image_load(path, image, &failure);
    sac_notice_listen(NULL, NULL);
    return status;
}

/* Colours that no encoder can leave out. */
static void paint(sac_image *image)
{
    uint32_t seed = 1;
    OK(sac_image_create(WIDE, HIGH, image, NULL));
    for (size_t i = 0; i < 4 * (size_t)WIDE * HIGH; i++) {
        seed = seed * 1664525 + 1013904223;
        image->rgba[i] = i % 4 == 3 ? 255 : (uint8_t)(seed >> 24);
    }
}

/* The share of rows from the top that are the same. */
static double same_rows(const sac_image *a, const sac_image *b)
{
    const size_t row = 4 * (size_t)a->width;
    int y = 0;
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    while (y < a->height && memcmp(a->rgba + (size_t)y * row, b->rgba + (size_t)y * row, row) == 0)
        y++;
    return (double)y / a->height;
}

/* A file of `size` bytes cut to a share of them: as much of it is shown, with a notice. */
static void expect_part(scratch *s, const uint8_t *bytes, size_t size)
{
    sac_image whole, part;
    OK(load(s, bytes, size, &whole));
    assert_string_equal(notice, "");
    for (int tenth = 4; tenth < 10; tenth += 2) {
        OK(load(s, bytes, size * (size_t)tenth / 10, &part));
        double share = same_rows(&whole, &part);
        if (share < tenth / 10. - 0.17 || share > tenth / 10. + 0.05)
            fail_msg("%d tenths of the bytes gave %g of the rows", tenth, share);
        assert_non_null(
            strstr(notice, "picture: ends early, and is shown as far as it goes, about "));
        assert_non_null(strstr(notice, " % of it; get the file again"));
        for (size_t i = 0; i < (size_t)WIDE * HIGH; i++)
            assert_int_equal(part.rgba[4 * i + 3], 255);
        sac_image_free(&part);
    }
    assert_int_equal(load(s, bytes, 12, &part), SAC_E_FORMAT);
    sac_image_free(&whole);
}

static uint8_t *encode_jpeg(size_t *size)
{
    sac_image image;
    uint8_t *bytes;
    paint(&image);
    OK(sac_jpeg_encode(&image, 90, &bytes, size, &failure));
    sac_image_free(&image);
    return bytes;
}

IN_SCRATCH(cut_jpeg_is_shown_as_far_as_it_goes)
{
    size_t size;
    uint8_t *bytes = encode_jpeg(&size);
    expect_part(s, bytes, size);
    /* the same with the mark of its end */
    sac_image part;
    memcpy(bytes + size / 2, "\xff\xd9", 2);
    OK(load(s, bytes, size / 2 + 2, &part));
    assert_non_null(strstr(notice, "ends early, and is shown as far as it goes, about "));
    sac_image_free(&part);
    free(bytes);
}

IN_SCRATCH(cut_jpeg_that_lacks_its_mark_alone_is_whole)
{
    size_t size;
    sac_image whole, same;
    uint8_t *bytes = encode_jpeg(&size);
    OK(load(s, bytes, size, &whole));
    OK(load(s, bytes, size - 2, &same));
    assert_string_equal(notice, "");
    assert_true(same_rows(&whole, &same) >= 1);
    sac_image_free(&same);
    sac_image_free(&whole);
    free(bytes);
}

/* Samsung's phones write 0, 0, 0 where a baseline scan has 0, 63, 0. */
IN_SCRATCH(cut_jpeg_with_harmless_warnings_is_whole)
{
    size_t size;
    sac_image whole, same;
    uint8_t *bytes = encode_jpeg(&size), *scan = memmem(bytes, size, "\xff\xda", 2);
    OK(load(s, bytes, size, &whole));
    uint8_t *last = scan + 2 + (scan[2] << 8 | scan[3]) - 2;
    assert_int_equal(*last, 63);
    *last = 0;
    OK(load(s, bytes, size, &same));
    assert_string_equal(notice, "");
    assert_true(same_rows(&whole, &same) >= 1);
    sac_image_free(&same);
    sac_image_free(&whole);
    free(bytes);
}

IN_SCRATCH(cut_progressive_jpeg_is_shown_with_fewer_details)
{
    size_t size;
    sac_image image;
    uint8_t *bytes = read_file(TEST_DATA "/progressive.jpg", &size);
    OK(load(s, bytes, size, &image));
    assert_string_equal(notice, "");
    sac_image_free(&image);
    OK(load(s, bytes, size * 8 / 10, &image));
    assert_non_null(strstr(notice, "picture: ends early, and is shown as far as it goes"));
    assert_int_equal(image.width, 64);
    sac_image_free(&image);
    free(bytes);
}

/* Bits of the middle are other ones: what stands above them is there. */
IN_SCRATCH(damaged_pictures_are_shown_with_a_notice)
{
    sac_image image, whole, part;
    size_t sizes[2];
    uint8_t *files[2] = {encode_jpeg(&sizes[0])};
    paint(&image);
    const char *path = scratch_path(s, "whole.png");
    OK(sac_png_save(path, &image, NULL, 0, &failure));
    files[1] = read_file(path, &sizes[1]);
    for (int i = 0; i < 2; i++) {
        OK(load(s, files[i], sizes[i], &whole));
        memset(files[i] + sizes[i] / 2, 0x55, 40);
        memcpy(files[i] + sizes[i] / 2 + 40, "\xff\xd3", i == 0 ? 2 : 0);
        OK(load(s, files[i], sizes[i], &part));
        assert_true(same_rows(&whole, &part) > 0.35);
        assert_non_null(strstr(notice, "picture: is damaged, and is shown as far as it goes"));
        sac_image_free(&whole);
        sac_image_free(&part);
        free(files[i]);
    }
    sac_image_free(&image);
}

IN_SCRATCH(cut_png_is_shown_as_far_as_it_goes)
{
    sac_image image;
    size_t size;
    paint(&image);
    const char *path = scratch_path(s, "whole.png");
    OK(sac_png_save(path, &image, NULL, 0, &failure));
    uint8_t *bytes = read_file(path, &size);
    expect_part(s, bytes, size);
    free(bytes);
    sac_image_free(&image);
}

IN_SCRATCH(cut_webp_is_shown_as_far_as_it_goes)
{
    sac_image image;
    uint8_t *bytes;
    paint(&image);
    size_t size = WebPEncodeRGBA(image.rgba, WIDE, HIGH, 4 * WIDE, 90, &bytes);
    expect_part(s, bytes, size);
    WebPFree(bytes);
    size = WebPEncodeLosslessRGBA(image.rgba, WIDE, HIGH, 4 * WIDE, &bytes);
    expect_part(s, bytes, size);
    WebPFree(bytes);
    sac_image_free(&image);
}

/* 5 x 3 pixels: all of the blocks but the last bytes, and all but the last row. */
IN_SCRATCH(cut_gif_is_shown_as_far_as_it_goes)
{
    size_t size;
    sac_image whole, part;
    uint8_t *bytes = read_file(TEST_DATA "/plain.gif", &size);
    OK(load(s, bytes, size, &whole));
    OK(load(s, bytes, size - 5, &part));
    assert_non_null(strstr(notice, "picture: ends early, and is shown as far as it goes, about "));
    assert_true(same_rows(&whole, &part) >= 0.3);
    sac_image_free(&part);
    sac_image_free(&whole);
    free(bytes);
}

TEST_MAIN(NULL, NULL)
