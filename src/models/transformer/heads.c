/* Softmax of single heads on the host. Sums are of double precision, so that the weights of long
 * sentences sum to 1 as closely as float32 can say. */
#include "transformer/heads.h"

#include <math.h>

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
