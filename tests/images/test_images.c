/* src/images: pictures in. data/ *.png hold 5 x 3 pixels whose values follow from their place,
 * written chunk by chunk; *.jpg hold four quarters: red, green; blue, white. */
#include "scratch.h"

#include <sys/stat.h>

#include "arrays/bytes.h"
#include "base/cancel.h"
#include "blank_png.h"
#include "images/folder.h"
#include "images/image_read.h"
#include "status.h"

static void load_data(const char *name, sac_image *image)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", TEST_DATA, name);
    assert_int_equal(sac_file_kind_of(path), SAC_FILE_PICTURE);
    OK(sac_image_load(path, image, &failure));
}

static void refuse(scratch *s, const char *path, sac_status status, const char *expected)
{
    sac_image image = {.width = 1};
    assert_int_equal(sac_image_load(path, &image, &failure), status);
    assert_null(image.rgba);
    assert_int_equal(image.width, 0);
    assert_line(s, &failure, expected);
}

/* A copy of data/NAME, cut to `size` bytes (0: whole), with `count` bytes at `at` replaced. */
static const char *patched(scratch *s, const char *name, size_t size, size_t at, const void *bytes,
                           size_t count)
{
    char path[400];
    size_t whole;
    snprintf(path, sizeof path, "%s/%s", TEST_DATA, name);
    uint8_t *copy = read_file(path, &whole);
    memcpy(copy + at, bytes, count);
    const char *made = scratch_write(s, name, copy, size ? size : whole);
    free(copy);
    return made;
}

/* ---------------------------------------------------------------- PNG */

typedef void expected_pixel(int x, int y, uint8_t *rgba);

static void grey(int x, int y, uint8_t *rgba)
{
    (void)y;
    memset(rgba, 51 * x, 3);
    rgba[3] = 255;
}

static void chequered(int x, int y, uint8_t *rgba)
{
    memset(rgba, (x + y) % 2 * 255, 3);
    rgba[3] = 255;
}

static void four_greys(int x, int y, uint8_t *rgba)
{
    (void)y;
    memset(rgba, x % 4 * 85, 3);
    rgba[3] = 255;
}

static uint8_t fading(int x, int y)
{
    return (uint8_t)(255 - 17 * (x + 5 * y));
}

static void grey_alpha(int x, int y, uint8_t *rgba)
{
    grey(x, y, rgba);
    rgba[3] = fading(x, y);
}

static void colour(int x, int y, uint8_t *rgba)
{
    rgba[0] = (uint8_t)(51 * x);
    rgba[1] = (uint8_t)(85 * y);
    rgba[2] = (uint8_t)(255 - 51 * x);
    rgba[3] = 255;
}

static void colour_alpha(int x, int y, uint8_t *rgba)
{
    colour(x, y, rgba);
    rgba[3] = fading(x, y);
}

static void one_transparent(int x, int y, uint8_t *rgba)
{
    colour(x, y, rgba);
    rgba[3] = x == 2 && y == 1 ? 0 : 255;
}

/* A transparent pixel of a GIF has no colour. */
static void one_left_out(int x, int y, uint8_t *rgba)
{
    colour(x, y, rgba);
    if (x == 2 && y == 1)
        memset(rgba, 0, 4);
}

