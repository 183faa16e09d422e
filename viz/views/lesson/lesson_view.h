/* Lessons: a list to choose from, and a step at a time of the one that is open. */
#ifndef VIZ_LESSON_LESSON_VIEW_H
#define VIZ_LESSON_LESSON_VIEW_H

#include "view/view.h"

extern const viz_view_class viz_lesson_class;

/* Of a source that teaches. SAC_E_MEMORY. */
sac_status viz_lesson_view_create(sac_source *source, viz_view *beside, viz_view **view,
                                  sac_error *error);

#endif
