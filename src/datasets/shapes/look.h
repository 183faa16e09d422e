/* The random choices of a scene's style. */
#ifndef SAC_SHAPES_LOOK_H
#define SAC_SHAPES_LOOK_H

#include "shapes/rng_places.h"

/* Which scenes are drawn in the varied manner: all, none, or some by chance. */
bool sac_look_is_varied(sac_rng *rng, sac_stream stream);
/* Colour, size, angle, form and fill of every object. */
void sac_look_pick(sac_rng *rng, bool varied, sac_scene *scene);
/* Shadow, blur and noise; the objects are known. */
void sac_lens_pick(sac_rng *rng, sac_scene *scene);
/* A ground that every object stands out from. False: none was found soon. */
bool sac_ground_pick(sac_rng *rng, bool varied, sac_scene *scene);

#endif
