/* The worlds themselves; inside of this box. */
#ifndef SAC_WORLDS_INSIDE_H
#define SAC_WORLDS_INSIDE_H

#include "worlds/world.h"

extern const sac_world sac_world_shapes, sac_world_book;

/* Of ten colours that are heard, seven are exchanged. */
static inline bool sac_is_exchanged(uint32_t chance)
{
    return (float)(chance >> 8) * 0x1p-24f < 0.7f;
}

#endif
