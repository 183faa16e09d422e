/* An animated GIF, written picture by picture, for programs that cannot show animated PNG. Each
 * picture has its own palette and holds only what changed since the one before. */
#ifndef VIZ_EXPORT_GIF_H
#define VIZ_EXPORT_GIF_H

#include "saccade.h"

typedef struct viz_gif viz_gif;
/* It loops for ever. `comment` (may be NULL) is text that no viewer shows. */
sac_status viz_gif_open(const char *path, int width, int height, const char *comment, viz_gif **gif,
                        sac_error *error);
/* `rgba` [height,width,4], opaque, shown for so many hundredths of a second. */
sac_status viz_gif_add(viz_gif *gif, const uint8_t *rgba, int hundredths, sac_error *error);
/* Renames into place; destroys in any case. */
sac_status viz_gif_close(viz_gif *gif, sac_error *error);
void viz_gif_discard(viz_gif *gif); /* takes NULL */

#endif
