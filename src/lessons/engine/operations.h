/* The operations of a graph: shapes, kernels, and the arithmetic of a cell. */
#ifndef SAC_LESSONS_ENGINE_OPERATIONS_H
#define SAC_LESSONS_ENGINE_OPERATIONS_H

#include <stdio.h>

#include "lessons/engine/graph.h"

/* The shape of what `operation` makes of its inputs. False, with the graph's failure, where their
 * shapes do not fit. */
bool sac_operation_shape(sac_graph *graph, sac_operation operation, const char *name,
                         const sac_node inputs[SAC_GRAPH_INPUTS], sac_small_shape *shape);
const char *sac_operation_name(sac_operation operation); /* "matmul" */
sac_making sac_operation_making(sac_operation operation);
/* Of cl/lesson.cl; NULL: nothing is computed. */
const char *sac_operation_kernel(sac_operation operation);

/* How much of each computed array is rounding: of sums, a millionth of the terms. */
void sac_graph_find_noise(sac_graph *graph);

/* A shape as the kernels see it. */
typedef struct sac_extent {
    size_t batch, rows, columns;
} sac_extent;
sac_extent sac_small_extent(sac_small_shape shape);

#endif
