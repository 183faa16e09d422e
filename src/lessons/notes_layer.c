#include "lessons/notes_layer.h"

#include <math.h>

#include "base/torch_random.h"

float sac_notes_printed_scale(size_t depth, size_t heads)
{
    size_t width = depth / heads / heads;
    return width ? 1 / sqrtf((float)width) : 0;
}

sac_heads sac_notes_layer(sac_lesson *lesson, size_t depth, size_t heads, bool by_view, float scale)
{
    sac_torch_random random;
    sac_heads layer = {.heads = heads, .by_view = by_view, .scale = scale};
    sac_torch_seed(&random, lesson->seed);
    layer.key = sac_lesson_linear_drawn(lesson, "W_k", "b_k", depth, depth, &random);
    layer.value = sac_lesson_linear_drawn(lesson, "W_v", "b_v", depth, depth, &random);
    layer.query = sac_lesson_linear_drawn(lesson, "W_q", "b_q", depth, depth, &random);
    layer.out = sac_lesson_linear_drawn(lesson, "W_out", "b_out", depth, depth, &random);
    return layer;
}

sac_node sac_rows_standardised(sac_graph *graph, const char *name, sac_node x)
{
    sac_node mean = sac_apply(graph, SAC_OP_MEAN, "mean", x, 0, 0, 0, 0);
    sac_node variance = sac_apply(graph, SAC_OP_VARIANCE, "variance", x, mean, 0, 0, 0);
    return sac_apply(graph, SAC_OP_STANDARDISE, name, x, mean, variance, 1e-5f, 0);
}
