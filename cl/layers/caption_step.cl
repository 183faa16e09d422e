/* The captioner's decoder at work: the state that a sentence begins with, and one word after the
 * other for every sentence of a beam. One work-group computes all of it in one launch, for on its
 * own a launch takes as long as the arithmetic of a word. It chooses the words that go on by
 * itself, as generate/beam.c does, which follows afterwards and has the last word. The layers of nn,
 * by which the decoder learns, compute the same. */
#include "layers/one_query.clh"

#include "layers/sigmoid.clh"
#include "common/tanh_terms.clh"

#ifndef TOGETHER
#error "define TOGETHER: how many sentences are multiplied at once, 1 or 3"
#endif

/* Rows of a matrix that a work-item multiplies at once by the vectors of TOGETHER sentences: weights
 * are read once for all. Each row's sums are those of a sentence alone. */
#define ROWS_EACH 4
#define NO_WORD -1.0f

/* The twin of captioner/decode/decode_step.c's `decoder`. The places are those of parameters among all. */
typedef struct decoder {
    uint embedding, hidden, keys, dim, depth, words;     /* M, H, N, A, D, V */
    uint table;                                          /* [V,M] */
    uint query, v, gate, gate_bias;                      /* [A,H], [A], [1,H], [1] */
    uint from_context, from_state;                       /* [4H,D], [4H,H] */
    uint out_state, out_context, out, out_bias;          /* [M,H], [M,D], [V,M], [V] */
    uint start_state, state_bias, start_cell, cell_bias; /* [H,D], [H], [H,D], [H] */
    uint has_padding;                                    /* 1: there are hidden cells */
    float scale;                                         /* on the raw score */
    uint padded;                                         /* P: A filled up to pairs of vectors */
    uint rows;                                           /* R: sentences of the beam */
    uint pad, start, end;                                /* words that no sentence has inside */
    uint masked, masked_count;                           /* words that are given on as `pad` */
    uint given;                                          /* how many of the first words are given */
    uint held;     /* from this step on the weights are `spot`, in place of those of the scores */
    float penalty; /* a sentence of n words is worth its score / n^this */
    uint longest;  /* words of a sentence, at most */
    uint first, steps; /* the first step of this launch, and how many at most */
} decoder;

/* The memory of a search of up to T words. */
typedef struct memory {
    __global const float *weights;
    __global const float
        *gates_of_word; /* [V,4H]: what each word adds to the gates, with their bias */
    __global const float *features, *keys;
    __global const uchar *padding;
    __global const int *given;  /* [T] */
    __global const float *spot; /* [N] */
    __global float *states;     /* [T+1,R,2H]: state and cell before each step */
    __global float *results;    /* [T+1,R,V+N+A+4]: logits, weights, query, and a row_end */
    /* What is needed meanwhile: of the picture … */
    __global float *key_terms, *far, *v; /* [N,P], [N], [P]; of additive scores */
    __global float *sentences;           /* [R,D+4H+M+P] … and of a sentence */
} memory;

/* The last numbers of a row of results. */
typedef struct row_end {
    float gate;
    float word, parent, score; /* of the step before: a row of generate/beam.h */
} row_end;

inline uint result_width(const decoder *d)
{
    return d->words + d->keys + d->dim + sizeof(row_end) / sizeof(float);
}

inline __global row_end *row_end_of(const decoder *d, const memory *m, uint step, uint row)
{
    return (__global row_end *)(m->results + (step * d->rows + row + 1) * result_width(d)) - 1;
}

/* ---- products */

#define EACH(i, count) _Pragma("unroll") for (uint i = 0; i < (count); i++)
#define FOR_ROWS(row, rows)                                                                        \
    for (uint row = ITEM * ROWS_EACH; row < (rows); row += GROUP_ITEMS * ROWS_EACH)

/* sum[s][i] += row i of w · x[s]; the rows are `apart` floats apart, and `last` stands in for those
 * after it. */
ALWAYS_INLINE void add_rows(vf sum[TOGETHER][ROWS_EACH], const uint together,
                            __global const float *w, uint apart, uint last,
                            __global const float *const *x, uint count)
{
    uint c = 0;
    for (; c + WIDTH <= count; c += WIDTH) {
        vf along[TOGETHER];
        EACH(s, together)
        along[s] = VF_LOAD(x[s] + c);
        EACH(i, ROWS_EACH)
        {
            vf factor = VF_LOAD(w + min(i, last) * apart + c);
            EACH(s, together)
            sum[s][i] = FMA(factor, along[s], sum[s][i]);
        }
    }
#if WIDTH > 1
    for (; c < count; c++) /* what is left goes to the first lane: less code than cut vectors */
        EACH(i, ROWS_EACH)
    EACH(s, together)
    sum[s][i].s0 += w[min(i, last) * apart + c] * x[s][c];
#endif
}

