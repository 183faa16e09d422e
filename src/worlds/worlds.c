/* The table of worlds. */

#include <stdio.h>
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

char *sac_world_sentence(const sac_world *world, const void *scene, char *text, size_t size)
{
    int word[SAC_WORLD_WORDS], count = world->sentence(scene, word);
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i + 1 < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "",
                                 world->word_text(word[i]));
    return text;
}
