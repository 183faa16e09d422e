#include "lessons/shared/layers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/random/random.h"
#include "lessons/engine/lesson.h"

/* The cells of heads [B·H,T,w] by where they lie in [B,T,H·w], or the other way round. */
static sac_node rearrange(sac_graph *g, const char *name, sac_node x, size_t batch, size_t tokens,
                          size_t heads, size_t width, bool split)
{
    size_t count = batch * tokens * heads * width;
    int *index = malloc((count + 1) * sizeof *index);
    sac_small_shape apart = SAC_STACK(batch * heads, tokens, width);
    sac_small_shape together = SAC_STACK(batch, tokens, heads * width);
    for (size_t i = 0; index && i < count; i++) { /* over the heads' cells */
        size_t w = i % width, t = i / width % tokens, h = i / width / tokens % heads;
        size_t b = i / width / tokens / heads;
        size_t whole = ((b * tokens + t) * heads + h) * width + w;
        index[split ? i : whole] = (int)(split ? whole : i);
    }
    sac_node node = x && index ? sac_gather(g, name, x, split ? apart : together, index) : 0;
    free(index);
    return node;
}

sac_node sac_heads_split(sac_graph *graph, const char *name, sac_node x, size_t heads, bool by_view)
{
    size_t depth = sac_node_size(graph, x, -1), tokens = sac_node_size(graph, x, -2);
    size_t batch = sac_node_shape(graph, x).rank == 3 ? sac_node_size(graph, x, 0) : 1;
    if (x && depth % heads != 0)
        sac_graph_fail(graph, name, "give a multiple of the heads", "%zu numbers make no %zu heads",
                       depth, heads);
    if (graph->status != SAC_OK)
        return 0;
    if (by_view)
        return sac_reshaped(graph, name, x, SAC_STACK(batch * heads, tokens, depth / heads));
    return rearrange(graph, name, x, batch, tokens, heads, depth / heads, true);
}

void sac_draw_heads(sac_lesson *lesson, const char *name, sac_node x, size_t heads, bool by_view,
                    int step)
{
    enum { SHOWN = 4 };
    static const char *const titles[SHOWN] = {N_("head 0"), N_("head 1"), N_("head 2"),
                                              N_("head 3")};
    sac_graph *g = &lesson->graph;
    size_t words = sac_node_size(g, x, 1), depth = sac_node_size(g, x, 2), cells = words * depth;
    char names[2][32];
    float *others = malloc((cells + 1) * sizeof *others);
    snprintf(names[0], sizeof names[0], "%s.rows", name);
    sac_node rows = sac_reshaped(g, names[0], x, SAC_MATRIX(words, depth));
    sac_lesson_drawing drawing = {.kind = SAC_DRAWS_MATRIX, .part = 0.55f};
    for (size_t h = 0; others && h < heads && h < SHOWN; h++) {
        for (size_t i = 0; i < cells; i++)
            others[i] = h != (by_view ? i * heads / cells : i % depth * heads / depth);
        snprintf(names[1], sizeof names[1], "%s.%zu", name, h);
        drawing.panels[drawing.panel_count] =
            (sac_drawing_panel){.title = titles[h], .y = N_("word")};
        drawing.marks[drawing.mark_count++] =
            (sac_drawing_mark){SAC_MARK_CELLS, drawing.panel_count++, .y = rows,
                               .weights = sac_given(g, names[1], SAC_MATRIX(words, depth), others)};
    }
    free(others);
    sac_lesson_add_drawing(lesson, &drawing, step, step);
}

/* Back to [B,T,D], the same way. */
static sac_node join_heads(sac_graph *graph, const char *name, sac_node x, size_t batch,
                           bool by_view)
{
    size_t heads = sac_node_size(graph, x, 0) / (batch ? batch : 1);
    size_t tokens = sac_node_size(graph, x, 1), width = sac_node_size(graph, x, 2);
    if (graph->status != SAC_OK)
        return 0;
    if (by_view)
        return sac_reshaped(graph, name, x, SAC_STACK(batch, tokens, heads * width));
    return rearrange(graph, name, x, batch, tokens, heads, width, false);
}

/* ---------------------------------------------------------------- a layer */

