/* src/images: PNG and animated PNG out, text chunks both ways. Animations are read back by a small
 * decoder of this file's own, written from the PNG specification. */
#include "scratch.h"

#include <zlib.h>

#include "images/image_read.h"
#include "images/png_write.h"
#include "status.h"

/* ---------------------------------------------------------------- PNG */

/* A picture in which no pixel equals its neighbours. */
static void paint(sac_image *image, int width, int height, bool opaque)
{
    OK(sac_image_create(width, height, image, NULL));
    uint32_t noise = 1;
    for (int i = 0; i < width * height * 4; i++) {
        noise = noise * 1664525 + 1013904223;
        image->rgba[i] = (uint8_t)(noise >> 24);
    }
    for (int i = 0; opaque && i < width * height; i++)
        image->rgba[4 * i + 3] = 255;
}

IN_SCRATCH(png_survives_save_and_load)
{
    static const int sizes[][2] = {{1, 1}, {7, 5}, {64, 3}, {3, 100}};
    for (int i = 0; i < 8; i++) {
        sac_image image, back;
        const int *size = sizes[i / 2];
        const char *path = scratch_path(s, "out.png");
        paint(&image, size[0], size[1], i % 2);
        OK(sac_png_save(path, &image, NULL, 0, NULL));
        OK(sac_image_load(path, &back, NULL));
        assert_int_equal(back.width, size[0]);
        assert_int_equal(back.height, size[1]);
        assert_memory_equal(back.rgba, image.rgba, (size_t)(4 * size[0] * size[1]));
        sac_image_free(&image);
        sac_image_free(&back);
    }
    assert_int_equal(scratch_count(s), 1);
}

/* Each sort of row has its own filter. */
IN_SCRATCH(flat_rows_beside_noisy_ones_come_back)
{
    enum { SIZE = 40, BYTES = SIZE * SIZE * 4 };
    for (int pattern = 0; pattern < 4; pattern++) {
        sac_image image, back;
        const char *path = scratch_path(s, "out.png");
        paint(&image, SIZE, SIZE, pattern % 2);
        for (int y = 0; y < SIZE; y++)
            if ((y >> pattern) % 2 == pattern % 2)
                memset(image.rgba + 4 * SIZE * y, 200 + y, 4 * SIZE);
        OK(sac_png_save(path, &image, NULL, 0, NULL));
        OK(sac_image_load(path, &back, NULL));
        assert_memory_equal(back.rgba, image.rgba, BYTES);
        sac_image_free(&image);
        sac_image_free(&back);
    }
}

/* 300 dots to the inch are 11811 to the metre (PNG, 11.3.5.3). */
IN_SCRATCH(a_png_for_paper_shows_how_fine_its_pixels_are)
{
    uint8_t bytes[2000];
    sac_image image;
    const char *path = scratch_path(s, "out.png");
    paint(&image, 8, 8, true);
    for (int printed = 0; printed < 2; printed++) {
        OK(sac_png_save_at_resolution(path, &image, printed ? 300 / 0.0254f : 0, NULL, 0, NULL));
        FILE *file = fopen(path, "rb");
        size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        const uint8_t *chunk = memmem(bytes, size, "pHYs", 4);
        assert_int_equal(chunk != NULL, printed);
        if (chunk)
            assert_memory_equal(chunk + 4, "\0\0\x2e\x23\0\0\x2e\x23\x01", 9);
    }
    sac_image_free(&image);
}

static void check_text(const char *path, const char *key, const char *expected)
{
    sac_png_texts texts;
    OK(sac_png_texts_load(path, &texts, NULL));
    const char *value = sac_png_texts_get(&texts, key);
    if (expected)
        assert_string_equal(value, expected);
    else
        assert_null(value);
    sac_png_texts_free(&texts);
}

IN_SCRATCH(a_png_shows_where_it_came_from)
{
    static char book[20000];
    memset(book, 'a', sizeof book - 1);
    const sac_png_text texts[] = {
        {"Saccade", "{\"file\":\"größe.npz\"}"}, {"Book", book}, {"Empty", ""}};
    sac_image image;
    const char *path = scratch_path(s, "out.png");
    paint(&image, 2, 2, true);
    OK(sac_png_save(path, &image, texts, 3, NULL));
    for (int i = 0; i < 3; i++)
        check_text(path, texts[i].key, texts[i].value);
    check_text(path, "saccade", NULL);
    sac_image_free(&image);
}

