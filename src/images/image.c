/* Pictures in memory, and their limits. */
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "images/image.h"
#include "images/image_read.h"

sac_status sac_image_create(int width, int height, sac_image *image, sac_error *error)
{
    *image = (sac_image){0};
    if (width < 1 || height < 1 || (size_t)width > SAC_IMAGE_PIXELS_MAX / (size_t)height)
        return sac_fail(error, SAC_E_SHAPE, NULL, "make it smaller",
                        "%d x %d pixels is not between 1 and 2^28", width, height);
    image->rgba = calloc((size_t)width * (size_t)height, 4);
    if (!image->rgba)
        return sac_fail(error, SAC_E_MEMORY, NULL, "close other programs or use a smaller picture",
                        "out of memory for %d x %d pixels", width, height);
    image->width = width;
    image->height = height;
    return SAC_OK;
}

sac_status sac_image_check_size(size_t width, size_t height, size_t row_bytes, sac_error *error)
{
    if (width > SAC_IMAGE_READ_SIDE || height > SAC_IMAGE_READ_SIDE ||
        width * height > SAC_IMAGE_READ_PIXELS)
        return sac_fail(error, SAC_E_SHAPE, NULL, "make it smaller",
                        "has %zu x %zu pixels; up to 2^27 are read, and 2^20 on a side", width,
                        height);
    if (row_bytes * height > SAC_IMAGE_READ_BYTES)
        return sac_fail(error, SAC_E_SHAPE, NULL,
                        "make it smaller, or save it with 8 bits a channel",
                        "unpacks to %zu MB; up to %zu are read", row_bytes * height >> 20,
                        SAC_IMAGE_READ_BYTES >> 20);
    return SAC_OK;
}

sac_status sac_image_from_rgb(const uint8_t *rgb, int width, int height, sac_image *image,
                              sac_error *error)
{
    sac_status status = sac_image_create(width, height, image, error);
    size_t pixels = status == SAC_OK ? (size_t)width * (size_t)height : 0;
    for (size_t i = 0; i < pixels; i++) {
        memcpy(image->rgba + 4 * i, rgb + 3 * i, 3);
        image->rgba[4 * i + 3] = 255;
    }
    return status;
}

void sac_image_free(sac_image *image)
{
    if (!image)
        return;
    free(image->rgba);
    *image = (sac_image){0};
}

/* ---------------------------------------------------------------- orientation */

static unsigned integer_from_bytes(const uint8_t *bytes, int count, bool big)
{
    unsigned value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[big ? i : count - 1 - i];
    return value;
}

/* EXIF is a TIFF: a byte order, and the place of a directory of entries of 12 bytes. */
int sac_exif_orientation(const uint8_t *exif, size_t size)
{
    enum { ORIENTATION = 0x112, SHORT = 3, LONG = 4, ENTRY = 12 };
    int found = 0;
    for (; size >= 6 && memcmp(exif, "Exif\0\0", 6) == 0; exif += 6)
        size -= 6;
    if (size < 8 || (memcmp(exif, "II*", 4) != 0 && memcmp(exif, "MM\0*", 4) != 0))
        return 0;
    bool big = exif[0] == 'M';
    size_t at = integer_from_bytes(exif + 4, 4, big);
    if (at > size - 2)
        return 0;
    size_t entries = integer_from_bytes(exif + at, 2, big);
    for (at += 2; entries-- > 0 && at + ENTRY <= size; at += ENTRY) {
        const uint8_t *entry = exif + at;
        unsigned type = integer_from_bytes(entry + 2, 2, big);
        if (integer_from_bytes(entry, 2, big) != ORIENTATION)
            continue;
        bool is_one = (type == SHORT || type == LONG) && integer_from_bytes(entry + 4, 4, big) == 1;
        unsigned value = is_one ? integer_from_bytes(entry + 8, type == SHORT ? 2 : 4, big) : 1;
        found = value >= 1 && value <= 8 ? (int)value : 1;
    }
    return found;
}

/* An attribute, tiff:Orientation="6", or an element, <tiff:Orientation>6<…: the first that there is. */
int sac_xmp_orientation(const void *xmp, size_t size)
{
    static const char name[] = "tiff:Orientation";
    const char *at = xmp, *end = at + size;
    while ((at = memmem(at, (size_t)(end - at), name, sizeof name - 1))) {
        at += sizeof name - 1;
        bool is_attribute = end - at >= 3 && memcmp(at, "=\"", 2) == 0;
        bool is_element = end - at >= 2 && *at == '>';
        char digit = is_attribute ? at[2] : is_element ? at[1] : 'x';
        if (digit >= '0' && digit <= '9')
            return digit >= '1' && digit <= '8' ? digit - '0' : 1;
    }
    return 0;
}

int sac_picture_orientation(int exif, int xmp)
{
    return exif ? exif : xmp ? xmp : 1;
}

enum { TILE = 64 };

/* Fills TILE x TILE upright pixels from (x0, y0) on, or fewer at the edges, each fetched from where
 * it lies in the stored picture [h,w]: 2 to 4 mirror or turn by 180 degrees, 5 to 8 swap the axes
 * as well. */
static void turn_tile(const sac_image *image, int orientation, int x0, int y0, sac_image *upright)
{
    bool swapped = orientation >= 5;
    bool flip_x = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    bool flip_y = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    int w = image->width, h = image->height;
    for (int y = y0; y < upright->height && y < y0 + TILE; y++)
        for (int x = x0; x < upright->width && x < x0 + TILE; x++) {
            int sx = swapped ? y : x, sy = swapped ? x : y;
            sx = flip_x ? w - 1 - sx : sx;
            sy = flip_y ? h - 1 - sy : sy;
            memcpy(upright->rgba + ((size_t)y * (size_t)upright->width + (size_t)x) * 4,
                   image->rgba + ((size_t)sy * (size_t)w + (size_t)sx) * 4, 4);
        }
}

/* Tile by tile, as pixels that lie side by side in one picture are rows apart in the other. */
sac_status sac_image_orient(sac_image *image, int orientation, sac_error *error)
{
    if (orientation < 2 || orientation > 8)
        return SAC_OK;
    int w = image->width, h = image->height;
    sac_image upright;
    sac_status status =
        sac_image_create(orientation >= 5 ? h : w, orientation >= 5 ? w : h, &upright, error);
    for (int y = 0; status == SAC_OK && y < upright.height; y += TILE) {
        for (int x = 0; x < upright.width; x += TILE)
            turn_tile(image, orientation, x, y, &upright);
        status = sac_cancel_check(NULL, error);
    }
    if (status != SAC_OK) {
        sac_image_free(&upright);
        return status;
    }
    sac_image_free(image);
    *image = upright;
    return SAC_OK;
}
