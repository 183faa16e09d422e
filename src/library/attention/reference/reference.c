/* Attention in float64 and plain loops, to be read from top to bottom: project, split into heads,
 * score, mask, softmax, dropout, weighted sum, join the heads, project, add and norm. Every kernel
 * is held to it. Vaswani et al., "Attention is all you need" (2017), and for the scores the sources
 * named at sac_score. */
#include <math.h>
#include <string.h>

#include "attention/spec/check.h"
#include "attention/spec/dropout.h"
#include "attention/spec/resolve.h"
#include "base/error.h"
#include "scores/normalizers.h"
#include "scores/scores.h"

/* Vectors, one after the other: [count,size]. */
typedef struct vectors {
    size_t count, size;
    double *data;
    sac_array array; /* owns data */
} vectors;

/* The numbers that masks add to the scores: 0 shows a key, −inf blocks it. */
typedef struct mask {
    size_t stride[4]; /* of batch, head, query, key; 0 where one value stands for all */
    vectors values;   /* none: nothing is masked */
} mask;

typedef struct reference {
    const sac_attention_spec *spec;
    sac_attention_shape shape;
    double scale, inverse_width;
    vectors query, key, value; /* of all heads: [B,H,T,d] */
    vectors w_v;               /* [1,h], of the additive score */
    vectors sinks;             /* [1,H]; none: there are none */
    mask attention, padding;
    vectors row;    /* weights of one query, and of the sink: [1,Tk + 1] */
    vectors output; /* [B,H,Tq,dv], and then what becomes of it */
} reference;

static sac_status vectors_create(vectors *v, size_t count, size_t size, sac_error *error)
{
    size_t shape[] = {count, size};
    sac_status status = sac_array_create(SAC_F64, 2, shape, &v->array, error);
    *v = (vectors){count, size, v->array.data, v->array};
    return status;
}

static void vectors_free(vectors *v)
{
    sac_array_free(&v->array);
    *v = (vectors){0};
}

/* All but the last size of `array` count vectors. Numbers are rounded to float32 first, as the
 * device takes them, so that both work on the same. */
static sac_status vectors_load(vectors *v, const sac_array *array, sac_error *error)
{
    size_t size = array->shape[array->rank - 1], count = sac_array_count(array);
    sac_status status = vectors_create(v, count / size, size, error);
    if (status != SAC_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        const char *data = (const char *)array->data + i * sac_dtype_size(array->dtype);
        sac_array element = sac_array_view(array->dtype, 0, NULL, data);
        float number;
        sac_array_to_f32(&element, &number, NULL);
        v->data[i] = number;
    }
    return SAC_OK;
}

/* ---------------------------------------------------------------- projections and heads */

/* y = x Wᵀ + b for each vector x; W is [out,in], or where it is `transposed` [in,out]; b is [out]
 * or NULL. Replaces *v. */
static sac_status linear(vectors *v, const sac_array *weight, const sac_array *bias,
                         bool transposed, sac_error *error)
{
    if (!weight)
        return SAC_OK;
    vectors W = {0}, b = {0}, y = {0};
    sac_status status = vectors_load(&W, weight, error);
    if (status == SAC_OK && bias)
        status = vectors_load(&b, bias, error);
    size_t outs = transposed ? W.size : W.count;
    if (status == SAC_OK)
        status = vectors_create(&y, v->count, outs, error);
    if (status != SAC_OK)
        goto cleanup;
    for (size_t n = 0; n < v->count; n++)
        for (size_t o = 0; o < outs; o++) {
            double sum = bias ? b.data[o] : 0;
            for (size_t i = 0; i < v->size; i++)
                sum +=
                    W.data[transposed ? i * outs + o : o * W.size + i] * v->data[n * v->size + i];
            y.data[n * y.size + o] = sum;
        }
    vectors_free(v);
    *v = y;
    y = (vectors){0};
cleanup:
    vectors_free(&W);
    vectors_free(&b);
    vectors_free(&y);
    return status;
}

/* Copies vectors [outer,a,b] to [outer,b,a]. Replaces *v. */
static sac_status swap_axes(vectors *v, size_t a, size_t b, sac_error *error)
{
    vectors swapped = {0};
    sac_status status = vectors_create(&swapped, v->count, v->size, error);
    if (status != SAC_OK)
        return status;
    for (size_t o = 0; o < v->count / (a * b); o++)
        for (size_t i = 0; i < a; i++)
            for (size_t j = 0; j < b; j++)
                memcpy(swapped.data + ((o * b + j) * a + i) * v->size,
                       v->data + ((o * a + i) * b + j) * v->size, v->size * sizeof *v->data);
    vectors_free(v);
    *v = swapped;
    return SAC_OK;
}

