/* A photograph and phrases that a person types: each patch coloured by its likeness to one of them,
 * and beside it how much the whole picture is like each. */
#ifndef VIZ_LIKENESS_LIKENESS_VIEW_H
#define VIZ_LIKENESS_LIKENESS_VIEW_H

#include "view/view.h"

extern const viz_view_class viz_likeness_class;

/* `source` is lent and must outlive the view; it has `compare`. SAC_E_MEMORY. */
sac_status viz_likeness_view_create(sac_source *source, viz_view *beside, viz_view **view,
                                    sac_error *error);

#endif