/* Asking a large photograph for its text must not take as long as decoding it: pixels that cannot
 * be decoded do not matter. */
IN_SCRATCH(a_text_that_is_not_there_is_not_sought_in_the_pixels)
{
    uint8_t bytes[2000];
    sac_image image;
    sac_png_texts texts;
    const char *path = scratch_path(s, "out.png");
    paint(&image, 8, 8, true);
    OK(sac_png_save(path, &image, NULL, 0, NULL));
    sac_image_free(&image);
    FILE *file = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    uint8_t *pixels = memmem(bytes, size, "IDAT", 4);
    memset(pixels + 4, 0, 20);
    assert_int_equal(sac_image_from_bytes(bytes, size, &image, NULL), SAC_E_FORMAT);
    OK(sac_png_texts_from_bytes(bytes, size, &texts, NULL));
    assert_int_equal(texts.count, 0);
    sac_png_texts_free(&texts);
}

/* data/texts.png: tEXt before the pixels; zTXt and iTXt (with language and translated key) behind.
 */
IN_SCRATCH(every_kind_of_text_chunk_is_read_as_utf8)
{
    char path[400];
    sac_png_texts texts;
    snprintf(path, sizeof path, "%s/texts.png", TEST_DATA);
    check_text(path, "Author", "Jürgen");
    check_text(path, "Comment", "naïve");
    check_text(path, "Title", "Grüße, 世界");
    check_text(path, "Other", NULL);
    snprintf(path, sizeof path, "%s/baseline.jpg", TEST_DATA);
    check_text(path, "Author", NULL);
    snprintf(path, sizeof path, "%s/none.png", TEST_DATA);
    assert_int_equal(sac_png_texts_load(path, &texts, NULL), SAC_E_FILE);
    assert_null(texts.at);
}

IN_SCRATCH(a_png_that_cannot_be_written_leaves_nothing)
{
    sac_image image, none = {0};
    char key[81] = "";
    memset(key, 'k', 80);
    paint(&image, 2, 2, true);
    const char *path = scratch_path(s, "out.png");
    assert_int_equal(sac_png_save(path, &none, NULL, 0, &failure), SAC_E_ARGUMENT);
    assert_line(s, &failure, "out.png: there is no picture to save");
    assert_int_equal(sac_png_save(path, &image, &(sac_png_text){"", "a"}, 1, &failure),
                     SAC_E_ARGUMENT);
    assert_line(s, &failure, "out.png: '' cannot be a text's key; use 1 to 79 Latin-1…");
    assert_int_equal(sac_png_save(path, &image, &(sac_png_text){key, "a"}, 1, NULL),
                     SAC_E_ARGUMENT);
    assert_int_equal(sac_png_save(path, &image, &(sac_png_text){" k", "a"}, 1, NULL),
                     SAC_E_ARGUMENT);
    assert_int_equal(sac_png_save(path, &image, &(sac_png_text){"k", "\xff"}, 1, &failure),
                     SAC_E_ARGUMENT);
    assert_line(s, &failure, "out.png: the text 'k' is not valid UTF-8");
    assert_int_equal(scratch_count(s), 0);
    assert_int_equal(sac_png_save("/dev/full", &image, NULL, 0, &failure), SAC_E_FILE);
    assert_line(s, &failure,
                "/dev/full: cannot be written: No space left on device; free some space or…");
    sac_image_free(&image);
    paint(&image, 200, 200, true); /* more than a buffer of stdio: fails while it is encoded */
    assert_int_equal(sac_png_save("/dev/full", &image, NULL, 0, &failure), SAC_E_FILE);
    assert_line(s, &failure,
                "/dev/full: cannot be written: No space left on device; free some space or…");
    sac_image_free(&image);
}

/* ---------------------------------------------------------------- reading an animation back */

enum { WIDTH = 13, HEIGHT = 9, FRAMES = 6, PIXEL = 4 };

typedef struct chunk {
    char type[5];
    const uint8_t *data;
    uint32_t size;
} chunk;

static uint32_t get_u32(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | in[3];
}

