/* What views are told from the command line: "--overlay contour" becomes restore("overlay",
 * "contour"). */
#ifndef SAC_CLI_SETTINGS_H
#define SAC_CLI_SETTINGS_H

#include <stdbool.h>

#define CLI_MAX_SETTINGS 32

typedef struct cli_setting {
    const char *key, *value;
} cli_setting;

typedef struct cli_setting_rule {
    const char *option, *value_name, *help;
    const char *allowed; /* goes on from "give …" */
    bool (*is_allowed)(const char *text);
    const char *key; /* what views call it; NULL: as the option */
} cli_setting_rule;
extern const cli_setting_rule cli_setting_rules[]; /* ends with a zeroed one */

/* Checks values[i], given for rule i or NULL, and collects those given. On a mistake prints one
 * line and returns CLI_USAGE. */
int cli_settings_take(const char *const values[], cli_setting *settings, int *count);

#endif
