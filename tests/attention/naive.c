/* Attention as anyone would write it first, in float32 throughout: how far that is from the
 * reference shows what float32 allows. */

#include "attention/spec/dropout.h"
#include "status.h"
#include "trial.h"

typedef struct naive {
    const trial *t;
    float *query, *key, *value; /* as projected, heads not yet apart */
    float *W_q, *W_k, *w_v, *W_qk, *mask, *sinks;
} naive;

static float *floats(const sac_array *array)
{
    if (!array)
        return NULL;
    float *copy = malloc(sac_array_count(array) * sizeof *copy);
    assert_non_null(copy);
    OK(sac_array_to_f32(array, copy, NULL));
    return copy;
}

/* y = x Wᵀ + b; frees x. */
static float *project(float *x, size_t rows, const sac_array *weight, const sac_array *bias)
{
    if (!weight)
        return x;
    size_t out = weight->shape[0], in = weight->shape[1];
    float *W = floats(weight), *b = floats(bias), *y = malloc(rows * out * sizeof *y);
    assert_non_null(y);
    for (size_t n = 0; n < rows; n++)
        for (size_t o = 0; o < out; o++) {
            float sum = 0;
            for (size_t i = 0; i < in; i++)
                sum += W[o * in + i] * x[n * in + i];
            y[n * out + o] = sum + (b ? b[o] : 0);
        }
    free(W);
    free(b);
    free(x);
    return y;
}

static float *load(const sac_array *vectors, const sac_array *weight, const sac_array *bias)
{
    if (!vectors)
        return NULL;
    size_t rows = sac_array_count(vectors) / vectors->shape[vectors->rank - 1];
    return project(floats(vectors), rows, weight, bias);
}

/* Where vector t of matrix (b,h) begins in an array that holds `length` of them per matrix. */
static size_t place_among(const trial *t, size_t heads, size_t b, size_t h, size_t i, size_t length,
                          size_t dim)
{
    if (t->recipe.rank == 4 || t->spec.split == SAC_SPLIT_VIEW)
        return ((b * heads + h) * length + i) * dim;
    return ((b * length + i) * heads + h) * dim;
}

static size_t place(const trial *t, size_t b, size_t h, size_t i, size_t length, size_t dim)
{
    return place_among(t, t->shape.heads, b, h, i, length, dim);
}

/* Key, or value, i of what head h looks at. */
static size_t key_place(const trial *t, size_t b, size_t h, size_t i, size_t dim)
{
    const sac_attention_shape *s = &t->shape;
    return place_among(t, s->key_heads, b, h / (s->heads / s->key_heads), i, s->keys, dim);
}

static float dot(const float *a, const float *b, size_t n)
{
    float sum = 0;
    for (size_t c = 0; c < n; c++)
        sum += a[c] * b[c];
    return sum;
}

static float score(const naive *n, const float *q, const float *k)
{
    const sac_attention_shape *s = &n->t->shape;
    const sac_attention_spec *spec = &n->t->spec;
    size_t dq = s->query_dim, dk = s->key_dim;
    float raw = 0, own = 1, w = spec->bandwidth != 0 ? 1 / spec->bandwidth : 1;
    if (spec->bandwidth != 0)
        w = 1 / spec->bandwidth;
    if (spec->score == SAC_SCORE_ADDITIVE) {
        for (size_t r = 0; r < n->t->input.score_w_v->shape[0]; r++)
            raw += n->w_v[r] * tanhf(dot(n->W_q + r * dq, q, dq) + dot(n->W_k + r * dk, k, dk));
    } else if (spec->score == SAC_SCORE_BILINEAR) {
        for (size_t r = 0; r < dq; r++)
            raw += q[r] * dot(n->W_qk + r * dk, k, dk);
        own = 1 / sqrtf(sqrtf((float)dq * (float)dk));
    } else if (spec->score == SAC_SCORE_GAUSSIAN) {
        for (size_t c = 0; c < dq; c++)
            raw -= 0.5f * ((q[c] - k[c]) * w) * ((q[c] - k[c]) * w);
    } else {
        raw = dot(q, k, dq);
        own = spec->score == SAC_SCORE_SCALED_DOT ? 1 / sqrtf((float)dq) : 1;
    }
    raw *= spec->use_scale ? spec->scale : own;
    return spec->softcap > 0 ? spec->softcap * tanhf(raw / spec->softcap) : raw;
}

