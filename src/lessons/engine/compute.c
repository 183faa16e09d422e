/* Computes a graph on the device: all arrays in one buffer, one launch per operation, one read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "device/device.h"
#include "gemm/launch.h"
#include "lessons/engine/graph.h"

/* What a kernel reads of its operation; the twin of cl/lesson.cl. */
enum {
    Y,
    COUNT,
    ROWS,
    COLUMNS,
    DEPTH,
    OPERATION,
    OPERANDS,
    INDEX = OPERANDS + 4 * SAC_GRAPH_INPUTS,
    INTS
};

/* The memory of a run. */
typedef struct run {
    sac_graph *graph;
    size_t at[SAC_GRAPH_ARRAYS]; /* the first float of each array */
    size_t floats, ints;
    float *numbers; /* [floats] */
    int *words;     /* [ints]: INTS an array, then the indices of gathers */
    sac_span x;
    cl_mem d;
} run;

/* ---------------------------------------------------------------- arguments of the kernels */

static size_t operation_depth(const sac_graph *graph, const sac_small_array *array)
{
    if (array->operation == SAC_OP_POSITION)
        return array->shape.n[1];
    sac_extent a = sac_small_extent(sac_node_shape(graph, array->inputs[0]));
    return array->operation == SAC_OP_SOFTMAX_0 ? a.rows : a.columns;
}

/* Columns of the two tables that positions are computed with; they lie behind the array. */
static size_t position_table_columns(const sac_small_array *array)
{
    return array->operation == SAC_OP_POSITION ? array->shape.n[1] : 0;
}

static void write_kernel_arguments(const run *r, int i)
{
    const sac_small_array *array = &r->graph->arrays[i];
    sac_extent e = sac_small_extent(array->shape);
    int *words = r->words + (size_t)i * INTS;
    words[Y] = (int)r->at[i];
    words[COUNT] = (int)sac_small_count(array->shape);
    words[ROWS] = (int)e.rows;
    words[COLUMNS] = (int)e.columns;
    words[DEPTH] = (int)operation_depth(r->graph, array);
    words[OPERATION] = (int)array->operation;
    if (array->operation == SAC_OP_POSITION) {
        /* How many turns column c makes from one position to the next, 1 / (2π 10000^(2⌊c/2⌋/d)): the
         * first 12 bits in one table and the rest in the other. */
        int *tables = words + OPERANDS;
        size_t depth = position_table_columns(array),
               high = r->at[i] + sac_small_count(array->shape);
        for (size_t c = 0; c < depth; c++) {
            double turns = pow(10000, -(double)(c - c % 2) / (double)depth) / (2 * acos(-1));
            int exponent;
            double bits = rint(ldexp(frexp(turns, &exponent), 12));
            r->numbers[high + c] = (float)ldexp(bits, exponent - 12);
            r->numbers[high + depth + c] = (float)(turns - ldexp(bits, exponent - 12));
        }
        tables[0] = (int)high;
        tables[4] = (int)(high + depth);
        tables[3] = tables[7] = 1; /* from one column to the next */
    }
    for (int k = 0; k < SAC_GRAPH_INPUTS; k++) {
        /* A product over columns of both reads the second one with rows and columns exchanged, the
         * softmax over rows its one input. */
        bool transposed = (k == 1 && array->operation == SAC_OP_MATMUL_T) ||
                          (k == 0 && array->operation == SAC_OP_SOFTMAX_0);
        if (array->inputs[k]) {
            /* Where an operand's cell (batch, row, column) is: its first float and three strides; a
             * stride is 0 along an axis that is broadcast. */
            int *operand = words + OPERANDS + 4 * k;
            sac_extent x = sac_small_extent(r->graph->arrays[array->inputs[k] - 1].shape);
            int row = x.rows > 1 ? (int)x.columns : 0, column = x.columns > 1;
            operand[0] = (int)r->at[array->inputs[k] - 1];
            operand[1] = x.batch > 1 ? (int)(x.rows * x.columns) : 0;
            operand[2] = transposed ? column : row;
            operand[3] = transposed ? row : column;
        }
    }
    if (array->operation ==
        SAC_OP_GATHER) /* a cell of the result is at no such place of the operand */
        memset(words + OPERANDS + 1, 0, 3 * sizeof *words);
}

