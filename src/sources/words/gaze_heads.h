/* Gaze heads: the few heads of a model whose maps over the picture lie on one thing while words are generated (Kang et
 * al. 2025, "Your Large Vision-Language Model Only Needs A Few Attention Heads For Visual Grounding", CVPR): those that
 * look at the picture at all, and of these the ones whose maps fall into the fewest parts. Plain C on float32 in memory. */
#ifndef SAC_SOURCES_GAZE_HEADS_H
#define SAC_SOURCES_GAZE_HEADS_H

#include "sources/words/gaze.h"

enum {
    SAC_GAZE_SELECTED = 10, /* heads that a word selects, at most … */
    SAC_GAZE_BEST = 3       /* … and those of which a box is made */
};

/* Of each head [layers,heads], the means over the words. */
typedef struct sac_gaze_heads {
    size_t layers, heads;
    float threshold;   /* heads with no more of their attention on the picture are not selected */
    float *on_picture; /* share of a row that lies on the picture's cells */
    float *entropy;    /* sac_gaze_entropy, in bits */
    float *frequency;  /* share of the words that selected it: 0 to 1 */
    size_t *rank;      /* places: most selected first, of those the lowest entropy */
} sac_gaze_heads;

/* The spatial entropy of map [grid_h,grid_w] in bits: −Σ p log2 p over its parts, where a part is what is connected, also
 * diagonally, of the cells above the map's mean, and p its share of their weight. 0: one part. A map that is nowhere
 * above its mean is at no place, and has log2 of its cells. `work` [grid_h,grid_w]. */
double sac_gaze_entropy(const float *map, int grid_w, int grid_h, int *work);
/* maps [layers,heads,words,grid_h,grid_w]: weights as heads make them, which sum to less than 1 where a row has other
 * keys than cells. The threshold is the knee of the sorted shares: the one farthest below the line from the largest to the
 * smallest, which is the first of the small ones; 0 where none is below it. Free it. */
sac_status sac_gaze_heads_find(const float *maps, size_t layers, size_t heads, size_t words,
                               int grid_w, int grid_h, sac_gaze_heads *found, sac_error *error);
void sac_gaze_heads_free(sac_gaze_heads *found);
/* As sac_gaze has heads, "3.2,5.0": the best `most` that any word selected; of one head that one. */
char *sac_gaze_heads_write(const sac_gaze_heads *found, size_t most, char text[SAC_GAZE_HEADS]);
/* Where the best heads look at one word: the part with the most weight of their mean map `mean` [grid_h,grid_w], which is
 * filled, as x0, y0, x1, y1 in cells. False where it has no part. `work` [grid_h,grid_w]. */
bool sac_gaze_heads_box(const sac_gaze_heads *found, const float *maps, size_t words, size_t word,
                        int grid_w, int grid_h, float *mean, int *work, float box[4]);

#endif
