/* The regions that a sentence tells, over the picture. */
#ifndef VIZ_PARTS_REGIONS_H
#define VIZ_PARTS_REGIONS_H

#include "canvas/canvas.h"
#include "sources/words/regions.h"

/* All of them, each with its label beside it where there is room; those that `word` tells or names stand
 * out (−1: none does). */
void viz_regions_draw(viz_canvas *canvas, viz_rect picture, const sac_regions *regions, int word);
/* Those of the word alone, without labels: small pictures. */
void viz_regions_draw_own(viz_canvas *canvas, viz_rect picture, const sac_regions *regions,
                          int word);

#endif