/* ---------------------------------------------------------------- memory */

static sac_status upload(run *r, sac_device *device, sac_error *error)
{
    int next = r->graph->count * INTS;
    for (int i = 0; i < r->graph->count; i++) {
        const sac_small_array *array = &r->graph->arrays[i];
        size_t count = sac_small_count(array->shape);
        if (array->operation == SAC_OP_GIVEN)
            memcpy(r->numbers + r->at[i], array->numbers, count * sizeof(float));
        write_kernel_arguments(r, i);
        if (array->operation == SAC_OP_GATHER) {
            r->words[i * INTS + INDEX] = next;
            memcpy(r->words + next, array->index, count * sizeof(int));
            next += (int)count;
        }
    }
    sac_status status = sac_span_create(device, r->floats, r->numbers, &r->x, error);
    if (status == SAC_OK)
        status = sac_buffer_create(device, r->ints * sizeof(int), r->words, &r->d, error);
    return status;
}

/* ---------------------------------------------------------------- the run */

static sac_status launch(const run *r, int i, sac_device *device, sac_error *error)
{
    const sac_small_array *array = &r->graph->arrays[i];
    const char *kernel = sac_operation_kernel(array->operation);
    cl_uint words = (cl_uint)i * INTS;
    sac_arg args[] = {SAC_ARG(r->x.buffer), SAC_ARG(r->d), SAC_ARG(words), SAC_ARG(array->f),
                      SAC_ARG(array->g)};
    if (!kernel)
        return SAC_OK;
    return sac_launch_items(device, "lesson", kernel, args, 5, sac_small_count(array->shape),
                            error);
}

/* Waits before and after, so that the time is this operation's alone. */
static sac_status launch_timed(run *r, int i, sac_device *device, sac_error *error)
{
    sac_status status = sac_device_finish(device, error);
    double begin = sac_now();
    if (status == SAC_OK)
        status = launch(r, i, device, error);
    if (status == SAC_OK)
        status = sac_device_finish(device, error);
    r->graph->arrays[i].seconds = sac_now() - begin;
    return status;
}

static sac_status compute_all_operations(run *r, sac_device *device, sac_error *error)
{
    const sac_graph *graph = r->graph;
    r->ints = (size_t)graph->count * INTS;
    for (int i = 0; i < graph->count; i++) {
        r->at[i] = r->floats;
        r->floats += sac_small_count(graph->arrays[i].shape);
        r->floats += 2 * position_table_columns(&graph->arrays[i]);
        r->ints += graph->arrays[i].operation == SAC_OP_GATHER
                       ? sac_small_count(graph->arrays[i].shape)
                       : 0;
    }
    r->numbers = calloc(r->floats + 1, sizeof *r->numbers);
    r->words = calloc(r->ints + 1, sizeof *r->words);
    sac_status status = r->numbers && r->words ? SAC_OK : sac_no_memory(error, "lesson");
    if (status == SAC_OK)
        status = upload(r, device, error);
    for (int i = 0; i < r->graph->count && status == SAC_OK; i++)
        status = r->graph->timed ? launch_timed(r, i, device, error) : launch(r, i, device, error);
    if (status == SAC_OK)
        status = sac_span_read(device, r->x, r->floats, r->numbers, error);
    for (int i = 0; i < r->graph->count && status == SAC_OK; i++)
        memcpy(r->graph->arrays[i].numbers, r->numbers + r->at[i],
               sac_small_count(r->graph->arrays[i].shape) * sizeof(float));
    return status;
}

/* ---------------------------------------------------------------- where sorted numbers come from */

/* The cells of an array in the order that the kernel gave them: of equal ones the first before the
 * others. */
static sac_status store_sorted_order(sac_graph *graph, sac_small_array *array, sac_error *error)
{
    const float *from = graph->arrays[array->inputs[0] - 1].numbers;
    size_t count = sac_small_count(array->shape), columns = sac_small_extent(array->shape).columns;
    if (!array->index)
        array->index = malloc((count + 1) * sizeof *array->index);
    if (!array->index)
        return sac_no_memory(error, array->name);
    for (size_t cell = 0; cell < count; cell++) {
        size_t first = cell - cell % columns, rank = 0;
        for (size_t k = first; k < first + columns; k++)
            rank += from[k] > from[cell] || (from[k] == from[cell] && k < cell);
        array->index[first + rank] = (int)cell;
    }
    return SAC_OK;
}