/* [B,T,H·d] → [B,H,T,d]. The mistake of SAC_SPLIT_VIEW is to read the same memory as [B,H,T,d]
 * without moving anything: a head then gets whole features of some positions, not some features of
 * every position. */
static sac_status split_heads(vectors *v, size_t length, size_t heads, const reference *r,
                              sac_error *error)
{
    v->count *= heads;
    v->size /= heads;
    if (r->spec->split == SAC_SPLIT_VIEW)
        return SAC_OK;
    return swap_axes(v, length, heads, error);
}

static sac_status load_heads(vectors *v, const sac_array *array, const sac_array *weight,
                             const sac_array *bias, size_t heads, const reference *r,
                             sac_error *error)
{
    sac_status status = vectors_load(v, array, error);
    if (status == SAC_OK)
        status = linear(v, weight, bias, false, error);
    if (status == SAC_OK && array->rank < 4)
        status = split_heads(v, array->shape[array->rank - 2], heads, r, error);
    return status;
}

/* The nearest float16, the even one of two: 11 binary digits, but none under 2^-24. */
static double nearest_half(double number)
{
    int exponent;
    frexp(number, &exponent);
    double step = ldexp(1, (exponent < -13 ? -13 : exponent) - 11);
    return nearbyint(number / step) * step;
}

/* The nearest bfloat16: 8 binary digits, but none under 2^-133. */
static double nearest_bfloat(double number)
{
    int exponent;
    frexp(number, &exponent);
    double step = ldexp(1, (exponent < -125 ? -125 : exponent) - 8);
    return nearbyint(number / step) * step;
}

/* Rounds the numbers as the spec's storage does. */
static void round_to_storage(const reference *r, vectors *v)
{
    sac_storage storage = r->spec->storage;
    for (size_t i = 0; storage != SAC_STORAGE_F32 && i < v->count * v->size; i++)
        v->data[i] =
            storage == SAC_STORAGE_F16 ? nearest_half(v->data[i]) : nearest_bfloat(v->data[i]);
}

/* ---------------------------------------------------------------- masks */

/* `shape` is the mask's, of rank 4; sizes of 1 are the same for all. */
static sac_status mask_load(mask *m, const sac_array *array, const size_t *shape, sac_error *error)
{
    sac_status status = vectors_load(&m->values, array, error);
    if (status != SAC_OK)
        return status;
    if (sac_is_boolean(array))
        for (size_t i = 0; i < sac_array_count(array); i++)
            m->values.data[i] = m->values.data[i] != 0 ? -INFINITY : 0;
    for (size_t i = 0; i < sac_array_count(array); i++)
        if (isfinite(m->values.data[i])) /* float32 has to hold it in base 2, too */
            m->values.data[i] = fmin(fmax(m->values.data[i], -SAC_MOST_BIAS), SAC_MOST_BIAS);
    size_t stride = 1;
    for (int i = 3; i >= 0; i--) {
        m->stride[i] = shape[i] == 1 ? 0 : stride;
        stride *= shape[i];
    }
    return SAC_OK;
}

static sac_status load_masks(reference *r, const sac_attention_input *input, sac_error *error)
{
    const sac_array *padding = input->key_padding_mask, *attention = input->attn_mask;
    sac_status status = SAC_OK;
    if (padding) {
        size_t shape[] = {padding->shape[0], 1, 1, padding->shape[1]};
        status = mask_load(&r->padding, padding, shape, error);
    }
    if (status == SAC_OK && attention) { /* [Tq,Tk], [B,Tq,Tk] or [B,H,Tq,Tk] */
        const size_t *s = attention->shape;
        int rank = attention->rank;
        size_t shape[] = {rank > 2 ? s[0] : 1, rank > 3 ? s[1] : 1, s[rank - 2], s[rank - 1]};
        status = mask_load(&r->attention, attention, shape, error);
    }
    return status;
}

static double mask_at(const mask *m, size_t batch, size_t head, size_t i, size_t j)
{
    if (!m->values.data)
        return 0;
    return m->values
        .data[batch * m->stride[0] + head * m->stride[1] + i * m->stride[2] + j * m->stride[3]];
}

/* ---------------------------------------------------------------- one query */

/* The raw score of query q and key k, before the scale, by the score's formula in scores.c. For the
 * additive score q and k have gone through W_q and W_k already, for the bilinear one q through
 * W_qk. */
static double raw_score(const reference *r, const double *q, const double *k)
{
    const sac_score_terms terms = {r->w_v.data, r->inverse_width};
    return sac_score_class_of(r->spec->score)->raw(q, k, r->key.size, &terms);
}

/* Heads that share keys and values, one after the other, have one matrix of them. */
static size_t key_matrix_index(const reference *r, size_t matrix)
{
    return matrix / (r->shape.heads / r->shape.key_heads);
}

