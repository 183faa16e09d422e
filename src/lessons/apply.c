/* Operations applied to the arrays of a graph: the next array, whose shape operations.c knows. */
#include <string.h>

#include "lessons/operations.h"

sac_node sac_apply(sac_graph *graph, sac_operation operation, const char *name, sac_node a,
                   sac_node b, sac_node c, float f, float g)
{
    sac_small_shape shape;
    const sac_node inputs[SAC_GRAPH_INPUTS] = {a, b, c};
    if (graph->status != SAC_OK || !sac_operation_shape(graph, operation, name, inputs, &shape))
        return 0;
    sac_node node = sac_graph_add(graph, name, shape);
    sac_small_array *array = sac_graph_array(graph, node);
    if (!array)
        return 0;
    array->operation = operation;
    memcpy(array->inputs, inputs, sizeof inputs);
    array->f = f;
    array->g = g;
    array->shares = operation == SAC_OP_SOFTMAX || operation == SAC_OP_SOFTMAX_0;
    return node;
}

sac_node sac_linear_map(sac_graph *graph, const char *product, const char *name, sac_node x,
                        sac_node w, sac_node b)
{
    if (!b)
        return sac_matmul_t(graph, name, x, w);
    return sac_sum(graph, name, sac_matmul_t(graph, product, x, w), b);
}
