/* Where the keys of a tile were shared out over several units, each left for its rows (m, l) and
 * the sum of exp2(logit − m) · value: the pieces of a row are brought to their common maximum and
 * added. */
#include "attention/problem.clh"
#include "attention/sinks.clh"
#include "common/normalizer.clh"

/* pieces [tiles of all matrices, splits, tile_rows, 2 + value_dim] → out by its strides, stats.
 * One work-item per (matrix, row, column); without output per (matrix, row). */
__kernel void merge(problem p, job j, __global const float *pieces, __global float *out,
                    __global float2 *stats)
{
    uint columns = j.with_output ? p.value_dim : 1, width = j.with_output ? 2 + columns : 2;
    uint rows = j.row_end - j.row_begin;
    ulong index = get_global_id(0);
    uint column = (uint)(index % columns);
    uint row = (uint)(index / columns % rows);
    ulong nth = index / columns / rows; /* matrix of this job */
    if (nth >= j.count)
        return;
    ulong unit = (nth * j.tiles + row / j.tile_rows) * j.splits;
    ulong step = (ulong)j.tile_rows * width;
    pieces += unit * step + (row % j.tile_rows) * width;

    float maximum = FLOOR, sum = 0.0f, total = 0.0f;
    for (uint s = 0; s < j.splits; s++)
        maximum = max(maximum, pieces[s * step]);
    for (uint s = 0; s < j.splits; s++) {
        float factor = exp2(pieces[s * step] - maximum);
        sum += factor * pieces[s * step + 1];
        if (j.with_output)
            total += factor * pieces[s * step + 2 + column];
    }
    uint matrix = j.matrix + (uint)nth;
    row += j.row_begin;
    if (column == 0)
        stats[(ulong)matrix * p.queries + row] = (float2)(maximum, sum);
    if (j.with_output)
        out[(matrix / p.heads) * p.out_batch + (matrix % p.heads) * p.out_head + row * p.out_row +
            column] = sum > 0.0f ? total / sum : 0.0f;
}

/* A sink is one more logit of every row, that no value belongs to: it joins the sums of the rows,
 * and the weights, and with them the output, shrink. sinks [H] from `at` on. One work-item per
 * (matrix, row). */
__kernel void add_sinks(problem p, job j, __global const float *sinks, ulong at,
                        __global float *out, __global float2 *stats)
{
    uint rows = j.row_end - j.row_begin, row = (uint)(get_global_id(0) % rows) + j.row_begin;
    ulong nth = get_global_id(0) / rows; /* matrix of this job */
    if (nth >= j.count)
        return;
    uint matrix = j.matrix + (uint)nth;
    stats += (ulong)matrix * p.queries + row;
    float sink = sink_logit(sinks[at + matrix % p.heads]), maximum = max(stats->x, sink);
    float keys = stats->y * exp2(stats->x - maximum), sum = keys + exp2(sink - maximum);
    *stats = (float2)(maximum, sum);
    if (!j.with_output)
        return;
    float factor = sum > 0.0f ? keys / sum : 0.0f;
    out += (matrix / p.heads) * p.out_batch + (matrix % p.heads) * p.out_head + row * p.out_row;
    for (uint c = 0; c < p.value_dim; c++)
        out[c] *= factor;
}

/* The gradient of each sink by each query, −delta times the sink's weight, → dsinks [B·Tq,H].
 * delta [M,Tq] as in backward.clh; stats float [M,Tq,2]. */
__kernel void sink_slopes(problem p, uint matrices, __global const float *sinks, ulong at,
                          __global const float *stats, ulong stats_at, __global const float *delta,
                          __global float *dsinks, ulong dsinks_at)
{
    uint index = (uint)get_global_id(0), matrix = index / p.queries, row = index % p.queries;
    if (matrix >= matrices)
        return;
    stats += stats_at + 2ul * index;
    uint batch = matrix / p.heads, head = matrix % p.heads;
    float weight = exp2(sink_logit(sinks[at + head]) - stats[0]) / stats[1];
    dsinks[dsinks_at + ((ulong)batch * p.queries + row) * p.heads + head] =
        stats[1] > 0.0f ? -weight * delta[index] : 0.0f;
}

/* The same for another normaliser (normalizer.clh): −delta times the slope of the sink's weight. */
__kernel void sparse_sink_slopes(problem p, uint matrices, __global const float *sinks, ulong at,
                                 __global const float *stats, ulong stats_at,
                                 __global const float *delta, __global float *dsinks,
                                 ulong dsinks_at, uint normalizer)
{
    uint index = (uint)get_global_id(0), matrix = index / p.queries, row = index % p.queries;
    if (matrix >= matrices)
        return;
    stats += stats_at + 2ul * index;
    uint batch = matrix / p.heads, head = matrix % p.heads;
    float less = sink_logit(sinks[at + head]) - stats[0];
    float above = max(less * (SCORE_SHARE(normalizer) * M_LN2_F) - stats[1], 0.0f);
    dsinks[dsinks_at + ((ulong)batch * p.queries + row) * p.heads + head] =
        -SLOPE_ABOVE(normalizer, above) * delta[index];
}

/* stats [rows] → their log-sum-exp, −inf where all was blocked. */
__kernel void log_sums(__global const float2 *stats, ulong rows, __global float *lse)
{
    ulong row = get_global_id(0);
    if (row < rows)
        lse[row] = stats[row].y > 0.0f ? (stats[row].x + log2(stats[row].y)) * M_LN2_F : -INFINITY;
}

/* Those of another normaliser (sparse.clh) → the thresholds of the scores themselves, of which so many are
 * a threshold's unit; +inf where all was blocked. */
__kernel void thresholds(__global const float2 *stats, ulong rows, __global float *threshold,
                         float share)
{
    ulong row = get_global_id(0);
    float2 stat = row < rows ? stats[row] : (float2)(0.0f);
    if (row < rows)
        threshold[row] = stat.y < 0.0f ? stat.x * (M_LN2_F * share) + stat.y : INFINITY;
}
