/* Errors of every command, and the exit status of each. */

#include "cli/cli.h"

#include <string.h>

#include "sharing/ranks/ranks.h"

int cli_join(const cli_command *command)
{
    int me, count;
    sac_error error = {0};
    if (sac_ranks_join(&me, &count, &error) != SAC_OK)
        return cli_report(&error);
    sac_ranks_stop_when(cli_interrupted);
    if (me > 0 && !freopen("/dev/null", "w", stdout))
        return CLI_FAILED;
    return count == 1 || command->shares
               ? CLI_DONE
               : cli_usage(command->name, "is the work of one process", "start it without mpirun");
}

const char *cli_own_device(const char *selector)
{
    static char own[128];
    int count = 1;
    for (const char *at = selector; at && *at; at++)
        count += *at == ',';
    if (count == 1 || sac_ranks_count() == 1)
        return selector;
    for (int skip = sac_ranks_me() % count; skip > 0; skip--)
        selector = strchr(selector, ',') + 1;
    snprintf(own, sizeof own, "%.*s", (int)strcspn(selector, ","), selector);
    return own;
}

int cli_report(const sac_error *error)
{
    bool is_known = sac_ranks_agreed() || error->status == SAC_E_ARGUMENT;
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
