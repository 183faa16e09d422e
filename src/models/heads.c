/* Softmax of single heads on the host. Sums are of double precision, so that the weights of long
 * sentences sum to 1 to float32's precision. */
#include "models/heads.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

static bool sees(const sac_head_view *v, size_t query, size_t key)
{
    return !(v->causal && key > query) && !(v->hidden && v->hidden[key]);
}

static double score(const sac_head_view *v, size_t head, size_t query, size_t key)
{
    size_t depth = v->width / v->heads, at = head * depth;
    const float *q = v->query + query * v->width + at, *k = v->key + key * v->width + at;
    double sum = 0, temperature = v->temperature > 0 ? v->temperature : 1;
    for (size_t i = 0; i < depth; i++)
        sum += (double)q[i] * k[i];
    return sum / (sqrt((double)depth) * temperature);
}

static void softmax_row(const sac_head_view *v, size_t head, size_t query, float *weights)
{
    double highest = -INFINITY, sum = 0;
    for (size_t j = 0; j < v->keys; j++)
        if (sees(v, query, j))
            highest = fmax(highest, score(v, head, query, j));
    for (size_t j = 0; j < v->keys; j++) {
        double e = sees(v, query, j) ? exp(score(v, head, query, j) - highest) : 0;
        weights[j] = (float)e;
        sum += e;
    }
    for (size_t j = 0; j < v->keys && sum > 0; j++)
        weights[j] = (float)(weights[j] / sum);
}

void sac_head_weights(const sac_head_view *v, size_t head, float *weights)
{
    for (size_t i = 0; i < v->queries; i++)
        softmax_row(v, head, i, weights + i * v->keys);
}

void sac_heads_read(sac_pass *pass, const sac_multihead_tensors *attention,
                    const sac_head_view *view, float *weights)
{
    sac_head_view v = *view;
    float *query = malloc(v.queries * v.width * sizeof *query);
    float *key = malloc(v.keys * v.width * sizeof *key);
    if (!query || !key)
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, "attention"));
    sac_pass_read(pass, attention->query, query);
    sac_pass_read(pass, attention->key, key);
    v.query = query;
    v.key = key;
    for (size_t head = 0; head < v.heads && sac_pass_runs(pass); head++)
        sac_head_weights(&v, head, weights + head * v.queries * v.keys);
    free(query);
    free(key);
}
