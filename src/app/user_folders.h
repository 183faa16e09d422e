/* The folders of a person that a desktop names, where files are usually looked for: home, desktop, pictures,
 * downloads. */
#ifndef SAC_APP_USER_FOLDERS_H
#define SAC_APP_USER_FOLDERS_H

#include "shell/chooser/chooser.h"

/* Those that are there, in that order; returns how many. Home is $HOME; the others are named by
 * $XDG_CONFIG_HOME/user-dirs.dirs (else ~/.config/user-dirs.dirs), or else stand in the home folder by their English
 * names. */
int app_find_user_folders(viz_folder folders[VIZ_FOLDERS_MOST]);

#endif
