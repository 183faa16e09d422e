/* The views of the program, a line for each, in the order of their tabs. The folder of a view defines
 * viz_NAME_class. */
#ifndef VIZ_CLASSES_VIEWS_H
#define VIZ_CLASSES_VIEWS_H

#include "view/view.h"

#define VIZ_VIEWS(EACH)                                                                            \
    EACH(caption)                                                                                  \
    EACH(picture)                                                                                  \
    EACH(matrix)                                                                                   \
    EACH(heads)                                                                                    \
    EACH(next)                                                                                     \
    EACH(likeness)                                                                                 \
    EACH(found)                                                                                    \
    EACH(alignment)                                                                                \
    EACH(contents)                                                                                 \
    EACH(translation)                                                                              \
    EACH(lesson)                                                                                   \
    EACH(train)                                                                                    \
    EACH(training)

#define VIZ_DECLARE_VIEW(name) extern const viz_view_class viz_##name##_class;
VIZ_VIEWS(VIZ_DECLARE_VIEW)
#undef VIZ_DECLARE_VIEW

extern const viz_view_class *const viz_views[]; /* the same; ends with NULL */

/* The class of that name ("caption", in any case); NULL: there is none. */
const viz_view_class *viz_views_find(const char *name);
/* "caption, picture or matrix": all that a document can be opened in. */
void viz_views_list(char *text, size_t size);

#endif
