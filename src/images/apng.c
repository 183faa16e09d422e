/* Animated PNG out. libpng knows no animation, so its chunks are put together here; the pixels are
 * packed by zlib. Formats: the PNG specification (W3C, third edition), 5.3, 9 and 11.3.6: acTL has
 * the number of frames, fcTL the place and duration of one, fdAT is IDAT with a sequence number. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "arrays/bytes.h"
#include "base/error.h"
#include "base/output.h"
#include "images/image_read.h"
#include "images/png_write.h"

/* zlib's level 4 packs three times as fast as its default 6, to 3 % more. */
enum { PIXEL = 4, FILTERS = 5, LEVEL = 4, CHUNK_MAX = 0x7fffffff };

typedef struct rectangle {
    int x, y, width, height;
} rectangle;

struct sac_apng {
    sac_output output;
    int width, height, frames, added;
    uint32_t sequence;  /* of the next fcTL or fdAT */
    uint8_t *previous;  /* [height,width,4] */
    uint8_t *changes;   /* the same: of a frame what differs from the one before, else clear */
    uint8_t *filtered;  /* [height,1 + width·4]: each row behind the number of its filter */
    uint8_t *candidate; /* [1 + width·4]: a row by the filter that is being tried */
    uint8_t *packed;
    size_t packed_capacity;
};

/* ---------------------------------------------------------------- chunks */

static void put_u32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* Length, type, data (in two parts), CRC over type and data. */
static bool write_chunk(FILE *file, const char *type, const void *head, size_t head_size,
                        const void *body, size_t body_size)
{
    uint8_t start[8], end[4];
    put_u32(start, (uint32_t)(head_size + body_size));
    memcpy(start + 4, type, 4);
    uLong crc = crc32_z(0, start + 4, 4);
    crc = crc32_z(crc, head, head_size);
    crc = crc32_z(crc, body, body_size);
    put_u32(end, (uint32_t)crc);
    return fwrite(start, 1, 8, file) == 8 && fwrite(head, 1, head_size, file) == head_size &&
           fwrite(body, 1, body_size, file) == body_size && fwrite(end, 1, 4, file) == 4;
}

/* Key, then: not compressed, no language, no translated key; then the text. */
static bool write_text(FILE *file, const sac_png_text *text)
{
    uint8_t head[79 + 5] = {0};
    size_t size = strlen(text->key);
    memcpy(head, text->key, size);
    return write_chunk(file, "iTXt", head, size + 5, text->value, strlen(text->value));
}

static bool write_start(const sac_apng *apng, const sac_png_text *texts, size_t count)
{
    static const uint8_t rgba[] = {8, 6, 0, 0, 0}; /* 8 bits, RGBA, deflate, filters, one pass */
    FILE *file = apng->output.file;
    uint8_t header[13], animation[8];
    put_u32(header, (uint32_t)apng->width);
    put_u32(header + 4, (uint32_t)apng->height);
    memcpy(header + 8, rgba, sizeof rgba);
    put_u32(animation, (uint32_t)apng->frames);
    put_u32(animation + 4, 0); /* for ever */
    bool done = fwrite("\x89PNG\r\n\x1a\n", 1, 8, file) == 8 &&
                write_chunk(file, "IHDR", header, sizeof header, "", 0) &&
                write_chunk(file, "sRGB", "", 1, "", 0) && /* the zero: perceptual */
                write_chunk(file, "acTL", animation, sizeof animation, "", 0);
    for (size_t i = 0; done && i < count; i++)
        done = write_text(file, &texts[i]);
    return done;
}

/* A delay is a fraction of two 16-bit numbers: as fine as its length allows. */
static void put_delay(uint8_t *out, int milliseconds)
{
    unsigned count = milliseconds > 0 ? (unsigned)milliseconds : 0, per_second = 1000;
    for (; count > 0xffff && per_second > 1; per_second /= 10)
        count /= 10;
    count = count > 0xffff ? 0xffff : count;
    uint8_t bytes[] = {(uint8_t)(count >> 8), (uint8_t)count, (uint8_t)(per_second >> 8),
                       (uint8_t)per_second};
    memcpy(out, bytes, sizeof bytes);
}

/* Pixels that are clear leave what is there, if they are laid `over` it. */
static bool write_frame_control(sac_apng *apng, rectangle area, bool over, int milliseconds)
{
    uint8_t control[26] = {0}; /* the last two: leave the frame standing, replace what is there */
    control[25] = over;
    put_u32(control, apng->sequence++);
    put_u32(control + 4, (uint32_t)area.width);
    put_u32(control + 8, (uint32_t)area.height);
    put_u32(control + 12, (uint32_t)area.x);
    put_u32(control + 16, (uint32_t)area.y);
    put_delay(control + 20, milliseconds);
    return write_chunk(apng->output.file, "fcTL", control, sizeof control, "", 0);
}

/* ---------------------------------------------------------------- what changed */

static bool same_pixel(const uint8_t *a, const uint8_t *b, int x)
{
    return memcmp(a + (size_t)x * PIXEL, b + (size_t)x * PIXEL, PIXEL) == 0;
}

