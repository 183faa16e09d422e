/* A picture in another size, as Pillow's Image.resize makes it, to the last bit: each pixel of the
 * result is a weighted mean over as much of the picture as it covers, along rows first and then
 * along columns, in whole numbers. What a model of photographs was trained on went through this. */
#ifndef SAC_PRETRAINED_FILES_RESAMPLE_H
#define SAC_PRETRAINED_FILES_RESAMPLE_H

#include "images/image.h"

/* The numbers are Pillow's, as preprocessor_config.json has them. */
typedef enum sac_resampling {
    SAC_RESAMPLE_NEAREST = 0,
    SAC_RESAMPLE_LANCZOS = 1,
    SAC_RESAMPLE_BILINEAR = 2,
    SAC_RESAMPLE_BICUBIC = 3, /* Keys 1981, a = −1/2 */
    SAC_RESAMPLE_BOX = 4,
    SAC_RESAMPLE_HAMMING = 5,
    SAC_RESAMPLINGS
} sac_resampling;

/* Colours alone; the result is opaque. Fails as sac_image_create does. */
sac_status sac_resample(const sac_image *from, int width, int height, sac_resampling resampling,
                        sac_image *to, sac_error *error);

#endif
