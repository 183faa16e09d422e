#include "lessons/shared/trained.h"

#include <stdio.h>

const char *const sac_captioned_words[SAC_CAPTIONED_WORDS] = {
    "a",      "large",    "green", "star", "left",  "of",    "a",     "small",
    "purple", "triangle", "and",   "a",    "small", "black", "circle"};

const char *const sac_translated_words[SAC_TRANSLATED_WORDS] = {
    "l'", "accord", "sur",   "la", "zone", "économique", "européenne",
    "a",  "été",    "signé", "en", "août", "1992",       "."};
const char *const sac_translated_source[SAC_TRANSLATED_SOURCE] = {
    "the", "agreement", "on", "the",    "european", "economic", "area",
    "was", "signed",    "in", "august", "1992",     "."};

/* clang-format off */
static const float alignment_scores[SAC_TRANSLATED_WORDS * SAC_TRANSLATED_SOURCE] = {
    9.9f, 3.23f, -0.69f, 3.32f, -1.33f, -0.95f, -0.13f, -3.92f, -3.92f, -1.4f, -1.9f, -1.49f, -0.71f,
    1.69f, 9.55f, 2.23f, -1.32f, 0.26f, 0.93f, 3.41f, -0.62f, -2.53f, -2.24f, -3.68f, -3.84f, -3.83f,
    0.75f, 1.38f, 7.61f, 0.98f, 1.17f, 1.37f, -0.59f, -1.23f, -0.69f, -1.8f, -1.54f, -4.42f, -2.98f,
    1.55f, -0.49f, 1.85f, 6.76f, -0.75f, -1.7f, 1.19f, -0.29f, 0.49f, -0.61f, -1.41f, -3.39f, -3.19f,
    -1.88f, -0.02f, -0.37f, 2.2f, 2.35f, 1.83f, 7, 0.97f, 0.67f, -2.21f, -2.53f, -4.22f, -3.8f,
    -3.03f, -3.95f, 0.7f, -2.36f, 4.12f, 9.08f, 1.56f, -0.07f, -0.04f, -0.86f, -1.83f, -1.1f, -2.22f,
    -3.85f, -3.4f, 0.04f, -0.69f, 7.64f, 1.24f, -1.42f, 0.39f, -0.38f, 1.93f, 0.35f, -0.91f, -0.95f,
    -6.55f, -4.95f, 0.74f, -2.27f, 1.9f, -1.24f, 0.57f, 7.11f, 5.23f, 2.52f, 0.18f, -1.11f, -2.14f,
    -6, -5.58f, -0.87f, -3.76f, -0.17f, -1.2f, 1.06f, 7.38f, 6.75f, 2.55f, 0.57f, 0.64f, -1.36f,
    -4.57f, -4.57f, -2.88f, -1.14f, -1.26f, -3.1f, -0.62f, 2.51f, 9.22f, 5.32f, 1.39f, 1.27f, -1.57f,
    -4.61f, -4.61f, -3.82f, -3.59f, -0.65f, -2.03f, -4.56f, 1.76f, 3.85f, 9.2f, 3.3f, 3.63f, 2.12f,
    -4.02f, -4.02f, -3.88f, -3.1f, -0.98f, -2.11f, 0.03f, -0.67f, 2.08f, 1.45f, 9.79f, 2.4f, 3.05f,
    -4.06f, -4.06f, -3.51f, -4.06f, -2.91f, -1.5f, -2.55f, 0.37f, 1.37f, 4.67f, 2.72f, 9.75f, 3.75f,
    -4.52f, -4.52f, -3.52f, -4.16f, -2.52f, -3.15f, -3.58f, -0.37f, 0.75f, 4.37f, 4.71f, 7.42f, 9.11f,
};
/* clang-format on */

sac_node sac_translated_scores(sac_lesson *lesson, const char *name)
{
    sac_node node = sac_lesson_given(
        lesson, name, SAC_MATRIX(SAC_TRANSLATED_WORDS, SAC_TRANSLATED_SOURCE), alignment_scores);
    sac_translated_label(lesson, node, 0, 0);
    return node;
}

void sac_translated_label(sac_lesson *lesson, sac_node node, size_t row, size_t column)
{
    sac_small_array *array = sac_graph_array(&lesson->graph, node);
    if (!array)
        return;
    if (row + array->shape.n[0] <= SAC_TRANSLATED_WORDS)
        array->row_labels = sac_translated_words + row;
    if (column + array->shape.n[1] <= SAC_TRANSLATED_SOURCE)
        array->column_labels = sac_translated_source + column;
}

static const char *const words[SAC_TRAINED_WORDS] = {"the", "red", "cat",    "sleeps",
                                                     "in",  "the", "garden", "."};

/* clang-format off */
static const float head_scores[SAC_TRAINED_HEADS * SAC_TRAINED_WORDS * SAC_TRAINED_WORDS] = {
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
                               head_scores);
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
