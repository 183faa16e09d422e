/* Heat on its way from one map to the next one. */
#ifndef VIZ_PARTS_GLIDE_H
#define VIZ_PARTS_GLIDE_H

#include "sources/result.h"

#define VIZ_GLIDE_SECONDS 0.3 /* from map to map */

/* The seconds that a glide takes: VIZ_GLIDE_SECONDS, or next to nothing where a window's link is so
 * slow that a glide would be three pictures. Called on the window's thread, as all drawing is. */
double viz_glide_seconds(void);
void viz_glide_skip(bool skip);

typedef struct viz_glide {
    int grid_w, grid_h;                             /* 0: nothing yet */
    float *from, *now, *to;                         /* [grid_h,grid_w], of one allocation; owned */
    float from_x, from_y, now_x, now_y, to_x, to_y; /* where most is, in cells */
    double start;                                   /* seconds; while it moves */
    bool moving;
} viz_glide;

/* Starts at time `start` for a word's map from whatever is shown; it is there at once where
 * `at_once`, and on another grid. Below 0 there is no word, and then nothing to show. False: no
 * memory, and it is as it was. */
bool viz_glide_to(viz_glide *glide, const sac_result *caption, int word, double start,
                  bool at_once);
/* The same for a frame that does not follow the one before: from the map of word `before`.
 * A sentence that is over rests at its last word; one without words changes nothing. */
void viz_glide_from_word(viz_glide *glide, const sac_result *caption, int before, int word,
                         double start);
/* Takes it to time `now` of a way of so many seconds, eased at both ends; at the end it is the map,
 * exactly. True while it moves. */
bool viz_glide_step(viz_glide *glide, double now, double seconds);
/* Zeroed maps of this size in place of what there is. False: no memory, and it is as it was. */
bool viz_glide_resize(viz_glide *glide, int grid_w, int grid_h);
void viz_glide_free(viz_glide *glide); /* takes zeroed ones */
/* t² (3 − 2 t) between 0 and 1, and the ends beyond them. */
float viz_eased(float t);

#endif
