/* A training watched: a few pictures with their captions and heat, and the loss so far. */
#ifndef VIZ_TRAINING_TRAINING_VIEW_H
#define VIZ_TRAINING_TRAINING_VIEW_H

#include "sources/source.h"
#include "view/view.h"

extern const viz_view_class viz_training_class;

/* `source` is lent and must outlive the view. SAC_E_MEMORY. */
sac_status viz_training_view_create(sac_source *source, viz_view *beside, viz_view **view,
                                    sac_error *error);

#endif
