/* The translator as a row of the table of models. */
#ifndef SAC_TRANSLATOR_CLASS_H
#define SAC_TRANSLATOR_CLASS_H

#include "models/model_class.h"

extern const sac_model_class sac_translator_class;

#endif
