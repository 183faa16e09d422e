/* The parts of opening a document, for open.c: each fills the views that it is called after. */
#ifndef SAC_CLI_OPEN_PARTS_H
#define SAC_CLI_OPEN_PARTS_H

#include "cli/open.h"

enum { CLI_CAPTION = 0, CLI_PICTURE, CLI_MATRIX, CLI_HEADS }; /* places in the shell */
extern const char *const cli_tab_names[VIZ_MAX_TABS];         /* NULL: no such view yet */

/* The request's files are pictures and folders, or there are none: a scene. */
sac_status cli_open_pictures(cli_document *document, const cli_open_request *request,
                             sac_error *error);
/* `picture`: what they lie over, or NULL. */
sac_status cli_open_arrays(cli_document *document, const cli_open_request *request,
                           const char *arrays, const char *picture, sac_error *error);

/* The value that the person gave for a setting; NULL: none. */
const char *cli_find_setting(const cli_open_request *request, const char *key);
/* SAC_E_ARGUMENT where the setting "query" is not in the grid. A view leaves alone what it does not
 * have; a person who asked for it should hear so. */
sac_status cli_check_query(const cli_open_request *request, size_t columns, size_t rows,
                           sac_error *error);

#endif
