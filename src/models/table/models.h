/* All models of this program. */
#ifndef SAC_TABLE_MODELS_H
#define SAC_TABLE_MODELS_H

#include "models/model_class.h"

extern const sac_model_class *const sac_models[]; /* ends with NULL */
/* NULL: there is none of that name. */
const sac_model_class *sac_model_find(const char *name);

#endif
