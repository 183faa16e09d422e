/* What a person chose for all windows: theme, size of text, colour map. Kept in
 * $XDG_CONFIG_HOME/saccade/settings (else ~/.config/saccade/settings), a line "key value" each;
 * read and written by windows alone. */
#ifndef SAC_APP_SETTINGS_H
#define SAC_APP_SETTINGS_H

#include "window/window.h"

/* What is not there, or makes no sense, is as at first; then `problem` says so in a line (empty:
 * all is well). */
void app_settings_load(viz_window_settings *settings, char *problem, size_t size);
/* Replaces the file as a whole, making its folder where that is missing. */
sac_status app_settings_save(const viz_window_settings *settings, sac_error *error);

#endif
