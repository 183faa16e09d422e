/* Files that come with the program: weights of models, and what a person may open without having anything; and
 * photographs where a package of the system has put them. */
#ifndef SAC_APP_ASSETS_H
#define SAC_APP_ASSETS_H

#include "models/model_class.h"
#include "saccade.h"
#include <stdbool.h>

/* The path of `name` ("pictures/harbour.png") into `path`: in the installation that the program
 * belongs to, wherever it was moved, or in the sources of the build folder that it stands in.
 * SAC_E_FILE with `remedy` where it is in none of them. */
sac_status app_find_asset(const char *name, const char *remedy, char *path, size_t size,
                          sac_error *error);

/* ---- what a person may open */

#define APP_SAMPLES_MOST 16
#define APP_SAMPLE_PATH 1024

typedef enum app_sample_kind {
    APP_SAMPLE_PAGE,    /* a scene of the picture book or of flat shapes, which holds its truth */
    APP_SAMPLE_PICTURE, /* painted for Saccade, not a scene */
    APP_SAMPLE_PHOTOGRAPH, /* of a package of the system, in the public domain or under CC0 */
    APP_SAMPLE_ATTENTION   /* arrays */
} app_sample_kind;

typedef struct app_sample {
    app_sample_kind kind;
    const char *title;  /* "Chelsea the cat"; static, like the credit */
    const char *credit; /* author and licence: "Stéfan van der Walt, CC0" */
    char path[APP_SAMPLE_PATH];
} app_sample;

/* Those whose file is there, in the order in which they are offered. Returns how many.
 * `photographs`: the folder of the photographs; NULL: the one that the environment names as
 * SACCADE_PHOTOGRAPHS, else that of the package. */
int app_samples(const char *photographs, app_sample samples[APP_SAMPLES_MOST]);
/* Whether the path is that of one of them, by whichever name. */
bool app_is_sample(const char *path, const app_sample *samples, int count);
/* What drawings of lessons show, the `place`-th that is there: photographs, then a painted picture.
 * False: there are no more. */
bool app_find_lesson_sample(const char *photographs, int place, app_sample *sight);

/* ---- weights of a class of models, found by their names */

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
