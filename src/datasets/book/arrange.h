/* Where everything in a scene stands, and how much of it is visible. */
#ifndef SAC_BOOK_ARRANGE_H
#define SAC_BOOK_ARRANGE_H

#include "base/random/rng.h"
#include "book/scene.h"

/* Lengths are shares of the picture's side. */
typedef struct sac_terrain {
    float horizon;     /* where the sky ends */
    float back, front; /* where the feet of what stands on the ground may be */
} sac_terrain;

const sac_terrain *sac_terrain_of(sac_spot spot);

/* Gives every thing of scene->tale its place. False where nothing fitted. */
bool sac_scene_arrange(sac_rng *rng, sac_book_scene *scene);
/* Lifts who runs off the ground at times, as dogs are when they gallop. */
void sac_scene_maybe_lift_runner(sac_rng *rng, sac_book_scene *scene);

#endif
