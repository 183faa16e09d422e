/* The shapes' outlines, private to this module. */
#ifndef SAC_SHAPES_OUTLINE_H
#define SAC_SHAPES_OUTLINE_H

#include "base/random/random.h"
#include "shapes/scene.h"

enum { SAC_CIRCLE = 0, SAC_SQUARE, SAC_TRIANGLE, SAC_STAR, SAC_CROSS, SAC_DIAMOND };

enum { SAC_OUTLINE_CORNERS = 36 };

typedef struct sac_outline {
    int count;                            /* corners; 0: a circle of `radius` */
    float corner[SAC_OUTLINE_CORNERS][2]; /* x, y from the centre of the box, the object's x, y */
    float radius;
    float width, height; /* of the box; the longer is the object's size */
} sac_outline;

/* Outline of shape, size, angle, form, lean and wobble; in shares of the picture's side, as they
 * are. */
void sac_outline_of(const sac_scene_object *object, sac_outline *outline);

/* Sine and cosine of −π … π to 1e-12, without libm, so that every machine has the same. */
void sac_rope_use(double angle, double *cosine, double *sine);

/* −1 … 1: what is irregular at `index` in what a hand draws. */
static inline float sac_hand_strays(uint32_t hand, uint32_t index)
{
    return 2 * sac_philox_uniform(hand, index, 0) - 1;
}

#endif
