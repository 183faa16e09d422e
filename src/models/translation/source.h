/* Models that translate at work, as a viewer's source: sentences that a person types or turns to,
 * and what one or several models make of them. */
#ifndef SAC_TRANSLATION_SOURCE_H
#define SAC_TRANSLATION_SOURCE_H

#include "models/model_class.h"

/* Opens options->text, or else sentence options->picture of those to turn to: 0 is the sentence of
 * the figure (language/sentence.h), the others are the test stream's from number options->scene on.
 * The weights are of `class`, or of the one that options->class_of returns. A model without attention gives
 * weights of 0. Errors: the text's, the weights', the device's. */
sac_status sac_translation_open(const sac_model_class *class, const sac_model_open_options *options,
                                sac_source *source, sac_error *error);

#endif