IN_SCRATCH(every_kind_of_lossless_picture_becomes_rgba)
{
    static const struct {
        const char *name;
        expected_pixel *expected;
    } cases[] = {
        {"grey.png", grey},
        {"grey1.png", chequered},
        {"grey2.png", four_greys},
        {"grey16.png", grey},
        {"grey_alpha.png", grey_alpha},
        {"grey_alpha16.png", grey_alpha},
        {"rgb.png", colour},
        {"rgb16.png", colour},
        {"rgba.png", colour_alpha},
        {"rgba16.png", colour_alpha},
        {"interlaced.png", colour_alpha},
        {"palette.png", colour},
        {"palette_alpha.png", colour_alpha},
        {"transparent_colour.png", one_transparent},
        {"rotated.png", colour}, /* stored on its side, with an eXIf chunk */
        {"lossless.webp", colour},
        {"lossless_alpha.webp", colour_alpha},
        {"rotated.webp", colour},
        {"animated.webp", colour}, /* its first picture */
        {"plain.gif", colour},
        {"interlaced.gif", colour},
        {"transparent.gif", one_left_out},
        {"animated.gif", colour},
        {"rgb.ppm", colour},
        {"text.ppm", colour},
        {"grey.pgm", grey},
        {"grey16.pgm", grey},
        {"chequered.pbm", chequered},
        {"rgb.bmp", colour},
        {"rgb32.bmp", colour},
        {"palette.bmp", colour},
        {"chequered.bmp", chequered},
        {"rgb.tiff", colour},
        {"packed.tiff", colour},
        {"palette.tiff", colour},
        {"grey.tiff", grey},
    };
    sac_image tiff;
    const bool reads_tiff =
        sac_image_load(TEST_DATA "/rgb.tiff", &tiff, &failure) == SAC_OK ||
        !(strstr(failure.what, "this build cannot read") || strstr(failure.what, "be loaded"));
    sac_image_free(&tiff);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_image image;
        if (strstr(cases[i].name, ".tiff") && !reads_tiff)
            continue;
        load_data(cases[i].name, &image);
        assert_int_equal(image.width, 5);
        assert_int_equal(image.height, 3);
        for (int k = 0; k < 15; k++) {
            uint8_t expected[4];
            cases[i].expected(k % 5, k / 5, expected);
            if (memcmp(image.rgba + 4 * k, expected, 4) != 0)
                fail_msg("%s differs at %d,%d", cases[i].name, k % 5, k / 5);
        }
        sac_image_free(&image);
    }
}

#define PNM(name, text) scratch_write(s, name, text, sizeof(text) - 1)

/* Comments in the header, digits of bits that stand together, whites of any value, masks of colours, rows from the top. */
IN_SCRATCH(netpbm_and_bmp_are_read_in_all_forms)
{
    static const uint8_t wanted[] = {255, 255, 255, 255, 0,   0,   0,   255,
                                     0,   0,   0,   255, 255, 255, 255, 255};
    static const char masks[] =
        "BM\x86\0\0\0\0\0\0\0\x7a\0\0\0" /* header of 108 bytes, pixels at 122 */
        "\x6c\0\0\0\2\0\0\0\xff\xff\xff\xff\1\0\x20\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "\0"
        "\xff\0\0\0\0\xff\0\0\0\0\xff\0\0\0\0\xff";
    uint8_t bmp[130] = {0};
    sac_image image;
    const char *const files[] = {PNM("a.pbm", "P1\n# two by two\n2 2\n0110")};
    OK(sac_image_load(files[0], &image, NULL));
    assert_memory_equal(image.rgba, wanted, sizeof wanted);
    sac_image_free(&image);
    OK(sac_image_load(PNM("a.pgm", "P2 2 2 # white\n3\n3 0 0 3"), &image, NULL));
    assert_memory_equal(image.rgba, wanted, sizeof wanted);
    sac_image_free(&image);
    memcpy(bmp, masks, sizeof masks - 1);
    memcpy(bmp + 122, "\x01\x02\x03\x04\xff\x80\x40\x20", 8);
    OK(sac_image_load(scratch_write(s, "a.bmp", bmp, sizeof bmp), &image, NULL));
    assert_int_equal(image.height, 1);
    assert_memory_equal(image.rgba, "\x01\x02\x03\x04\xff\x80\x40\x20", 8);
    sac_image_free(&image);
}

IN_SCRATCH(netpbm_and_bmp_that_are_cut_or_damaged_are_reported)
{
    sac_image image;
    refuse(s, PNM("a.pgm", "P5 70000 70000 255\n0123"), SAC_E_SHAPE, "a.pgm: …");
    refuse(s, PNM("a.pgm", "P5 1000 1000 255\n0123"), SAC_E_FORMAT,
           "a.pgm: is a PBM, PGM or PPM that ends …");
    refuse(s, PNM("a.pgm", "P2 2 1 3\n3 4"), SAC_E_FORMAT,
           "a.pgm: is a cut or damaged PBM, PGM or PPM; …");
    refuse(s, patched(s, "rgb.bmp", 0, 28, "\7", 1), SAC_E_FORMAT,
           "rgb.bmp: is a BMP that has pixels of a size …");
    refuse(s, patched(s, "rgb.bmp", 0, 30, "\1", 1), SAC_E_FORMAT,
           "rgb.bmp: is a BMP that is run-length coded, …");
    refuse(s, patched(s, "rgb.bmp", 60, 0, "", 0), SAC_E_FORMAT,
           "rgb.bmp: is a BMP that has no pixels, …");
    OK(sac_image_load(PNM("a.pgm", "P5 1 2 255\n\xff"), &image, NULL)); /* a row of two */
    assert_memory_equal(image.rgba, "\xff\xff\xff\xff\0\0\0\0", 8);
    sac_image_free(&image);
}

