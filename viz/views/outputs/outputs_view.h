/* Views of the outputs that a model gives for a picture, each with its probability and its map over
 * the picture: objects that were detected, and phrases that the picture is compared with. */
#ifndef VIZ_OUTPUTS_OUTPUTS_VIEW_H
#define VIZ_OUTPUTS_OUTPUTS_VIEW_H

#include "view/view.h"

extern const viz_view_class viz_found_class, viz_likeness_class;

#endif
