#include "lessons/engine/graph.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

size_t sac_small_count(sac_small_shape shape)
{
    size_t count = shape.rank > 0;
    for (int d = 0; d < shape.rank; d++)
        count *= shape.n[d];
    return count;
}

char *sac_small_shape_text(sac_small_shape shape, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "[");
    for (int d = 0; d < shape.rank && used < size; d++)
        used += (size_t)snprintf(text + used, size - used, d ? ",%zu" : "%zu", shape.n[d]);
    if (used < size)
        snprintf(text + used, size - used, "]");
    return text;
}

/* ---------------------------------------------------------------- the graph */

void sac_graph_clear(sac_graph *graph)
{
    for (int i = 0; i < graph->count; i++) {
        free(graph->arrays[i].numbers);
        free(graph->arrays[i].index);
    }
    *graph = (sac_graph){0};
}

void sac_graph_fail(sac_graph *graph, const char *where, const char *remedy, const char *what, ...)
{
    char text[sizeof graph->error.what];
    va_list list;
    if (graph->status != SAC_OK)
        return;
    va_start(list, what);
    vsnprintf(text, sizeof text, what, list);
    va_end(list);
    graph->status = sac_fail(&graph->error, SAC_E_SHAPE, where, remedy, "%s", text);
}

sac_small_array *sac_graph_array(sac_graph *graph, sac_node node)
{
    return node >= 1 && node <= graph->count ? &graph->arrays[node - 1] : NULL;
}

sac_node sac_graph_find(const sac_graph *graph, const char *name)
{
    for (int i = 0; i < graph->count; i++)
        if (strcmp(graph->arrays[i].name, name) == 0)
            return i + 1;
    return 0;
}

sac_small_shape sac_node_shape(const sac_graph *graph, sac_node node)
{
    return node >= 1 && node <= graph->count ? graph->arrays[node - 1].shape : (sac_small_shape){0};
}

size_t sac_node_size(const sac_graph *graph, sac_node node, int d)
{
    sac_small_shape shape = sac_node_shape(graph, node);
    d += d < 0 ? shape.rank : 0;
    return d >= 0 && d < shape.rank ? shape.n[d] : 0;
}

/* A new array, zeroed but for its name and shape; 0 after a failure. */
static sac_node add_node(sac_graph *graph, const char *name, sac_small_shape shape)
{
    if (graph->status != SAC_OK)
        return 0;
    float *numbers = calloc(sac_small_count(shape) + 1, sizeof *numbers);
    if (graph->count == SAC_GRAPH_ARRAYS || !numbers) {
        free(numbers);
        graph->status = sac_no_memory(&graph->error, name);
        return 0;
    }
    sac_small_array *array = &graph->arrays[graph->count++];
    *array = (sac_small_array){.shape = shape, .numbers = numbers};
    snprintf(array->name, sizeof array->name, "%s", name);
    return graph->count;
}

/* ---------------------------------------------------------------- arrays */

sac_node sac_given(sac_graph *graph, const char *name, sac_small_shape shape, const float *numbers)
{
    sac_node node = add_node(graph, name, shape);
    if (node)
        memcpy(graph->arrays[node - 1].numbers, numbers, sac_small_count(shape) * sizeof *numbers);
    return node;
}

/* A lesson's indices may suit its own sizes, while the user gave a smaller array. */
static bool check_indices_in_range(sac_graph *graph, sac_node a, const int *index, size_t count)
{
    size_t have = sac_small_count(sac_node_shape(graph, a));
    for (size_t i = 0; a && i < count; i++)
        if ((size_t)index[i] >= have) {
            sac_graph_fail(graph, graph->arrays[a - 1].name, "give an array of the lesson's size",
                           "has %zu numbers, and number %d is used", have, index[i] + 1);
            return false;
        }
    return a != 0;
}

sac_node sac_gather(sac_graph *graph, const char *name, sac_node a, sac_small_shape shape,
                    const int *index)
{
    size_t count = sac_small_count(shape);
    if (!check_indices_in_range(graph, a, index, count))
        return 0;
    sac_node node = add_node(graph, name, shape);
    sac_small_array *array = sac_graph_array(graph, node);
    if (!array)
        return 0;
    array->operation = SAC_OP_GATHER;
    array->inputs[0] = a;
    array->index = malloc((count + 1) * sizeof *index);
    array->shares = sac_graph_array(graph, a)->shares;
    if (array->index)
        memcpy(array->index, index, count * sizeof *index);
    else
        graph->status = sac_no_memory(&graph->error, name);
    return node;
}

