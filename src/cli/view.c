#include "cli/cli.h"

int cli_view(cli_args args)
{
    const char *files[8];
    int count;
    const cli_option options[] = {{0}};
    int status = cli_parse(cli_find("view"), args, options, files, 8, &count);
    if (status != CLI_DONE)
        return status < 0 ? CLI_DONE : status;
    return CLI_DONE;
}