/* Joins `prefix` and `name`. The text is in memory of the thread, valid until the fourth call after this one. */
static const char *prefixed_name(const char *prefix, const char *name)
{
    static _Thread_local char names[4][32];
    static _Thread_local int next;
    char *text = names[next++ % 4];
    snprintf(text, sizeof names[0], "%s%s", prefix, name);
    return text;
}

static sac_node add_linear_map(sac_graph *g, const char *prefix, const char *product,
                               const char *name, sac_node x, sac_lesson_linear linear)
{
    return sac_linear_map(g, prefixed_name(prefix, product), prefixed_name(prefix, name), x,
                          linear.weight, linear.bias);
}

/* `x` split; with one head `x` itself. */
static sac_node split_into_heads(sac_graph *g, const char *prefix, const char *name, sac_node x,
                                 const sac_heads *layer)
{
    if (layer->heads == 1)
        return x;
    return sac_heads_split(g, prefixed_name(prefix, name), x, layer->heads, layer->by_view);
}

sac_heads_arrays sac_heads_attend(sac_graph *graph, const char *prefix, const sac_heads *layer,
                                  sac_node x)
{
    sac_heads_arrays a = {0};
    size_t batch = sac_node_size(graph, x, 0);
    a.q = add_linear_map(graph, prefix, "xW_q", "Q", x, layer->query);
    a.k = add_linear_map(graph, prefix, "xW_k", "K", x, layer->key);
    a.v = add_linear_map(graph, prefix, "xW_v", "V", x, layer->value);
    bool split = layer->heads > 1;
    a.q_heads = split_into_heads(graph, prefix, "Q.heads", a.q, layer);
    a.k_heads = split_into_heads(graph, prefix, "K.heads", a.k, layer);
    a.v_heads = split_into_heads(graph, prefix, "V.heads", a.v, layer);
    a.scores = sac_matmul_t(graph, prefixed_name(prefix, "scores"), a.q_heads, a.k_heads);
    a.scaled = layer->scale == 1
                   ? a.scores
                   : sac_times(graph, prefixed_name(prefix, "scaled"), a.scores, layer->scale);
    a.weights = sac_softmax(graph, prefixed_name(prefix, "weights"), a.scaled);
    bool ends = !split && !layer->out.weight;
    a.head_outputs =
        sac_matmul(graph, prefixed_name(prefix, ends ? "output" : "heads"), a.weights, a.v_heads);
    a.joined = split ? join_heads(graph, prefixed_name(prefix, "joined"), a.head_outputs, batch,
                                  layer->by_view)
                     : a.head_outputs;
    a.output = layer->out.weight
                   ? add_linear_map(graph, prefix, "joinedW_o", "output", a.joined, layer->out)
                   : a.joined;
    return a;
}

/* ---------------------------------------------------------------- the layer of the notes */

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
    layer.key = sac_lesson_random_linear(lesson, "W_k", "b_k", depth, depth, &random);
    layer.value = sac_lesson_random_linear(lesson, "W_v", "b_v", depth, depth, &random);
    layer.query = sac_lesson_random_linear(lesson, "W_q", "b_q", depth, depth, &random);
    layer.out = sac_lesson_random_linear(lesson, "W_out", "b_out", depth, depth, &random);
    return layer;
}

sac_node sac_rows_standardised(sac_graph *graph, const char *name, sac_node x)
{
    sac_node mean = sac_unary(graph, SAC_OP_MEAN, "mean", x);
    sac_node variance = sac_binary(graph, SAC_OP_VARIANCE, "variance", x, mean);
    return sac_apply(graph, SAC_OP_STANDARDISE, name, x, mean, variance, 1e-5f, 0);
}

sac_node sac_notes_head_members(sac_graph *graph, size_t words, size_t heads, bool by_view)
{
    size_t count = heads * words * words;
    float *member = calloc(count + 1, sizeof *member);
    for (size_t i = 0; member && i < heads * words; i++) {
        size_t h = i / words, r = i % words;
        /* The token whose slice is row r of head h, where a view alone has split T tokens. */
        member[i * words + (by_view ? (h * words + r) / heads : r)] = 1;
    }
    sac_node node = member ? sac_given(graph, "member", SAC_STACK(heads, words, words), member) : 0;
    free(member);
    return node;
}

