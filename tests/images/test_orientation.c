/* src/images: the orientation of a picture, wherever it is in the file. What is expected is what PIL's
 * ImageOps.exif_transpose gives for such files. */
#include "scratch.h"

#include <zlib.h>

#include "images/image_read.h"
#include "status.h"

/* A file under construction. */
typedef struct made {
    uint8_t bytes[8192];
    size_t size;
} made;

static void put(made *m, const void *bytes, size_t size)
{
    assert_true(m->size + size <= sizeof m->bytes);
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
}

static void put_number(made *m, size_t value, int bytes, bool big)
{
    for (int i = 0; i < bytes; i++)
        put(m, &(uint8_t){(uint8_t)(value >> 8 * (big ? bytes - 1 - i : i))}, 1);
}

/* EXIF of one entry, tag 0x112; type 3: a short, 4: a long. */
static made exif_of(int value, bool big, int type, bool has_head)
{
    made m = {0};
    put(&m, "Exif\0\0", has_head ? 6 : 0);
    put(&m, big ? "MM\0*" : "II*\0", 4);
    put_number(&m, 8, 4, big);
    put_number(&m, 1, 2, big);
    put_number(&m, 0x112, 2, big);
    put_number(&m, (size_t)type, 2, big);
    put_number(&m, 1, 4, big);
    put_number(&m, (size_t)value, type == 3 ? 2 : 4, big);
    put_number(&m, 0, 6, big);
    return m;
}

static made xmp_of(int value, bool is_element)
{
    made m = {0};
    m.size = (size_t)snprintf((char *)m.bytes, sizeof m.bytes,
                              is_element ? "<x:xmpmeta><rdf:Description><tiff:Orientation>%d</"
                                           "tiff:Orientation></rdf:Description></x:xmpmeta>"
                                         : "<x:xmpmeta><rdf:Description tiff:Model=\"a\" "
                                           "tiff:Orientation=\"%d\"/></x:xmpmeta>",
                              value);
    return m;
}

/* data/baseline.jpg with segments of APP1 behind its start. */
static void put_app1(made *jpeg, const char *head, size_t head_size, const made *body)
{
    put(jpeg, "\xff\xe1", 2);
    put_number(jpeg, 2 + head_size + body->size, 2, true);
    put(jpeg, head, head_size);
    put(jpeg, body->bytes, body->size);
}

static made jpeg_of(const made *exif, const made *xmp)
{
    size_t size;
    made m = {0};
    uint8_t *plain = read_file(TEST_DATA "/baseline.jpg", &size);
    put(&m, plain, 2);
    if (xmp)
        put_app1(&m, "http://ns.adobe.com/xap/1.0/\0", 29, xmp);
    if (exif)
        put_app1(&m, "", 0, exif);
    put(&m, plain + 2, size - 2);
    free(plain);
    return m;
}

static void put_chunk(made *png, const char *name, const void *body, size_t size)
{
    put_number(png, size, 4, true);
    put(png, name, 4);
    put(png, body, size);
    put_number(png, crc32(0, png->bytes + png->size - size - 4, (uInt)size + 4), 4, true);
}

/* data/rgb.png with a chunk behind its header, or before its end. */
static made png_of(const char *name, const made *body, bool is_late)
{
    size_t size, at;
    made m = {0};
    uint8_t *plain = read_file(TEST_DATA "/rgb.png", &size);
    at = is_late ? size - 12 : 33;
    put(&m, plain, at);
    put_chunk(&m, name, body->bytes, body->size);
    put(&m, plain + at, size - at);
    free(plain);
    return m;
}

static made profile_of(const made *exif)
{
    made m = {0};
    char head[60];
    put(&m, "Raw profile type exif\0", 22);
    put(&m, head, (size_t)snprintf(head, sizeof head, "\nexif\n%8zu\n", exif->size));
    for (size_t i = 0; i < exif->size; i++)
        put(&m, head,
            (size_t)snprintf(head, sizeof head, i % 36 == 35 ? "%02x\n" : "%02x", exif->bytes[i]));
    return m;
}

static made text_of(const made *xmp, bool is_international)
{
    made m = {0};
    put(&m, "XML:com.adobe.xmp\0\0\0\0\0", is_international ? 22 : 18);
    put(&m, xmp->bytes, xmp->size);
    return m;
}

