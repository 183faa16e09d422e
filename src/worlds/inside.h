/* The worlds themselves; inside of this box. */
#ifndef SAC_WORLDS_INSIDE_H
#define SAC_WORLDS_INSIDE_H

#include "worlds/world.h"

extern const sac_world sac_world_shapes, sac_world_book;

/* What the decoder hears of a word that it says. */
static inline int sac_world_heard(const sac_world *world, int word)
{
    int index = word - world->unheard.first;
    return index >= 0 && index < world->unheard.count ? SAC_WORD_PAD : word;
}

#endif
