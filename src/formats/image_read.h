/* Decoders behind sac_image_load: each turns a file in memory into RGBA. */
#ifndef SAC_FORMATS_IMAGE_READ_H
#define SAC_FORMATS_IMAGE_READ_H

#include "formats/image.h"

#define SAC_IMAGE_PIXELS_MAX ((size_t)1 << 28)
/* Deflate's best: no PNG holds more bytes of pixels than this times its own size. */
#define SAC_DEFLATE_RATIO 1032

/* A PNG or JPEG in memory, told by its first bytes, upright. */
sac_status sac_image_from_bytes(const uint8_t *bytes, size_t size, sac_image *image,
                                sac_error *error);

bool sac_png_is(const uint8_t *bytes, size_t size);
bool sac_jpeg_is(const uint8_t *bytes, size_t size);
/* `orientation`: EXIF's, 1 to 8; 1 where the file does not say. */
sac_status sac_png_decode(const uint8_t *bytes, size_t size, sac_image *image, int *orientation,
                          sac_error *error);
sac_status sac_jpeg_decode(const uint8_t *bytes, size_t size, sac_image *image, int *orientation,
                           sac_error *error);

/* From an EXIF block that starts with "Exif\0\0"; 1 where it does not say. */
int sac_exif_orientation(const uint8_t *exif, size_t size);
/* Turns and mirrors `image` as EXIF orientation 1 to 8 asks. */
sac_status sac_image_orient(sac_image *image, int orientation, sac_error *error);

#endif
