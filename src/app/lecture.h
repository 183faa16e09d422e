/* What is seen, into a lecture and out of it again; opening one: document_loader.h. */
#ifndef SAC_APP_LECTURE_H
#define SAC_APP_LECTURE_H

#include "app/document.h"

/* Adds the view that is shown as a stop to the lecture at `path`, which is made where none is there: behind the
 * stop that is open where it is that lecture's, else as the last one. *number, from 1, is the stop's.
 * SAC_E_ARGUMENT for a view that cannot be opened again. */
sac_status app_lecture_add(void *document, const char *path, int *number, sac_error *error);
/* Takes that stop out of it; a lecture without stops is removed. */
sac_status app_lecture_take_back(void *document, const char *path, int number, sac_error *error);

#endif
