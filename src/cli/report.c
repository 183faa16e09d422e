/* Errors of every command, and the exit status of each. */

#include "cli/cli.h"

#include <string.h>

#include "sharing/ranks/ranks.h"

static int status_of(const sac_error *error)
{
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

int cli_report(const sac_error *error)
{
    return error->status != SAC_OK && cli_report_later(error) ? status_of(error)
                                                              : cli_report_now(error);
}

int cli_report_now(const sac_error *error)
{
    bool is_known =
        sac_ranks_agreed() || error->status == SAC_E_ARGUMENT || error->status == SAC_E_CANCELLED;
    cli_progress_clear();
    if (sac_ranks_me() == 0 || !is_known)
        sac_error_print(error, stderr);
    return status_of(error);
}
int cli_usage(const char *where, const char *what, const char *todo)
{
    sac_error error = {.status = SAC_E_ARGUMENT};
    snprintf(error.where, sizeof error.where, "%s", where);
    snprintf(error.what, sizeof error.what, "%s", what);
    snprintf(error.todo, sizeof error.todo, "%s", todo ? todo : "");
    return cli_report(&error);
}
