/* What a person may open without having anything: files that come with the program, and photographs
 * where a package of the system has put them. */
#ifndef SAC_APP_SAMPLES_H
#define SAC_APP_SAMPLES_H

#include <stdbool.h>

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
/* What drawings of lessons show, the `place`-th that is there: photographs, then a painted picture.
 * False: there are no more. */
bool app_lesson_sight(const char *photographs, int place, app_sample *sight);

#endif
