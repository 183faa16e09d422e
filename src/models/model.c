/* The parts of a model that all classes share. */

#include "models/decode.h"

sac_model_values sac_model_defaults(const sac_model_class *class)
{
    sac_model_values values = {{0}};
    for (int i = 0; class->options[i].name; i++)
        values.value[i] = class->options[i].initial;
    return values;
}

void sac_model_release(sac_model *model)
{
    sac_decoding_destroy(model->decoding);
    sac_parameters_destroy(&model->parameters);
    sac_pass_close(&model->pass);
}

void sac_model_destroy(sac_model *model)
{
    if (model)
        model->class->destroy(model);
}
