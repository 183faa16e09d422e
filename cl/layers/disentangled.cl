/* What a pair of tokens has beside its score, by the trained vectors of its distance. */

/* The product of two vectors of `count` numbers. */
inline float product_of(__global const float *x, __global const float *y, uint count)
{
    float16 sums = (float16)(0.0f);
    float rest = 0.0f;
    uint i = 0;
    for (; i + 16 <= count; i += 16)
        sums += vload16(0, x + i) * vload16(0, y + i);
    for (; i < count; i++)
        rest += x[i] * y[i];
    float8 eight = sums.lo + sums.hi;
    float4 four = eight.lo + eight.hi;
    return rest + (four.x + four.y) + (four.z + four.w);
}

/* b [heads,tokens,tokens] = scale · (q[i] · position_key[p] + k[j] · position_query[p]), p the row of
 * i − j; q, k [tokens,width], position_… [·,width]. A number for each work-item. */
__kernel void disentangle(uint tokens, uint width, uint heads, uint has_key, uint has_query,
                          float scale, __global const int *rows, uint rows_at,
                          __global const float *q, uint q_at, __global const float *k, uint k_at,
                          __global const float *position_key, uint position_key_at,
                          __global const float *position_query, uint position_query_at,
                          __global float *b, uint b_at)
{
    ulong at = (ulong)get_global_id(0);
    if (at >= (ulong)heads * tokens * tokens)
        return;
    uint j = (uint)(at % tokens), i = (uint)(at / tokens % tokens);
    uint head = (uint)(at / tokens / tokens), depth = width / heads;
    ulong place = (ulong)rows[rows_at + i + tokens - 1 - j] * width + head * depth;
    float sum = 0.0f;
    if (has_key)
        sum += product_of(q + q_at + (ulong)i * width + head * depth,
                          position_key + position_key_at + place, depth);
    if (has_query)
        sum += product_of(k + k_at + (ulong)j * width + head * depth,
                          position_query + position_query_at + place, depth);
    b[b_at + at] = scale * sum;
}

/* b [heads,tokens,tokens], added to the scores, becomes the gradient of these: A (do · v − do · o), where A is a
 * weight by `stats` [heads,tokens,2]: the largest logit of a row in base 2, and the sum of what is relative to it. */
__kernel void score_slopes(uint tokens, uint width, uint heads, float scale,
                           __global const float *q, uint q_at, __global const float *k, uint k_at,
                           __global const float *v, uint v_at, __global const float *o, uint o_at,
                           __global const float *stats, uint stats_at, __global const float *d,
                           uint d_at, __global float *b, uint b_at)
{
    ulong at = (ulong)get_global_id(0);
    if (at >= (ulong)heads * tokens * tokens)
        return;
    uint j = (uint)(at % tokens), i = (uint)(at / tokens % tokens);
    uint head = (uint)(at / tokens / tokens), depth = width / heads;
    ulong asks = (ulong)i * width + head * depth, seen = (ulong)j * width + head * depth;
    __global const float *row = stats + stats_at + 2 * ((ulong)head * tokens + i);
    float score = scale * product_of(q + q_at + asks, k + k_at + seen, depth) + b[b_at + at];
    float weight = row[1] > 0.0f ? exp2(score * 1.44269504f - row[0]) / row[1] : 0.0f;
    b[b_at + at] = weight * (product_of(d + d_at + asks, v + v_at + seen, depth) -
                             product_of(d + d_at + asks, o + o_at + asks, depth));
}

/* dx [tokens,width] += scale Σ ds[head,i,j] · vectors[p], p the row of i − j: of queries over all keys j, and where
 * `is_key` of keys over all queries i. */
__kernel void distances_backward(uint tokens, uint width, uint heads, uint is_key, float scale,
                                 __global const int *rows, uint rows_at,
                                 __global const float *vectors, uint vectors_at,
                                 __global const float *ds, uint ds_at, __global float *dx,
                                 uint dx_at)
{
    ulong at = (ulong)get_global_id(0);
    if (at >= (ulong)tokens * width)
        return;
    uint own = (uint)(at / width), column = (uint)(at % width), head = column / (width / heads);
    float sum = 0.0f;
    for (uint other = 0; other < tokens; other++) {
        uint i = is_key ? other : own, j = is_key ? own : other;
        ulong place = (ulong)rows[rows_at + i + tokens - 1 - j] * width + column;
        sum += ds[ds_at + ((ulong)head * tokens + i) * tokens + j] * vectors[vectors_at + place];
    }
    dx[dx_at + at] += scale * sum;
}
