/* The captioner's decoder at work: the state that a sentence begins with, and one word further for
 * every sentence of a beam. A work-group computes a sentence, and all layers of a step one after
 * the other, for a launch of each would take far longer than its arithmetic. The layers of nn, by
 * which the decoder learns, compute the same. */
#include "one_query.clh"

#include "sigmoid.clh"

#define MOST_ROWS 16 /* SAC_BEAM_WIDTH */
#define ROWS_EACH 4  /* rows of a matrix that a work-item multiplies at once */

/* The twin of captioner/decode_step.c's `decoder`. The places are those of parameters among all. */
typedef struct decoder {
    uint embedding, hidden, keys, dim, depth, words;     /* M, H, N, A, D, V */
    uint table;                                          /* [V,M] */
    uint query, v, gate, gate_bias;                      /* [A,H], [A], [1,H], [1] */
    uint from_word, from_context, from_state, lstm_bias; /* [4H,M], [4H,D], [4H,H], [4H] */
    uint out_state, out_context, out, out_bias;          /* [M,H], [M,D], [V,M], [V] */
    uint start_state, state_bias, start_cell, cell_bias; /* [H,D], [H], [H,D], [H] */
    uint has_padding;                                    /* 1: there are hidden cells */
    float scale;                                         /* on the raw score */
    uint bank; /* which half of the states is read; the other is written */
    uint word[MOST_ROWS], parent[MOST_ROWS];
} decoder;

/* ---- products */

#define FOR_ROWS(row, rows)                                                                        \
    for (uint row = ITEM * ROWS_EACH; row < (rows); row += GROUP_ITEMS * ROWS_EACH)

/* sum[i] += row i of w · x; the rows are `apart` floats apart, and `last` stands in for those after
 * it. */
ALWAYS_INLINE void add_rows(vf sum[ROWS_EACH], __global const float *w, uint apart, uint last,
                            __global const float *x, uint count)
{
    uint c = 0;
    for (; c + WIDTH <= count; c += WIDTH) {
        vf along = VF_LOAD(x + c);
        _Pragma("unroll") for (uint i = 0; i < ROWS_EACH; i++) sum[i] =
            FMA(VF_LOAD(w + min(i, last) * apart + c), along, sum[i]);
    }
    for (uint i = 0; i < ROWS_EACH && c < count; i++)
        sum[i] = FMA(load_some(w + min(i, last) * apart + c, count - c, 0.0f),
                     load_some(x + c, count - c, 0.0f), sum[i]);
}

/* y = W x + b, or W x where there is no b. W [rows,count] */
inline void multiply(uint rows, uint count, __global const float *w, __global const float *b,
                     __global const float *x, __global float *y)
{
    FOR_ROWS(row, rows)
    {
        vf sum[ROWS_EACH] = {(vf)(0.0f), (vf)(0.0f), (vf)(0.0f), (vf)(0.0f)};
        add_rows(sum, w + row * count, count, rows - row - 1, x, count);
        for (uint i = 0; i < ROWS_EACH && row + i < rows; i++)
            y[row + i] = lanes_sum(sum[i]) + (b ? b[row + i] : 0.0f);
    }
}

/* ---- the first state */

/* The mean of the cells that are not hidden; of none of them it is 0. */
inline void mean_of_cells(const decoder *d, __global const float *features,
                          __global const uchar *padding, __global float *mean)
{
    for (uint c = ITEM * WIDTH; c < d->depth; c += GROUP_ITEMS * WIDTH) {
        uint seen = 0, some = d->depth - c;
        vf sum = (vf)(0.0f);
        for (uint n = 0; n < d->keys; n++)
            if (!d->has_padding || padding[n] == 0) {
                sum += load_some(features + n * d->depth + c, some, 0.0f);
                seen++;
            }
        store_some(sum / (float)max(seen, 1u), mean + c, some);
    }
}

/* s₀, c₀ = tanh(W mean + b) into row 0 of the bank. states: [2,MOST_ROWS,2H]; work: [D] */
REQD_GROUP(GROUP_ITEMS)
__kernel void first_state(decoder d, __global const float *weights, __global const float *features,
                          __global const uchar *padding, __global float *states,
                          __global float *work, __local float *scratch)
{
    __global float *first = states + d.bank * MOST_ROWS * 2 * d.hidden;
    mean_of_cells(&d, features, padding, work);
    SYNC();
    multiply(d.hidden, d.depth, weights + d.start_state, weights + d.state_bias, work, first);
    multiply(d.hidden, d.depth, weights + d.start_cell, weights + d.cell_bias, work,
             first + d.hidden);
    SYNC();
    for (uint h = ITEM * WIDTH; h < 2 * d.hidden; h += GROUP_ITEMS * WIDTH)
        store_some(tanh_fast(load_some(first + h, 2 * d.hidden - h, 0.0f)), first + h,
                   2 * d.hidden - h);
}

/* ---- a step */

/* One sentence's vectors. */
typedef struct sentence {
    __global const float *embedded, *state, *cell; /* [M], [H], [H]: before the step */
    __global float *next_state, *next_cell;        /* [H] */
    __global float *logits, *alpha, *query, *beta; /* [V], [N], [A], [1]: the results */
    __global float *z, *gates, *mixed;             /* [D], [4H], [M] */
} sentence;