static float masked(const naive *n, size_t b, size_t h, size_t i, size_t j, float s)
{
    const sac_attention_input *in = &n->t->input;
    ptrdiff_t window = (ptrdiff_t)n->t->spec.window, ahead = (ptrdiff_t)j - (ptrdiff_t)i;
    ptrdiff_t longer = (ptrdiff_t)n->t->shape.keys - (ptrdiff_t)n->t->shape.queries;
    if (n->t->spec.alignment == SAC_ALIGN_BOTTOM_RIGHT ||
        (n->t->spec.alignment == SAC_ALIGN_AUTO && longer > 0))
        ahead -= longer;
    if (n->t->spec.alignment == SAC_ALIGN_OFFSET)
        ahead -= (ptrdiff_t)n->t->spec.offset;
    if (n->t->spec.causal && ahead > 0)
        return -INFINITY;
    if (window && (ahead >= window || -ahead >= window))
        return -INFINITY;
    if (in->key_padding_mask &&
        ((const uint8_t *)in->key_padding_mask->data)[b * n->t->shape.keys + j])
        return -INFINITY;
    if (!in->attn_mask)
        return s;
    const sac_array *mask = in->attn_mask;
    size_t index[4] = {b, h, i, j}, at = 0;
    for (int axis = 0; axis < mask->rank; axis++) {
        int of = axis + 4 - mask->rank;
        of = mask->rank == 3 && axis == 0 ? 0 : of;
        at = at * mask->shape[axis] + (mask->shape[axis] == 1 ? 0 : index[of]);
    }
    if (mask->dtype == SAC_BOOL)
        return n->mask[at] != 0 ? -INFINITY : s;
    float bias = n->mask[at]; /* finite ones end at 1e38 */
    return s + (isfinite(bias) ? fminf(fmaxf(bias, -1e38f), 1e38f) : bias);
}

/* Scores to weights in place; gives the log of the sum. */
static float softmax(float *row, size_t count, float sink)
{
    float most = sink, sum;
    for (size_t j = 0; j < count; j++)
        most = fmaxf(most, row[j]);
    sum = most == -INFINITY ? 0 : expf(sink - most);
    for (size_t j = 0; j < count; j++) {
        row[j] = most == -INFINITY ? 0 : expf(row[j] - most);
        sum += row[j];
    }
    for (size_t j = 0; j < count && sum > 0; j++)
        row[j] /= sum;
    return sum > 0 ? most + logf(sum) : -INFINITY;
}

/* The same for the other normalisers: Newton's method, as many steps as never were needed. */
static float sparse(sac_normalizer normalizer, float *row, size_t count, float sink)
{
    bool squares = normalizer == SAC_NORMALIZER_ENTMAX15;
    float most = sink, threshold = -1, share = squares ? 0.5f : 1;
    for (size_t j = 0; j < count; j++)
        most = fmaxf(most, row[j]);
    for (int step = 0; step < 60 && most > -INFINITY; step++) {
        float above = fmaxf((sink - most) * share - threshold, 0);
        float sum = squares ? above * above : above, slopes = squares ? 2 * above : above > 0;
        for (size_t j = 0; j < count; j++) {
            above = fmaxf((row[j] - most) * share - threshold, 0);
            sum += squares ? above * above : above;
            slopes += squares ? 2 * above : above > 0;
        }
        threshold += (sum - 1) / slopes;
    }
    for (size_t j = 0; j < count; j++) {
        float above = most > -INFINITY ? fmaxf((row[j] - most) * share - threshold, 0) : 0;
        row[j] = squares ? above * above : above;
    }
    return most > -INFINITY ? threshold + most * share : INFINITY;
}

