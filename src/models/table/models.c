#include "table/models.h"

#include <string.h>

#include "captioner/class.h"

const sac_model_class *const sac_models[] = {
    &sac_captioner_class,
    NULL,
};

const sac_model_class *sac_model_find(const char *name)
{
    for (int i = 0; sac_models[i]; i++)
        if (strcmp(sac_models[i]->name, name) == 0)
            return sac_models[i];
    return NULL;
}
