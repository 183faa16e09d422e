/* Windows' BMP in: 1, 4 and 8 bits with a table of colours, 16, 24 and 32 bits, rows from the bottom up or from the
 * top down; not run-length coded, nor JPEG or PNG in such a file. */
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "images/image_read.h"

enum { FILE_HEADER = 14, OLD_HEADER = 12, HEADER = 40, RGB = 0, BIT_FIELDS = 3, ALPHA_FIELDS = 6 };

static uint32_t read_32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static unsigned read_16(const uint8_t *at)
{
    return at[0] | (unsigned)at[1] << 8;
}

bool sac_bmp_is(const uint8_t *bytes, size_t size)
{
    static const uint8_t sizes[] = {OLD_HEADER, HEADER, 52, 56, 64, 108, 124};
    return size >= 18 && bytes[0] == 'B' && bytes[1] == 'M' && read_32(bytes + 14) < 256 &&
           memchr(sizes, bytes[14], sizeof sizes);
}

typedef struct bmp {
    unsigned bits;
    size_t width, height;
    bool top_down;
    const uint8_t *colours; /* [colour_count][colour_bytes]: blue, green, red */
    size_t colour_count, colour_bytes;
    uint32_t masks[4]; /* red, green, blue, alpha of 16 and 32 bits */
} bmp;

static sac_status fail_bmp(sac_error *error, const char *what)
{
    return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again, or convert it to PNG",
                    "is a BMP that %s", what);
}

static sac_status read_header(const uint8_t *bytes, size_t size, bmp *b, size_t *pixels,
                              sac_error *error)
{
    const uint32_t header = read_32(bytes + FILE_HEADER);
    const uint8_t *at = bytes + FILE_HEADER;
    uint32_t coding = RGB, colours = 0;
    if (size < FILE_HEADER + header)
        return fail_bmp(error, "is cut within its header");
    *pixels = read_32(bytes + 10);
    if (header == OLD_HEADER) {
        b->width = read_16(at + 4);
        b->height = read_16(at + 6);
        b->bits = read_16(at + 10);
        b->colour_bytes = 3;
    } else {
        const int32_t height = (int32_t)read_32(at + 8);
        b->width = read_32(at + 4);
        b->top_down = height < 0;
        b->height = height < 0 ? (size_t)0 - (size_t)(int64_t)height : (size_t)height;
        b->bits = read_16(at + 14);
        coding = read_32(at + 16);
        colours = read_32(at + 32);
        b->colour_bytes = 4;
    }
    if (coding != RGB && !((coding == BIT_FIELDS || coding == ALPHA_FIELDS) && b->bits >= 16))
        return fail_bmp(error, "is run-length coded, or holds another kind of picture");
    if (!strchr("\1\4\10\20\30\40", (int)b->bits) || !b->bits)
        return fail_bmp(error, "has pixels of a size that there is not");
    const uint32_t usual[2][4] = {{0x7c00, 0x3e0, 0x1f, 0}, {0xff0000, 0xff00, 0xff, 0}};
    memcpy(b->masks, usual[b->bits == 32], sizeof b->masks);
    size_t end = FILE_HEADER + header;
    if (coding != RGB) { /* in the header, or behind one of 40 bytes */
        const size_t count = header >= 56 || coding == ALPHA_FIELDS ? 4 : 3;
        if (size < FILE_HEADER + HEADER + 4 * count)
            return fail_bmp(error, "is cut within its header");
        for (size_t i = 0; i < count; i++)
            b->masks[i] = read_32(at + HEADER + 4 * i);
        end += header == HEADER ? 4 * count : 0;
    }
    if (b->bits <= 8) {
        b->colours = bytes + end;
        b->colour_count = colours && colours < 256 ? colours : (size_t)1 << b->bits;
        if (size < end || (size - end) / b->colour_bytes < b->colour_count)
            return fail_bmp(error, "is cut within its colours");
    }
    return SAC_OK;
}

/* The bits of a mask as 0 to 255; without any it is 255. */
static uint8_t masked(uint32_t value, uint32_t mask)
{
    if (!mask)
        return 255;
    while (!(mask & 1)) {
        mask >>= 1;
        value >>= 1;
    }
    return (uint8_t)(((uint64_t)(value & mask) * 255 + mask / 2) / mask);
}

static void read_row(const bmp *b, const uint8_t *row, uint8_t *out)
{
    for (size_t x = 0; x < b->width; x++, out += 4) {
        if (b->bits <= 8) {
            const unsigned each = 8 / b->bits;
            const size_t index =
                row[x / each] >> ((each - 1 - x % each) * b->bits) & ((1u << b->bits) - 1);
            const uint8_t *colour =
                b->colours + b->colour_bytes * (index < b->colour_count ? index : 0);
            out[0] = colour[2], out[1] = colour[1], out[2] = colour[0], out[3] = 255;
        } else if (b->bits == 24) {
            out[0] = row[3 * x + 2], out[1] = row[3 * x + 1], out[2] = row[3 * x], out[3] = 255;
        } else {
            const uint32_t value = b->bits == 16 ? read_16(row + 2 * x) : read_32(row + 4 * x);
            for (int c = 0; c < 4; c++)
                out[c] = masked(value, b->masks[c]);
        }
    }
}

sac_status sac_bmp_decode(const uint8_t *bytes, size_t size, sac_image *image,
                          sac_picture_facts *facts, sac_error *error)
{
    bmp b = {0};
    size_t pixels = 0;
    sac_status status = size < FILE_HEADER + OLD_HEADER
                            ? fail_bmp(error, "is cut within its header")
                            : read_header(bytes, size, &b, &pixels, error);
    if (status == SAC_OK && (!b.width || !b.height))
        status = fail_bmp(error, "has no width or height");
    if (status == SAC_OK)
        status = sac_image_check_size(b.width, b.height, 3 * b.width, error);
    if (status != SAC_OK)
        return status;
    const size_t stride = (b.width * b.bits + 31) / 32 * 4; /* rows begin at multiples of 4 bytes */
    const size_t rows = pixels < size ? (size - pixels) / stride : 0;
    if (rows == 0 || rows < b.height / 64)
        return fail_bmp(error, "has no pixels, or ends long before its last row");
    status = sac_image_create((int)b.width, (int)b.height, image, error);
    if (status == SAC_OK)
        memset(image->rgba, 0, 4 * b.width * b.height);
    for (size_t i = 0; i < b.height && i < rows && status == SAC_OK; i++) {
        const size_t y = b.top_down ? i : b.height - 1 - i;
        read_row(&b, bytes + pixels + i * stride, image->rgba + 4 * y * b.width);
        status = sac_cancel_check(NULL, error);
    }
    if (rows < b.height) {
        facts->trouble = "ends early";
        facts->share = (double)rows / (double)b.height;
    }
    return status;
}