/* rgb.png: the header's data lie at 16, IDAT's length at 33, IEND in the last 12 bytes of 103,
 * IDAT's CRC before it. */
IN_SCRATCH(a_png_that_is_cut_or_damaged_is_refused)
{
    refuse(s, patched(s, "rgb.png", 45, 0, "", 0), SAC_E_FORMAT,
           "rgb.png: is a cut or damaged PNG; get the file again");
    refuse(s, patched(s, "rgb.png", 20, 0, "", 0), SAC_E_FORMAT,
           "rgb.png: is a cut or damaged PNG; get the file again");
    refuse(s, patched(s, "rgb.png", 0, 18, "\1", 1), SAC_E_FORMAT,
           "rgb.png: is a damaged PNG:…; get the file again");
}

/* 20000 x 20000 in the header, with the CRC that belongs to it; the file has 103 bytes. */
/* Cut before IEND, and within it. */
IN_SCRATCH(a_png_without_its_end_is_read)
{
    static const size_t sizes[] = {91, 95, 102};
    for (int i = 0; i < 3; i++) {
        sac_image image;
        OK(sac_image_load(patched(s, "rgb.png", sizes[i], 0, "", 0), &image, NULL));
        for (int k = 0; k < 15; k++) {
            uint8_t expected[4];
            colour(k % 5, k / 5, expected);
            assert_memory_equal(image.rgba + 4 * k, expected, 4);
        }
        sac_image_free(&image);
    }
}

IN_SCRATCH(a_png_that_promises_more_than_it_holds_is_refused_before_memory_is_taken)
{
    refuse(
        s,
        patched(s, "rgb.png", 0, 16, "\0\0\x4e\x20\0\0\x4e\x20\x08\x02\0\0\0\x6c\x12\xd1\x6e", 17),
        SAC_E_FORMAT, "rgb.png: promises 20000 x 20000 pixels, more than…; get the file again");
}

/* ---------------------------------------------------------------- JPEG */

/* The four quarters at their middles. Bound: quantisation at quality 90 moves a flat block's colour
 * by at most half a step of its DC (3/8 of a level in luma, 3/8 in chroma: under 2 in RGB) and two
 * roundings of the colour conversion; 6 leaves room for that and is far from any other quarter. */
static void check_quarters(const char *name, bool is_grey)
{
    static const uint8_t colours[4][3] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 255}};
    static const uint8_t greys[4] = {76, 150, 29, 255}; /* ITU-R 601 luma */
    sac_image image;
    load_data(name, &image);
    assert_int_equal(image.width, 64);
    assert_int_equal(image.height, 32);
    for (int i = 0; i < 4; i++) {
        const uint8_t *pixel = image.rgba + 4 * ((8 + 16 * (i / 2)) * 64 + 16 + 32 * (i % 2));
        for (int c = 0; c < 3; c++)
            if (abs(pixel[c] - (is_grey ? greys[i] : colours[i][c])) > 6)
                fail_msg("%s: quarter %d has %d in channel %d", name, i, pixel[c], c);
        assert_int_equal(pixel[3], 255);
    }
    sac_image_free(&image);
}

IN_SCRATCH(every_kind_of_jpeg_becomes_rgba)
{
    check_quarters("baseline.jpg", false);
    check_quarters("progressive.jpg", false);
    check_quarters("grey.jpg", true);
    check_quarters("cmyk.jpg", false);
    check_quarters("cmyk_adobe.jpg", false);
    check_quarters("ycck_adobe.jpg", false);
}

IN_SCRATCH(exif_turns_a_picture_upright)
{
    for (int i = 1; i <= 8; i++) {
        char name[32];
        snprintf(name, sizeof name, "orientation%d.jpg", i);
        check_quarters(name, false);
    }
}