inline void attend(const decoder *d, const sentence *s, __global const float *weights,
                   __global const float *features, __global const float *keys,
                   __global const uchar *padding, __local float *scratch)
{
    layer l = {d->keys, d->dim, d->depth, 1, d->has_padding, 1, 0, d->scale};
    vf along = (vf)(0.0f);
    for (uint h = ITEM * WIDTH; h < d->hidden; h += GROUP_ITEMS * WIDTH)
        along = FMA(load_some(weights + d->gate + h, d->hidden - h, 0.0f),
                    load_some(s->state + h, d->hidden - h, 0.0f), along);
    float gate = group_sum(lanes_sum(along), scratch) + weights[d->gate_bias];
    float open = 0.5f + 0.5f * tanh(0.5f * gate);
    multiply(d->dim, d->hidden, weights + d->query, 0, s->state, s->query);
    SYNC();
    float highest = score_keys(&l, keys, s->query, weights + d->v, padding, s->alpha);
    highest = group_max(highest, scratch);
    softmax(d->keys, highest, s->alpha, scratch);
    SYNC();
    sum_all_columns(&l, features, s->alpha, open, s->z, s->z);
    if (ITEM == 0)
        *s->beta = open;
}

/* Four rows of a product, which are the gates of one number of the state. */
inline void lstm(const decoder *d, const sentence *s, __global const float *weights)
{
    uint hidden = d->hidden;
    for (uint h = ITEM; h < hidden; h += GROUP_ITEMS) {
        vf sum[ROWS_EACH] = {(vf)(0.0f), (vf)(0.0f), (vf)(0.0f), (vf)(0.0f)};
        add_rows(sum, weights + d->from_word + h * d->embedding, hidden * d->embedding, 3,
                 s->embedded, d->embedding);
        add_rows(sum, weights + d->from_context + h * d->depth, hidden * d->depth, 3, s->z,
                 d->depth);
        add_rows(sum, weights + d->from_state + h * hidden, hidden * hidden, 3, s->state, hidden);
        for (uint i = 0; i < ROWS_EACH; i++)
            s->gates[i * hidden + h] = lanes_sum(sum[i]) + weights[d->lstm_bias + i * hidden + h];
    }
    SYNC();
    for (uint h = ITEM * WIDTH; h < hidden; h += GROUP_ITEMS * WIDTH) {
        uint some = hidden - h;
        vf input = sigmoid(load_some(s->gates + h, some, 0.0f));
        vf forget = sigmoid(load_some(s->gates + hidden + h, some, 0.0f));
        vf cell = tanh_fast(load_some(s->gates + 2 * hidden + h, some, 0.0f));
        vf output = sigmoid(load_some(s->gates + 3 * hidden + h, some, 0.0f));
        cell = forget * load_some(s->cell + h, some, 0.0f) + input * cell;
        store_some(cell, s->next_cell + h, some);
        store_some(output * tanh_fast(cell), s->next_state + h, some);
    }
}

/* logits = W_o (embedded + W_s s + W_z z) + b_o */
inline void speak(const decoder *d, const sentence *s, __global const float *weights)
{
    FOR_ROWS(row, d->embedding)
    {
        uint last = d->embedding - row - 1;
        vf sum[ROWS_EACH] = {(vf)(0.0f), (vf)(0.0f), (vf)(0.0f), (vf)(0.0f)};
        add_rows(sum, weights + d->out_state + row * d->hidden, d->hidden, last, s->next_state,
                 d->hidden);
        add_rows(sum, weights + d->out_context + row * d->depth, d->depth, last, s->z, d->depth);
        for (uint i = 0; i < ROWS_EACH && i <= last; i++)
            s->mixed[row + i] = lanes_sum(sum[i]) + s->embedded[row + i];
    }
    SYNC();
    multiply(d->words, d->embedding, weights + d->out, weights + d->out_bias, s->mixed, s->logits);
}

/* numbers[row]. Drivers of Mesa cannot index an argument by what they know only as they run. */
ALWAYS_INLINE uint of_row(const uint numbers[MOST_ROWS], uint row)
{
    uint found = 0;
#pragma unroll
    for (uint i = 0; i < MOST_ROWS; i++)
        found = i == row ? numbers[i] : found;
    return found;
}

/* results: [rows,V+N+A+1]; work: [rows,D+4H+M] */
REQD_GROUP(GROUP_ITEMS)
__kernel void next_word(decoder d, __global const float *weights, __global const float *features,
                        __global const float *keys, __global const uchar *padding,
                        __global float *states, __global float *results, __global float *work,
                        __local float *scratch)
{
    uint row = get_group_id(0), width = 2 * d.hidden;
    results += row * (d.words + d.keys + d.dim + 1);
    work += row * (d.depth + 2 * width + d.embedding);
    __global float *before = states + (d.bank * MOST_ROWS + of_row(d.parent, row)) * width;
    __global float *after = states + ((1 - d.bank) * MOST_ROWS + row) * width;
    sentence s = {
        .embedded = weights + d.table + of_row(d.word, row) * d.embedding,
        .state = before,
        .cell = before + d.hidden,
        .next_state = after,
        .next_cell = after + d.hidden,
        .logits = results,
        .alpha = results + d.words,
        .query = results + d.words + d.keys,
        .beta = results + d.words + d.keys + d.dim,
        .z = work,
        .gates = work + d.depth,
        .mixed = work + d.depth + 2 * width,
    };
    attend(&d, &s, weights, features, keys, padding, scratch);
    SYNC();
    lstm(&d, &s, weights);
    SYNC();
    speak(&d, &s, weights);
}
