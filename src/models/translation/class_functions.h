/* The functions of sac_model_class that all models that translate share. */
#ifndef SAC_TRANSLATION_CLASS_FUNCTIONS_H
#define SAC_TRANSLATION_CLASS_FUNCTIONS_H

#include "models/model_class.h"

sac_status sac_translation_batches(const sac_model *model, const sac_model_values *values,
                                   size_t size, uint32_t seed, sac_batch_maker *maker,
                                   sac_error *error);
sac_status sac_translation_prepare(sac_model *model, const sac_model_values *values,
                                   sac_error *error);
/* Of models of a person's pairs, which alone are judged. */
sac_status sac_translation_judge(sac_model *model, const sac_model_values *values, double *score,
                                 sac_error *error);
sac_status sac_translation_watch(const sac_model *model, sac_watched *watched, sac_error *error);
sac_status sac_translation_evaluate_model(sac_model *model, const sac_evaluation_options *options,
                                          const sac_progress *progress,
                                          sac_evaluation_report *report, sac_error *error);

#endif