/* One factor of a sum of two products. */
typedef struct factor {
    __global const float *w; /* from the first row on */
    uint apart, count;
    __global const float *const *x;
} factor;

/* Both products by one loop's code, not two: compiling is what a first caption waits for. */
ALWAYS_INLINE void add_both(vf sum[TOGETHER][ROWS_EACH], const uint together, const factor *one,
                            const factor *other, uint last)
{
    for (uint is_other = 0; is_other < 2; is_other++) {
        __global const float *x[TOGETHER];
        EACH(s, together)
        x[s] = is_other ? other->x[s] : one->x[s];
        add_rows(sum, together, is_other ? other->w : one->w, is_other ? other->apart : one->apart,
                 last, x, is_other ? other->count : one->count);
    }
}

ALWAYS_INLINE void clear(vf sum[TOGETHER][ROWS_EACH], const uint together)
{
    EACH(s, together)
    EACH(i, ROWS_EACH)
    sum[s][i] = (vf)(0.0f);
}

/* y[s] = W x[s] + b, or W x[s] where there is no b. W [rows,count] */
ALWAYS_INLINE void multiply(const uint together, uint rows, uint count, __global const float *w,
                            __global const float *b, __global const float *const *x,
                            __global float *const *y)
{
    FOR_ROWS(row, rows)
    {
        vf sum[TOGETHER][ROWS_EACH];
        clear(sum, together);
        add_rows(sum, together, w + row * count, count, rows - row - 1, x, count);
        EACH(s, together)
        EACH(i, ROWS_EACH)
        if (row + i < rows)
            y[s][row + i] = lanes_sum(sum[s][i]) + (b ? b[row + i] : 0.0f);
    }
}

/* ---- before the first word */

/* The mean of the cells that are not hidden; of none of them it is 0. */
inline void mean_of_cells(const decoder *d, const memory *m, __global float *mean)
{
    for (uint c = ITEM * WIDTH; c < d->depth; c += GROUP_ITEMS * WIDTH) {
        uint seen = 0, some = d->depth - c;
        vf sum = (vf)(0.0f);
        for (uint n = 0; n < d->keys; n++)
            if (!d->has_padding || m->padding[n] == 0) {
                sum += load_some(m->features + n * d->depth + c, some, 0.0f);
                seen++;
            }
        store_some(sum / (float)max(seen, 1u), mean + c, some);
    }
}

/* e^2k of every key, with 1 in the filling, where v is 0; and whether a key is too large for it. */
inline void make_key_terms(const decoder *d, const memory *m)
{
    for (uint n = ITEM; n < d->keys; n += GROUP_ITEMS) {
        vf largest = (vf)(0.0f);
        for (uint a = 0; a < d->padded; a += WIDTH) {
            vf k = a < d->dim ? load_some(m->keys + n * d->dim + a, d->dim - a, 0.0f) : (vf)(0.0f);
            largest = max(largest, fabs(k));
            VF_STORE(exp_twice(clamp(k, (vf)(-NEAR_KEY), (vf)(NEAR_KEY))),
                     m->key_terms + n * d->padded + a);
        }
        float far = 0.0f;
#if WIDTH > 1
        far = across_max(largest) > NEAR_KEY;
#else
        far = largest > NEAR_KEY;
#endif
        m->far[n] = far;
    }
    for (uint a = ITEM; a < d->padded; a += GROUP_ITEMS)
        m->v[a] = a < d->dim ? m->weights[d->v + a] : 0.0f;
}

/* s₀, c₀ = tanh(W mean + b) of the one sentence that there is: its last word is the start. */
inline void begin(const decoder *d, const memory *m)
{
    __global const float *mean = m->sentences;
    __global float *state = m->states;
    mean_of_cells(d, m, m->sentences);
    if (ADDITIVE)
        make_key_terms(d, m);
    SYNC();
    for (uint is_cell = 0; is_cell < 2; is_cell++) { /* a product's code once, not twice */
        __global float *y = state + is_cell * d->hidden;
        multiply(1, d->hidden, d->depth, m->weights + (is_cell ? d->start_cell : d->start_state),
                 m->weights + (is_cell ? d->cell_bias : d->state_bias), &mean, &y);
    }
    SYNC();
    for (uint h = ITEM * WIDTH; h < 2 * d->hidden; h += GROUP_ITEMS * WIDTH)
        store_some(tanh_fast(load_some(state + h, 2 * d->hidden - h, 0.0f)), state + h,
                   2 * d->hidden - h);
    for (uint row = ITEM; row < d->rows; row += GROUP_ITEMS) {
        __global row_end *r = row_end_of(d, m, 0, row);
        r->word = row == 0 ? (float)d->start : NO_WORD;
        r->parent = r->score = 0.0f;
    }
    SYNC();
}