sac_node sac_notes_influence(sac_graph *graph, sac_node member)
{
    size_t heads = sac_node_size(graph, member, 0), words = sac_node_size(graph, member, 1);
    sac_node columns = sac_transposed(graph, "member^T", member);
    sac_node rows = sac_unary(graph, SAC_OP_SUM, "rows_in_head", columns);
    sac_node by_head = sac_reshaped(graph, "rows_of_word", rows, SAC_MATRIX(heads, words));
    sac_node shared =
        sac_matmul(graph, "shared", sac_transposed(graph, "rows_of_word^T", by_head), by_head);
    sac_node apart = sac_unary(graph, SAC_OP_EQUALS, "apart", shared);
    return sac_apply(graph, SAC_OP_AFFINE, "influence", apart, 0, 0, -1, 1);
}

/* ---------------------------------------------------------------- the notebook */

enum {
    COUNT = SAC_NOTEBOOK_SENTENCES * SAC_NOTEBOOK_WORDS * SAC_NOTEBOOK_DEPTH,
    SINGLE_AT = 410, /* the notebook had made the model once before */
    THREE_AT = 8970,
};

static sac_node add_notebook_draws(sac_lesson *lesson)
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
static sac_node normalize_rows(sac_lesson *lesson, sac_node draws)
{
    sac_graph *g = &lesson->graph;
    sac_node lengths = sac_unary(g, SAC_OP_LENGTH, "lengths", draws);
    return sac_binary(g, SAC_OP_DIVIDE, "sents", draws, lengths);
}

sac_node sac_notebook_sentences(sac_lesson *lesson, sac_node *draws)
{
    *draws = add_notebook_draws(lesson);
    return normalize_rows(lesson, *draws);
}

sac_node sac_notebook_words(sac_lesson *lesson, sac_node *draws)
{
    size_t words = sac_lesson_use_words(lesson);
    /* [1,T,10]: a word's numbers follow from its letters, so that the same word has the same ones. */
    enum { D = SAC_NOTEBOOK_DEPTH };
    float numbers[SAC_LESSON_ROWS * D];
    for (size_t w = 0; w < words; w++) {
        const char *word = lesson->words[w];
        sac_torch_random random;
        sac_torch_seed(&random, sac_hash(SAC_HASH_START, word, strlen(word)));
        for (int i = 0; i < D; i++)
            numbers[w * D + (size_t)i] = sac_torch_rand(&random);
    }
    *draws = words ? (sac_lesson_given(lesson, "draws", SAC_STACK(1, words, D), numbers))
                   : add_notebook_draws(lesson);
    return normalize_rows(lesson, *draws);
}

void sac_notebook_normalize_rows(const float *draws, float *rows)
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
    layer.query = sac_lesson_random_linear(lesson, "W_q", "b_q", D, D * heads, &random);
    layer.key = sac_lesson_random_linear(lesson, "W_k", "b_k", D, D * heads, &random);
    layer.value = sac_lesson_random_linear(lesson, "W_v", "b_v", D, D * heads, &random);
    if (heads > 1)
        layer.out = sac_lesson_random_linear(lesson, "W_out", "b_out", D * heads, D, &random);
    return layer;
}

/* ---------------------------------------------------------------- what the bundled models computed */

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

void sac_trained_label(sac_lesson *lesson, sac_node node)
{
    sac_lesson_label(lesson, node, words, SAC_TRAINED_WORDS, words, SAC_TRAINED_WORDS);
}

sac_node sac_trained_heads(sac_lesson *lesson, sac_node *scores)
{
    *scores = sac_lesson_given(lesson, "trained.scores",
                               SAC_STACK(SAC_TRAINED_HEADS, SAC_TRAINED_WORDS, SAC_TRAINED_WORDS),
                               head_scores);
    sac_node weights = sac_softmax(&lesson->graph, "trained.weights", *scores);
    sac_trained_label(lesson, *scores);
    sac_trained_label(lesson, weights);
    return weights;
}

sac_node sac_trained_first_head(sac_lesson *lesson, const char *name, sac_node both)
{
    sac_graph *g = &lesson->graph;
    size_t count = sac_node_size(g, both, 1);
    char of_one[32];
    snprintf(of_one, sizeof of_one, "%s.one", name);
    sac_node one = sac_sliced(g, of_one, both, 0, 1);
    sac_node node = sac_reshaped(g, name, one, SAC_MATRIX(count, count));
    sac_trained_label(lesson, node);
    return node;
}