/* The frame header's height and width stand behind FFC0, its length and the precision. */
static const char *with_size(scratch *s, const char *name, const char *size)
{
    char path[400];
    size_t whole;
    snprintf(path, sizeof path, "%s/%s", TEST_DATA, name);
    uint8_t *bytes = read_file(path, &whole), *frame = memmem(bytes, whole, "\xff\xc0", 2);
    assert_non_null(frame);
    size_t at = (size_t)(frame - bytes) + 5;
    free(bytes);
    return patched(s, name, 0, at, size, 4);
}

IN_SCRATCH(a_jpeg_that_is_cut_or_damaged_is_refused)
{
    refuse(s, patched(s, "baseline.jpg", 625, 0, "", 0), SAC_E_FORMAT,
           "baseline.jpg: is a damaged JPEG:…; get the file again");
    refuse(s, patched(s, "baseline.jpg", 30, 0, "", 0), SAC_E_FORMAT,
           "baseline.jpg: is a damaged JPEG:…; get the file again");
}

IN_SCRATCH(a_jpeg_that_promises_more_than_it_holds_is_refused_before_memory_is_taken)
{
    refuse(s, with_size(s, "baseline.jpg", "\x3a\x98\x3a\x98"), SAC_E_FORMAT,
           "baseline.jpg: promises 15000 x 15000 pixels, more than…; get the file again");
}

/* 16384 x 16384 and an arithmetic code that does not bound them. */
IN_SCRATCH(a_jpeg_with_arithmetic_coding_is_refused)
{
    static const char bytes[] = "\xff\xd8"
                                "\xff\xc9\0\x0b\x08\x40\0\x40\0\1\1\x11\0"
                                "\xff\xda\0\x08\1\1\0\0\x3f\0\0\0\xff\xd9";
    refuse(s, scratch_write(s, "arithmetic.jpg", bytes, sizeof bytes - 1), SAC_E_FORMAT,
           "arithmetic.jpg: is a JPEG with arithmetic coding, which…; save it as an…");
}

/* ---------------------------------------------------------------- limits */

static const char *blank(scratch *s, size_t width, size_t height)
{
    const char *path = scratch_path(s, "blank.png");
    assert_true(blank_png(path, width, height, false));
    return path;
}

IN_SCRATCH(a_picture_beyond_what_is_read_is_refused)
{
    refuse(s, blank(s, 1 << 28, 1), SAC_E_SHAPE,
           "blank.png: has 268435456 x 1 pixels; up to 2^27 are…");
    refuse(s, blank(s, 1, 1 << 24), SAC_E_SHAPE,
           "blank.png: has 1 x 16777216 pixels; up to 2^27 are…");
    refuse(s, blank(s, (1 << 20) + 1, 1), SAC_E_SHAPE,
           "blank.png: has 1048577 x 1 pixels; up to 2^27 are…");
    refuse(s, blank(s, 16384, 8193), SAC_E_SHAPE,
           "blank.png: has 16384 x 8193 pixels; up to 2^27 are…");
    const char *huge = scratch_write(s, "huge.png", "\x89PNG\r\n\x1a\n", 8);
    assert_int_equal(truncate(huge, (off_t)1 << 40), 0);
    refuse(s, huge, SAC_E_FILE,
           "huge.png: has more than the 512 MB that are read of…; give a smaller one");
}

IN_SCRATCH(lines_of_2_to_the_20_pixels_are_read)
{
    sac_image image;
    OK(sac_image_load(blank(s, 1 << 20, 1), &image, NULL));
    assert_int_equal(image.width, 1 << 20);
    sac_image_free(&image);
    OK(sac_image_load(blank(s, 1, 1 << 20), &image, NULL));
    assert_int_equal(image.height, 1 << 20);
    assert_int_equal(image.rgba[4 * ((1 << 20) - 1) + 3], 255);
    sac_image_free(&image);
}

static int looks_left;

static bool stops_later(void)
{
    return looks_left-- <= 0;
}

