#include "lessons/shared/heads.h"

#include <stdio.h>
#include <stdlib.h>

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

/* `prefix` and `name` as one, in the thread's own memory until the next but three. */
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
