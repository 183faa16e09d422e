/* What Ctrl+O shows: files to open, recent ones and those of a folder; letters filter. A view that
 * the shell shows over the current one. */
#ifndef VIZ_SHELL_CHOOSER_H
#define VIZ_SHELL_CHOOSER_H

#include "view/view.h"

#define VIZ_PATH_SIZE 1024
#define VIZ_RECENT_MOST 8

/* A document that may be opened: a file or folder, and what is opened together with it. */
typedef struct viz_recent {
    char path[VIZ_PATH_SIZE], beside[VIZ_PATH_SIZE]; /* `beside` empty: it is opened alone */
    const char *about; /* a description where its place gives none; NULL: it was opened before */
    const char *title; /* in place of the file's name; NULL: that */
} viz_recent;

sac_status viz_chooser_create(viz_view **view, sac_error *error);
/* Begins anew in a folder, with these on top; `count` at most VIZ_RECENT_MOST. */
void viz_chooser_begin(viz_view *view, const char *folder, const viz_recent *recent, int count);
/* What the person chose, once; false: nothing yet. */
bool viz_chooser_take(viz_view *view, viz_recent *chosen);
/* Escape or × was pressed: the chooser goes. */
bool viz_chooser_is_closed(const viz_view *view);

#endif
