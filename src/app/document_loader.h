/* Documents opened for a window, on a thread of their own: the first one, a file dropped on the
 * window, the same on the next device. */
#ifndef SAC_APP_DOCUMENT_LOADER_H
#define SAC_APP_DOCUMENT_LOADER_H

#include "app/document.h"
#include "window/window.h"

/* Opens `request` into the zeroed `document`, whose shell is the window's, and prints then as
 * app_document_print_notes does. The request must outlive the opening. NULL: no memory. */
viz_opening *app_load_first(app_document *document, const app_request *request, sac_error *error);
/* The files, taken together as on the command line, in place of what `document` holds. A file of
 * labels alone is taken with the arrays that are open. */
viz_opening *app_load_files(void *document, const char *const *paths, int count, sac_error *error);
/* A place of the program: of what was open before the newest that has a view of that class, as it was
 * left; else what the program opens there by itself. */
viz_opening *app_load_document_for_view(void *document, const viz_view_class *class,
                                        sac_error *error);
/* What is open where nothing was asked for, which shows itself. */
viz_opening *app_load_beginning(void *document, sac_error *error);
/* What was open before, as it was left. */
viz_opening *app_load_before(void *document, sac_error *error);
/* The stop of that number, from 0, of the lecture that is open. */
viz_opening *app_load_stop(void *document, int stop, sac_error *error);
/* Opens the document again where the Picture tab is shown and the captions turned to another
 * picture than its own; NULL without an error where they did not. */
viz_opening *app_load_requested_in_views(void *document, sac_error *error);
/* Another reading of the arrays that are open, number `reading` of their source; with lessons what
 * their door of that number leads to. */
viz_opening *app_load_reading(void *document, int reading, sac_error *error);
/* Opens the document again on the device after the one in use; the views keep their settings. */
viz_opening *app_load_next_device(void *document, sac_error *error);

/* The documents that a person opened before, the newest first. Kept beside the settings, in
 * $XDG_CONFIG_HOME/saccade/recent: a line each, files that were opened together with a tab between
 * them. What the dialog of opening begins with: those that are still there, without the document that is
 * open, samples (app/assets.h), and the folder of what is open. */
void app_list_openable(void *document, viz_opens *opens);
/* Puts what is open first. A scene is no file; what cannot be kept is left out. */
void app_recent_add_document(const app_document *document);

#endif
