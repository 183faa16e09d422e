/* What a model found in a picture: boxes over it, the list of them, and over the picture what the one
 * that is chosen looked at. */
#ifndef VIZ_FOUND_FOUND_VIEW_H
#define VIZ_FOUND_FOUND_VIEW_H

#include "view/view.h"

extern const viz_view_class viz_found_class;
sac_status viz_found_view_create(sac_source *source, viz_view *beside, viz_view **view,
                                 sac_error *error);

#endif
