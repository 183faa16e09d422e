/* Grounds, and the effects that cover them. */
#ifndef SAC_SHAPES_GROUND_H
#define SAC_SHAPES_GROUND_H

#include "shapes/scene.h"

/* All into rgb [side,side,3]. */
void sac_paint_ground(const sac_scene *scene, int side, uint8_t *rgb);

#endif
