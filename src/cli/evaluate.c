#include "cli/cli.h"

int cli_evaluate(cli_args args)
{
    (void)args;
    return cli_usage("evaluate", "is not built yet", "come back soon");
}
