/* Errors of every command, and the exit status of each. */

#include "cli/cli.h"

#include <string.h>

#include "sharing/ranks/ranks.h"

int cli_report(const sac_error *error)
{
    bool is_known = sac_ranks_agreed() || error->status == SAC_E_ARGUMENT ||
                    (error->status == SAC_E_CANCELLED && sac_ranks_device_of(0));
    cli_progress_clear();
    if (sac_ranks_me() == 0 || !is_known)
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
