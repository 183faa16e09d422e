/* All models of this program. */
#ifndef SAC_TABLE_MODELS_H
#define SAC_TABLE_MODELS_H

#include "models/model_class.h"
#include "saccade_arrays.h"

extern const sac_model_class *const sac_models[]; /* ends with NULL */
/* NULL: there is none of that name. */
const sac_model_class *sac_model_find(const char *name);
/* The class whose weights a file holds; the first where the file names none, whose own reader then
 * reports what is wrong with the file. */
const sac_model_class *sac_model_of_file(const sac_arrays *file);
/* The class of the weights that a file of this program's own training holds; NULL: it is another file. */
const sac_model_class *sac_model_of_own_file(const char *path);
/* Opens the first weights' class on what the options name. */
sac_status sac_model_open(const sac_model_open_options *options, sac_source *source,
                          sac_error *error);

#endif
