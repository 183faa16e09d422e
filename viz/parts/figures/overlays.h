/* What is drawn over a picture beside heat: cells that a person hides from the attention (a mask is
 * [grid_h,grid_w], 1 = hidden; also written as text), and the boxes of things. */
#ifndef VIZ_PARTS_OVERLAYS_H
#define VIZ_PARTS_OVERLAYS_H

#include "base/look.h"
#include "canvas/canvas.h"
#include "sources/picture.h"
#include "sources/words/regions.h"

static inline bool viz_overlap(viz_rect a, viz_rect b)
{
    return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/* Over `picture`: a dark veil with diagonal strokes on each hidden cell. */
void viz_hidden_draw(viz_canvas *canvas, viz_rect picture, const uint8_t *hidden, int grid_w,
                     int grid_h);
/* Sets every cell on the straight way between two cells (which may lie outside) to `value`; returns
 * how many changed. The brush reaches that many cells around; on
 * grids of 64 and more, at least one. */
int viz_hidden_stroke(uint8_t *hidden, int grid_w, int grid_h, const int from[2], const int to[2],
                      int reach, bool value);
/* The same for the rectangle between two cells, both of them in it. */
int viz_hidden_rectangle(uint8_t *hidden, int grid_w, int grid_h, const int from[2],
                         const int to[2], bool value);
int viz_hidden_count(const uint8_t *hidden, int grid_w, int grid_h);
/* "32x21: 4-9 40 52-53": the grid and the runs of hidden cells, row by row; free() it. NULL where
 * nothing is hidden, or without memory. */
char *viz_hidden_text(const uint8_t *hidden, int grid_w, int grid_h);
/* The reverse. False, and nothing changed, where the text is of another grid. */
bool viz_hidden_parse(const char *text, uint8_t *hidden, int grid_w, int grid_h);

/* `look` over `picture`; `own`: the one of the current word, or looked into. */
void viz_look_draw(viz_canvas *canvas, viz_rect picture, const sac_look *look, bool own,
                   float thickness);

/* ---- pictures that are seen together */

/* The ground of the theme over cells between them. */
void viz_parts_separate(viz_canvas *canvas, viz_rect picture, const sac_picture_source *source);
/* In a corner of each its number and what share of the map [grid_h,grid_w] lies on it. */
void viz_parts_draw_shares(viz_canvas *canvas, viz_rect picture, const sac_picture_source *source,
                           const float *map);

/* ---- the regions that a sentence has by tokens */

/* All of them, each with its label beside it where there is room; those that `word` gives or names stand
 * out (−1: none does). */
void viz_regions_draw(viz_canvas *canvas, viz_rect picture, const sac_regions *regions, int word);
/* Those of the word alone, without labels: small pictures. */
void viz_regions_draw_own(viz_canvas *canvas, viz_rect picture, const sac_regions *regions,
                          int word);

#endif