/* Every chunk, its CRC checked; the file ends with the last. */
static size_t split(const uint8_t *file, size_t size, chunk *chunks, size_t room)
{
    size_t count = 0, at = 8;
    assert_memory_equal(file, "\x89PNG\r\n\x1a\n", 8);
    while (at < size) {
        assert_true(count < room && size - at >= 12);
        chunk *c = &chunks[count++];
        c->size = get_u32(file + at);
        assert_true(c->size <= size - at - 12);
        memcpy(c->type, file + at + 4, 4);
        c->type[4] = '\0';
        c->data = file + at + 8;
        assert_int_equal(crc32(0, file + at + 4, c->size + 4), get_u32(c->data + c->size));
        at += 12 + c->size;
    }
    return count;
}

/* Undoes the filter of one row (PNG, 9.2); `above` is the row before it, or zeros. */
static void unfilter(int filter, uint8_t *row, const uint8_t *above, int size)
{
    for (int i = 0; i < size; i++) {
        int a = i >= PIXEL ? row[i - PIXEL] : 0, b = above[i],
            c = i >= PIXEL ? above[i - PIXEL] : 0;
        int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
        int paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
        const int predictions[] = {0, a, b, (a + b) / 2, paeth};
        assert_in_range(filter, 0, 4);
        row[i] = (uint8_t)(row[i] + predictions[filter]);
    }
}

/* Inflates one frame into its rectangle of `canvas`; returns how many pixels it held. */
static int draw(const chunk *control, const uint8_t *data, size_t size, uint8_t *canvas)
{
    int width = (int)get_u32(control->data + 4), height = (int)get_u32(control->data + 8);
    int x = (int)get_u32(control->data + 12), y = (int)get_u32(control->data + 16);
    uint8_t raw[HEIGHT * (1 + WIDTH * PIXEL)], zeros[WIDTH * PIXEL] = {0};
    uLongf whole = sizeof raw;
    assert_true(width >= 1 && height >= 1 && x >= 0 && y >= 0);
    assert_true(x + width <= WIDTH && y + height <= HEIGHT);
    assert_int_equal(uncompress(raw, &whole, data, size), Z_OK);
    assert_int_equal(whole, height * (1 + width * PIXEL));
    const uint8_t *above = zeros;
    for (int r = 0; r < height; r++) {
        uint8_t *row = raw + r * (1 + width * PIXEL) + 1;
        unfilter(row[-1], row, above, width * PIXEL);
        uint8_t *to = canvas + ((y + r) * WIDTH + x) * PIXEL;
        for (int c = 0; c < width; c++) /* laid over: clear pixels leave what is there */
            if (!control->data[25] || row[c * PIXEL + 3])
                memcpy(to + c * PIXEL, row + c * PIXEL, PIXEL);
        above = row;
    }
    return width * height;
}

/* Frame `index` of the test's animation: noise; a spot; a bar; nothing new; half clear; all new. */
static void paint_frame(int index, uint8_t *rgba)
{
    sac_image noise;
    paint(&noise, WIDTH, HEIGHT, true);
    memcpy(rgba, noise.rgba, WIDTH * HEIGHT * PIXEL);
    sac_image_free(&noise);
    if (index >= 1)
        memset(rgba + (4 * WIDTH + 6) * PIXEL, 0x80, PIXEL); /* the pixel 6,4 */
    if (index >= 2)
        for (int y = 2; y < 8; y++)
            memset(rgba + (y * WIDTH + 3) * PIXEL, 40 * y % 256, 2 * PIXEL); /* 2 x 6 at 3,2 */
    for (int i = 0; index >= 4 && i < WIDTH * HEIGHT / 2; i++)
        rgba[i * PIXEL + 3] = 0;
    for (int i = 0; index >= 5 && i < WIDTH * HEIGHT * PIXEL; i++)
        rgba[i] = (uint8_t)(i * 7 + i / 11);
}

static const int delays[FRAMES] = {40, 300, 0, 65535, 65540, 9000000};
/* The same as count and count per second: as fine as 16 bits allow. */
static const int fractions[FRAMES][2] = {{40, 1000},    {300, 1000}, {0, 1000},
                                         {65535, 1000}, {6554, 100}, {9000, 1}};

