/* Grounds, and the effects that cover them. */
#ifndef SAC_SHAPES_GROUND_H
#define SAC_SHAPES_GROUND_H

#include "shapes/scene.h"

/* All into rgb [side,side,3]. */
void sac_paint_ground(const sac_scene *scene, int side, uint8_t *rgb);
/* Adds grains of grey; a pixel gets the mean of those that it covers. */
void sac_add_noise(const sac_scene *scene, int side, uint8_t *rgb);
/* Blurs the whole picture. */
void sac_blur(const sac_scene *scene, int side, uint8_t *rgb);

#endif
