/* What a model generates after a text, token by token: its attention to the tokens before, and the
 * other candidates. */
#ifndef VIZ_NEXT_NEXT_VIEW_H
#define VIZ_NEXT_NEXT_VIEW_H

#include "view/view.h"

extern const viz_view_class viz_next_class;

#endif
