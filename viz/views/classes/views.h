/* The table of views: a new kind of view is a folder beside this one and a line in views.c. */
#ifndef VIZ_CLASSES_VIEWS_H
#define VIZ_CLASSES_VIEWS_H

#include "view/view.h"

extern const viz_view_class *const viz_views[]; /* in the order of their tabs; ends with NULL */

/* The class of that name ("caption", in any case); NULL: there is none. */
const viz_view_class *viz_views_find(const char *name);
/* "caption, picture or matrix": all that a document can be opened in. */
void viz_views_list(char *text, size_t size);

#endif