/* ---- a step */

/* One sentence's vectors. */
typedef struct sentence {
    __global const float *embedded, *gates_of_word; /* [M], [4H]: of the word */
    __global const float *state, *cell;             /* [H], [H]: before the step */
    __global float *next_state, *next_cell;         /* [H] */
    __global float *logits, *alpha, *query, *gate;  /* [V], [N], [A], [1]: the results */
    __global float *z, *gates, *mixed, *terms;      /* [D], [4H], [M], [P] */
} sentence;

inline uint gates_of_word(const decoder *d, uint word)
{
    return word - d->masked < d->masked_count ? d->pad : word;
}

inline sentence sentence_of(const decoder *d, const memory *m, uint step, uint row)
{
    uint width = 2 * d->hidden;
    __global row_end *end = row_end_of(d, m, step, row);
    uint word = gates_of_word(d, (uint)end->word);
    __global float *results = m->results + (step * d->rows + row) * result_width(d);
    __global const float *before = m->states + (step * d->rows + (uint)end->parent) * width;
    __global float *after = m->states + ((step + 1) * d->rows + row) * width;
    __global float *work = m->sentences + row * (d->depth + 2 * width + d->embedding + d->padded);
    return (sentence){
        .embedded = m->weights + d->table + word * d->embedding,
        .gates_of_word = m->gates_of_word + word * 2 * width,
        .state = before,
        .cell = before + d->hidden,
        .next_state = after,
        .next_cell = after + d->hidden,
        .logits = results,
        .alpha = results + d->words,
        .query = results + d->words + d->keys,
        .gate = &end->gate,
        .z = work,
        .gates = work + d->depth,
        .mixed = work + d->depth + 2 * width,
        .terms = work + d->depth + 2 * width + d->embedding,
    };
}

#if ADDITIVE
/* Σ v·tanh(q + k) by their terms, two vectors of coordinates to a reciprocal. */
inline float tanh_sum(uint count, __global const float *q, __global const float *k,
                      __global const float *v)
{
    vf sum = (vf)(0.0f);
    for (uint a = 0; a < count; a += 2 * WIDTH) {
        uint b = a + WIDTH;
        vf u0 = numerator(VF_LOAD(q + a), VF_LOAD(k + a)), z0 = u0 + 2.0f;
        vf u1 = numerator(VF_LOAD(q + b), VF_LOAD(k + b)), z1 = u1 + 2.0f;
        vf above = FMA(VF_LOAD(v + a) * u0, z1, VF_LOAD(v + b) * u1 * z0);
        sum = FMA(above, reciprocal_fast(z0 * z1), sum);
    }
    return lanes_sum(sum);
}

/* As one_query.clh's score_keys. */
inline float score_terms(const decoder *d, const memory *m, const sentence *s)
{
    float highest = FLOOR, factor = d->scale * LOGIT_OF_SCORE;
    for (uint n = ITEM; n < d->keys; n += GROUP_ITEMS) {
        float logit = BLOCKED;
        if (!d->has_padding || m->padding[n] == 0)
            logit =
                factor * (m->far[n] > 0.0f
                              ? raw_score(d->dim, m->keys + n * d->dim, s->query, m->weights + d->v)
                              : tanh_sum(d->padded, s->terms, m->key_terms + n * d->padded, m->v));
        s->alpha[n] = logit;
        highest = max(highest, logit);
    }
    return highest;
}

inline void make_query_terms(const decoder *d, const sentence *s)
{
    for (uint a = ITEM * WIDTH; a < d->padded; a += GROUP_ITEMS * WIDTH) {
        vf q = a < d->dim ? load_some(s->query + a, d->dim - a, 0.0f) : (vf)(0.0f);
        VF_STORE(exp_twice(clamp(q, (vf)(-FAR_QUERY), (vf)(FAR_QUERY))), s->terms + a);
    }
    SYNC();
}
#endif

