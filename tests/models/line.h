/* A model of a class of its own: y = W x + b, learnt from points of y = 0.5 + x0 − 2 x1 + offset.
 * Its batches vary in length, as sentences do, and it knows nothing of pictures. */
#ifndef TESTS_MODELS_LINE_H
#define TESTS_MODELS_LINE_H

#include "models/model_class.h"

enum { LINE_WIDTH, LINE_OFFSET }; /* options: numbers of x (1, 2 or 3); what is added to y */
extern const sac_model_class line_class;
extern int line_makers; /* of batches, that were not destroyed yet */

typedef struct line_batch {
    size_t size;    /* 1 … as many as requested */
    float x[64][3]; /* [size, width] of it */
    float minus_y[64];
} line_batch;

#endif
