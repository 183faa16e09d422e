/* The settings of all views as they are at a time, to be given to views of the same file again. */
#ifndef SAC_APP_KEPT_SETTINGS_H
#define SAC_APP_KEPT_SETTINGS_H

#include "shell/shell.h"

typedef struct app_kept_setting app_kept_setting;

typedef struct app_kept {
    app_kept_setting *items; /* [count], owned */
    size_t count;
    const char *tab; /* the name of the view that is looked at; NULL: none is */
} app_kept;

/* In place of what was kept before. Without memory a setting is as it is at first. */
void app_keep(app_kept *kept, const viz_shell *shell);
void app_kept_restore(const app_kept *kept, viz_shell *shell);
void app_kept_copy(const app_kept *from, app_kept *to); /* into a zeroed one */
/* True where a view of that class was among them. */
bool app_kept_has(const app_kept *kept, const viz_view_class *class);
/* Those of these names (ends with NULL), in all views. */
void app_kept_forget(app_kept *kept, const char *const *keys);
void app_kept_free(app_kept *kept); /* takes a zeroed one */

#endif
