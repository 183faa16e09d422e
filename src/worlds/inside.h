/* The worlds themselves; inside of this box. */
#ifndef SAC_WORLDS_INSIDE_H
#define SAC_WORLDS_INSIDE_H

#include "worlds/world.h"

extern const sac_world sac_world_shapes, sac_world_book;

#endif
