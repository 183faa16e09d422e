/* Encoding and generation of any model that translates. */

#include "translation/translation.h"

#include <stdio.h>

#include "base/error.h"
#include "grammar/sentence.h"

sac_status sac_translation_read(sac_model *model, const int *words, int count, sac_error *error)
{
    if (count < 1 || count > SAC_TRANSLATION_SOURCE)
        return sac_fail(error, SAC_E_ARGUMENT, "sentence", "give 1 to 40 words", "has %d words",
                        count);
    return model->class->read(model, words, count, error);
}

sac_status sac_translation_attentions(sac_model *model, const sac_result *caption,
                                      sac_attentions *attentions, sac_error *error)
{
    int words[SAC_MAX_TOKENS];
    *attentions = (sac_attentions){0};
    if (!model->class->attentions)
        return sac_fail(error, SAC_E_ARGUMENT, "model", "give a transformer",
                        "the %s has no layers of heads", model->class->name);
    return model->class->attentions(model, words, sac_result_tokens(caption, words), attentions,
                                    error);
}

bool sac_translation_attends(const sac_model *model)
{
    return !model->class->decoder->start(model).is_blind;
}

sac_status sac_translation_generate(sac_model *model, const sac_result_request *request,
                                    sac_result *caption, sac_error *error)
{
    sac_status status = sac_model_decode(model, request, caption, error);
    if (status != SAC_OK)
        return status;
    if (!caption->finished)
        snprintf(caption->note, sizeof caption->note, "the translation is cut after %d words",
                 caption->count);
    else if (caption->grid_w > SAC_SENTENCE_MOST)
        snprintf(caption->note, sizeof caption->note,
                 "the sentence is longer than any that the model was made for: %d words, not %d",
                 caption->grid_w, SAC_SENTENCE_MOST);
    return SAC_OK;
}
