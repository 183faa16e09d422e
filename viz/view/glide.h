/* Heat on its way from one word's map to the next one's. */
#ifndef VIZ_VIEW_GLIDE_H
#define VIZ_VIEW_GLIDE_H

#include "trace/caption.h"

#define VIZ_GLIDE_SECONDS 0.3 /* from word to word */

typedef struct viz_glide {
    int grid_w, grid_h;                             /* 0: nothing yet */
    float *from, *now, *to;                         /* [grid_h,grid_w], of one allocation; owned */
    float from_x, from_y, now_x, now_y, to_x, to_y; /* their centres, in cells */
    double start;                                   /* seconds */
    bool moving;
} viz_glide;

/* Sets out for a word's map from whatever is shown. On another grid it is there at once, and *fresh
 * says so. False: no memory. */
bool viz_glide_aim(viz_glide *glide, const sac_caption *caption, int word, bool *fresh);
/* `now` at share `t` of its way, eased at both ends; from 1 on it is `to`, exactly. */
void viz_glide_at(viz_glide *glide, float t);
void viz_glide_free(viz_glide *glide); /* takes zeroed ones */
/* t² (3 − 2 t) between 0 and 1, and the ends beyond them. */
float viz_eased(float t);

#endif