static bool is_hidden(const reference *r, size_t i, size_t j)
{
    ptrdiff_t offset = sac_attention_offset(r->spec, r->shape.queries, r->shape.keys);
    ptrdiff_t ahead = (ptrdiff_t)j - ((ptrdiff_t)i + offset);
    size_t window = r->spec->window, distance = (size_t)(ahead < 0 ? -ahead : ahead);
    return (r->spec->causal && ahead > 0) || (window && distance >= window);
}

/* Scores of query i with every key, masked: [Tk]. */
static void score_row(const reference *r, size_t batch, size_t head, size_t i, double *scores)
{
    size_t keys = r->shape.keys, m = batch * r->shape.heads + head;
    const double *q = r->query.data + (m * r->shape.queries + i) * r->query.size;
    for (size_t j = 0; j < keys; j++) {
        const double *k = r->key.data + (key_matrix_index(r, m) * keys + j) * r->key.size;
        scores[j] = sac_capped_score(r->spec, r->scale * raw_score(r, q, k));
        scores[j] += mask_at(&r->attention, batch, head, i, j);
        scores[j] += mask_at(&r->padding, batch, head, i, j);
        if (is_hidden(r, i, j))
            scores[j] = -INFINITY;
    }
}

/* True where float32 holds the scores of a row, in base 2 and with a margin for sums: the largest
 * decides, and −inf is a row whose keys are all blocked. */
static bool fits_float32(const double *scores, size_t count)
{
    double largest = -INFINITY;
    for (size_t j = 0; j < count; j++)
        largest = fmax(largest, scores[j]);
    return largest == -INFINITY || fabs(largest) * M_LOG2E < 1.6e38;
}

static double sink_of(const reference *r, size_t head)
{
    double sink = r->sinks.data ? r->sinks.data[head] : -INFINITY;
    return isfinite(sink) ? fmin(fmax(sink, -SAC_MOST_BIAS), SAC_MOST_BIAS) : sink;
}

/* Σ weights[j] · value[j]: [dv]. */
static void weigh_values(const reference *r, size_t matrix, const double *weights, double *output)
{
    size_t keys = r->shape.keys, size = r->value.size;
    memset(output, 0, size * sizeof *output);
    for (size_t j = 0; j < keys; j++)
        for (size_t c = 0; c < size; c++)
            output[c] +=
                weights[j] * r->value.data[(key_matrix_index(r, matrix) * keys + j) * size + c];
}

/* ---------------------------------------------------------------- all of it */

/* Fills r->output, and lse [B,H,Tq] and weights [B,H,Tq,Tk] where they are wanted. */
static sac_status attend(reference *r, double *lse, double *weights, sac_error *error)
{
    const sac_attention_shape *shape = &r->shape;
    for (size_t batch = 0; batch < shape->batch; batch++)
        for (size_t head = 0; head < shape->heads; head++)
            for (size_t i = 0; i < shape->queries; i++) {
                size_t matrix = batch * shape->heads + head, place = matrix * shape->queries + i;
                double *row = r->row.data;
                score_row(r, batch, head, i, row);
                if (!fits_float32(row, shape->keys))
                    return sac_fail_score_overflow(shape, place, error);
                row[shape->keys] = sink_of(r, head);
                double threshold = sac_normalize(r->spec->normalizer, shape->keys + 1, row, row);
                if (lse)
                    lse[place] = threshold;
                if (r->spec->dropout > 0) {
                    /* Drops each weight with probability p; the others grow by 1/(1 − p), so that
                     * the expected sum stays 1. */
                    uint32_t key = sac_dropout_key(r->spec->seed, (uint32_t)matrix);
                    for (size_t j = 0; j < r->shape.keys; j++) {
                        bool dropped =
                            sac_philox_uniform((uint32_t)j, (uint32_t)i, key) < r->spec->dropout;
                        row[j] = dropped ? 0 : row[j] / (1.0 - r->spec->dropout);
                    }
                }
                if (weights)
                    memcpy(weights + place * shape->keys, row, shape->keys * sizeof *row);
                if (r->output.data)
                    weigh_values(r, matrix, row, r->output.data + place * r->output.size);
            }
    return SAC_OK;
}

/* Layer norm of x = query + output over each vector: (x − mean) / sqrt(variance + 1e-5), times
 * weight, plus bias. Ba, Kiros and Hinton, "Layer normalization" (2016). */
