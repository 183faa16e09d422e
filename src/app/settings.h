/* What a person chose for all windows: theme, size of text, colour map; and that the hints of the
 * first start were shown. Kept in $XDG_CONFIG_HOME/saccade/settings (else
 * ~/.config/saccade/settings), a line "key value" each; read and written by windows alone. */
#ifndef SAC_APP_SETTINGS_H
#define SAC_APP_SETTINGS_H

#include "app/document.h"
#include "base/output.h"
#include "shell/chooser/chooser.h"
#include "window/window.h"

/* Loads the settings. Those that are missing or make no sense have their defaults; for the latter
 * `problem` gets a line (empty: all is well). */
void app_settings_load(viz_window_settings *settings, char *problem, size_t size);
/* Replaces the file as a whole, making its folder where that is missing. */
sac_status app_settings_save(const viz_window_settings *settings, sac_error *error);

/* The lessons that a person went through to their end. Kept beside the settings, in
 * $XDG_CONFIG_HOME/saccade/lessons: a name a line. Read and written by windows alone. */
bool app_lesson_is_finished(const char *lesson);
void app_lesson_finish(const char *lesson);

/* The documents that a person opened before, the newest first. Kept beside the settings, in
 * $XDG_CONFIG_HOME/saccade/recent: a line each, files that were opened together with a tab between
 * them. What the dialog of opening begins with: those that are still there, without the document that is
 * open, samples (app/assets.h), and the folder of what is open. */
void app_offer(void *document, viz_opens *opens);
/* Puts what is open first. A scene is no file; what cannot be kept is left out. */
void app_recent_note(const app_document *document);

#endif
