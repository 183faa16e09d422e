/* A place of the picture at which a person holds the look of a model that captions: from a token on, the weights over
 * the cells are a soft spot there, in place of those that the model would make, and the sentence goes on with what is
 * seen there. */
#ifndef SAC_SOURCES_GAZE_H
#define SAC_SOURCES_GAZE_H

#include "saccade.h"

enum { SAC_GAZE_HEADS = 1024, SAC_GAZE_TEXT = SAC_GAZE_HEADS + 96 };
#define SAC_GAZE_AUTO "auto" /* heads that look at what is described (gaze_heads.h) */

/* Zeroed: the model looks by itself. */
typedef struct sac_gaze {
    float x, y;   /* the middle, in cells: 0 is the middle of the first, as cells are counted */
    float radius; /* standard deviation of the spot, in cells; 0: nothing is held */
    int from;     /* tokens before are those that the model generates by itself */
    char heads
        [SAC_GAZE_HEADS]; /* that are held, "3.2,5.0": LAYER.HEAD, from 0; or "auto"; empty: all.
                                   Where nothing is held, words have boxes of where these look */
} sac_gaze;

#define SAC_GAZE_LEAST 0.25f  /* radius: nearly one cell … */
#define SAC_GAZE_MOST 1000.0f /* … nearly all of them alike */

static inline bool sac_gaze_is_held(const sac_gaze *gaze)
{
    return gaze->radius > 0;
}
bool sac_gaze_is_same(const sac_gaze *a, const sac_gaze *b);
/* A twentieth of the longer side, and one cell at least: wider ones mix what is seen with what is beside it. */
float sac_gaze_usual_radius(int grid_w, int grid_h);
/* spot [grid_h,grid_w], with a sum of 1: exp(−d²/2r²) at distance d from the middle; 0 where `hidden` (NULL: nothing
 * is) has 1, and everywhere where all is hidden. */
void sac_gaze_spot(const sac_gaze *gaze, const uint8_t *hidden, int grid_w, int grid_h,
                   float *spot);
bool sac_gaze_is_auto(const sac_gaze *gaze);
/* held [layers,heads]: 1 for heads that are held. SAC_E_ARGUMENT where the text names what is no head, or "auto". */
sac_status sac_gaze_find_heads(const sac_gaze *gaze, size_t layers, size_t heads, uint8_t *held,
                               sac_error *error);

/* The one description: "7.5,3,2 from 4 heads 3.2,5.0", the place and the radius in cells, the first held token from 1.
 * What stands behind the place may be left out: the radius is the usual one of the grid then, and all is held from the
 * first token on. "heads auto" alone: nothing is held. SAC_E_ARGUMENT where it is malformed, or the place is not on the grid. */
sac_status sac_gaze_read(const char *text, int grid_w, int grid_h, sac_gaze *gaze,
                         sac_error *error);
char *sac_gaze_write(const sac_gaze *gaze, char text[SAC_GAZE_TEXT]);

#endif
