/* The shapes' outlines, private to this module. */
#ifndef SAC_SHAPES_OUTLINE_H
#define SAC_SHAPES_OUTLINE_H

#include "base/random/random.h"
#include "shapes/scene.h"

enum { SAC_CIRCLE = 0, SAC_SQUARE, SAC_TRIANGLE, SAC_STAR, SAC_CROSS, SAC_DIAMOND };

enum { SAC_OUTLINE_CORNERS = 36 };

typedef struct sac_outline {
    int count;                            /* corners; 0: a circle of `radius` */
    float corner[SAC_OUTLINE_CORNERS][2]; /* x, y from the centre of the box, the object's x, y */
    float radius;
    float width, height; /* of the box; the longer is the object's size */
} sac_outline;

/* Outline of shape, size, angle, form, lean and wobble; in shares of the picture's side, as they
 * are. */
void sac_outline_of(const sac_scene_object *object, sac_outline *outline);

/* Sine and cosine of −π … π to 1e-12, without libm, so that every machine has the same. */
void sac_cosine_and_sine(double angle, double *cosine, double *sine);

/* −1 … 1: what is irregular at `index` in what a hand draws. */
static inline float sac_hand_strays(uint32_t hand, uint32_t index)
{
    return 2 * sac_philox_uniform(hand, index, 0) - 1;
}

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
