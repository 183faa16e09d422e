/* Gaze heads: the few heads of a model that look at what is being described (Gandikota and Bau 2026, "Gaze Heads: How VLMs
 * Look at What They Describe"; Kang et al. 2025, "Your Large Vision-Language Model Only Needs A Few Attention Heads For
 * Visual Grounding", CVPR). Their weight lies on one place of the picture, and for other words on another. Plain C on
 * float32 in memory. */
#ifndef SAC_SOURCES_GAZE_HEADS_H
#define SAC_SOURCES_GAZE_HEADS_H

#include "sources/words/gaze.h"

/* A head, and the means over words of what its maps are. */
typedef struct sac_gaze_head {
    size_t layer, head;
    float
        score; /* how much of a row lies on the word's own place, more than rows of other words have there: 0 to 1 */
    float entropy;    /* sac_gaze_entropy, in bits */
    float on_picture; /* share of a row that lies on the picture's cells */
    bool is_chosen;   /* to be held, or to be looked at */
} sac_gaze_head;

/* The spatial entropy of map [grid_h,grid_w] in bits: −Σ p log2 p over its parts, where a part is what is connected, also
 * diagonally, of the cells above the map's mean, and p its share of their weight. 0: one part. A map that is nowhere
 * above its mean is at no place, and has log2 of its cells. `work` [grid_h,grid_w]. */
double sac_gaze_entropy(const float *map, int grid_w, int grid_h, int *work);
/* The part with the most weight, a map's place, as x0, y0, x1, y1 in cells; false: it has no part. `work` as above. */
bool sac_gaze_box(const float *map, int grid_w, int grid_h, int *work, float box[4]);

/* The maps of one head, word by word: weights as it makes them, which sum to less than 1 where a row has other keys than
 * cells. */
typedef struct sac_gaze_scan {
    int grid_w, grid_h;
    size_t rows, read;               /* room for so many words, and those so far */
    uint8_t *places;                 /* [rows,cells]: 1: it is of the word's place */
    double *sums;                    /* [cells] */
    int *work;                       /* [cells] */
    double own, entropy, on_picture; /* sums over the words; own: what lies on each one's place */
} sac_gaze_scan;
/* SAC_E_MEMORY, and nothing to free. */
sac_status sac_gaze_scan_begin(sac_gaze_scan *scan, size_t rows, int grid_w, int grid_h,
                               sac_error *error);
/* Returns what lies on the word's place. */
double sac_gaze_scan_map(sac_gaze_scan *scan, const float *map);
/* Score, entropy and share of the words so far; of none all 0. One word has no others to be compared with. */
void sac_gaze_scan_finish(const sac_gaze_scan *scan, sac_gaze_head *head);
void sac_gaze_scan_free(sac_gaze_scan *scan); /* takes zeroed ones, and leaves one */

/* Sorts heads [count]: the best score first. */
void sac_gaze_heads_rank(sac_gaze_head *heads, size_t count);
/* Of ranked heads [count] chooses those with half of the best one's score and more, as many as a text has room for; and
 * those that share values with one of them, as `together` heads that follow each other do; 0: none do. */
void sac_gaze_heads_choose(sac_gaze_head *heads, size_t count, size_t together);
/* "3.2,5.0": those that are chosen, as sac_gaze has them; as many as there is room for. */
char *sac_gaze_heads_write(const sac_gaze_head *heads, size_t count, char text[SAC_GAZE_HEADS]);

#endif
