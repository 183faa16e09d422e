/* Options of the command line that are given on to the views: "--overlay contour" becomes
 * restore("overlay", "contour"). The rows of the views' settings declare them (view/settings.h). */
#ifndef SAC_APP_VIEW_OPTIONS_H
#define SAC_APP_VIEW_OPTIONS_H

#include "saccade.h"
#include "view/settings.h"

#define APP_MAX_VIEW_OPTIONS 48

typedef struct app_view_option {
    const char *key, *value;
} app_view_option;

/* Option `place`, from 0; NULL: there are no more. */
const viz_setting *app_view_option_at(int place);
/* Its line of help, "opacity of the heat, or of the rim of light (a number from 0 to 1)", into
 * `text`, which is returned. */
char *app_view_option_help(const viz_setting *setting, char *text, size_t size);

/* Checks values[i], given for option i or NULL, and collects those given. SAC_E_ARGUMENT, naming the
 * option and what it takes, on a mistake. */
sac_status app_view_options_parse(const char *const values[], app_view_option *settings, int *count,
                                  sac_error *error);

#endif
