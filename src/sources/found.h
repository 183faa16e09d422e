/* What a model finds in a picture: things with their boxes, and where each looked. A model has a
 * fixed number of queries, which look for one thing each; most of them find none. */
#ifndef SAC_SOURCES_FOUND_H
#define SAC_SOURCES_FOUND_H

#include "saccade.h"

enum { SAC_FOUND_NAME = 64 };
#define SAC_FOUND_THRESHOLD 0.7f

/* What one query found. */
typedef struct sac_detection {
    size_t query, class; /* the most probable class but that of nothing */
    float score;         /* its probability */
    float box[4];        /* x0, y0, x1, y1 in shares of the picture; may reach beyond it */
} sac_detection;

typedef struct sac_found {
    size_t queries, classes; /* of classes one more stands for nothing */
    sac_detection *things;   /* [queries], the most probable first; owned, as all that follows */
    char (*names)[SAC_FOUND_NAME]; /* [classes] */
    float *logits;                 /* [queries,classes + 1] */
    float *boxes;       /* [queries,4] middle x, middle y, width, height, as the model gives them */
    int grid_w, grid_h; /* cells over the picture */
    size_t layers, heads; /* of what follows: */
    float *looks;         /* [layers,heads,queries,grid_h·grid_w] attention to cells, … */
    float *own;           /* … and of queries to queries [layers,heads,queries,queries] */
    double milliseconds;
} sac_found;
void sac_found_free(sac_found *found); /* takes a zeroed one */

/* How many of the things have a score above that: the first so many. */
size_t sac_found_count(const sac_found *found, float threshold);
/* Weights [cells] of a query in a layer, or SIZE_MAX: the mean of all; and of a head, or SIZE_MAX. */
void sac_found_look(const sac_found *found, size_t query, size_t layer, size_t head,
                    float *weights);

typedef struct sac_found_source {
    /* NULL: the model finds nothing. Free the result. */
    sac_status (*find)(void *self, sac_found *found, sac_error *error);
    float threshold; /* that is requested to begin with; 0: SAC_FOUND_THRESHOLD */
} sac_found_source;

#endif