/* The smallest rectangle that holds every differing pixel; one pixel where none differs. */
static rectangle find_change(const sac_apng *apng, const uint8_t *rgba)
{
    size_t stride = (size_t)apng->width * PIXEL;
    const uint8_t *now = rgba, *before = apng->previous;
    int top = 0, bottom = apng->height - 1, left = apng->width - 1, right = 0;
    while (top < bottom && memcmp(now, before, stride) == 0) {
        top++;
        now += stride;
        before += stride;
    }
    while (bottom > top && memcmp(rgba + (size_t)bottom * stride,
                                  apng->previous + (size_t)bottom * stride, stride) == 0)
        bottom--;
    for (int y = top; y <= bottom; y++, now += stride, before += stride) {
        int x = 0;
        while (x < left && same_pixel(now, before, x))
            x++;
        left = x;
        x = apng->width - 1;
        while (x > right && same_pixel(now, before, x))
            x--;
        right = x;
    }
    left = left > right ? right : left; /* nothing differs */
    return (rectangle){left, top, right - left + 1, bottom - top + 1};
}

/* Where little of `area` differs, what does goes into apng->changes, and the rest is clear there, which
 * packs to nothing. False: much differs, or what does is not opaque and cannot be laid over. */
static bool extract_changed_pixels(sac_apng *apng, const uint8_t *rgba, rectangle area)
{
    size_t changed = 0, stride = (size_t)apng->width * PIXEL;
    for (int y = area.y; y < area.y + area.height; y++) {
        const uint8_t *now = rgba + (size_t)y * stride,
                      *before = apng->previous + (size_t)y * stride;
        uint8_t *out = apng->changes + (size_t)y * stride;
        for (int x = area.x; x < area.x + area.width; x++) {
            bool same = same_pixel(now, before, x);
            if (!same && now[x * PIXEL + 3] != 255)
                return false;
            changed += !same;
            memcpy(out + (size_t)x * PIXEL,
                   same ? (const uint8_t[PIXEL]){0} : now + (size_t)x * PIXEL, PIXEL);
        }
    }
    return 2 * changed < (size_t)area.width * (size_t)area.height;
}

/* ---------------------------------------------------------------- filters (PNG, clause 9) */

static uint8_t paeth(int a, int b, int c)
{
    int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
    if (pa <= pb && pa <= pc)
        return (uint8_t)a;
    return (uint8_t)(pb <= pc ? b : c);
}

/* out[i] = row[i] less its prediction from left (a), above (b) and above left (c). */
static void filter_row(int filter, const uint8_t *row, const uint8_t *above, size_t size,
                       uint8_t *out)
{
    for (size_t i = 0; i < PIXEL; i++) { /* nothing to the left */
        int b = above[i];
        int prediction = filter == 2 || filter == 4 ? b : filter == 3 ? b / 2 : 0;
        out[i] = (uint8_t)(row[i] - prediction);
    }
    switch (filter) {
    case 0:
        memcpy(out, row, size);
        break;
    case 1:
        for (size_t i = PIXEL; i < size; i++)
            out[i] = (uint8_t)(row[i] - row[i - PIXEL]);
        break;
    case 2:
        for (size_t i = PIXEL; i < size; i++)
            out[i] = (uint8_t)(row[i] - above[i]);
        break;
    case 3:
        for (size_t i = PIXEL; i < size; i++)
            out[i] = (uint8_t)(row[i] - (row[i - PIXEL] + above[i]) / 2);
        break;
    default:
        for (size_t i = PIXEL; i < size; i++)
            out[i] = (uint8_t)(row[i] - paeth(row[i - PIXEL], above[i], above[i - PIXEL]));
    }
}

/* The sum of the bytes' absolute values, taken as signed: the specification's own heuristic for how
 * well a row will be packed (12.7). */
static size_t sum_absolute_bytes(const uint8_t *bytes, size_t size)
{
    size_t sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += bytes[i] < 128 ? bytes[i] : 256u - bytes[i];
    return sum;
}

/* Each row of `area` by the filter that leaves least, into apng->filtered. */
static void filter_area(sac_apng *apng, const uint8_t *rgba, rectangle area, const uint8_t *zeros)
{
    size_t size = (size_t)area.width * PIXEL, stride = (size_t)apng->width * PIXEL;
    uint8_t *out = apng->filtered;
    for (int y = 0; y < area.height; y++, out += 1 + size) {
        const uint8_t *row = rgba + (size_t)(area.y + y) * stride + (size_t)area.x * PIXEL;
        const uint8_t *above = y ? row - stride : zeros;
        size_t least = SIZE_MAX;
        for (int filter = 0; filter < FILTERS && least > 0; filter++) {
            filter_row(filter, row, above, size, apng->candidate);
            size_t weight = sum_absolute_bytes(apng->candidate, size);
            if (weight >= least)
                continue;
            least = weight;
            out[0] = (uint8_t)filter;
            memcpy(out + 1, apng->candidate, size);
        }
    }
}

