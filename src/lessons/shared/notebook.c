#include "lessons/shared/notebook.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/random/torch_random.h"
#include "lessons/engine/own_data.h"

enum {
    COUNT = SAC_NOTEBOOK_SENTENCES * SAC_NOTEBOOK_WORDS * SAC_NOTEBOOK_DEPTH,
    SINGLE_AT = 410, /* the notebook had made the model once before */
    THREE_AT = 8970,
};

/* [1,T,10]: a word's numbers follow from its letters, so that the same word has the same ones. */
static sac_node draw_words(sac_lesson *lesson, size_t words)
{
    enum { D = SAC_NOTEBOOK_DEPTH };
    float numbers[SAC_LESSON_ROWS * D];
    for (size_t w = 0; w < words; w++) {
        const char *word = lesson->words[w];
        sac_torch_random random;
        sac_torch_seed(&random, sac_hash(SAC_HASH_START, word, strlen(word)));
        for (int i = 0; i < D; i++)
            numbers[w * D + (size_t)i] = sac_torch_rand(&random);
    }
    return sac_lesson_given(lesson, "draws", SAC_STACK(1, words, D), numbers);
}

static sac_node draw_notebook(sac_lesson *lesson)
{
    sac_torch_random random;
    float numbers[COUNT];
    sac_torch_seed(&random, SAC_NOTEBOOK_SEED);
    for (int i = 0; i < COUNT; i++)
        numbers[i] = sac_torch_rand(&random);
    return sac_lesson_given(
        lesson, "draws", SAC_STACK(SAC_NOTEBOOK_SENTENCES, SAC_NOTEBOOK_WORDS, SAC_NOTEBOOK_DEPTH),
        numbers);
}

/* Rows of length 1. */
static sac_node bring_to_length(sac_lesson *lesson, sac_node draws)
{
    sac_graph *g = &lesson->graph;
    sac_node lengths = sac_apply(g, SAC_OP_LENGTH, "lengths", draws, 0, 0, 0, 0);
    return sac_apply(g, SAC_OP_DIVIDE, "sents", draws, lengths, 0, 0, 0);
}

sac_node sac_notebook_sentences(sac_lesson *lesson, sac_node *draws)
{
    *draws = draw_notebook(lesson);
    return bring_to_length(lesson, *draws);
}

sac_node sac_notebook_words(sac_lesson *lesson, sac_node *draws)
{
    size_t words = sac_lesson_word_count(lesson);
    *draws = words ? draw_words(lesson, words) : draw_notebook(lesson);
    return bring_to_length(lesson, *draws);
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
