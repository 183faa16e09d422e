#include "cli/cli.h"

int cli_train(cli_args args)
{
    (void)args;
    return cli_usage("train", "is not built yet", "come back soon");
}
