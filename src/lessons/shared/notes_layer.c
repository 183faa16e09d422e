#include "lessons/shared/notes_layer.h"

#include <math.h>
#include <stdlib.h>

#include "base/random/torch_random.h"

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

sac_node sac_notes_members(sac_graph *graph, size_t words, size_t heads, bool by_view)
{
    size_t count = heads * words * words;
    float *member = calloc(count + 1, sizeof *member);
    for (size_t i = 0; member && i < heads * words; i++) {
        size_t h = i / words, r = i % words;
        member[i * words + (by_view ? sac_heads_owner(words, heads, h, r) : r)] = 1;
    }
    sac_node node = member ? sac_given(graph, "member", SAC_STACK(heads, words, words), member) : 0;
    free(member);
    return node;
}

sac_node sac_notes_influence(sac_graph *graph, sac_node member)
{
    size_t heads = sac_node_size(graph, member, 0), words = sac_node_size(graph, member, 1);
    sac_node columns = sac_transposed(graph, "member^T", member);
    sac_node rows = sac_apply(graph, SAC_OP_SUM, "rows_in_head", columns, 0, 0, 0, 0);
    sac_node by_head = sac_reshaped(graph, "rows_of_word", rows, SAC_MATRIX(heads, words));
    sac_node shared =
        sac_matmul(graph, "shared", sac_transposed(graph, "rows_of_word^T", by_head), by_head);
    sac_node apart = sac_apply(graph, SAC_OP_EQUALS, "apart", shared, 0, 0, 0, 0);
    return sac_apply(graph, SAC_OP_AFFINE, "influence", apart, 0, 0, -1, 1);
}
