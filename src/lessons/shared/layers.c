#include "lessons/shared/layers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/random/random.h"
#include "lessons/engine/own_data.h"

size_t sac_heads_owner(size_t tokens, size_t heads, size_t h, size_t r)
{
    return (h * tokens + r) / heads;
}

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

sac_node sac_heads_joined(sac_graph *graph, const char *name, sac_node x, size_t batch,
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
static const char *named(const char *prefix, const char *name)
{
    static _Thread_local char names[4][32];
    static _Thread_local int next;
    char *text = names[next++ % 4];
    snprintf(text, sizeof names[0], "%s%s", prefix, name);
    return text;
}

static sac_node map(sac_graph *g, const char *prefix, const char *product, const char *name,
                    sac_node x, sac_lesson_linear linear)
{
    return sac_linear_map(g, named(prefix, product), named(prefix, name), x, linear.weight,
                          linear.bias);
}

/* `x` split; with one head `x` itself. */
static sac_node heads_of(sac_graph *g, const char *prefix, const char *name, sac_node x,
                         const sac_heads *layer)
{
    if (layer->heads == 1)
        return x;
    return sac_heads_split(g, named(prefix, name), x, layer->heads, layer->by_view);
}

sac_heads_arrays sac_heads_attend(sac_graph *graph, const char *prefix, const sac_heads *layer,
                                  sac_node x)
{
    sac_heads_arrays a = {0};
    size_t batch = sac_node_size(graph, x, 0);
    a.q = map(graph, prefix, "xW_q", "Q", x, layer->query);
    a.k = map(graph, prefix, "xW_k", "K", x, layer->key);
    a.v = map(graph, prefix, "xW_v", "V", x, layer->value);
    bool split = layer->heads > 1;
    a.q_heads = heads_of(graph, prefix, "Q.heads", a.q, layer);
    a.k_heads = heads_of(graph, prefix, "K.heads", a.k, layer);
    a.v_heads = heads_of(graph, prefix, "V.heads", a.v, layer);
    a.scores = sac_matmul_t(graph, named(prefix, "scores"), a.q_heads, a.k_heads);
    a.scaled = layer->scale == 1
                   ? a.scores
                   : sac_times(graph, named(prefix, "scaled"), a.scores, layer->scale);
    a.weights = sac_softmax(graph, named(prefix, "weights"), a.scaled);
    bool ends = !split && !layer->out.weight;
    a.head_outputs =
        sac_matmul(graph, named(prefix, ends ? "output" : "heads"), a.weights, a.v_heads);
    a.joined = split ? sac_heads_joined(graph, named(prefix, "joined"), a.head_outputs, batch,
                                        layer->by_view)
                     : a.head_outputs;
    a.output = layer->out.weight ? map(graph, prefix, "joinedW_o", "output", a.joined, layer->out)
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
    layer.key = sac_lesson_linear_drawn(lesson, "W_k", "b_k", depth, depth, &random);
    layer.value = sac_lesson_linear_drawn(lesson, "W_v", "b_v", depth, depth, &random);
    layer.query = sac_lesson_linear_drawn(lesson, "W_q", "b_q", depth, depth, &random);
    layer.out = sac_lesson_linear_drawn(lesson, "W_out", "b_out", depth, depth, &random);
    return layer;
}

sac_node sac_rows_standardised(sac_graph *graph, const char *name, sac_node x)
{
    sac_node mean = sac_unary(graph, SAC_OP_MEAN, "mean", x);
    sac_node variance = sac_binary(graph, SAC_OP_VARIANCE, "variance", x, mean);
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
    sac_node lengths = sac_unary(g, SAC_OP_LENGTH, "lengths", draws);
    return sac_binary(g, SAC_OP_DIVIDE, "sents", draws, lengths);
}

sac_node sac_notebook_sentences(sac_lesson *lesson, sac_node *draws)
{
    *draws = draw_notebook(lesson);
    return bring_to_length(lesson, *draws);
}

sac_node sac_notebook_words(sac_lesson *lesson, sac_node *draws)
{
    size_t words = sac_lesson_word_count(lesson);
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
                   : draw_notebook(lesson);
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
