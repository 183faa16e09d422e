/* Decoders behind sac_image_load: each turns a file in memory into RGBA. A new format is a file of
 * its own, a prototype here, and one line of the table in image_load.c.
 *
 * What every reader of this folder keeps to, whatever the bytes are:
 * - A size that the file states is held against the file's length, and against the limits here or
 *   against overflow, before anything of that size is allocated.
 * - Whatever it accepts, it opens within 5 s and 1.5 GB; what would take more is refused. So a
 *   reader goes over each pixel or element a fixed number of times, never over a whole row for each
 *   row or column of a result.
 * - It asks sac_cancel_asked at each row or block and then fails with SAC_E_CANCELLED.
 * - It reads bytes that were mapped or read by arrays/bytes.h and opens nothing by itself: names
 *   that stand in a file lead to regular files only (sac_open_regular).
 * - A failure leaves nothing behind and its one line has the defect and a remedy.
 * - It has a target in tests/fuzz, which holds it to all of this. */
#ifndef SAC_IMAGES_IMAGE_READ_H
#define SAC_IMAGES_IMAGE_READ_H

#include "images/image.h"

/* The limits of a picture that is read: pixels, pixels on a side, and bytes once unpacked (3 a
 * pixel). */
#define SAC_IMAGE_READ_PIXELS ((size_t)1 << 27)
#define SAC_IMAGE_READ_SIDE ((size_t)1 << 20)
#define SAC_IMAGE_READ_BYTES ((size_t)3 << 27)
/* The most pixels of a picture that is made. */
#define SAC_IMAGE_PIXELS_MAX ((size_t)1 << 28)

/* SAC_E_SHAPE for a picture beyond those limits; `row_bytes`: of one row once unpacked. */
sac_status sac_image_check_size(size_t width, size_t height, size_t row_bytes, sac_error *error);

/* A picture in memory, its format found by the first bytes, upright. */
sac_status sac_image_from_bytes(const uint8_t *bytes, size_t size, sac_image *image,
                                sac_error *error);

/* True for the first bytes of a picture that is read here, and the formats that are. */
bool sac_image_is(const uint8_t *bytes, size_t size);
#define SAC_IMAGE_FORMATS "PNG, JPEG, WebP, GIF, BMP, PPM, TIFF, AVIF or HEIC"

/* What a file holds beside its pixels. */
typedef struct sac_picture_facts {
    int orientation;     /* EXIF's, 1 to 8, where the pixels are not upright yet; else 1 */
    int frames;          /* of an animation, whose first is read; 1: a still picture */
    const char *trouble; /* "ends early", "is damaged": what was read is shown; NULL: it is whole */
    double share;        /* trouble: how much of it was read before that, 0 to 1; 1: all, in part */
} sac_picture_facts;

bool sac_png_is(const uint8_t *bytes, size_t size);
bool sac_jpeg_is(const uint8_t *bytes, size_t size);
bool sac_webp_is(const uint8_t *bytes, size_t size);
bool sac_gif_is(const uint8_t *bytes, size_t size);
bool sac_heif_is(const uint8_t *bytes, size_t size);
bool sac_pnm_is(const uint8_t *bytes, size_t size);
bool sac_bmp_is(const uint8_t *bytes, size_t size);
bool sac_tiff_is(const uint8_t *bytes, size_t size);
/* `facts` comes as {1, 1} and is changed where the file has other values. */
sac_status sac_png_decode(const uint8_t *bytes, size_t size, sac_image *image,
                          sac_picture_facts *facts, sac_error *error);
sac_status sac_jpeg_decode(const uint8_t *bytes, size_t size, sac_image *image,
                           sac_picture_facts *facts, sac_error *error);
sac_status sac_webp_decode(const uint8_t *bytes, size_t size, sac_image *image,
                           sac_picture_facts *facts, sac_error *error);
sac_status sac_gif_decode(const uint8_t *bytes, size_t size, sac_image *image,
                          sac_picture_facts *facts, sac_error *error);
sac_status sac_heif_decode(const uint8_t *bytes, size_t size, sac_image *image,
                           sac_picture_facts *facts, sac_error *error);
sac_status sac_pnm_decode(const uint8_t *bytes, size_t size, sac_image *image,
                          sac_picture_facts *facts, sac_error *error);
sac_status sac_bmp_decode(const uint8_t *bytes, size_t size, sac_image *image,
                          sac_picture_facts *facts, sac_error *error);
sac_status sac_tiff_decode(const uint8_t *bytes, size_t size, sac_image *image,
                           sac_picture_facts *facts, sac_error *error);
/* A sound (sac_sound_is), as its spectrogram. */
sac_status sac_sound_decode(const uint8_t *bytes, size_t size, sac_image *image,
                            sac_picture_facts *facts, sac_error *error);

/* The orientation of an EXIF block, with "Exif\0\0" before it or not, and of XMP; 0: there is none. As
 * PIL does, EXIF counts before XMP wherever a file has both: 1 to 8, also where it has neither. */
int sac_exif_orientation(const uint8_t *exif, size_t size);
int sac_xmp_orientation(const void *xmp, size_t size);
int sac_picture_orientation(int exif, int xmp);
/* Turns and mirrors `image` as EXIF orientation 1 to 8 asks. */
sac_status sac_image_orient(sac_image *image, int orientation, sac_error *error);

#endif