/* ---------------------------------------------------------------- frames */

static sac_status write_frame(sac_apng *apng, rectangle area, bool over, int milliseconds,
                              sac_error *error)
{
    size_t size = (size_t)area.height * (1 + (size_t)area.width * PIXEL);
    uLongf packed = (uLongf)apng->packed_capacity;
    if (compress2(apng->packed, &packed, apng->filtered, (uLong)size, LEVEL) != Z_OK)
        return sac_no_memory(error, apng->output.path);
    if (packed > CHUNK_MAX - 4)
        return sac_fail(error, SAC_E_SHAPE, apng->output.path, "make it smaller",
                        "a frame does not fit in one chunk");
    bool done = write_frame_control(apng, area, over, milliseconds);
    if (apng->added == 0) {
        done = done && write_chunk(apng->output.file, "IDAT", "", 0, apng->packed, packed);
    } else {
        uint8_t sequence[4];
        put_u32(sequence, apng->sequence++);
        done = done && write_chunk(apng->output.file, "fdAT", sequence, 4, apng->packed, packed);
    }
    return done ? SAC_OK : sac_fail_not_written(apng->output.path, errno, error);
}

sac_status sac_apng_add(sac_apng *apng, const uint8_t *rgba, int milliseconds, sac_error *error)
{
    if (apng->added == apng->frames)
        return sac_fail(error, SAC_E_ARGUMENT, apng->output.path, NULL,
                        "more than the %d frames that were announced", apng->frames);
    rectangle area = {0, 0, apng->width, apng->height};
    size_t bytes = (size_t)apng->width * (size_t)apng->height * PIXEL;
    if (apng->added > 0)
        area = find_change(apng, rgba);
    uint8_t *zeros = calloc((size_t)area.width, PIXEL); /* the row above the first */
    if (!zeros)
        return sac_no_memory(error, apng->output.path);
    bool over = apng->added > 0 && extract_changed_pixels(apng, rgba, area);
    filter_area(apng, over ? apng->changes : rgba, area, zeros);
    free(zeros);
    sac_status status = write_frame(apng, area, over, milliseconds, error);
    if (status != SAC_OK)
        return status;
    memcpy(apng->previous, rgba, bytes);
    apng->added++;
    return SAC_OK;
}

/* ---------------------------------------------------------------- the file */

static bool allocate_buffers(sac_apng *apng)
{
    size_t row = 1 + (size_t)apng->width * PIXEL, all = row * (size_t)apng->height;
    apng->packed_capacity = compressBound((uLong)all);
    apng->previous = malloc(all);
    apng->changes = malloc(all);
    apng->filtered = malloc(all);
    apng->candidate = malloc(row);
    apng->packed = malloc(apng->packed_capacity);
    return apng->previous && apng->changes && apng->filtered && apng->candidate && apng->packed;
}

sac_status sac_apng_open(const char *path, int width, int height, int frames,
                         const sac_png_text *texts, size_t count, sac_apng **apng, sac_error *error)
{
    *apng = NULL;
    if (width < 1 || height < 1 || (size_t)width > SAC_IMAGE_PIXELS_MAX / (size_t)height)
        return sac_fail(error, SAC_E_SHAPE, path, "make it smaller",
                        "%d x %d pixels is not between 1 and 2^28", width, height);
    if (frames < 1)
        return sac_fail(error, SAC_E_ARGUMENT, path, NULL, "there are no frames to save");
    sac_status status = sac_png_texts_check(path, texts, count, error);
    if (status != SAC_OK)
        return status;
    sac_apng *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return sac_no_memory(error, path);
    fresh->width = width;
    fresh->height = height;
    fresh->frames = frames;
    if (!allocate_buffers(fresh))
        status = sac_fail(error, SAC_E_MEMORY, path, "make it smaller",
                          "out of memory for %d x %d pixels", width, height);
    if (status == SAC_OK)
        status = sac_output_open(&fresh->output, path, error);
    if (status == SAC_OK && !write_start(fresh, texts, count))
        status = sac_fail_not_written(path, errno, error);
    if (status == SAC_OK)
        *apng = fresh;
    else
        sac_apng_discard(fresh);
    return status;
}

sac_status sac_apng_close(sac_apng *apng, sac_error *error)
{
    sac_status status = SAC_OK;
    if (apng->added != apng->frames)
        status = sac_fail(error, SAC_E_ARGUMENT, apng->output.path, NULL,
                          "%d of the %d frames that were announced", apng->added, apng->frames);
    else if (!write_chunk(apng->output.file, "IEND", "", 0, "", 0))
        status = sac_fail_not_written(apng->output.path, errno, error);
    else
        status = sac_output_commit(&apng->output, error);
    sac_apng_discard(apng);
    return status;
}

void sac_apng_discard(sac_apng *apng)
{
    if (!apng)
        return;
    sac_output_discard(&apng->output);
    free(apng->previous);
    free(apng->changes);
    free(apng->filtered);
    free(apng->candidate);
    free(apng->packed);
    free(apng);
}