IN_SCRATCH(image_reading_can_be_cancelled)
{
    const char *const names[] = {"rgb.png", "interlaced.png", "baseline.jpg", "progressive.jpg",
                                 "orientation6.jpg"};
    sac_cancel_when(stops_later);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        looks_left = 1; /* the second look is one between rows */
        refuse(s, patched(s, names[i], 0, 0, "", 0), SAC_E_CANCELLED,
               strcat(strcpy((char[64]){0}, names[i]), ": stopped on request"));
    }
    sac_cancel_when(NULL);
}

/* ---------------------------------------------------------------- WebP, GIF, AVIF */

IN_SCRATCH(a_lossy_webp_is_read)
{
    check_quarters("lossy.webp", false);
}

/* Of builds with libheif, which may come without a decoder of AVIF. */
IN_SCRATCH(avif_is_read_or_named)
{
    sac_image image;
    if (sac_image_load(TEST_DATA "/quarters.avif", &image, &failure) == SAC_OK) {
        sac_image_free(&image);
        check_quarters("quarters.avif", false);
        return;
    }
    assert_int_equal(failure.status, SAC_E_FORMAT);
    assert_non_null(strstr(failure.what, "AVIF"));
}

IN_SCRATCH(a_webp_or_gif_that_is_cut_or_damaged_is_refused)
{
    static const char *const names[] = {"lossless.webp", "lossy.webp", "plain.gif"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[400], line[80];
        size_t whole;
        snprintf(path, sizeof path, "%s/%s", TEST_DATA, names[i]);
        free(read_file(path, &whole));
        assert_true(whole > 30);
        snprintf(line, sizeof line, "%s: is a cut or damaged %s; get the file again", names[i],
                 i == 2 ? "GIF" : "WebP");
        for (size_t size = 14; size < 30; size += 5)
            refuse(s, patched(s, names[i], size, 0, "", 0), SAC_E_FORMAT, line);
    }
}

/* The canvas's size stands behind "GIF89a", two bytes each. */
IN_SCRATCH(a_gif_that_promises_more_than_it_holds_is_refused_before_memory_is_taken)
{
    refuse(s, patched(s, "plain.gif", 0, 6, "\x10\x27\x10\x27", 4), SAC_E_FORMAT,
           "plain.gif: promises 10000 x 10000 pixels, more than…; get the file again");
}