sac_node sac_positions(sac_graph *graph, const char *name, size_t count, size_t depth)
{
    sac_node node = add_node(graph, name, SAC_MATRIX(count, depth));
    if (node)
        graph->arrays[node - 1].operation = SAC_OP_POSITION;
    return node;
}

/* ---------------------------------------------------------------- numbers in another order */

/* A gather whose cell at `to` (its indices) comes from the cell that `from` gives. */
typedef void (*sac_from)(const void *user, const size_t *to, size_t *from);

static sac_node gather_by_index_map(sac_graph *graph, const char *name, sac_node a,
                                    sac_small_shape shape, sac_from from, const void *user)
{
    size_t count = sac_small_count(shape);
    sac_small_shape source = sac_node_shape(graph, a);
    int *index = a ? malloc((count + 1) * sizeof *index) : NULL;
    if (!index)
        return 0;
    for (size_t i = 0; i < count; i++) {
        size_t to[SAC_GRAPH_RANK] = {0}, at[SAC_GRAPH_RANK] = {0}, rest = i, flat = 0;
        for (int d = shape.rank; d-- > 0; rest /= shape.n[d])
            to[d] = rest % shape.n[d];
        from(user, to, at);
        for (int d = 0; d < source.rank; d++)
            flat = flat * source.n[d] + at[d];
        index[i] = (int)flat;
    }
    sac_node node = sac_gather(graph, name, a, shape, index);
    free(index);
    return node;
}

static void map_swapped_index(const void *user, const size_t *to, size_t *from)
{
    const int *pair = user;
    memcpy(from, to, SAC_GRAPH_RANK * sizeof *from);
    from[pair[0]] = to[pair[1]];
    from[pair[1]] = to[pair[0]];
}

sac_node sac_transposed(sac_graph *graph, const char *name, sac_node a)
{
    sac_small_shape shape = sac_node_shape(graph, a), swapped = shape;
    const int pair[] = {shape.rank - 2, shape.rank - 1};
    if (shape.rank < 2)
        return 0;
    swapped.n[pair[0]] = shape.n[pair[1]];
    swapped.n[pair[1]] = shape.n[pair[0]];
    return gather_by_index_map(graph, name, a, swapped, map_swapped_index, pair);
}

sac_node sac_reshaped(sac_graph *graph, const char *name, sac_node a, sac_small_shape shape)
{
    char was[64], wanted[64];
    sac_small_shape source = sac_node_shape(graph, a);
    size_t count = sac_small_count(shape);
    if (graph->status == SAC_OK && count != sac_small_count(source))
        sac_graph_fail(graph, name, NULL, "shape %s does not become %s",
                       sac_small_shape_text(source, was, sizeof was),
                       sac_small_shape_text(shape, wanted, sizeof wanted));
    int *index = malloc((count + 1) * sizeof *index);
    for (size_t i = 0; index && i < count; i++)
        index[i] = (int)i;
    sac_node node = index && graph->status == SAC_OK ? sac_gather(graph, name, a, shape, index) : 0;
    free(index);
    return node;
}

static void map_sliced_index(const void *user, const size_t *to, size_t *from)
{
    memcpy(from, to, SAC_GRAPH_RANK * sizeof *from);
    from[0] += *(const size_t *)user;
}

sac_node sac_sliced(sac_graph *graph, const char *name, sac_node a, size_t first, size_t count)
{
    sac_small_shape shape = sac_node_shape(graph, a);
    if (a && first + count > shape.n[0])
        sac_graph_fail(graph, name, NULL, "there are no rows %zu to %zu", first, first + count - 1);
    shape.n[0] = count;
    return graph->status == SAC_OK
               ? gather_by_index_map(graph, name, a, shape, map_sliced_index, &first)
               : 0;
}

void sac_graph_share_colors(sac_graph *graph, sac_node a, sac_node b)
{
    if (a && b) {
        graph->arrays[a - 1].like = b;
        graph->arrays[b - 1].like = a;
    }
}

