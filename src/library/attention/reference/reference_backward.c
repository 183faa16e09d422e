/* The gradients of attention, to be read from top to bottom, head by head: compare, go back through
 * the weighted sum and the normaliser to the scores, through the scores to what was compared, and
 * through the score's own matrices. With P the weights before dropout, D what dropout makes of
 * them, S their slopes (of the softmax P itself):
 *
 *     dV = (P∘D)ᵀ dO      dP = D ∘ (dO Vᵀ)      dZ = S ∘ (dP − rowsum(S∘dP) / rowsum(S))
 *
 * so that what a row's weights gain together, they must lose. */
#include "attention/reference/reference_backward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/spec/dropout.h"
#include "attention/spec/resolve.h"
#include "base/error.h"
#include "scores/normalizers.h"
#include "scores/scores.h"

typedef struct problem {
    const sac_attention_spec *spec;
    const sac_attention_input *in;
    sac_attention_shape shape;
    double scale, inverse_width;
    double *w_v; /* [dim]; NULL where the score has none */
    const double *doutput;
    sac_reference_gradients *g;
    double *weights, *thresholds; /* P [B,H,Tq,Tk], and what the rows were normalised by */
} problem;

/* One head: what is compared, and the gradients. */
typedef struct head {
    size_t batch, head, dim;
    double *query, *key;   /* [Tq,dim], [Tk,dim]: after the score's own matrices */
    double *dquery, *dkey; /* of these */
} head;

/* Queries and their gradients; or keys and values, of which there may be fewer heads. */
typedef enum side { QUERY_SIDE, KEY_SIDE } side;

/* The place where vector t of a head begins in an array [..,T,D] of `dim` numbers to a head. */
static size_t vector_start(const problem *p, const head *h, side of, size_t t, size_t dim)
{
    size_t heads = of == KEY_SIDE ? p->shape.key_heads : p->shape.heads;
    size_t length = of == KEY_SIDE ? p->shape.keys : p->shape.queries;
    size_t number = h->head / (p->shape.heads / heads);
    if (sac_attention_is_split(p->in) || p->spec->split == SAC_SPLIT_VIEW)
        return ((h->batch * heads + number) * length + t) * dim;
    return ((h->batch * length + t) * heads + number) * dim;
}

static double element_at(const sac_array *array, size_t index)
{
    return ((const float *)array->data)[index];
}

/* ---------------------------------------------------------------- the score's own matrices */

/* y [count,outs] = x Wᵀ, W [outs,ins], or x W with W [ins,outs] where it is `transposed`; W NULL: x
 * itself. */
static void project(const problem *p, const head *h, const sac_array *x, side of, size_t ins,
                    const sac_array *W, bool transposed, double *y)
{
    size_t length = of == KEY_SIDE ? p->shape.keys : p->shape.queries;
    for (size_t t = 0; t < length; t++)
        for (size_t o = 0; o < h->dim; o++) {
            size_t from = vector_start(p, h, of, t, ins);
            double sum = W ? 0 : element_at(x, from + o);
            for (size_t i = 0; W && i < ins; i++)
                sum += element_at(W, transposed ? i * h->dim + o : o * ins + i) *
                       element_at(x, from + i);
            y[t * h->dim + o] = sum;
        }
}

/* Goes from dy to dx and dW. */
static void project_back(const problem *p, const head *h, const sac_array *x, side of, size_t ins,
                         const sac_array *W, bool transposed, const double *dy, double *dx,
                         double *dW)
{
    size_t length = of == KEY_SIDE ? p->shape.keys : p->shape.queries;
    for (size_t t = 0; t < length; t++)
        for (size_t o = 0; o < h->dim; o++) {
            size_t from = vector_start(p, h, of, t, ins);
            double gradient = dy[t * h->dim + o];
            if (!W)
                dx[from + o] += gradient;
            for (size_t i = 0; W && i < ins; i++) {
                size_t at = transposed ? i * h->dim + o : o * ins + i;
                dx[from + i] += gradient * element_at(W, at);
                dW[at] += gradient * element_at(x, from + i);
            }
        }
}

static void project_query_and_key(const problem *p, head *h)
{
    const sac_attention_input *in = p->in;
    const sac_array *W_query = in->score_W_q ? in->score_W_q : in->score_W_qk;
    project(p, h, in->query, QUERY_SIDE, p->shape.query_dim, W_query, in->score_W_qk != NULL,
            h->query);
    project(p, h, in->key, KEY_SIDE, p->shape.key_dim, in->score_W_k, false, h->key);
}

/* ---------------------------------------------------------------- one score */

/* Goes back from the gradient of the score of query i and key j. */
static void score_back(const problem *p, const head *h, size_t i, size_t j, double dscore)
{
    const sac_score_class *score = sac_score_class_of(p->spec->score);
    const sac_score_terms terms = {p->w_v, p->inverse_width};
    const double *q = h->query + i * h->dim, *k = h->key + j * h->dim;
    double *dq = h->dquery + i * h->dim, *dk = h->dkey + j * h->dim;
    double raw = score->raw(q, k, h->dim, &terms), derivatives[3];
    double gradient = p->scale * sac_capped_derivative(p->spec, p->scale * raw) * dscore;
    for (size_t c = 0; c < h->dim; c++) {
        score->derivatives(q[c], k[c], c, &terms, derivatives);
        dq[c] += gradient * derivatives[0];
        dk[c] += gradient * derivatives[1];
        if (p->w_v)
            p->g->w_v[c] += gradient * derivatives[2];
    }
    p->g->log_scale += gradient * raw;
}