/* data/lossless.webp, 5 x 3, in the extended form with one chunk more. */
static made webp_of(const char *name, unsigned flag, const made *body)
{
    size_t size;
    made m = {0};
    uint8_t *plain = read_file(TEST_DATA "/lossless.webp", &size);
    put(&m, "RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0", 20);
    put_number(&m, flag, 4, false);
    put_number(&m, 5 - 1, 3, false);
    put_number(&m, 3 - 1, 3, false);
    put(&m, plain + 12, size - 12);
    put(&m, name, 4);
    put_number(&m, body->size, 4, false);
    put(&m, body->bytes, body->size);
    put(&m, "", body->size & 1);
    uint32_t whole = (uint32_t)m.size - 8;
    memcpy(m.bytes + 4, &whole, 4);
    free(plain);
    return m;
}

static void expect_turned(const char *plain, const made *file, int orientation)
{
    sac_image expected, image;
    OK(sac_image_load(plain, &expected, &failure));
    OK(sac_image_orient(&expected, orientation, &failure));
    OK(sac_image_from_bytes(file->bytes, file->size, &image, &failure));
    assert_int_equal(image.width, expected.width);
    assert_int_equal(image.height, expected.height);
    assert_memory_equal(image.rgba, expected.rgba, 4 * (size_t)image.width * (size_t)image.height);
    sac_image_free(&image);
    sac_image_free(&expected);
}

/* 0 and 9 are none. */
TEST(orientation_of_each_value_is_applied_in_each_place)
{
    static const char jpeg[] = TEST_DATA "/baseline.jpg", png[] = TEST_DATA "/rgb.png",
                      webp[] = TEST_DATA "/lossless.webp";
    for (int value = 0; value <= 9; value++)
        for (int form = 0; form < 4; form++) {
            const int expected = value >= 1 && value <= 8 ? value : 1;
            const made exif = exif_of(value, form & 1, form & 2 ? 3 : 4, false);
            const made exif_headed = exif_of(value, form & 1, form & 2 ? 3 : 4, true);
            const made xmp = xmp_of(value, form & 1);
            const made profile = profile_of(&exif_headed);
            const made text = text_of(&xmp, true), latin = text_of(&xmp, false);
            made files[] = {jpeg_of(&exif_headed, NULL),
                            jpeg_of(NULL, &xmp),
                            png_of("eXIf", &exif, form & 1),
                            png_of("tEXt", &profile, form & 1),
                            png_of("iTXt", &text, form & 1),
                            png_of("tEXt", &latin, form & 1),
                            webp_of("EXIF", 8, form & 1 ? &exif : &exif_headed),
                            webp_of("XMP ", 4, &xmp)};
            for (size_t i = 0; i < sizeof files / sizeof *files; i++)
                expect_turned(i < 2 ? jpeg : i < 6 ? png : webp, &files[i], expected);
        }
}

TEST(orientation_of_exif_counts_before_that_of_xmp)
{
    const made six = exif_of(6, true, 3, true), one = exif_of(1, true, 3, true);
    const made none = exif_of(3, true, 1, true); /* its type is no number */
    const made three = xmp_of(3, false);
    const made files[] = {jpeg_of(&six, &three), jpeg_of(&one, &three), jpeg_of(&none, &three)};
    expect_turned(TEST_DATA "/baseline.jpg", &files[0], 6);
    expect_turned(TEST_DATA "/baseline.jpg", &files[1], 1);
    expect_turned(TEST_DATA "/baseline.jpg", &files[2], 1);
    made without = exif_of(6, true, 3, true);
    without.bytes[6 + 8 + 3] = 0x13; /* another tag */
    const made by_xmp = jpeg_of(&without, &three);
    expect_turned(TEST_DATA "/baseline.jpg", &by_xmp, 3);
}

TEST(orientation_of_damaged_exif_is_none)
{
    const made whole = exif_of(6, false, 3, true);
    for (size_t size = 0; size + 8 < whole.size; size++) {
        uint8_t *exact = malloc(size + 1);
        memcpy(exact, whole.bytes, size);
        assert_int_equal(sac_exif_orientation(exact, size), 0);
        free(exact);
    }
    assert_int_equal(sac_exif_orientation((const uint8_t *)"II*\0\xff\xff\xff\xff", 8), 0);
    assert_int_equal(sac_xmp_orientation("tiff:Orientation=\"", 18), 0);
    assert_int_equal(sac_xmp_orientation("tiff:Orientation", 16), 0);
}

TEST_MAIN(NULL, NULL)
