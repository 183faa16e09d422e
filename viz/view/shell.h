/* The room around the views: tabs, the line of status, the sheet of keys, messages. */
#ifndef VIZ_VIEW_SHELL_H
#define VIZ_VIEW_SHELL_H

#include "view/view.h"

#define VIZ_MAX_TABS 5
#define VIZ_TABS_HEIGHT 44.0f /* the bar above the view */

typedef struct viz_shell {
    viz_view *views[VIZ_MAX_TABS]; /* in the order Caption, Picture, Matrix, Heads, Lessons; NULL:
                                      not live; owned */
    bool offered[VIZ_MAX_TABS];    /* drawn as live: what a window would open, and a picture of one
                                      has no need of */
    int current;
    bool show_keys;
    char message[256];  /* shown for a moment at the bottom: "saved cat.png" */
    char progress[256]; /* in place of the status: what a person has to wait for; empty: nothing */
    int progress_seconds; /* and how long already; 0: not worth telling */
    const viz_work *work; /* how what a picture needs is computed; NULL: on the spot; lent */
    double message_until;
    double now;
    viz_rect tabs[VIZ_MAX_TABS]; /* where they were drawn last, for clicks */
} viz_shell;

/* Draws everything: what the window shows and what a PNG holds. */
void viz_shell_draw(viz_shell *shell, viz_canvas *canvas);
/* True where something changed. Takes clicks on tabs, Ctrl+Tab, 1 to 5, ? and Escape; the rest goes
 * to the current view. S, A, F and quitting are the window's. */
bool viz_shell_event(viz_shell *shell, const viz_event *event);
/* Moves the current view and the message to `now` (seconds); true while anything moves. */
bool viz_shell_tick(viz_shell *shell, double now);
/* Says it for as long as it takes to read. */
void viz_shell_message(viz_shell *shell, const char *text);
viz_view *viz_shell_view(const viz_shell *shell); /* the current one */
bool viz_shell_typing(const viz_shell *shell);    /* the current view takes letters as text */
void viz_shell_free(viz_shell *shell);            /* and its views */

#endif
