/* The dataset that a command is about. */
#include "datasets/dataset.h"

#include <string.h>

#include "base/text/suggestion.h"
#include "cli/cli.h"

int cli_dataset_check(const char *dataset, const char *weights)
{
    const char *names[8];
    char what[96], todo[64] = "give ";
    int count = 0;
    if (dataset && weights)
        return cli_usage("--dataset", "is given beside --weights", "give one of the two");
    if (!dataset || sac_dataset_find(dataset))
        return CLI_DONE;
    for (; count < 8 && sac_dataset_at(count); count++)
        names[count] = sac_dataset_at(count)->name;
    sac_names_join(names, count, todo + strlen(todo), sizeof todo - strlen(todo));
    snprintf(what, sizeof what, "unknown dataset \"%.40s\"", dataset);
    return cli_usage("--dataset", what, todo);
}
