/* What a person chose for all windows: theme, size of text, colour map; and that the hints of the
 * first start were shown. Kept in $XDG_CONFIG_HOME/saccade/settings (else
 * ~/.config/saccade/settings), a line "key value" each; read and written by windows alone. */
#ifndef SAC_APP_SETTINGS_H
#define SAC_APP_SETTINGS_H

#include "base/output.h"
#include "window/window.h"

/* Loads the settings. Those that are missing or make no sense have their defaults; for the latter
 * `problem` gets a line (empty: all is well). */
void app_settings_load(viz_window_settings *settings, char *problem, size_t size);
/* Replaces the file as a whole, making its folder where that is missing. */
sac_status app_settings_save(const viz_window_settings *settings, sac_error *error);

/* "FOLDER/NAME" of the folder of settings into `path`; false where the person has no home. */
bool app_settings_path(const char *name, char *path, size_t size);
/* All of a small file that stands there; false where there is none, or it is longer. */
bool app_settings_read(const char *path, char *text, size_t size);
/* Makes the folder where that is missing, and opens the file to be replaced. */
sac_status app_settings_open(const char *name, sac_output *out, sac_error *error);

/* The lessons that a person went through to their end. Kept beside the settings, in
 * $XDG_CONFIG_HOME/saccade/lessons: a name a line. Read and written by windows alone. */
bool app_lesson_is_finished(const char *lesson);
void app_lesson_finish(const char *lesson);

#endif
