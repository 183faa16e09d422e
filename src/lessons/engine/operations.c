/* The operations of a graph, and their results appended to it as new arrays. */
#include "lessons/engine/graph.h"

#include <string.h>

/* How the shape of the result follows from a [r,k], b and c. */
typedef enum rule {
    GIVEN,
    PRODUCT,     /* b [k,c]: [r,c] */
    PRODUCT_T,   /* b [c,k]: [r,c] */
    ELEMENTWISE, /* a's, which b and c must fit or be repeated to */
    REDUCE,      /* [r,1] */
} rule;

static const struct operation {
    const char *name, *kernel;
    rule rule;
} operations[SAC_OP_COUNT] = {
    [SAC_OP_GIVEN] = {"given", NULL, GIVEN},
    [SAC_OP_MATMUL] = {"matmul", "lesson_sum", PRODUCT},
    [SAC_OP_MATMUL_T] = {"matmul", "lesson_sum", PRODUCT_T},
    [SAC_OP_ADD] = {"add", "lesson_cell", ELEMENTWISE},
    [SAC_OP_MULTIPLY] = {"multiply", "lesson_cell", ELEMENTWISE},
    [SAC_OP_DIVIDE] = {"divide", "lesson_cell", ELEMENTWISE},
    [SAC_OP_AFFINE] = {"scale", "lesson_cell", ELEMENTWISE},
    [SAC_OP_MASK] = {"mask", "lesson_cell", ELEMENTWISE},
    [SAC_OP_OR] = {"or", "lesson_cell", ELEMENTWISE},
    [SAC_OP_EQUALS] = {"equals", "lesson_cell", ELEMENTWISE},
    [SAC_OP_SOFTMAX] = {"softmax", "lesson_softmax", ELEMENTWISE},
    [SAC_OP_SOFTMAX_0] = {"softmax", "lesson_softmax", ELEMENTWISE},
    [SAC_OP_GATHER] = {"gather", "lesson_cell", GIVEN},
    [SAC_OP_ADDITIVE] = {"additive score", "lesson_sum", PRODUCT_T},
    [SAC_OP_GAUSSIAN] = {"gaussian score", "lesson_sum", PRODUCT_T},
    [SAC_OP_STANDARDISE] = {"standardise", "lesson_cell", ELEMENTWISE},
    [SAC_OP_SUM] = {"sum", "lesson_sum", REDUCE},
    [SAC_OP_MEAN] = {"mean", "lesson_sum", REDUCE},
    [SAC_OP_LARGEST] = {"max", "lesson_softmax", REDUCE},
    [SAC_OP_VARIANCE] = {"variance", "lesson_sum", REDUCE},
    [SAC_OP_LENGTH] = {"length", "lesson_sum", REDUCE},
    [SAC_OP_ENTROPY] = {"entropy", "lesson_sum", REDUCE},
    [SAC_OP_RELU] = {"relu", "lesson_cell", ELEMENTWISE},
    [SAC_OP_TANH] = {"tanh", "lesson_cell", ELEMENTWISE},
    [SAC_OP_EXP] = {"exp", "lesson_cell", ELEMENTWISE},
    [SAC_OP_POWER_OF_2] = {"power of 2", "lesson_cell", ELEMENTWISE},
    [SAC_OP_POSITION] = {"position", "lesson_cell", GIVEN},
};

const char *sac_operation_name(sac_operation operation)
{
    return operations[operation].name;
}

sac_making sac_operation_making(sac_operation operation)
{
    static const sac_making of_rule[] = {[GIVEN] = SAC_MADE_OF_NOTHING,
                                         [PRODUCT] = SAC_MADE_OF_PRODUCTS,
                                         [PRODUCT_T] = SAC_MADE_OF_PRODUCTS_T,
                                         [ELEMENTWISE] = SAC_MADE_CELLWISE,
                                         [REDUCE] = SAC_MADE_OF_ROWS};
    return operation == SAC_OP_SOFTMAX     ? SAC_MADE_SHARES
           : operation == SAC_OP_SOFTMAX_0 ? SAC_MADE_SHARES_0
           : operation == SAC_OP_GATHER    ? SAC_MADE_BY_MOVING
                                           : of_rule[operations[operation].rule];
}

const char *sac_operation_kernel(sac_operation operation)
{
    return operations[operation].kernel;
}

sac_extent sac_small_extent(sac_small_shape shape)
{
    sac_extent extent = {1, 1, 1};
    for (int d = 0; d + 2 < shape.rank; d++)
        extent.batch *= shape.n[d];
    if (shape.rank > 1)
        extent.rows = shape.n[shape.rank - 2];
    if (shape.rank > 0)
        extent.columns = shape.n[shape.rank - 1];
    return extent;
}

/* ---------------------------------------------------------------- shapes */

static bool fits(size_t have, size_t want)
{
    return have == want || have == 1;
}

static bool refuse(sac_graph *graph, const char *name, sac_node a, sac_node b)
{
    char first[64], second[64];
    sac_small_array *left = sac_graph_array(graph, a), *right = sac_graph_array(graph, b);
    sac_graph_fail(graph, right->name, "give arrays whose shapes fit each other",
                   "shape %s does not fit %s %s (in %s)",
                   sac_small_shape_text(right->shape, second, sizeof second), left->name,
                   sac_small_shape_text(left->shape, first, sizeof first), name);
    return false;
}

static bool elementwise_shape(sac_graph *graph, const char *name, const sac_node *inputs,
                              sac_small_shape *shape)
{
    *shape = sac_node_shape(graph, inputs[0]);
    sac_extent want = sac_small_extent(*shape);
    for (int i = 1; i < SAC_GRAPH_INPUTS; i++) {
        if (!inputs[i])
            continue;
        sac_extent have = sac_small_extent(sac_node_shape(graph, inputs[i]));
        if (!fits(have.batch, want.batch) || !fits(have.rows, want.rows) ||
            !fits(have.columns, want.columns))
            return refuse(graph, name, inputs[0], inputs[i]);
    }
    return true;
}

bool sac_operation_shape(sac_graph *graph, sac_operation operation, const char *name,
                         const sac_node inputs[SAC_GRAPH_INPUTS], sac_small_shape *shape)
{
    const rule by = operations[operation].rule;
    if (!inputs[0])
        return false;
    if (by == PRODUCT || by == PRODUCT_T) {
        /* The result has the leading dimensions of whichever has more of them. */
        bool transposed = by == PRODUCT_T;
        sac_small_shape left = sac_node_shape(graph, inputs[0]),
                        right = sac_node_shape(graph, inputs[1]);
        sac_extent x = sac_small_extent(left), y = sac_small_extent(right);
        size_t depth = transposed ? y.columns : y.rows;
        if (x.columns != depth || !(fits(x.batch, y.batch) || fits(y.batch, x.batch)))
            return refuse(graph, name, inputs[0], inputs[1]);
        *shape = left.rank >= right.rank || left.rank == 1 ? left : right;
        if (y.batch > x.batch)
            *shape = right;
        if (shape->rank > 1)
            shape->n[shape->rank - 2] = x.rows;
        shape->n[shape->rank - 1] = transposed ? y.rows : y.columns;
        return true;
    }
    if (!elementwise_shape(graph, name, inputs, shape))
        return false;
    if (by == REDUCE)
        shape->n[shape->rank - 1] = 1;
    return true;
}

/* ---------------------------------------------------------------- new arrays */

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
