/* The places of a scene's random numbers, inside of this box. */
#ifndef SAC_SCENES_RNG_PLACES_H
#define SAC_SCENES_RNG_PLACES_H

#include "base/rng.h"
#include "scenes/scene.h"

/* Numbers at places below SAC_RNG_PLACE_NOISE are drawn one after another, from
 * SAC_RNG_PLACE_UNNAMED on for scenes of unnamed colours; those above belong to the noise. */
#define SAC_RNG_PLACE_UNNAMED 0x20000000u
#define SAC_RNG_PLACE_NOISE 0x40000000u

#endif
