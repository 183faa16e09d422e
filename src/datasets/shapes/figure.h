/* An object's outline in pixels, and how far pixels lie from it. */
#ifndef SAC_SHAPES_FIGURE_H
#define SAC_SHAPES_FIGURE_H

#include "outline.h"

enum { SAC_SPAN = 64 };

/* An object in pixels of a picture of `side`. */
typedef struct sac_figure {
    int count; /* corners; 0: a circle */
    float x, y, radius;
    float reach;                          /* no distance matters that is longer */
    float corner[SAC_OUTLINE_CORNERS][2]; /* from x, y */
    float edge[SAC_OUTLINE_CORNERS][2];   /* from a corner to the next */
    float inverse[SAC_OUTLINE_CORNERS];   /* of the edge's squared length */
    int box[4];                           /* pixels that it may touch: x0, y0, x1, y1 */
} sac_figure;

void sac_figure_of(const sac_scene_object *object, int side, float reach, sac_figure *f);
/* Moves it by x, y and lets it touch `reach` pixels more on all sides. */
void sac_figure_move(sac_figure *f, float x, float y, float reach, int side);
/* Signed distances, in pixels, of `count` pixels' centres from the outline, below 0 inside, or
 * infinity where they are beyond reach; [SAC_SPAN], at most so many pixels. */
void sac_figure_measure(const sac_figure *f, int left, int row, int count, float *distance);

/* The share of a pixel that is covered where an edge passes at `distance` from its centre. */
static inline float sac_cover(float distance)
{
    float cover = 0.5f - distance;
    return cover < 0 ? 0 : cover > 1 ? 1 : cover;
}

static inline uint8_t sac_byte(float value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5f);
}

#endif
