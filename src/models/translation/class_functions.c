/* Sentences to learn from, to be watched on and to be measured by: the same for every model. */
#include "translation/class_functions.h"

#include "translation/evaluate.h"
#include "translation/sentence_batches.h"
#include "translation/watched_sentences.h"

sac_status sac_translation_batches(const sac_model *model, const sac_model_values *values,
                                   size_t size, uint32_t seed, sac_batch_maker *maker,
                                   sac_error *error)
{
    (void)model;
    (void)values;
    return sac_sentence_batches(size, seed, maker, error);
}

sac_status sac_translation_watch(const sac_model *model, sac_watched *watched, sac_error *error)
{
    (void)model;
    return sac_watched_sentences(watched, error);
}

sac_status sac_translation_figures(sac_model *model, const sac_evaluation_options *options,
                                   const sac_progress *progress, sac_evaluation_report *report,
                                   sac_error *error)
{
    sac_translation_evaluation evaluation;
    sac_status status = sac_translation_evaluate(model, options, progress, &evaluation, error);
    if (status == SAC_OK)
        sac_translation_report(&evaluation, report);
    return status;
}
