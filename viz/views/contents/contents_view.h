/* The contents of a file of arrays, to choose from. */
#ifndef VIZ_CONTENTS_CONTENTS_VIEW_H
#define VIZ_CONTENTS_CONTENTS_VIEW_H

#include "view/view.h"

extern const viz_view_class viz_contents_class;

#endif
