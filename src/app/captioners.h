/* The captioners that come with the program. */
#ifndef SAC_APP_CAPTIONERS_H
#define SAC_APP_CAPTIONERS_H

#include "trace/caption.h"

typedef struct app_captioners {
    char path[SAC_CAPTION_MODELS][1024];
    const char *paths[SAC_CAPTION_MODELS]; /* lends from `path` */
    int count;
} app_captioners;

/* The weights that are there, the default first; the struct must stay where it is. With `score`
 * that score's alone. SAC_E_ARGUMENT, with a suggestion, for a score that no model has; SAC_E_FILE
 * where the weights are not there. */
sac_status app_find_captioners(const char *score, app_captioners *found, sac_error *error);

#endif
