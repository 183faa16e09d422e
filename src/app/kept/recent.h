/* The documents that a person opened before, the newest first. Kept beside the settings, in
 * $XDG_CONFIG_HOME/saccade/recent: a line each, files that were opened together with a tab between
 * them. Read and written by windows alone. */
#ifndef SAC_APP_RECENT_H
#define SAC_APP_RECENT_H

#include "app/document.h"
#include "shell/chooser/chooser.h"

/* What the dialog of opening begins with: documents that are still there, without the one that is open,
 * samples (app/samples.h), and the folder of what is open. */
void app_offer(void *document, viz_opens *opens);
/* Puts what is open first. A scene is no file; what cannot be kept is left out. */
/* What the dialog of opening begins with, of a document. */
void app_offer(void *document, viz_opens *opens);
void app_recent_note(const app_document *document);

#endif
