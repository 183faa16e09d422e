#include "cli/cli.h"

int cli_scene(cli_args args)
{
    (void)args;
    return cli_usage("scene", "is not built yet", "come back soon");
}
