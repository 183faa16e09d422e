/* Text chunks of PNG and animated PNG, inside of this box. */
#ifndef SAC_IMAGES_PNG_TEXT_H
#define SAC_IMAGES_PNG_TEXT_H

#include "images/png_write.h"

/* SAC_E_ARGUMENT where a key or a value cannot be stored. */
sac_status sac_png_texts_check(const char *path, const sac_png_text *texts, size_t count,
                               sac_error *error);
/* sac_png_texts_load, from a PNG in memory. */
sac_status sac_png_texts_from_bytes(const uint8_t *bytes, size_t size, sac_png_texts *texts,
                                    sac_error *error);

#endif