/* ---------------------------------------------------------------- operations, whose results are appended as new arrays */

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
    [SAC_OP_SORTED] = {"sort", "lesson_order", ELEMENTWISE},
    [SAC_OP_RUNNING_SUM] = {"cumsum", "lesson_sum", ELEMENTWISE},
    [SAC_OP_THRESHOLD] = {"threshold", "lesson_order", REDUCE},
    [SAC_OP_ABOVE] = {"part above", "lesson_cell", ELEMENTWISE},
    [SAC_OP_SLOPES] = {"slopes", "lesson_sum", PRODUCT},
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
    switch (operation) {
    case SAC_OP_SOFTMAX:
        return SAC_MADE_SHARES;
    case SAC_OP_SOFTMAX_0:
        return SAC_MADE_SHARES_0;
    case SAC_OP_GATHER:
    case SAC_OP_SORTED:
        return SAC_MADE_BY_MOVING;
    case SAC_OP_RUNNING_SUM:
        return SAC_MADE_OF_ROW_SO_FAR;
    default:
        return of_rule[operations[operation].rule];
    }
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

static bool axis_broadcasts(size_t have, size_t want)
{
    return have == want || have == 1;
}

static bool fail_shape_mismatch(sac_graph *graph, const char *name, sac_node a, sac_node b)
{
    char first[64], second[64];
    sac_small_array *left = sac_graph_array(graph, a), *right = sac_graph_array(graph, b);
    sac_graph_fail(graph, right->name, "give arrays whose shapes fit each other",
                   "shape %s does not fit %s %s (in %s)",
                   sac_small_shape_text(right->shape, second, sizeof second), left->name,
                   sac_small_shape_text(left->shape, first, sizeof first), name);
    return false;
}

static bool find_elementwise_shape(sac_graph *graph, const char *name, const sac_node *inputs,
                                   sac_small_shape *shape)
{
    *shape = sac_node_shape(graph, inputs[0]);
    sac_extent want = sac_small_extent(*shape);
    for (int i = 1; i < SAC_GRAPH_INPUTS; i++) {
        if (!inputs[i])
            continue;
        sac_extent have = sac_small_extent(sac_node_shape(graph, inputs[i]));
        if (!axis_broadcasts(have.batch, want.batch) || !axis_broadcasts(have.rows, want.rows) ||
            !axis_broadcasts(have.columns, want.columns))
            return fail_shape_mismatch(graph, name, inputs[0], inputs[i]);
    }
    return true;
}

/* The shape of what `operation` makes of its inputs. False, with the graph's failure, where their
 * shapes do not fit. */
static bool shape_of_operation(sac_graph *graph, sac_operation operation, const char *name,
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
        if (x.columns != depth ||
            !(axis_broadcasts(x.batch, y.batch) || axis_broadcasts(y.batch, x.batch)))
            return fail_shape_mismatch(graph, name, inputs[0], inputs[1]);
        *shape = left.rank >= right.rank || left.rank == 1 ? left : right;
        if (y.batch > x.batch)
            *shape = right;
        if (shape->rank > 1)
            shape->n[shape->rank - 2] = x.rows;
        shape->n[shape->rank - 1] = transposed ? y.rows : y.columns;
        return true;
    }
    if (!find_elementwise_shape(graph, name, inputs, shape))
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
    if (graph->status != SAC_OK || !shape_of_operation(graph, operation, name, inputs, &shape))
        return 0;
    sac_node node = add_node(graph, name, shape);
    sac_small_array *array = sac_graph_array(graph, node);
    if (!array)
        return 0;
    array->operation = operation;
    memcpy(array->inputs, inputs, sizeof inputs);
    array->f = f;
    array->g = g;
    array->shares =
        operation == SAC_OP_SOFTMAX || operation == SAC_OP_SOFTMAX_0 || operation == SAC_OP_ABOVE;
    return node;
}

sac_node sac_linear_map(sac_graph *graph, const char *product, const char *name, sac_node x,
                        sac_node w, sac_node b)
{
    if (!b)
        return sac_matmul_t(graph, name, x, w);
    return sac_sum(graph, name, sac_matmul_t(graph, product, x, w), b);
}
