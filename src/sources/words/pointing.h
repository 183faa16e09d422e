/* How well the maps of words point to what the words name, beside maps that know nothing: the
 * pointing game (Zhang et al. 2016) and the mass in the boxes. */
#ifndef SAC_SOURCES_POINTING_H
#define SAC_SOURCES_POINTING_H

#include "sources/result.h"

typedef struct sac_pointing {
    size_t words;       /* that were measured */
    double pointing;    /* share of them whose attention peaks in a box of theirs */
    double mass_in_box; /* mean attention mass in the boxes */
} sac_pointing;

/* The same of baselines. A share of nothing is NaN.
 *   uniform   attention everywhere alike; pointing: the share of the cells whose centre is in the
 * box
 *   centre    attention fixed on the middle of the picture: a Gaussian with a sigma of 2 cells
 *   shuffled  the model's own maps of a sentence, each word with the map of the word s places on:
 *             the mean over all s from 1 to the number of words − 1 */
typedef struct sac_pointings {
    sac_pointing model, uniform, centre, shuffled;
} sac_pointings;

enum { SAC_PLACE_CELLS = 64 * 64 };

/* The boxes of what a word names, on the grid of its map. Zeroed, but for the grid: no box. */
typedef struct sac_place {
    int grid_w, grid_h;
    float cover[SAC_PLACE_CELLS]; /* share of each cell that lies in the boxes */
    bool holds[SAC_PLACE_CELLS];  /* its centre does */
    bool holds_middle;            /* the picture's middle does */
} sac_place;
void sac_place_add(sac_place *place, const sac_look *look);

/* Adds word `word` of a caption, which names what is at `place`, to sums. */
void sac_pointing_add(const sac_result *caption, int word, const sac_place *place,
                      sac_pointings *sums);
/* Makes shares of the sums. */
void sac_pointing_average(sac_pointings *sums);

#endif
