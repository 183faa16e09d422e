/* What rounding leaves where terms cancel: numbers that would be 0. */
#include <math.h>

#include "lessons/engine/operations.h"

#define OF_TERMS 1e-6f

static float largest(const sac_graph *graph, sac_node node)
{
    float most = 0;
    const sac_small_array *array = node ? &graph->arrays[node - 1] : NULL;
    for (size_t i = 0; array && i < sac_small_count(array->shape); i++)
        if (isfinite(array->numbers[i]))
            most = fmaxf(most, fabsf(array->numbers[i]));
    return most;
}

/* A product or a softmax has no noise of its own, however small its numbers are. */
static float noise_of(const sac_graph *graph, const sac_small_array *array)
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
        return OF_TERMS * largest(graph, in[0]) * largest(graph, in[1]);
    case SAC_OP_ADD:
        return OF_TERMS * fmaxf(largest(graph, in[0]), fabsf(array->f) * largest(graph, in[1]));
    case SAC_OP_AFFINE:
        if (array->g != 0)
            return OF_TERMS * fmaxf(fabsf(array->f) * largest(graph, in[0]), fabsf(array->g));
        return fabsf(array->f) * a;
    case SAC_OP_SUM:
    case SAC_OP_MEAN:
        return OF_TERMS * largest(graph, in[0]);
    case SAC_OP_ADDITIVE:
        return OF_TERMS * largest(graph, in[2]);
    case SAC_OP_VARIANCE:
        return OF_TERMS * largest(graph, in[0]) * largest(graph, in[0]);
    case SAC_OP_MULTIPLY:
        return fmaxf(a * largest(graph, in[1]), b * largest(graph, in[0]));
    case SAC_OP_GATHER:
    case SAC_OP_MASK:
    case SAC_OP_RELU:
    case SAC_OP_TANH:
    case SAC_OP_LARGEST:
        return a;
    default:
        return 0;
    }
}

void sac_graph_find_noise(sac_graph *graph)
{
    for (int i = 0; i < graph->count; i++)
        graph->arrays[i].noise = noise_of(graph, &graph->arrays[i]);
}

void sac_coloured_alike(sac_graph *graph, sac_node a, sac_node b)
{
    if (a && b) {
        graph->arrays[a - 1].like = b;
        graph->arrays[b - 1].like = a;
    }
}
