/* Pictures as the network was trained to see them. */

#include "efficientnet/efficientnet.h"
#include "images/resample.h"

sac_status sac_efficientnet_square(const sac_image *image, size_t detail, size_t side,
                                   sac_image *square, sac_error *error)
{
    sac_image small = {0};
    sac_status status = SAC_OK;
    if (detail)
        status = sac_resample(image, (int)detail, (int)detail, SAC_RESAMPLE_BICUBIC, &small, error);
    if (status == SAC_OK)
        status = sac_resample(detail ? &small : image, (int)side, (int)side, SAC_RESAMPLE_BICUBIC,
                              square, error);
    sac_image_free(&small);
    return status;
}

void sac_efficientnet_pixels(const uint8_t *rgba, size_t count, float *pixels)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++)
            pixels[3 * i + k] = ((float)rgba[4 * i + k] - 127) / 128;
}

sac_status sac_efficientnet_see(const sac_image *image, size_t detail, size_t side, float *pixels,
                                sac_error *error)
{
    sac_image square = {0};
    sac_status status = sac_efficientnet_square(image, detail, side, &square, error);
    if (status == SAC_OK)
        sac_efficientnet_pixels(square.rgba, side * side, pixels);
    sac_image_free(&square);
    return status;
}
