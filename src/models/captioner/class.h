/* The captioner as a row of the table of models. */
#ifndef SAC_CAPTIONER_CLASS_H
#define SAC_CAPTIONER_CLASS_H

#include "models/model_class.h"

extern const sac_model_class sac_captioner_class;

#endif
