/* Errors of every command, and the exit status of each. */

#include "cli/cli.h"

int cli_report(const sac_error *error)
{
    cli_progress_clear();
    sac_error_print(error, stderr);
    switch (error->status) {
    case SAC_OK:
        return CLI_DONE;
    case SAC_E_ARGUMENT:
        return CLI_USAGE;
    case SAC_E_NO_DEVICE:
        return CLI_NO_DEVICE;
    default:
        return CLI_FAILED;
    }
}

int cli_usage(const char *where, const char *what, const char *todo)
{
    sac_error error = {.status = SAC_E_ARGUMENT};
    snprintf(error.where, sizeof error.where, "%s", where);
    snprintf(error.what, sizeof error.what, "%s", what);
    snprintf(error.todo, sizeof error.todo, "%s", todo ? todo : "");
    return cli_report(&error);
}
