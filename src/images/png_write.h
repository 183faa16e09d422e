/* Pictures out: PNG and animated PNG with text chunks, and PNG's text chunks back in. */
#ifndef SAC_IMAGES_PNG_WRITE_H
#define SAC_IMAGES_PNG_WRITE_H

#include <stdio.h>

#include "images/image.h"

/* Written as iTXt; keys of 1 to 79 Latin-1 characters. */
typedef struct sac_png_text {
    const char *key, *value;
} sac_png_text;

sac_status sac_png_save(const char *path, const sac_image *image, const sac_png_text *texts,
                        size_t count, sac_error *error);
/* The same for paper, with so many pixels to the metre; 0: none is written. */
sac_status sac_png_save_at_resolution(const char *path, const sac_image *image, float per_metre,
                                      const sac_png_text *texts, size_t count, sac_error *error);

/* The same into an open file, which stands where the picture begins; `path` is for the error. */
sac_status sac_png_write(FILE *file, const char *path, const sac_image *image,
                         const sac_png_text *texts, size_t count, sac_error *error);

/* All texts of a PNG (tEXt, zTXt, iTXt) as UTF-8, read at once; free them with sac_png_texts_free.
 */
typedef struct sac_png_texts {
    sac_png_text *at; /* owned, as are keys and values */
    size_t count;
} sac_png_texts;

/* None where the file is no PNG, nor where it is a pipe, which is read for its pixels and not again. */
sac_status sac_png_texts_load(const char *path, sac_png_texts *texts, sac_error *error);
/* The first value of `key`; NULL where there is none. */
const char *sac_png_texts_get(const sac_png_texts *texts, const char *key);
void sac_png_texts_free(sac_png_texts *texts);
/* False: no memory, and *to is to be freed all the same. */
bool sac_png_texts_copy(const sac_png_text *from, size_t count, sac_png_texts *to);

/* An animated PNG, frame by frame; viewers that do not animate show the first frame. */
typedef struct sac_apng sac_apng;
/* `frames` must be the true number of frames; loops for ever. Text is checked as in sac_png_save.
 */
sac_status sac_apng_open(const char *path, int width, int height, int frames,
                         const sac_png_text *texts, size_t count, sac_apng **apng,
                         sac_error *error);
/* Only the rectangle that differs from the frame before is stored. */
sac_status sac_apng_add(sac_apng *apng, const uint8_t *rgba, int milliseconds, sac_error *error);
/* Renames into place; destroys in any case. */
sac_status sac_apng_close(sac_apng *apng, sac_error *error);
void sac_apng_discard(sac_apng *apng); /* takes NULL */

/* SAC_E_ARGUMENT where a key or a value cannot be stored. */
sac_status sac_png_texts_check(const char *path, const sac_png_text *texts, size_t count,
                               sac_error *error);
/* sac_png_texts_load, from a PNG in memory. */
sac_status sac_png_texts_from_bytes(const uint8_t *bytes, size_t size, sac_png_texts *texts,
                                    sac_error *error);

#endif