/* The query is there; α, z and the gate come. */
inline void attend(const decoder *d, const memory *m, uint step, const sentence *s,
                   __local float *scratch)
{
    layer l = {.keys = d->keys,
               .dim = d->dim,
               .value_dim = d->depth,
               .shared = 1,
               .has_padding = d->has_padding,
               .scale = d->scale};
    vf along = (vf)(0.0f);
    for (uint h = ITEM * WIDTH; h < d->hidden; h += GROUP_ITEMS * WIDTH)
        along = FMA(load_some(m->weights + d->gate + h, d->hidden - h, 0.0f),
                    load_some(s->state + h, d->hidden - h, 0.0f), along);
    float gate = group_sum(lanes_sum(along), scratch) + m->weights[d->gate_bias];
    float open = 0.5f + 0.5f * tanh(0.5f * gate);
#if ADDITIVE
    make_query_terms(d, s);
    float highest = score_terms(d, m, s);
#else
    float highest = score_keys(&l, m->keys, s->query, m->weights + d->v, m->padding, s->alpha);
#endif
    highest = group_max(highest, scratch);
    weigh_logits(d->keys, highest, s->alpha, scratch);
    SYNC();
    if (step >= d->held) {
        for (uint n = ITEM; n < d->keys; n += GROUP_ITEMS)
            s->alpha[n] = m->spot[n];
        SYNC();
    }
    sum_all_columns(&l, m->features, s->alpha, open, s->z, s->z);
    if (ITEM == 0)
        *s->gate = open;
}

/* The vectors of one name of all sentences at hand. */
#define VECTORS(name, member)                                                                      \
    __global const float *name[TOGETHER];                                                          \
    EACH(i, together)                                                                              \
    name[i] = s[i].member
#define RESULTS(name, member)                                                                      \
    __global float *name[TOGETHER];                                                                \
    EACH(i, together)                                                                              \
    name[i] = s[i].member

