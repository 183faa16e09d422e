/* The way through steps: their names in a line, the current one underlined, and at the foot of a
 * page the names of the step before and of the next one. */
#ifndef VIZ_PARTS_TURNS_H
#define VIZ_PARTS_TURNS_H

#include "parts/controls/spots.h"

#define VIZ_TURNS 17
#define VIZ_FOOT 48.0f /* the height of a page's foot */

typedef struct viz_turns {
    const char *names[VIZ_TURNS]; /* lent */
    int count, current;
    float size;                /* of the text */
    viz_rect items[VIZ_TURNS]; /* empty: it has no room */
    viz_rect back, on;         /* to the step before, and the next one; as drawn last */
} viz_turns;

/* Places the names from the left to the right; where they have no room, the current one alone. */
void viz_turns_lay(viz_turns *turns, const viz_canvas *canvas, float x, float y, float width,
                   float gap);
void viz_turns_draw(const viz_turns *turns, viz_canvas *canvas);
/* "‹ mask   output ›" into the foot; returns where it ends. */
float viz_turns_draw_foot(viz_turns *turns, viz_canvas *canvas, viz_rect foot, float margin);
/* The step that a press there turns to; −1: none. */
int viz_turns_hit(const viz_turns *turns, float x, float y);
void viz_turns_spots(const viz_turns *turns, viz_spots *spots);

#endif
