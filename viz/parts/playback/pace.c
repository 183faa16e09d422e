#include "parts/playback/pace.h"

#include <string.h>

const char *const viz_pace_names[VIZ_PACES] = {"still", "slow", "usual", "fast"};

bool viz_pace_from_name(const char *name, viz_pace *pace)
{
    for (int i = 0; i < VIZ_PACES; i++)
        if (strcmp(name, viz_pace_names[i]) == 0) {
            *pace = (viz_pace)i;
            return true;
        }
    return false;
}