/* Gates to the next state. */
inline void lstm(const decoder *d, const sentence *s)
{
    uint hidden = d->hidden;
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

/* Four rows of a product, which are the gates of one number of the state. */
ALWAYS_INLINE void gates(const decoder *d, const memory *m, const uint together, const sentence *s)
{
    uint hidden = d->hidden;
    __global const float *w = m->weights;
    VECTORS(z, z);
    VECTORS(state, state);
    for (uint h = ITEM; h < hidden; h += GROUP_ITEMS) {
        vf sum[TOGETHER][ROWS_EACH];
        clear(sum, together);
        const factor of_z = {w + d->from_context + h * d->depth, hidden * d->depth, d->depth, z};
        const factor of_state = {w + d->from_state + h * hidden, hidden * hidden, hidden, state};
        add_both(sum, together, &of_z, &of_state, 3);
        EACH(k, together)
        EACH(i, ROWS_EACH)
        s[k].gates[i * hidden + h] = lanes_sum(sum[k][i]) + s[k].gates_of_word[i * hidden + h];
    }
}

/* logits = W_o (embedded + W_s s + W_z z) + b_o */
ALWAYS_INLINE void generate(const decoder *d, const memory *m, const uint together,
                            const sentence *s)
{
    __global const float *w = m->weights;
    VECTORS(state, next_state);
    VECTORS(z, z);
    VECTORS(mixed, mixed);
    RESULTS(logits, logits);
    FOR_ROWS(row, d->embedding)
    {
        uint last = d->embedding - row - 1;
        vf sum[TOGETHER][ROWS_EACH];
        clear(sum, together);
        const factor of_state = {w + d->out_state + row * d->hidden, d->hidden, d->hidden, state};
        const factor of_z = {w + d->out_context + row * d->depth, d->depth, d->depth, z};
        add_both(sum, together, &of_state, &of_z, last);
        EACH(k, together)
        EACH(i, ROWS_EACH)
        if (i <= last)
            s[k].mixed[row + i] = lanes_sum(sum[k][i]) + s[k].embedded[row + i];
    }
    SYNC();
    multiply(together, d->words, d->embedding, w + d->out, w + d->out_bias, mixed, logits);
}

/* One word further for the rows from `row` on, the last of which stands in for those after it. */
ALWAYS_INLINE void take_step(const decoder *d, const memory *m, uint step, uint row, uint rows,
                             __local float *scratch)
{
    const uint together = TOGETHER;
    sentence s[TOGETHER];
    EACH(i, together)
    s[i] = sentence_of(d, m, step, min(row + i, rows - 1));
    VECTORS(state, state);
    RESULTS(query, query);
    multiply(together, d->dim, d->hidden, m->weights + d->query, 0, state, query);
    SYNC();
    for (uint r = row; r < min(row + together, rows); r++) {
        sentence one = sentence_of(d, m, step, r);
        attend(d, m, step, &one, scratch);
    }
    SYNC();
    gates(d, m, together, s);
    SYNC();
    for (uint r = row; r < min(row + together, rows); r++) {
        sentence one = sentence_of(d, m, step, r);
        lstm(d, &one);
    }
    SYNC();
    generate(d, m, together, s);
    SYNC();
}

/* ---- the sentences that go on, as generate/beam.c chooses them */

inline uint count_rows(const decoder *d, const memory *m, uint step)
{
    uint rows = 0;
    while (rows < d->rows && row_end_of(d, m, step, rows)->word >= 0.0f)
        rows++;
    return rows;
}

/* log Σ exp(x), of `count` numbers */
inline float log_sum_exp(__global const float *x, uint count)
{
    float highest = x[0];
    vf sum = (vf)(0.0f);
    for (uint i = 1; i < count; i++)
        highest = max(highest, x[i]);
    for (uint i = 0; i < count; i += WIDTH)
        sum += exp2_fast((load_some(x + i, count - i, BLOCKED) - highest) * M_LOG2E_F);
    return highest + log(lanes_sum(sum));
}

inline bool token_allowed(const decoder *d, const memory *m, uint step, uint word)
{
    if (step < d->given)
        return word == (uint)m->given[step];
    return word != d->pad && word != d->start && (word != d->end || step > 0);
}

/* Sorts a row into the `count` best ones of `step`; returns how many there are then. */
inline uint keep_best(const decoder *d, const memory *m, uint step, uint count, row_end row)
{
    uint place = count;
    while (place > 0 && row_end_of(d, m, step, place - 1)->score < row.score)
        place--;
    if (place == d->rows)
        return count;
    count = min(count + 1, d->rows);
    for (uint i = count - 1; i > place; i--)
        *row_end_of(d, m, step, i) = *row_end_of(d, m, step, i - 1);
    *row_end_of(d, m, step, place) = row;
    return count;
}

inline uint find_best(const decoder *d, const memory *m, uint step, uint rows)
{
    uint count = 0;
    for (uint r = 0; r < rows; r++) {
        __global const float *logits = m->results + (step * d->rows + r) * result_width(d);
        float base = row_end_of(d, m, step, r)->score - log_sum_exp(logits, d->words);
        for (uint w = 0; w < d->words; w++) {
            row_end chosen = {0.0f, (float)w, (float)r, base + logits[w]};
            if (token_allowed(d, m, step, w))
                count = keep_best(d, m, step + 1, count, chosen);
        }
    }
    return count;
}

/* Of a sentence with so many words, its end among them. */
inline float worth(const decoder *d, float score, uint words)
{
    return d->penalty == 0.0f ? score : score * exp2(-d->penalty * log2((float)words));
}

/* The rows of the next step; none of them once no sentence that goes on can become worth more than
 * *ended, the best that came to its end. One work-item does this. */
inline void choose(const decoder *d, const memory *m, uint step, uint rows, float *ended)
{
    uint count = find_best(d, m, step, rows), going = 0;
    for (uint i = 0; i < count; i++) {
        row_end chosen = *row_end_of(d, m, step + 1, i);
        if ((uint)chosen.word == d->end)
            *ended = max(*ended, worth(d, chosen.score, step + 1));
        else
            *row_end_of(d, m, step + 1, going++) = chosen;
    }
    uint words = d->penalty > 0.0f ? d->longest : step + 1;
    if (going > 0 && *ended >= worth(d, row_end_of(d, m, step + 1, 0)->score, words))
        going = 0;
    for (uint i = going; i < d->rows; i++)
        row_end_of(d, m, step + 1, i)->word = NO_WORD;
}

/* Steps `first` …, until the search is over. */
REQD_GROUP(GROUP_ITEMS)
__kernel void mark_words(decoder d, __global const float *weights,
                         __global const float *gates_of_word, __global const float *features,
                         __global const float *keys, __global const uchar *padding,
                         __global const int *given, __global const float *spot,
                         __global float *states, __global float *results, __global float *work,
                         __local float *scratch)
{
    uint terms = d.keys * d.padded;
    memory m = {weights,
                gates_of_word,
                features,
                keys,
                padding,
                given,
                spot,
                states,
                results,
                work,
                work + terms,
                work + terms + d.keys,
                work + terms + d.keys + d.padded};
    float ended = -INFINITY;
    if (d.first == 0)
        begin(&d, &m);
    for (uint step = d.first; step < d.first + d.steps; step++) {
        uint rows = count_rows(&d, &m, step);
        if (rows == 0)
            break;
        for (uint row = 0; row < rows; row += TOGETHER)
            take_step(&d, &m, step, row, rows, scratch);
        if (ITEM == 0)
            choose(&d, &m, step, rows, &ended);
        SYNC();
    }
}
