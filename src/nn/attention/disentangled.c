/* Disentangled attention: the vectors of distances go through a layer's own matrices, and a kernel adds up what
 * each pair has. */
#include "nn/attention/disentangled.h"

#include <math.h>

static cl_uint project(sac_pass *pass, const sac_dense *d, sac_tensor y, sac_tensor vectors)
{
    if (d->w)
        sac_linear_forward(pass, y, vectors, d->w, d->b);
    return d->w != NULL;
}

void sac_disentangle(sac_pass *pass, const sac_dense *key_of, const sac_dense *query_of,
                     size_t heads, const sac_distances *distances, sac_tensor query, sac_tensor key,
                     sac_tensor b)
{
    const cl_uint tokens = (cl_uint)query.rows, width = (cl_uint)query.width;
    const cl_uint all = (cl_uint)heads;
    const cl_uint has_key = project(pass, key_of, distances->key, distances->vectors);
    const cl_uint has_query = project(pass, query_of, distances->query, distances->vectors);
    float scale = distances->scale;
    sac_arg args[] = {SAC_ARG(tokens),
                      SAC_ARG(width),
                      SAC_ARG(all),
                      SAC_ARG(has_key),
                      SAC_ARG(has_query),
                      SAC_ARG(scale),
                      SAC_ARG(distances->rows.buffer),
                      SAC_ARG(distances->rows.at),
                      SAC_SPAN_ARGS(query),
                      SAC_SPAN_ARGS(key),
                      SAC_SPAN_ARGS(distances->key),
                      SAC_SPAN_ARGS(distances->query),
                      SAC_SPAN_ARGS(b)};
    assert(key.rows == query.rows && key.width == query.width);
    assert(sac_tensor_count(b) == heads * query.rows * query.rows);
    sac_pass_items(pass, "disentangled", "disentangle", args, 18, sac_tensor_count(b));
}

/* dx [T,H·d] of queries, or of keys. */
static void add_terms(sac_pass *pass, const sac_distances *distances, size_t heads, cl_uint is_key,
                      sac_tensor vectors, sac_tensor ds, sac_tensor dx)
{
    const cl_uint tokens = (cl_uint)dx.rows, width = (cl_uint)dx.width, all = (cl_uint)heads;
    float scale = distances->scale;
    sac_arg args[] = {SAC_ARG(tokens),
                      SAC_ARG(width),
                      SAC_ARG(all),
                      SAC_ARG(is_key),
                      SAC_ARG(scale),
                      SAC_ARG(distances->rows.buffer),
                      SAC_ARG(distances->rows.at),
                      SAC_SPAN_ARGS(vectors),
                      SAC_SPAN_ARGS(ds),
                      SAC_SPAN_ARGS(dx)};
    sac_pass_items(pass, "disentangled", "distances_backward", args, 13, sac_tensor_count(dx));
}

void sac_disentangle_backward(sac_pass *pass, const sac_dense *key_of, const sac_dense *query_of,
                              size_t heads, const sac_distances *distances, float scale,
                              sac_tensor b, const sac_attention_tensors *tensors,
                              const sac_attention_layer_gradients *wanted)
{
    const sac_attention_tensors *t = tensors;
    const cl_uint tokens = (cl_uint)t->query.rows, width = (cl_uint)t->query.width;
    const cl_uint all = (cl_uint)heads;
    if (!(scale > 0))
        scale = 1 / sqrtf((float)width / (float)heads);
    sac_arg args[] = {SAC_ARG(tokens),
                      SAC_ARG(width),
                      SAC_ARG(all),
                      SAC_ARG(scale),
                      SAC_SPAN_ARGS(t->query),
                      SAC_SPAN_ARGS(t->key),
                      SAC_SPAN_ARGS(t->value),
                      SAC_SPAN_ARGS(t->output),
                      SAC_SPAN_ARGS(t->stats),
                      SAC_SPAN_ARGS(wanted->doutput),
                      SAC_SPAN_ARGS(b)};
    sac_pass_items(pass, "disentangled", "score_slopes", args, 18, sac_tensor_count(b));
    if (key_of->w)
        add_terms(pass, distances, heads, false, distances->key, b, wanted->dquery);
    if (query_of->w)
        add_terms(pass, distances, heads, true, distances->query, b, wanted->dkey);
}
