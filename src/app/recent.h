/* The documents that a person opened before, the newest first. Kept beside the settings, in
 * $XDG_CONFIG_HOME/saccade/recent: a line each, files that were opened together with a tab between
 * them. Read and written by windows alone. */
#ifndef SAC_APP_RECENT_H
#define SAC_APP_RECENT_H

#include "app/document.h"
#include "shell/chooser.h"

/* For the window: at most VIZ_RECENT_MOST of those that are still there, without the one that is
 * open, and after them samples (app/samples.h); and the folder [VIZ_PATH_SIZE] of what is open.
 * Returns how many. */
int app_recent_list(void *document, viz_recent *recent, char *folder);
/* Puts what is open first. A scene is no file; what cannot be kept is left out. */
void app_recent_note(const app_document *document);

#endif
