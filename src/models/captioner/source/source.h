/* Pictures, a folder of them, or scenes, with the bundled models behind them, as a viewer's source.
 */
#ifndef SAC_CAPTIONER_SOURCE_H
#define SAC_CAPTIONER_SOURCE_H

#include "models/model_class.h"

/* The weights are of `class`. Strings are copied. Errors: a picture's (only the one that is begun
 * with is loaded now), the weights' (their headers are read now, they themselves when a model is
 * first asked for a caption), the device's. SAC_E_ARGUMENT where the models' grids differ. Captions of a
 * picture without truth that the model is not sure of get the note of what it knows. */
sac_status sac_caption_open(const sac_model_class *class, const sac_model_open_options *options,
                            sac_source *source, sac_error *error);

#endif
