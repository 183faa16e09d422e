/* PNGs that Saccade wrote: what they show, and how it was shown. */
#ifndef SAC_APP_REOPEN_H
#define SAC_APP_REOPEN_H

#include "view/shell.h"

/* The origin and settings that a saved picture holds; free it with app_saved_free. */
typedef struct app_saved {
    char *file;        /* that is still there as it was; NULL: none */
    bool is_lesson;    /* it shows a lesson, of its own numbers or of `file` */
    bool is_scene;     /* it shows a scene of the test stream instead: … */
    uint64_t scene;    /* … the first one, … */
    int picture;       /* … turned to so often, */
    const char *world; /* … of this world */
    char *text;        /* it shows this sentence and its translation instead; NULL: none */
    char note[512];    /* where the picture came from, for a person; empty: nothing is known */
} app_saved;

/* True where `png` says what it was made of and that can be opened. The note is filled also where
 * it cannot. */
bool app_saved_find(const char *png, app_saved *saved);
void app_saved_free(app_saved *saved);

/* The path of the file that `png` calls `name`: beside the picture, else in the working folder.
 * NULL where there is no such file: the name may come from a stranger, and a pipe or a device never
 * ends. free() it. */
char *app_saved_path(const char *png, const char *name);

/* The text under `key` in the picture, NULL where there is none; free() it. */
char *app_saved_text(const char *png, const char *key);
/* Shows the view that the picture shows, and gives the picture's settings to it and to all views of
 * the same trace. The others take nothing: caption and picture both have a temperature, and other
 * words that mean other things to the other. */
void app_saved_restore(viz_shell *shell, const char *png);

#endif
