/* The parts of opening a document, for open.c: each fills the views that it is called after. */
#ifndef SAC_APP_DOCUMENT_PARTS_H
#define SAC_APP_DOCUMENT_PARTS_H

#include "app/document.h"

enum { APP_CAPTION = 0, APP_PICTURE, APP_MATRIX, APP_HEADS }; /* places in the shell */
extern const char *const app_tab_names[VIZ_MAX_TABS];         /* NULL: no such view yet */

/* The request's files are pictures and folders, or there are none: a scene. */
sac_status app_open_pictures(app_document *document, const app_open_request *request,
                             sac_error *error);
/* `picture`: what they lie over, or NULL. */
sac_status app_open_arrays(app_document *document, const app_open_request *request,
                           const char *arrays, const char *picture, sac_error *error);

/* The value that the person gave for a setting; NULL: none. */
const char *app_find_setting(const app_open_request *request, const char *key);
/* SAC_E_ARGUMENT where the setting "query" is not in the grid. A view leaves alone what it does not
 * have; a person who asked for it should hear so. */
sac_status app_check_query(const app_open_request *request, size_t columns, size_t rows,
                           sac_error *error);

#endif
