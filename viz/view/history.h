/* Undo and redo of a view. Each state is the settings as the view describes them; undo gives an
 * earlier state back to the view. A view's table of settings marks those that can be `undone`. */
#ifndef VIZ_VIEW_HISTORY_H
#define VIZ_VIEW_HISTORY_H

#include "view/view.h"

typedef struct viz_history viz_history;

/* Lends the view; NULL: no memory, and nothing is taken back. */
viz_history *viz_history_create(viz_view *view);
/* Goes on with a view that has taken the place of this one, and has its settings and others. */
void viz_history_lend(viz_history *history, viz_view *view); /* history NULL: nothing happens */
void viz_history_free(viz_history *history);                 /* takes NULL */
/* Is called after an event: the change that it made is one step, and then it returns true. For a
 * drag it is called once, when it has ended. Where something else is open in the view than before,
 * all is forgotten. */
bool viz_history_note(viz_history *history);
/* One step back, or one forward again; false: there is none. */
bool viz_history_undo(viz_history *history);
bool viz_history_redo(viz_history *history);

#endif
