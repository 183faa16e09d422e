/* The settings of a view at a moment, as it describes them: for undo, and for views that follow each
 * other. */
#ifndef VIZ_VIEW_SNAPSHOT_H
#define VIZ_VIEW_SNAPSHOT_H

#include "view/view.h"

/* "key\0value\0key\0value\0" */
typedef struct viz_snapshot {
    char *text; /* owned; NULL: nothing, or no memory */
    size_t size;
} viz_snapshot;

/* The settings that `describe` gives of `of`. */
viz_snapshot viz_snapshot_take_from(void (*describe)(const void *of, viz_put *put, void *user),
                                    const void *of);
/* All settings of a view, or those that `wanted` selects. */
viz_snapshot viz_snapshot_take(const viz_view *view,
                               bool (*wanted)(const viz_view *view, const char *key));
void viz_snapshot_free(viz_snapshot *snapshot);
bool viz_snapshot_same(const viz_snapshot *a, const viz_snapshot *b);
/* The value of a key; NULL: it is not among them. */
const char *viz_snapshot_find(const viz_snapshot *snapshot, const char *key);
/* The view's key after `key`, or the first one; NULL: there is none. */
const char *viz_snapshot_next(const viz_snapshot *snapshot, const char *key);
/* Calls `put` for each setting that is another one, or is not there, in `before`. */
void viz_snapshot_changes(const viz_snapshot *snapshot, const viz_snapshot *before, viz_put *put,
                          void *user);

#endif
