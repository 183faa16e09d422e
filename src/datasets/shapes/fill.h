/* Objects as they are painted, and their shadows; inside of this box. */
#ifndef SAC_SHAPES_FILL_H
#define SAC_SHAPES_FILL_H

#include "shapes/scene.h"

/* Both into rgb [side,side,3]. */
void sac_paint_shadow(const sac_scene *scene, const sac_scene_object *object, int side,
                      uint8_t *rgb);
void sac_paint_object(const sac_scene_object *object, int side, uint8_t *rgb);

#endif
