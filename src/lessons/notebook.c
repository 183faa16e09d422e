#include "lessons/notebook.h"

#include <math.h>

#include "base/torch_random.h"

enum {
    COUNT = SAC_NOTEBOOK_SENTENCES * SAC_NOTEBOOK_WORDS * SAC_NOTEBOOK_DEPTH,
    SINGLE_AT = 410, /* the notebook had made the model once before */
    THREE_AT = 8970,
};

sac_node sac_notebook_sentences(sac_lesson *lesson, sac_node *draws)
{
    sac_torch_random random;
    float numbers[COUNT];
    sac_torch_seed(&random, SAC_NOTEBOOK_SEED);
    for (int i = 0; i < COUNT; i++)
        numbers[i] = sac_torch_rand(&random);
    sac_graph *g = &lesson->graph;
    *draws = sac_lesson_given(
        lesson, "draws", SAC_STACK(SAC_NOTEBOOK_SENTENCES, SAC_NOTEBOOK_WORDS, SAC_NOTEBOOK_DEPTH),
        numbers);
    sac_node lengths = sac_apply(g, SAC_OP_LENGTH, "lengths", *draws, 0, 0, 0, 0);
    return sac_apply(g, SAC_OP_DIVIDE, "sents", *draws, lengths, 0, 0, 0);
}

void sac_notebook_rows(const float *draws, float *rows)
{
    for (int i = 0; i < COUNT; i++) {
        const float *row = draws + i / SAC_NOTEBOOK_DEPTH * SAC_NOTEBOOK_DEPTH;
        double squares = 0;
        for (int k = 0; k < SAC_NOTEBOOK_DEPTH; k++)
            squares += (double)row[k] * (double)row[k];
        rows[i] = (float)((double)draws[i] / sqrt(squares));
    }
}

sac_heads sac_notebook_layer(sac_lesson *lesson, size_t heads)
{
    enum { D = SAC_NOTEBOOK_DEPTH };
    sac_torch_random random;
    sac_heads layer = {.heads = heads, .scale = heads > 1 ? 1 / sqrtf(D) : 1};
    sac_torch_seed(&random, lesson->seed);
    if (lesson->seed == SAC_NOTEBOOK_SEED)
        sac_torch_skip(&random, heads > 1 ? THREE_AT : SINGLE_AT);
    layer.query = sac_lesson_linear_drawn(lesson, "W_q", "b_q", D, D * heads, &random);
    layer.key = sac_lesson_linear_drawn(lesson, "W_k", "b_k", D, D * heads, &random);
    layer.value = sac_lesson_linear_drawn(lesson, "W_v", "b_v", D, D * heads, &random);
    if (heads > 1)
        layer.out = sac_lesson_linear_drawn(lesson, "W_out", "b_out", D * heads, D, &random);
    return layer;
}
