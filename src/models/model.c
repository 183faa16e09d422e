#include "models/model_class.h"

sac_model_values sac_model_defaults(const sac_model_class *class)
{
    sac_model_values values = {{0}};
    for (int i = 0; class->options[i].name; i++)
        values.value[i] = class->options[i].initial;
    return values;
}

void sac_model_destroy(sac_model *model)
{
    if (model)
        model->class->destroy(model);
}
