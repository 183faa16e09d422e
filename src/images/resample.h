/* A picture in another size. */
#ifndef SAC_IMAGES_RESAMPLE_H
#define SAC_IMAGES_RESAMPLE_H

#include <stdbool.h>

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

/* As Pillow's Image.resize makes it, to the last bit: each pixel of the result is a weighted mean
 * over as much of the picture as it covers, along rows first and then along columns, in whole
 * numbers. Models of photographs were trained on such pictures. Colours alone; the result is
 * opaque. All three fail as sac_image_create does. */
sac_status sac_resample(const sac_image *from, int width, int height, sac_resampling resampling,
                        sac_image *to, sac_error *error);

/* As scikit-image's resize with anti_aliasing=True makes it: what is made smaller by f goes through a Gaussian of
 * deviation (f − 1)/2, and is read between its pixels by lines; beyond an edge the picture is mirrored. Colours
 * alone. */
sac_status sac_resample_smooth(const sac_image *from, int width, int height, sac_image *to,
                               sac_error *error);

/* For people to look at, with its alpha: area-averaged when smaller, bicubic when larger (sharp up
 * to four times, soft beyond); `smooth` false: larger pixels keep their edges. */
sac_status sac_image_scale(const sac_image *image, int width, int height, bool smooth,
                           sac_image *scaled, sac_error *error);

/* A square of `side` pixels, as our captioners see a picture: area-averaged when smaller, bilinear
 * when larger, alpha over white; what is not square is made so with the colours of its own edges.
 * Pixels are averaged in sRGB, as the training pictures were antialiased. SAC_E_CANCELLED where
 * sac_cancel_asked. */
sac_status sac_image_fit_in_square(const sac_image *image, int side, sac_image *square,
                                   sac_error *error);

#endif
