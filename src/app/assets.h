/* Files that come with the program. */
#ifndef SAC_APP_ASSETS_H
#define SAC_APP_ASSETS_H

#include "saccade.h"

/* The path of `name` ("pictures/harbour.png") into `path`: in the installation that the program
 * belongs to, wherever it was moved, or in the sources of the build folder that it stands in.
 * SAC_E_FILE with `remedy` where it is in none of them. */
sac_status app_find_asset(const char *name, const char *remedy, char *path, size_t size,
                          sac_error *error);

#endif
