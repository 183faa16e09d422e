/* Pictures out as JPEG, in memory: for a page that a browser shows. */
#ifndef SAC_IMAGES_JPEG_WRITE_H
#define SAC_IMAGES_JPEG_WRITE_H

#include "images/image.h"

/* The colours of the picture without its alpha, at `quality` 1 to 100, each colour at full size.
 * free() the bytes. SAC_E_SHAPE above 65500 pixels on a side. */
sac_status sac_jpeg_encode(const sac_image *image, int quality, uint8_t **bytes, size_t *size,
                           sac_error *error);

#endif