static void attend_row(const naive *n, size_t b, size_t h, size_t i, float *row, float *lse,
                       float *output)
{
    const trial *t = n->t;
    const sac_attention_shape *s = &t->shape;
    const float *q = n->query + place(t, b, h, i, s->queries, s->query_dim);
    for (size_t j = 0; j < s->keys; j++) {
        const float *k = n->key + key_place(t, b, h, j, s->key_dim);
        row[j] = masked(n, b, h, i, j, score(n, q, k));
    }
    float sink = n->sinks ? n->sinks[h] : -INFINITY;
    *lse = t->spec.normalizer == SAC_NORMALIZER_SOFTMAX
               ? softmax(row, s->keys, sink)
               : sparse(t->spec.normalizer, row, s->keys, sink);
    uint32_t key = sac_dropout_key(t->spec.seed, (uint32_t)(b * s->heads + h));
    for (size_t j = 0; j < s->keys; j++) {
        bool dropped = sac_philox_uniform((uint32_t)j, (uint32_t)i, key) < t->spec.dropout;
        row[j] = dropped ? 0 : row[j] / (1 - t->spec.dropout);
    }
    for (size_t c = 0; n->value && c < s->value_dim; c++) {
        output[c] = 0;
        for (size_t j = 0; j < s->keys; j++)
            output[c] += row[j] * n->value[key_place(t, b, h, j, s->value_dim) + c];
    }
}

static void add_and_norm(const trial *t, float *x, size_t count)
{
    size_t d = t->input.norm_weight->shape[0];
    float *query = floats(t->input.query), *weight = floats(t->input.norm_weight);
    float *bias = floats(t->input.norm_bias);
    for (size_t at = 0; at < count; at += d) {
        float mean = 0, variance = 0;
        for (size_t c = 0; c < d; c++)
            mean += (x[at + c] += query[at + c]) / (float)d;
        for (size_t c = 0; c < d; c++)
            variance += (x[at + c] - mean) * (x[at + c] - mean) / (float)d;
        for (size_t c = 0; c < d; c++)
            x[at + c] =
                (x[at + c] - mean) / sqrtf(variance + 1e-5f) * weight[c] + (bias ? bias[c] : 0);
    }
    free(query);
    free(weight);
    free(bias);
}

static double *widen(const float *from, size_t count)
{
    double *to = malloc(count * sizeof *to);
    assert_non_null(to);
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
    return to;
}

/* Heads' outputs → the output as it leaves the library. */
static double *finish(const trial *t, float *heads, size_t *count)
{
    const sac_attention_input *in = &t->input;
    size_t features = t->shape.heads * t->shape.value_dim;
    heads =
        project(heads, t->shape.batch * t->shape.queries, in->out_proj_weight, in->out_proj_bias);
    features = in->out_proj_weight ? in->out_proj_weight->shape[0] : features;
    *count = t->shape.batch * t->shape.queries * features;
    if (in->norm_weight)
        add_and_norm(t, heads, *count);
    double *output = widen(heads, *count);
    free(heads);
    return output;
}

void compute_naive(const trial *t, results *r)
{
    const sac_attention_shape *s = &t->shape;
    const sac_attention_input *in = &t->input;
    naive n = {.t = t,
               .query = load(in->query, in->q_proj_weight, in->q_proj_bias),
               .key = load(in->key, in->k_proj_weight, in->k_proj_bias),
               .value = load(in->value, in->v_proj_weight, in->v_proj_bias),
               .W_q = floats(in->score_W_q),
               .W_k = floats(in->score_W_k),
               .w_v = floats(in->score_w_v),
               .W_qk = floats(in->score_W_qk),
               .mask = floats(in->attn_mask),
               .sinks = floats(in->sinks)};
    r->rows = s->batch * s->heads * s->queries;
    r->cells = r->rows * s->keys;
    float *weights = malloc(r->cells * sizeof *weights), *lse = malloc(r->rows * sizeof *lse);
    float *output = malloc((r->rows * s->value_dim + 1) * sizeof *output);
    assert_true(weights && lse && output);
    for (size_t b = 0; b < s->batch; b++)
        for (size_t h = 0; h < s->heads; h++)
            for (size_t i = 0; i < s->queries; i++) {
                size_t row = (b * s->heads + h) * s->queries + i;
                attend_row(&n, b, h, i, weights + row * s->keys, lse + row,
                           output + place(t, b, h, i, s->queries, s->value_dim));
            }
    r->weights = widen(weights, r->cells);
    r->lse = widen(lse, r->rows);
    if (in->value)
        r->output = finish(t, output, &r->outputs);
    else
        free(output);
    free(weights);
    free(lse);
    float *mine[] = {n.query, n.key, n.value, n.W_q, n.W_k, n.w_v, n.W_qk, n.mask, n.sinks};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        free(mine[i]);
}
