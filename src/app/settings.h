/* The settings of all windows: theme, size of text, colour map. They are kept in
 * $XDG_CONFIG_HOME/saccade/settings (else ~/.config/saccade/settings), a line "key value" each;
 * read and written by windows alone. */
#ifndef SAC_APP_SETTINGS_H
#define SAC_APP_SETTINGS_H

#include "window/window.h"

/* Loads the settings. Those that are missing or make no sense have their defaults; for the latter
 * `problem` says so in a line (empty: all is well). */
void app_settings_load(viz_window_settings *settings, char *problem, size_t size);
/* Replaces the file as a whole, making its folder where that is missing. */
sac_status app_settings_save(const viz_window_settings *settings, sac_error *error);

#endif