/* ---------------------------------------------------------------- what rounding leaves where terms cancel: numbers that would be 0 */

#define OF_TERMS 1e-6f

static float largest_magnitude(const sac_graph *graph, sac_node node)
{
    float most = 0;
    const sac_small_array *array = node ? &graph->arrays[node - 1] : NULL;
    for (size_t i = 0; array && i < sac_small_count(array->shape); i++)
        if (isfinite(array->numbers[i]))
            most = fmaxf(most, fabsf(array->numbers[i]));
    return most;
}

/* A product or a softmax has no noise of its own, however small its numbers are. */
static float rounding_noise(const sac_graph *graph, const sac_small_array *array)
{
    const sac_node *in = array->inputs;
    float a = in[0] ? graph->arrays[in[0] - 1].noise : 0;
    float b = in[1] ? graph->arrays[in[1] - 1].noise : 0;
    switch (array->operation) {
    case SAC_OP_POSITION:
    case SAC_OP_STANDARDISE:
    case SAC_OP_ENTROPY:
        return OF_TERMS;
    case SAC_OP_MATMUL:
    case SAC_OP_MATMUL_T:
        return OF_TERMS * largest_magnitude(graph, in[0]) * largest_magnitude(graph, in[1]);
    case SAC_OP_ADD:
        return OF_TERMS * fmaxf(largest_magnitude(graph, in[0]),
                                fabsf(array->f) * largest_magnitude(graph, in[1]));
    case SAC_OP_AFFINE:
        if (array->g != 0)
            return OF_TERMS *
                   fmaxf(fabsf(array->f) * largest_magnitude(graph, in[0]), fabsf(array->g));
        return fabsf(array->f) * a;
    case SAC_OP_SUM:
    case SAC_OP_MEAN:
    case SAC_OP_RUNNING_SUM:
    case SAC_OP_THRESHOLD:
    case SAC_OP_SLOPES:
        return OF_TERMS * largest_magnitude(graph, in[0]);
    case SAC_OP_ABOVE:
        a = OF_TERMS * fmaxf(largest_magnitude(graph, in[0]), largest_magnitude(graph, in[1]));
        return array->f > 0 ? powf(a, array->f) : 0;
    case SAC_OP_ADDITIVE:
        return OF_TERMS * largest_magnitude(graph, in[2]);
    case SAC_OP_VARIANCE:
        return OF_TERMS * largest_magnitude(graph, in[0]) * largest_magnitude(graph, in[0]);
    case SAC_OP_MULTIPLY:
        return fmaxf(a * largest_magnitude(graph, in[1]), b * largest_magnitude(graph, in[0]));
    case SAC_OP_GATHER:
    case SAC_OP_SORTED:
    case SAC_OP_MASK:
    case SAC_OP_RELU:
    case SAC_OP_TANH:
    case SAC_OP_LARGEST:
        return a;
    default:
        return 0;
    }
}

sac_status sac_graph_compute(sac_graph *graph, sac_device *device, sac_error *error)
{
    run r = {.graph = graph};
    if (graph->status != SAC_OK) {
        if (error)
            *error = graph->error;
        return graph->status;
    }
    if (!device)
        return sac_fail(error, SAC_E_NO_DEVICE, "lesson", NULL, "there is no device");
    sac_device_lock(device);
    sac_status status = compute_all_operations(&r, device, error);
    sac_span_release(&r.x);
    sac_buffer_release(r.d);
    sac_device_unlock(device);
    for (int i = 0; i < graph->count; i++) {
        graph->arrays[i].noise = rounding_noise(graph, &graph->arrays[i]);
        if (graph->arrays[i].operation == SAC_OP_SORTED && status == SAC_OK)
            status = store_sorted_order(graph, &graph->arrays[i], error);
    }
    free(r.numbers);
    free(r.words);
    return status;
}
