/* How fast things move that are seen becoming, as a person chooses it. */
#ifndef VIZ_PARTS_PACE_H
#define VIZ_PARTS_PACE_H

#include <stdbool.h>

typedef enum viz_pace {
    VIZ_PACE_STILL = 0, /* what would become is there at once */
    VIZ_PACE_SLOW,
    VIZ_PACE_USUAL,
    VIZ_PACE_FAST,
    VIZ_PACES
} viz_pace;
extern const char *const viz_pace_names[VIZ_PACES]; /* "still" … */

/* False: there is none of that name. */
bool viz_pace_from_name(const char *name, viz_pace *pace);

#endif
