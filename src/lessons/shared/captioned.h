/* A caption of the bundled captioner of shapes: `saccade caption --dataset shapes --scene 91`. Its scores over the
 * cells, some numbers of its features, and its next words are tables in two decimals, which
 * tests/lessons/captioned.py computes of the weights in float64. */
#ifndef SAC_LESSONS_SHARED_CAPTIONED_H
#define SAC_LESSONS_SHARED_CAPTIONED_H

#include "lessons/engine/lesson.h"

enum {
    SAC_CAPTIONED_WORDS = 15,
    SAC_CAPTIONED_SIDE = 14, /* cells of the grid */
    SAC_CAPTIONED_CELLS = SAC_CAPTIONED_SIDE * SAC_CAPTIONED_SIDE,
    SAC_CAPTIONED_FEATURES = 3,   /* that are shown, of 128 */
    SAC_CAPTIONED_VOCABULARY = 25 /* all words but the start, and the end */
};
extern const char *const sac_captioned_words[SAC_CAPTIONED_WORDS];
extern const char *const sac_captioned_vocabulary[SAC_CAPTIONED_VOCABULARY];
/* Which of a cell's 128 numbers are shown: one that is large on the star, on the triangle, on the circle. */
extern const char *const sac_captioned_features[SAC_CAPTIONED_FEATURES];

/* Scores of each word over the cells [15,196], less each row's mean. */
sac_node sac_captioned_scores(sac_lesson *lesson, const char *name);
/* Three numbers of each cell's vector h [196,3]. */
sac_node sac_captioned_cells(sac_lesson *lesson, const char *name);
/* Logarithms of the next word's probabilities after the words before it [2,15,25]: as it is, and where the
 * context of every word is the mean of all cells. */
sac_node sac_captioned_next_words(sac_lesson *lesson, const char *name);
/* The scene: red, green and blue [3,84,84], smooth at the edges. */
sac_node sac_captioned_scene(sac_graph *graph, const char *name);

#endif
