/* An animated WebP, written picture by picture: a photograph that moves takes a tenth of what it takes
 * as an animated PNG. Only the rectangle that differs from the picture before is stored. */
#ifndef VIZ_EXPORT_WEBP_H
#define VIZ_EXPORT_WEBP_H

#include "saccade.h"

typedef struct viz_webp viz_webp;
/* It loops for ever. SAC_E_SHAPE beyond 16383 pixels a side, which is the format's most. */
sac_status viz_webp_open(const char *path, int width, int height, viz_webp **webp,
                         sac_error *error);
/* `rgba` [height,width,4], opaque, shown for so many milliseconds. */
sac_status viz_webp_add(viz_webp *webp, const uint8_t *rgba, int milliseconds, sac_error *error);
/* Renames into place; destroys in any case. */
sac_status viz_webp_close(viz_webp *webp, sac_error *error);
void viz_webp_discard(viz_webp *webp); /* takes NULL */

#endif
