/* A sentence with its translation, as a viewer's source. */
#ifndef SAC_TRANSLATION_SOURCE_H
#define SAC_TRANSLATION_SOURCE_H

#include "models/model_class.h"

/* Translates options->text, or the test stream's sentence of number options->scene, into a trace of
 * weights [1,1,1,words of the translation,words of the sentence] with both as labels. One model.
 * Errors: the text's, the weights', the device's. SAC_E_ARGUMENT for a model without attention. */
sac_status sac_translation_open(const sac_model_class *class, const sac_model_open_options *options,
                                sac_trace *trace, sac_error *error);
/* The same of a translation that is there already; copies it. */
sac_status sac_translation_trace(const sac_caption *translation, const char *device,
                                 sac_trace *trace, sac_error *error);

#endif
