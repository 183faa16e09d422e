/* EXIF orientation: how a camera was held, and the picture turned upright. */
#include <libexif/exif-data.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "images/image_read.h"

int sac_exif_orientation(const uint8_t *exif, size_t size)
{
    int orientation = 1;
    if (size > UINT16_MAX) /* as long as a JPEG's segment may be: longer is no camera's */
        return orientation;
    ExifData *data = exif_data_new_from_data(exif, (unsigned)size);
    if (!data)
        return orientation;
    ExifEntry *entry = exif_content_get_entry(data->ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION);
    if (entry && entry->format == EXIF_FORMAT_SHORT && entry->components == 1 && entry->size >= 2)
        orientation = exif_get_short(entry->data, exif_data_get_byte_order(data));
    exif_data_unref(data);
    return orientation >= 1 && orientation <= 8 ? orientation : 1;
}

int sac_exif_orientation_bare(const uint8_t *exif, size_t size)
{
    int orientation = 1;
    if (size >= 6 && memcmp(exif, "Exif\0\0", 6) == 0)
        return sac_exif_orientation(exif, size);
    uint8_t *block = size <= UINT16_MAX ? malloc(size + 6) : NULL;
    if (block) {
        memcpy(block, "Exif\0\0", 6);
        memcpy(block + 6, exif, size);
        orientation = sac_exif_orientation(block, size + 6);
    }
    free(block);
    return orientation;
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
