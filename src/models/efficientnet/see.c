/* Pictures as the network was trained to see them. */

#include "efficientnet/efficientnet.h"
#include "images/resample.h"

sac_status sac_efficientnet_see(const sac_image *image, size_t detail, size_t side, float *pixels,
                                sac_error *error)
{
    sac_image small = {0}, seen = {0};
    sac_status status = SAC_OK;
    if (detail)
        status = sac_resample(image, (int)detail, (int)detail, SAC_RESAMPLE_BICUBIC, &small, error);
    if (status == SAC_OK)
        status = sac_resample(detail ? &small : image, (int)side, (int)side, SAC_RESAMPLE_BICUBIC,
                              &seen, error);
    for (size_t i = 0; i < side * side && status == SAC_OK; i++)
        for (size_t k = 0; k < 3; k++)
            pixels[3 * i + k] = ((float)seen.rgba[4 * i + k] - 127) / 128;
    sac_image_free(&small);
    sac_image_free(&seen);
    return status;
}
