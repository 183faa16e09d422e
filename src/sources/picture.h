/* A picture that attends to itself: what a viewer asks of it, and what it gets. */
#ifndef SAC_SOURCES_PICTURE_H
#define SAC_SOURCES_PICTURE_H

#include "saccade.h"

/* Everything that changes what is computed. Zero is not the default here: start from
 * sac_picture_defaults. */
typedef struct sac_picture_settings {
    sac_score score;
    float inverse_width; /* w of the gaussian score: it multiplies the distance */
    float temperature;   /* scores are divided by it */
    float position;      /* weight of a cell's place beside its colour */
    int cells;           /* on the picture's longer side, 8 to 128 */
} sac_picture_settings;

sac_picture_settings sac_picture_defaults(void);

typedef struct sac_picture_request {
    sac_picture_settings settings;
    int query_x, query_y;  /* the cell that looks, clamped to the grid */
    const uint8_t *hidden; /* [grid_h,grid_w], 1 = hidden from attention; NULL: none; lent */
    bool rebuild;          /* also Σ weights · cells for every query */
} sac_picture_request;

typedef struct sac_picture_result {
    sac_picture_settings settings;
    int grid_w, grid_h, query_x, query_y;
    float *weights;      /* [grid_h,grid_w], sums to 1; owned */
    float *rebuilt;      /* [grid_h,grid_w,3] sRGB 0 to 1, owned; NULL unless asked for */
    float entropy;       /* of the weights, in bits */
    float rebuild_max;   /* the largest weight over all queries, for a shared scale; 0: not known */
    double milliseconds; /* on the device, this result alone */
} sac_picture_result;
void sac_picture_result_free(sac_picture_result *result);

/* The grid that `cells` on the longer side gives a picture: aspect kept, at least 1 each. */
void sac_picture_grid(int width, int height, int cells, int *grid_w, int *grid_h);

#endif