IN_SCRATCH(image_load_names_files_that_are_no_picture)
{
    static const struct {
        const char *bytes, *line;
        size_t size; /* 0: up to the first 0 */
    } cases[] = {
        {"version https://git-lfs.github.com/spec/v1\noid sha256:00",
         "x.jpg: is a Git LFS pointer, not the file itself; fetch the file: git…"},
        {"\xef\xbb\xbf \n<!DOCTYPE HTML><html>",
         "x.jpg: is a web page (HTML), not the file itself; download the file…"},
        {"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"generator\" content=\"Saccade\">\n",
         "x.jpg: is a page that Saccade wrote; open it in a browser; the file that…"},
        {"\0\0\0\x18"
         "ftypisom",
         "x.jpg: is a video; save a picture of it as PNG, or its sound: ffmpeg…", 12},
        {"\0\0\0\x18"
         "ftypM4A ",
         "x.jpg: is an AAC sound (M4A); convert it: ffmpeg…", 12},
        {"P7\nWIDTH 2\n", "x.jpg: is a PAM picture; convert it to PNG, JPEG or WebP"},
        {"\x0a\5\1\x8", "x.jpg: is a PCX picture; convert it to PNG, JPEG or WebP"},
        {"\0\0\2\0\0\0\0\0\0\0\0\0\x20\0\x10\0\x18\x20",
         "x.jpg: is a Targa picture (TGA); convert it to PNG, JPEG or WebP", 18},
        {"\x08\x07\x12\x07pytorch", "x.jpg: is an ONNX model; give the folder of…"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse(s,
               scratch_write(s, "x.jpg", cases[i].bytes,
                             cases[i].size ? cases[i].size : strlen(cases[i].bytes)),
               SAC_E_FORMAT, cases[i].line);
}

/* ---------------------------------------------------------------- the rest */

IN_SCRATCH(image_load_refuses_what_is_no_picture)
{
    const char *path = scratch_write(s, "notes.png", "hello, world", 12);
    assert_int_equal(sac_file_kind_of(path), SAC_FILE_OTHER);
    refuse(s, path, SAC_E_FORMAT,
           "notes.png: is not a picture that is read here (PNG…; convert it to one…");
    refuse(s, scratch_write(s, "empty.png", "", 0), SAC_E_FORMAT,
           "empty.png: is empty; check how it was made");
    path = scratch_path(s, "none.png");
    assert_int_equal(sac_file_kind_of(path), SAC_FILE_UNREAD);
    refuse(s, path, SAC_E_FILE,
           "none.png: cannot be opened: No such file or directory; check the name");
}

IN_SCRATCH(a_picture_has_between_1_and_2_to_the_28_pixels)
{
    sac_image image;
    assert_int_equal(sac_image_create(0, 5, &image, &failure), SAC_E_SHAPE);
    assert_line(s, &failure, "0 x 5 pixels is not between 1 and 2^28; make it smaller");
    assert_int_equal(sac_image_create(16385, 16384, &image, &failure), SAC_E_SHAPE);
    assert_int_equal(sac_image_create(2147483647, 2147483647, &image, &failure), SAC_E_SHAPE);
    assert_null(image.rgba);
    OK(sac_image_create(3, 2, &image, &failure));
    for (int i = 0; i < 24; i++)
        assert_int_equal(image.rgba[i], 0);
    sac_image_free(&image);
    assert_null(image.rgba);
    sac_image_free(&image);
    sac_image_free(NULL);
}

/* The known answers of FNV-1a, 64 bits, for "" and "foobar" (Noll's test vectors). */
IN_SCRATCH(a_files_hash_is_fnv1a)
{
    char text[32];
    OK(sac_file_hash(scratch_write(s, "a", "", 0), text, sizeof text, &failure));
    assert_string_equal(text, "fnv1a64:cbf29ce484222325");
    OK(sac_file_hash(scratch_write(s, "a", "foobar", 6), text, sizeof text, &failure));
    assert_string_equal(text, "fnv1a64:85944171f73967e8");
    assert_int_equal(sac_file_hash(scratch_path(s, "none"), text, sizeof text, &failure),
                     SAC_E_FILE);
    assert_line(s, &failure, "none: cannot be opened: No such file or directory; check the name");
    assert_int_equal(sac_file_hash("/tmp", text, sizeof text, &failure), SAC_E_FILE);
    assert_line(s, &failure, "/tmp: is a folder; give a file");
}

/* A zip file that begins with "PK" alone is none: only what the reader takes is reported as its kind.
 */
IN_SCRATCH(a_files_kind_is_what_its_reader_takes)
{
    static const struct {
        const char *start;
        size_t size;
        sac_file_kind kind;
    } cases[] = {
        {"\x93NUMPY\1\0", 8, SAC_FILE_ARRAYS}, {"PK\3\4", 4, SAC_FILE_ARRAYS},
        {"PK\5\6", 4, SAC_FILE_ARRAYS},        {"PK\7\b", 4, SAC_FILE_OTHER},
        {"PKWARE", 6, SAC_FILE_OTHER},         {"\2\0\0\0\0\0\0\0{}", 10, SAC_FILE_ARRAYS},
        {"\xff\xd8\xff", 3, SAC_FILE_PICTURE}, {"", 0, SAC_FILE_UNREAD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(sac_file_kind_of(scratch_write(s, "x", cases[i].start, cases[i].size)),
                         cases[i].kind);
    assert_int_equal(mkfifo(scratch_path(s, "pipe"), 0600), 0);
    assert_int_equal(sac_file_kind_of(scratch_path(s, "pipe")), SAC_FILE_UNREAD);
}

/* A pipe is not opened, as that would wait for a writer. */
IN_SCRATCH(origin_hash_is_empty_for_missing_or_huge_files)
{
    char text[32] = "x";
    const char *pipe = scratch_path(s, "pipe");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    OK(sac_file_hash(pipe, text, sizeof text, NULL));
    assert_string_equal(text, "");
    OK(sac_file_hash("/dev/zero", text, sizeof text, NULL));
    assert_string_equal(text, "");
    const char *huge = scratch_write(s, "huge", "", 0);
    assert_int_equal(truncate(huge, (off_t)SAC_HASH_MOST + 1), 0);
    OK(sac_file_hash(huge, text, sizeof text, NULL));
    assert_string_equal(text, "");
}

TEST_MAIN(NULL, NULL)
