/* The weights that come with the program. */
#ifndef SAC_APP_WEIGHTS_H
#define SAC_APP_WEIGHTS_H

#include "models/model_class.h"

typedef struct app_weights {
    char path[SAC_SOURCE_MODELS][1024];
    const char *paths[SAC_SOURCE_MODELS]; /* lends from `path` */
    int count;
} app_weights;

/* Finds the weights of a class, the default first; the struct must stay where it is. With
 * `dataset`, only those trained on it; else all of the dataset of the first that is there. With
 * `name`, only those of that name (an error names "--score" as its source). SAC_E_ARGUMENT, with a
 * suggestion, for a name that none has; SAC_E_FILE where the weights are not there. */
sac_status app_find_weights(const sac_model_class *class, const char *dataset, const char *name,
                            app_weights *found, sac_error *error);

/* The same for `evaluate`: of a model that learnt what the test asks for, its like that did not. */
sac_status app_find_judged_weights(const sac_model_class *class, const char *dataset,
                                   app_weights *found, sac_error *error);

/* The weights of all models that translate, the default first. */
sac_status app_find_translators(app_weights *found, sac_error *error);

#endif
