/* Undo and redo. Each state is all settings that can be taken back, as text; undo gives an earlier
 * state back. A view's table of settings marks those that are left out (view/settings.h). */
#ifndef VIZ_VIEW_HISTORY_H
#define VIZ_VIEW_HISTORY_H

#include "view/view.h"

typedef struct viz_history viz_history;

/* What has settings. */
typedef struct viz_undoable {
    void (*describe)(const void *of, viz_put *put, void *user);
    /* False: what has that key is not open now, and nothing changed. */
    bool (*restore)(void *of, const char *key, const char *value);
    void *of; /* lent */
} viz_undoable;

/* The setting identifies what is open: where that is another one now, those that follow it in the state and
 * begin with the same word, as "caption hidden" after "caption picture", are not given back. */
bool viz_history_is_subject(const char *name);

/* NULL: no memory, and nothing is taken back. All functions take NULL. */
viz_history *viz_history_create(viz_undoable what);
void viz_history_free(viz_history *history);
/* Is called before an event: while nothing was done, the beginning is how things stand now, with what
 * results have changed since. */
void viz_history_begin(viz_history *history);
/* Is called after an event: the change that it made is one step, and then it returns true. For a
 * drag it is called once, when it has ended. Steps of which each `goes_on`, as those of a wheel,
 * are one step while they change the same settings. */
bool viz_history_note(viz_history *history, bool goes_on);
/* Something changed that is no step, as a view was replaced by one with more settings. */
void viz_history_refresh(viz_history *history);
/* One step back, or one forward again; false: there is none. */
bool viz_history_undo(viz_history *history);
bool viz_history_redo(viz_history *history);
bool viz_history_can_undo(const viz_history *history);
/* Calls `put` for all settings that are not as they were in the beginning, with what they were. */
void viz_history_changes(const viz_history *history, viz_put *put, void *user);

#endif