/* ---------------------------------------------------------------- one row of weights */

/* The factor of dropout for a weight: 0, or 1/(1 − p). */
static double dropout_factor(const problem *p, uint32_t matrix, size_t i, size_t j)
{
    uint32_t key = sac_dropout_key(p->spec->seed, matrix);
    if (p->spec->dropout == 0)
        return 1;
    bool dropped = sac_philox_uniform((uint32_t)j, (uint32_t)i, key) < p->spec->dropout;
    return dropped ? 0 : 1 / (1.0 - p->spec->dropout);
}

/* The gradient of weight (i, j) before dropout; adds what the value gets. */
static double backprop_weight(const problem *p, const head *h, size_t i, size_t j, double weight)
{
    size_t size = p->shape.value_dim, matrix = h->batch * p->shape.heads + h->head;
    size_t value = vector_start(p, h, KEY_SIDE, j, size);
    const double *dO = p->doutput + vector_start(p, h, QUERY_SIDE, i, size);
    double factor = dropout_factor(p, (uint32_t)matrix, i, j), sum = 0;
    for (size_t c = 0; c < size; c++) {
        sum += dO[c] * element_at(p->in->value, value + c);
        p->g->value[value + c] += weight * factor * dO[c];
    }
    return factor * sum;
}

/* `memory` [2,Tk + 1]: the weights and their gradients, and last those of the sink, which has no value. */
static void row_back(const problem *p, const head *h, size_t i, double *memory)
{
    size_t keys = p->shape.keys, matrix = h->batch * p->shape.heads + h->head;
    size_t row = matrix * p->shape.queries + i;
    double *weights = memory, *gradients = memory + keys + 1;
    memcpy(weights, p->weights + row * keys, keys * sizeof *weights);
    weights[keys] = gradients[keys] = 0;
    if (p->in->sinks && isfinite(p->thresholds[row]))
        weights[keys] = sac_normalizer_class_of(p->spec->normalizer)
                            ->weight(element_at(p->in->sinks, h->head), p->thresholds[row]);
    for (size_t j = 0; j < keys; j++)
        gradients[j] = backprop_weight(p, h, i, j, weights[j]);
    sac_normalize_back(p->spec->normalizer, keys + 1, weights, gradients, gradients);
    if (p->in->sinks && p->g->sinks)
        p->g->sinks[h->head] += gradients[keys];
    for (size_t j = 0; j < keys; j++)
        score_back(p, h, i, j, gradients[j]);
}

/* ---------------------------------------------------------------- all of it */

static void head_back(const problem *p, head *h, double *memory)
{
    size_t queries = p->shape.queries * h->dim, keys = p->shape.keys * h->dim;
    h->query = memory;
    h->key = h->query + queries;
    h->dquery = h->key + keys;
    h->dkey = h->dquery + queries;
    for (size_t c = 0; c < queries + keys; c++)
        h->dquery[c] = 0;
    project_query_and_key(p, h);
    for (size_t i = 0; i < p->shape.queries; i++)
        row_back(p, h, i, h->dkey + keys);
    const sac_attention_input *in = p->in;
    const sac_array *W_query = in->score_W_q ? in->score_W_q : in->score_W_qk;
    project_back(p, h, in->query, QUERY_SIDE, p->shape.query_dim, W_query, in->score_W_qk != NULL,
                 h->dquery, p->g->query, in->score_W_qk ? p->g->W_qk : p->g->W_q);
    project_back(p, h, in->key, KEY_SIDE, p->shape.key_dim, in->score_W_k, false, h->dkey,
                 p->g->key, p->g->W_k);
}

sac_status sac_attention_reference_backward(const sac_attention_spec *spec,
                                            const sac_attention_input *input, const double *doutput,
                                            sac_reference_gradients *gradients, sac_error *error)
{
    sac_attention_spec undropped = *spec;
    problem p = {.spec = spec, .in = input, .doutput = doutput, .g = gradients};
    sac_status status = sac_attention_resolve(spec, input, &p.shape, error);
    if (status != SAC_OK)
        return status;
    size_t queries = p.shape.queries, keys = p.shape.keys, heads = p.shape.batch * p.shape.heads;
    size_t dim = input->score_w_v ? input->score_w_v->shape[0] : p.shape.key_dim;
    double *memory = calloc(2 * (queries + keys) * dim + 2 * (keys + 1) + dim, sizeof *memory);
    if (memory && sac_score_class_of(spec->score)->weights == SAC_WEIGHTS_HIDDEN) {
        p.w_v = memory + 2 * (queries + keys) * dim + 2 * (keys + 1);
        for (size_t c = 0; c < dim; c++)
            p.w_v[c] = element_at(input->score_w_v, c);
    }
    p.weights = calloc(heads * queries * (keys + 1), sizeof *p.weights);
    p.thresholds = p.weights ? p.weights + heads * queries * keys : NULL;
    p.scale = sac_attention_scale(spec, p.shape.query_dim, p.shape.key_dim);
    p.inverse_width = sac_attention_inverse_width(spec);
    undropped.dropout = 0;
    if (!memory || !p.weights)
        status = sac_no_memory(error, "attention");
    else
        status = sac_attention_reference(&undropped, input, NULL, p.thresholds, p.weights, error);
    for (size_t m = 0; m < heads && status == SAC_OK; m++) {
        head h = {.batch = m / p.shape.heads, .head = m % p.shape.heads, .dim = dim};
        head_back(&p, &h, memory);
    }
    free(memory);
    free(p.weights);
    return status;
}
