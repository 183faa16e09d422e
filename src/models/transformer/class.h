/* The transformer as a row of the table of models. */
#ifndef SAC_TRANSFORMER_CLASS_H
#define SAC_TRANSFORMER_CLASS_H

#include "models/model_class.h"

extern const sac_model_class sac_transformer_class;

#endif
