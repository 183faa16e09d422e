/* Disentangled attention: the vectors of distances go through a layer's own matrices, and a kernel adds up what
 * each pair has. */
#include "nn/attention/disentangled.h"

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
