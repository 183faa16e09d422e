/* Options of the command line that are given on to the views: "--overlay contour" becomes
 * restore("overlay", "contour"). */
#ifndef SAC_APP_VIEW_OPTIONS_H
#define SAC_APP_VIEW_OPTIONS_H

#include <stdbool.h>

#include "saccade.h"

#define APP_MAX_VIEW_OPTIONS 32

typedef struct app_view_option {
    const char *key, *value;
} app_view_option;

typedef struct app_view_option_rule {
    const char *option, *value_name, *help;
    const char *allowed; /* goes on from "give …" */
    bool (*is_allowed)(const char *text);
    const char *key; /* what views call it; NULL: as the option */
} app_view_option_rule;
extern const app_view_option_rule app_view_option_rules[]; /* ends with a zeroed one */

/* Checks values[i], given for rule i or NULL, and collects those given. SAC_E_ARGUMENT, naming the
 * option and what it takes, on a mistake. */
sac_status app_view_options_take(const char *const values[], app_view_option *settings, int *count,
                                 sac_error *error);

#endif
