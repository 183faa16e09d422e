/* The world that a command is about. */
#include "worlds/world.h"

#include <string.h>

#include "base/suggestion.h"
#include "cli/cli.h"

int cli_world_check(const char *world, const char *weights)
{
    const char *names[8];
    char what[96], todo[64] = "give ";
    int count = 0;
    if (world && weights)
        return cli_usage("--world", "is given beside --weights", "give one of the two");
    if (!world || sac_world_find(world))
        return CLI_DONE;
    for (; count < 8 && sac_world_at(count); count++)
        names[count] = sac_world_at(count)->name;
    sac_names_join(names, count, todo + strlen(todo), sizeof todo - strlen(todo));
    snprintf(what, sizeof what, "\"%.40s\" is not one it knows", world);
    return cli_usage("--world", what, todo);
}
