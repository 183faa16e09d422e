#include "lessons/shared/translated.h"

const char *const sac_translated_words[SAC_TRANSLATED_WORDS] = {
    "l'", "accord", "sur",   "la", "zone", "économique", "européenne",
    "a",  "été",    "signé", "en", "août", "1992",       "."};
const char *const sac_translated_source[SAC_TRANSLATED_SOURCE] = {
    "the", "agreement", "on", "the",    "european", "economic", "area",
    "was", "signed",    "in", "august", "1992",     "."};

/* clang-format off */
static const float scores[SAC_TRANSLATED_WORDS * SAC_TRANSLATED_SOURCE] = {
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
        lesson, name, SAC_MATRIX(SAC_TRANSLATED_WORDS, SAC_TRANSLATED_SOURCE), scores);
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
