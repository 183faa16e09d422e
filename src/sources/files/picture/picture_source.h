/* A picture that attends to itself: each cell of a grid is a token (sources/features.h), and the
 * attention of any cell over all others is computed on an OpenCL device. */
#ifndef SAC_SOURCES_FILES_PICTURE_PICTURE_SOURCE_H
#define SAC_SOURCES_FILES_PICTURE_PICTURE_SOURCE_H

#include "sources/source.h"

/* Loads the picture and opens the device; computes nothing yet. `device_selector` as in
 * sac_device_open. Fills *source, to be freed with sac_source_destroy; its attend works as follows.
 *   - All that depends on the settings and the hidden cells alone is prepared once and kept, so
 * that a moving query costs one row of weights.
 *   - Hidden cells get weight 0 and no part in the rebuilding. All hidden: weights 0, entropy 0.
 *   - rebuild_max is known once a rebuilding was requested under the same settings, up to 64 × 64
 *     cells.
 * Errors: sac_image_load's and the device's; SAC_E_ARGUMENT for settings that make no sense
 * (inverse width or temperature not above 0, a negative position, cells outside 1 … 256). */
sac_status sac_picture_open(const char *path, const char *device_selector, sac_source *source,
                            sac_error *error);
/* The same of a picture in memory, which is taken over on success (*image is zeroed). */
sac_status sac_picture_from_image(sac_image *image, const char *device_selector, sac_source *source,
                                  sac_error *error);

#endif