static sac_status add_and_norm(vectors *v, const sac_attention_input *input, sac_error *error)
{
    vectors query = {0}, weight = {0}, bias = {0};
    sac_status status = vectors_load(&query, input->query, error);
    if (status == SAC_OK)
        status = vectors_load(&weight, input->norm_weight, error);
    if (status == SAC_OK && input->norm_bias)
        status = vectors_load(&bias, input->norm_bias, error);
    for (size_t n = 0; status == SAC_OK && n < v->count; n++) {
        double *x = v->data + n * v->size, mean = 0, variance = 0;
        for (size_t c = 0; c < v->size; c++) {
            x[c] += query.data[n * v->size + c];
            mean += x[c] / (double)v->size;
        }
        for (size_t c = 0; c < v->size; c++)
            variance += (x[c] - mean) * (x[c] - mean) / (double)v->size;
        for (size_t c = 0; c < v->size; c++)
            x[c] = (x[c] - mean) / sqrt(variance + 1e-5) * weight.data[c] +
                   (bias.data ? bias.data[c] : 0);
    }
    vectors_free(&query);
    vectors_free(&weight);
    vectors_free(&bias);
    return status;
}

static sac_status load_all(reference *r, const sac_attention_input *in, bool with_output,
                           sac_error *error)
{
    sac_status status = load_heads(&r->query, in->query, in->q_proj_weight, in->q_proj_bias,
                                   r->shape.heads, r, error);
    if (status == SAC_OK)
        status = load_heads(&r->key, in->key, in->k_proj_weight, in->k_proj_bias,
                            r->shape.key_heads, r, error);
    if (status == SAC_OK && sac_score_class_of(r->spec->score)->weights == SAC_WEIGHTS_HIDDEN) {
        status = linear(&r->query, in->score_W_q, NULL, false, error);
        if (status == SAC_OK)
            status = linear(&r->key, in->score_W_k, NULL, false, error);
        if (status == SAC_OK)
            status = vectors_load(&r->w_v, in->score_w_v, error);
    }
    if (status == SAC_OK &&
        sac_score_class_of(r->spec->score)->weights == SAC_WEIGHTS_BETWEEN) /* (W_qkᵀ q) · k */
        status = linear(&r->query, in->score_W_qk, NULL, true, error);
    round_to_storage(r, &r->query);
    round_to_storage(r, &r->key);
    if (status == SAC_OK)
        status = load_masks(r, in, error);
    if (status == SAC_OK && in->sinks)
        status = vectors_load(&r->sinks, in->sinks, error);
    if (status == SAC_OK)
        status = vectors_create(&r->row, 1, r->shape.keys + 1, error);
    if (status != SAC_OK || !with_output)
        return status;
    status = load_heads(&r->value, in->value, in->v_proj_weight, in->v_proj_bias,
                        r->shape.key_heads, r, error);
    round_to_storage(r, &r->value);
    if (status == SAC_OK)
        status = vectors_create(&r->output, r->query.count, r->value.size, error);
    return status;
}

sac_status sac_attention_reference(const sac_attention_spec *spec, const sac_attention_input *input,
                                   double *output, double *lse, double *weights, sac_error *error)
{
    reference r = {.spec = spec};
    sac_status status = sac_attention_resolve(spec, input, &r.shape, error);
    if (status != SAC_OK)
        return status;
    if (output && !input->value)
        return sac_fail(error, SAC_E_ARGUMENT, "value", "give values, or ask for no output",
                        "is missing, and the output is made of it");
    r.scale = sac_attention_scale(spec, r.shape.query_dim, r.shape.key_dim);
    r.inverse_width = sac_attention_inverse_width(spec);
    status = load_all(&r, input, output != NULL, error);
    if (status == SAC_OK)
        status = attend(&r, lse, weights, error);
    if (status == SAC_OK && output) {
        /* The steps after the heads; the result stays in r->output. */
        if (!sac_attention_is_split(input)) {
            /* [B,H,T,d] → [B,T,H·d], back the way they came. */
            size_t heads = r.shape.heads;
            if (r.spec->split == SAC_SPLIT_TRANSPOSE)
                status = swap_axes(&r.output, heads, r.shape.queries, error);
            r.output.count /= heads;
            r.output.size *= heads;
        }
        if (status == SAC_OK)
            status = linear(&r.output, input->out_proj_weight, input->out_proj_bias, false, error);
        if (status == SAC_OK && input->norm_weight)
            status = add_and_norm(&r.output, input, error);
    }
    if (status == SAC_OK && output)
        memcpy(output, r.output.data, r.output.count * r.output.size * sizeof *output);
    vectors_free(&r.query);
    vectors_free(&r.key);
    vectors_free(&r.value);
    vectors_free(&r.w_v);
    vectors_free(&r.sinks);
    vectors_free(&r.attention.values);
    vectors_free(&r.padding.values);
    vectors_free(&r.row);
    vectors_free(&r.output);
    return status;
}
