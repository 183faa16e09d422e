/* Pictures in: PNG, JPEG, WebP, GIF, BMP and Netpbm's of any kind, AVIF and HEIC where libheif is there, TIFF where libtiff is, as 8-bit
 * sRGB with straight alpha. */
#ifndef SAC_IMAGES_IMAGE_H
#define SAC_IMAGES_IMAGE_H

#include "saccade.h"

typedef struct sac_image {
    int width, height;
    uint8_t *rgba; /* [height,width,4], owned */
} sac_image;

/* The format is found by content: grey, alpha, 16 bit, palette, interlaced, CMYK; the orientation of EXIF or XMP is applied.
 * What breaks off or is damaged is read as far as it goes, with a notice.
 * SAC_E_FILE, SAC_E_FORMAT (with the decoder's own words), SAC_E_SHAPE above
 * 2^27 pixels, 2^20 pixels on a side or 384 MB once unpacked, SAC_E_CANCELLED where
 * sac_cancel_asked. *image is empty after a failure. */
sac_status sac_image_load(const char *path, sac_image *image, sac_error *error);
sac_status sac_image_create(int width, int height, sac_image *image, sac_error *error);
/* An opaque one of colours [height,width,3]. */
sac_status sac_image_from_rgb(const uint8_t *rgb, int width, int height, sac_image *image,
                              sac_error *error);
void sac_image_free(sac_image *image);
/* True where no pixel of [pixels,4] is translucent. */
bool sac_is_opaque(const uint8_t *rgba, size_t pixels);

#endif
