/* Two sources side by side, of two pictures or of two models: the query is at the same place in
 * both, and layer and head are the same where both have them. */
#ifndef VIZ_WEIGHTS_PAIR_VIEW_H
#define VIZ_WEIGHTS_PAIR_VIEW_H

#include "view/view.h"

extern const viz_view_class viz_pair_class;

#endif