static void save_animation(const char *path)
{
    uint8_t frame[WIDTH * HEIGHT * PIXEL];
    sac_apng *apng;
    OK(sac_apng_open(path, WIDTH, HEIGHT, FRAMES, &(sac_png_text){"Saccade", "größe"}, 1, &apng,
                     NULL));
    for (int i = 0; i < FRAMES; i++) {
        paint_frame(i, frame);
        OK(sac_apng_add(apng, frame, delays[i], NULL));
    }
    OK(sac_apng_close(apng, NULL));
}

IN_SCRATCH(an_animation_holds_every_frame_pixel_by_pixel)
{
    const char *path = scratch_path(s, "out.png");
    uint8_t canvas[WIDTH * HEIGHT * PIXEL] = {0}, expected[WIDTH * HEIGHT * PIXEL];
    chunk chunks[64];
    size_t size;
    save_animation(path);
    assert_int_equal(scratch_count(s), 1);
    uint8_t *file = read_file(path, &size);
    size_t count = split(file, size, chunks, 64), at = 0;
    assert_string_equal(chunks[at++].type, "IHDR");
    assert_string_equal(chunks[at++].type, "sRGB");
    assert_string_equal(chunks[at].type, "acTL");
    assert_int_equal(get_u32(chunks[at].data), FRAMES);
    assert_int_equal(get_u32(chunks[at++].data + 4), 0); /* for ever */
    assert_string_equal(chunks[at++].type, "iTXt");
    uint32_t sequence = 0;
    static const int pixels[FRAMES] = {WIDTH * HEIGHT, 1, 12, 1, WIDTH * 5, WIDTH * HEIGHT};
    for (int i = 0; i < FRAMES; i++) {
        const chunk *control = &chunks[at++], *data = &chunks[at++];
        assert_string_equal(control->type, "fcTL");
        assert_int_equal(get_u32(control->data), sequence++);
        assert_int_equal(control->data[20] << 8 | control->data[21], fractions[i][0]);
        assert_int_equal(control->data[22] << 8 | control->data[23], fractions[i][1]);
        assert_int_equal(control->data[24], 0); /* keep the frame */
        assert_string_equal(data->type, i ? "fdAT" : "IDAT");
        if (i)
            assert_int_equal(get_u32(data->data), sequence++);
        size_t skipped = i ? 4 : 0;
        assert_int_equal(draw(control, data->data + skipped, data->size - skipped, canvas),
                         pixels[i]);
        paint_frame(i, expected);
        assert_memory_equal(canvas, expected, sizeof canvas);
    }
    assert_string_equal(chunks[at++].type, "IEND");
    assert_int_equal(at, count);
    free(file);
}

IN_SCRATCH(an_animation_is_a_png_of_its_first_frame)
{
    const char *path = scratch_path(s, "out.png");
    uint8_t expected[WIDTH * HEIGHT * PIXEL];
    sac_image image;
    save_animation(path);
    OK(sac_image_load(path, &image, NULL));
    paint_frame(0, expected);
    assert_int_equal(image.width, WIDTH);
    assert_memory_equal(image.rgba, expected, sizeof expected);
    sac_image_free(&image);
    check_text(path, "Saccade", "größe");
}

/* Two corners change: what lies between them is clear, and packs to nothing. */
IN_SCRATCH(a_frame_has_only_what_changes)
{
    const char *path = scratch_path(s, "out.png");
    uint8_t frame[WIDTH * HEIGHT * PIXEL], canvas[sizeof frame] = {0};
    chunk chunks[16];
    size_t size;
    sac_apng *apng;
    for (size_t i = 0; i < sizeof frame; i++)
        frame[i] = i % PIXEL == 3 ? 255 : (uint8_t)(i * 31);
    OK(sac_apng_open(path, WIDTH, HEIGHT, 2, NULL, 0, &apng, NULL));
    OK(sac_apng_add(apng, frame, 10, NULL));
    frame[0] ^= 1;
    frame[(WIDTH * HEIGHT - 1) * PIXEL] ^= 1;
    OK(sac_apng_add(apng, frame, 10, NULL));
    OK(sac_apng_close(apng, NULL));
    uint8_t *file = read_file(path, &size);
    split(file, size, chunks, 16);
    const chunk *first = &chunks[3], *second = &chunks[5]; /* behind IHDR, sRGB, acTL */
    assert_int_equal(second->data[25], 1);
    assert_true(chunks[6].size < 60 && chunks[4].size > 300);
    draw(first, chunks[4].data, chunks[4].size, canvas);
    draw(second, chunks[6].data + 4, chunks[6].size - 4, canvas);
    assert_memory_equal(canvas, frame, sizeof frame);
    free(file);
}

