/* Options of the command line that are given on to the views: "--overlay contour" becomes
 * restore("overlay", "contour"). */
#ifndef SAC_APP_VIEW_OPTIONS_H
#define SAC_APP_VIEW_OPTIONS_H

#include <stdbool.h>

#include "saccade.h"

#define APP_MAX_VIEW_OPTIONS 48

typedef struct app_view_option {
    const char *key, *value;
} app_view_option;

typedef enum app_view_option_kind {
    APP_REAL = 0,
    APP_WHOLE,
    APP_WORD,   /* one of `names` */
    APP_NAME,   /* any; `names` are examples */
    APP_SCORE,  /* the name of a score */
    APP_PLACE,  /* "12,8" */
    APP_RANGE,  /* "100:200" */
    APP_SETTING /* what the first view takes that has such a setting: its range, or its names */
} app_view_option_kind;

typedef struct app_view_option_rule {
    const char *option, *value_name, *help;
    app_view_option_kind kind;
    double low, high;
    const char *const *names;
    int count;
    const char *key; /* what views call it; NULL: as the option */
} app_view_option_rule;
extern const app_view_option_rule app_view_option_rules[]; /* ends with a zeroed one */
/* "a number from 0 to 1", what the option takes, into `text`, which is returned. */
char *app_view_option_allowed(const app_view_option_rule *rule, char *text, size_t size);

/* Checks values[i], given for rule i or NULL, and collects those given. SAC_E_ARGUMENT, naming the
 * option and what it takes, on a mistake. */
sac_status app_view_options_take(const char *const values[], app_view_option *settings, int *count,
                                 sac_error *error);

#endif
