/* The colour of what a head does, the same wherever heads are shown. */
#ifndef VIZ_PARTS_HEAD_KINDS_H
#define VIZ_PARTS_HEAD_KINDS_H

#include "canvas/canvas.h"
#include "sources/heads/reduce.h"

viz_color viz_kind_color(const viz_theme *theme, sac_weights_kind kind);

#endif