/* One pixel changes, in each corner and each edge: the rectangle is that pixel. */
IN_SCRATCH(a_change_is_found_wherever_it_is)
{
    static const int places[][2] = {{0, 0}, {12, 0}, {0, 8},  {12, 8},
                                    {6, 0}, {0, 4},  {12, 4}, {6, 8}};
    const char *path = scratch_path(s, "out.png");
    uint8_t frame[WIDTH * HEIGHT * PIXEL] = {0};
    chunk chunks[64];
    size_t size;
    sac_apng *apng;
    OK(sac_apng_open(path, WIDTH, HEIGHT, 9, NULL, 0, &apng, NULL));
    OK(sac_apng_add(apng, frame, 10, NULL));
    for (int i = 0; i < 8; i++) {
        frame[(places[i][1] * WIDTH + places[i][0]) * PIXEL + 1] ^= 1;
        OK(sac_apng_add(apng, frame, 10, NULL));
    }
    OK(sac_apng_close(apng, NULL));
    uint8_t *file = read_file(path, &size);
    split(file, size, chunks, 64);
    for (int i = 0; i < 8; i++) {
        const chunk *control = &chunks[5 + 2 * i]; /* behind IHDR, sRGB, acTL, fcTL, IDAT */
        assert_string_equal(control->type, "fcTL");
        assert_int_equal(get_u32(control->data + 4), 1);
        assert_int_equal(get_u32(control->data + 8), 1);
        assert_int_equal(get_u32(control->data + 12), places[i][0]);
        assert_int_equal(get_u32(control->data + 16), places[i][1]);
    }
    free(file);
}

IN_SCRATCH(an_animation_that_is_not_finished_leaves_nothing)
{
    const char *path = scratch_path(s, "out.png");
    uint8_t frame[WIDTH * HEIGHT * PIXEL] = {0};
    sac_apng *apng;
    OK(sac_apng_open(path, WIDTH, HEIGHT, 2, NULL, 0, &apng, NULL));
    assert_int_equal(sac_apng_add(apng, frame, 10, NULL), SAC_OK);
    assert_int_equal(sac_apng_close(apng, &failure), SAC_E_ARGUMENT);
    assert_line(s, &failure, "out.png: 1 of the 2 frames that were announced");
    OK(sac_apng_open(path, WIDTH, HEIGHT, 1, NULL, 0, &apng, NULL));
    assert_int_equal(sac_apng_add(apng, frame, 10, NULL), SAC_OK);
    assert_int_equal(sac_apng_add(apng, frame, 10, &failure), SAC_E_ARGUMENT);
    assert_line(s, &failure, "out.png: more than the 1 frames that were announced");
    sac_apng_discard(apng);
    sac_apng_discard(NULL);
    assert_int_equal(sac_apng_open(path, 0, HEIGHT, 1, NULL, 0, &apng, &failure), SAC_E_SHAPE);
    assert_line(s, &failure, "out.png: 0 x 9 pixels is not between 1 and 2^28; make it smaller");
    assert_null(apng);
    assert_int_equal(sac_apng_open(path, WIDTH, HEIGHT, 0, NULL, 0, &apng, &failure),
                     SAC_E_ARGUMENT);
    assert_line(s, &failure, "out.png: there are no frames to save");
    assert_int_equal(scratch_count(s), 0);
    OK(sac_apng_open("/dev/full", WIDTH, HEIGHT, 1, NULL, 0, &apng, NULL));
    assert_int_equal(sac_apng_add(apng, frame, 10, NULL), SAC_OK);
    assert_int_equal(sac_apng_close(apng, &failure), SAC_E_FILE);
    assert_line(s, &failure,
                "/dev/full: cannot be written: No space left on device; free some space or…");
}

TEST_MAIN(NULL, NULL)
