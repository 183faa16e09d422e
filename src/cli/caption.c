#include "cli/cli.h"

int cli_caption(cli_args args)
{
    (void)args;
    return cli_usage("caption", "is not built yet", "come back soon");
}
