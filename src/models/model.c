/* The parts of a model that all classes share. */

#include "models/model_class.h"

sac_model_values sac_model_defaults(const sac_model_class *class)
{
    sac_model_values values = {{0}};
    for (int i = 0; class->options[i].name; i++)
        values.value[i] = class->options[i].initial;
    return values;
}

void sac_model_release(sac_model *model)
{
    sac_generation_destroy(model->generation);
    sac_token_run_free(&model->token_run);
    sac_parameters_destroy(&model->parameters);
    sac_parameters_destroy(&model->frozen);
    sac_pass_close(&model->pass);
}

const sac_decoder *sac_model_decoder(const sac_model *model)
{
    const sac_model_class *class = model->class;
    return class->decoder_of ? class->decoder_of(model) : class->decoder;
}

sac_status sac_model_decode(sac_model *model, const sac_result_request *request,
                            sac_result *caption, sac_error *error)
{
    return sac_generate(&model->generation, sac_model_decoder(model), model, request, caption,
                        error);
}

void sac_model_destroy(sac_model *model)
{
    if (model)
        model->class->destroy(model);
}
