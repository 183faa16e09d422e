/* Attention of the sentences of a beam over the cells of one picture, with ReLU in its score and a
 * gate for each number: the layer of nn/one_query.h. A work-group computes one sentence. Of
 * one_query.clh it takes the softmax and the sum, which are the same for every score. */
#include "layers/one_query.clh"

#include "layers/sigmoid.clh"

typedef struct looking {
    uint cells, dim, depth, words; /* N, A, D, M */
    uint has_padding;
    float scale;
} looking;

/* w·relu(key + query) */
inline float score_of(uint dim, __global const float *key, __global const float *query,
                      __global const float *w)
{
    vf sum = (vf)(0.0f);
    for (uint a = 0; a < dim; a += WIDTH) {
        vf bent = load_some(key + a, dim - a, 0.0f) + load_some(query + a, dim - a, 0.0f);
        sum = FMA(load_some(w + a, dim - a, 0.0f), max(bent, (vf)(0.0f)), sum);
    }
    return lanes_sum(sum);
}

/* Logits of all cells into weights [N]; returns the largest of this work-item's. */
inline float score_cells(const looking *l, __global const float *keys, __global const float *query,
                         __global const float *w, __global const uchar *padding,
                         __global float *weights)
{
    float highest = FLOOR, factor = l->scale * LOGIT_OF_SCORE;
    for (uint n = ITEM; n < l->cells; n += GROUP_ITEMS) {
        float logit = BLOCKED;
        if (!l->has_padding || padding[n] == 0)
            logit = score_of(l->dim, keys + (ulong)n * l->dim, query, w) * factor;
        weights[n] = logit;
        highest = max(highest, logit);
    }
    return highest;
}

/* z ← σ(gate) z, in place. Returns this work-item's part of Σ σ(gate). */
inline float open_gates(uint depth, __global const float *gate, __global float *z)
{
    float sum = 0.0f;
    for (uint d = ITEM * WIDTH; d < depth; d += GROUP_ITEMS * WIDTH) {
        vf open = sigmoid(load_some(gate + d, depth - d, -INFINITY));
        store_some(open * load_some(z + d, depth - d, 0.0f), z + d, depth - d);
        sum += lanes_sum(open);
    }
    return sum;
}

/* joined [R,M+D]: the word's numbers, and z. */
REQD_GROUP(GROUP_ITEMS)
__kernel void look(looking l, __global const float *values, uint values_at,
                   __global const float *keys, uint keys_at, __global const float *w, uint w_at,
                   __global const float *query, uint query_at, __global const float *gate,
                   uint gate_at, __global const float *word, uint word_at,
                   __global const uchar *padding, __global float *weights, uint weights_at,
                   __global float *joined, uint joined_at, __global float *open, uint open_at,
                   __local float *scratch)
{
    uint row = get_group_id(0);
    layer sums = {.keys = l.cells, .value_dim = l.depth};
    weights += weights_at + (ulong)row * l.cells;
    word += word_at + (ulong)row * l.words;
    joined += joined_at + (ulong)row * (l.words + l.depth);
    __global float *z = joined + l.words;

    float highest = score_cells(&l, keys + keys_at, query + query_at + (ulong)row * l.dim, w + w_at,
                                padding, weights);
    highest = group_max(highest, scratch);
    weigh_logits(l.cells, highest, weights, scratch);
    SYNC();
    sum_all_columns(&sums, values + values_at, weights, 1.0f, z, z);
    SYNC();
    float let_in = open_gates(l.depth, gate + gate_at + (ulong)row * l.depth, z);
    let_in = group_sum(let_in, scratch);
    for (uint i = ITEM; i < l.words; i += GROUP_ITEMS)
        joined[i] = word[i];
    if (ITEM == 0)
        open[open_at + row] = let_in / l.depth;
}
