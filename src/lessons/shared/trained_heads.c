#include "lessons/shared/trained_heads.h"

#include <stdio.h>

static const char *const words[SAC_TRAINED_WORDS] = {"the", "red", "cat",    "sleeps",
                                                     "in",  "the", "garden", "."};

/* clang-format off */
static const float numbers[SAC_TRAINED_HEADS * SAC_TRAINED_WORDS * SAC_TRAINED_WORDS] = {
    3, 1.83f, 4.99f, 1.97f, -2.09f, -3.18f, 0.1f, -6.63f,
    5.4f, 4.48f, 6.41f, 2.77f, -3.24f, -5.05f, -3.78f, -6.98f,
    3.82f, 2.83f, 5.31f, 2.89f, -2.17f, -3.85f, -1.81f, -7.01f,
    2.51f, 1.29f, 1.58f, 4.18f, 0.14f, -2.35f, -3.27f, -4.09f,
    -1.85f, -2.28f, -3.16f, 4.31f, 2.33f, 0.48f, -1.43f, 1.6f,
    -4.9f, -4.9f, -4.9f, -3.18f, 1.22f, 4.31f, 8.9f, 3.45f,
    -5.4f, -6.62f, -2.15f, -0.38f, 1.81f, 3.26f, 7.16f, 2.33f,
    -3.6f, -3.32f, -3.73f, 0.05f, 2.34f, 1.99f, 1.84f, 4.43f,
    3.33f, 3.04f, 1.24f, -0.56f, -2.08f, -2.4f, -4.08f, 1.51f,
    2.9f, 2.81f, 1.68f, -0.49f, -2.52f, -1.78f, -2.3f, -0.3f,
    2.71f, 2.39f, 1.53f, -0.03f, -2.5f, -2.3f, -2.33f, 0.53f,
    1.24f, 1.57f, 0.57f, 0.76f, 0.11f, -2.66f, -3.59f, 2,
    0.31f, 1.19f, 0.03f, 1.55f, 1.33f, -4.3f, -3.9f, 3.78f,
    -0.98f, -0.26f, -1.04f, 1.11f, 1.95f, -2.33f, -3.24f, 4.79f,
    -1.52f, -0.59f, -0.34f, 1.11f, 1.2f, -1.9f, -0.53f, 2.58f,
    -1.5f, -0.57f, -0.4f, 1.6f, 1.75f, -2.19f, -1.58f, 2.89f,
};
/* clang-format on */

/* Rows and columns get the words. */
static void label_words(sac_lesson *lesson, sac_node node)
{
    sac_lesson_label(lesson, node, words, SAC_TRAINED_WORDS, words, SAC_TRAINED_WORDS);
}

sac_node sac_trained_heads(sac_lesson *lesson, sac_node *scores)
{
    *scores = sac_lesson_given(lesson, "trained.scores",
                               SAC_STACK(SAC_TRAINED_HEADS, SAC_TRAINED_WORDS, SAC_TRAINED_WORDS),
                               numbers);
    sac_node weights = sac_softmax(&lesson->graph, "trained.weights", *scores);
    label_words(lesson, *scores);
    label_words(lesson, weights);
    return weights;
}

sac_node sac_trained_head(sac_lesson *lesson, const char *name, sac_node both)
{
    sac_graph *g = &lesson->graph;
    size_t count = sac_node_size(g, both, 1);
    char of_one[32];
    snprintf(of_one, sizeof of_one, "%s.one", name);
    sac_node one = sac_sliced(g, of_one, both, 0, 1);
    sac_node node = sac_reshaped(g, name, one, SAC_MATRIX(count, count));
    label_words(lesson, node);
    return node;
}
