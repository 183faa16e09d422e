/* The places of a scene's random numbers, inside of this box. */
#ifndef SAC_SCENES_DICE_H
#define SAC_SCENES_DICE_H

#include "base/dice.h"
#include "scenes/scene.h"

/* Places below SAC_DICE_NOISE are rolled one after another, from SAC_DICE_UNNAMED on for scenes of
 * unnamed colours; those above belong to the noise. */
#define SAC_DICE_UNNAMED 0x20000000u
#define SAC_DICE_NOISE 0x40000000u

#endif
