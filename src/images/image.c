/* Pictures in memory, and their limits. */

#include "images/image.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
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
