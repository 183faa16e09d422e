/* A picture that attends to itself: the cell under the pointer is the query, its weights lie over
 * the picture as heat, and beside it stands the picture rebuilt as Σ weights · cells. */
#ifndef VIZ_PICTURE_PICTURE_VIEW_H
#define VIZ_PICTURE_PICTURE_VIEW_H

#include "view/view.h"

extern const viz_view_class viz_picture_class;

/* `source` is lent and must outlive the view. Starts on the cell that stands out most.
 * SAC_E_MEMORY. */
sac_status viz_picture_view_create(sac_source *source, viz_view *beside, viz_view **view,
                                   sac_error *error);
void viz_picture_view_query(const viz_view *view, int *x, int *y);

#endif
