/* The table of worlds. */

#include <string.h>

#include "inside.h"

static const sac_world *const worlds[] = {&sac_world_shapes, &sac_world_book};

enum { WORLDS = sizeof worlds / sizeof *worlds };

const sac_world *sac_world_at(int index)
{
    return index >= 0 && index < WORLDS ? worlds[index] : NULL;
}

const sac_world *sac_world_find(const char *name)
{
    for (int i = 0; i < WORLDS; i++)
        if (strcmp(worlds[i]->name, name) == 0)
            return worlds[i];
    return NULL;
}
