/* What a model says after a text, token by token: the rows by which it said them, and what else might
 * have come. */
#ifndef VIZ_NEXT_NEXT_VIEW_H
#define VIZ_NEXT_NEXT_VIEW_H

#include "view/view.h"

extern const viz_view_class viz_next_class;

sac_status viz_next_view_create(sac_source *source, viz_view *beside, viz_view **view,
                                sac_error *error);

#endif
