/* The table of datasets. */

#include <string.h>

#include "list.h"

static const sac_dataset *const datasets[] = {&sac_dataset_shapes, &sac_dataset_book};

enum { WORLDS = sizeof datasets / sizeof *datasets };

const sac_dataset *sac_dataset_at(int index)
{
    return index >= 0 && index < WORLDS ? datasets[index] : NULL;
}

const sac_dataset *sac_dataset_find(const char *name)
{
    for (int i = 0; i < WORLDS; i++)
        if (strcmp(datasets[i]->name, name) == 0)
            return datasets[i];
    return NULL;
}
