/* The places of things, as outlines over a picture. */
#ifndef VIZ_PARTS_BOXES_H
#define VIZ_PARTS_BOXES_H

#include "base/look.h"
#include "canvas/canvas.h"

/* `look` over `picture`; `own`: the one that is spoken of, or looked into. */
void viz_look_draw(viz_canvas *canvas, viz_rect picture, const sac_look *look, bool own,
                   float thickness);

#endif
