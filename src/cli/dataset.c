/* The dataset that a command is about. */
#include "datasets/dataset.h"

#include <string.h>

#include "app/open/datasets.h"
#include "base/text/suggestion.h"
#include "cli/cli.h"

static int unknown(const char *dataset, bool photographs)
{
    const char *names[8];
    char what[96], todo[64] = "give ";
    int count = 0;
    for (; count < 7 && sac_dataset_at(count); count++)
        names[count] = sac_dataset_at(count)->name;
    if (photographs)
        names[count++] = APP_PHOTOGRAPHS;
    sac_names_join(names, count, todo + strlen(todo), sizeof todo - strlen(todo));
    snprintf(what, sizeof what, "unknown dataset \"%.40s\"", dataset);
    return cli_usage("--dataset", what, todo);
}

int cli_dataset_check(const char *dataset)
{
    return !dataset || sac_dataset_find(dataset) ? CLI_DONE : unknown(dataset, false);
}

int cli_captioner_check(const char *dataset, const char *weights)
{
    if (dataset && weights)
        return cli_usage("--dataset", "is given beside --weights", "give one of the two");
    bool known = !dataset || sac_dataset_find(dataset) || strcmp(dataset, APP_PHOTOGRAPHS) == 0;
    return known ? CLI_DONE : unknown(dataset, true);
}
