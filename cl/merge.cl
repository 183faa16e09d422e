/* Where the keys of a tile were shared out over several units, each left for its rows (m, l) and
 * the sum of exp2(logit − m) · value: the pieces of a row are brought to their common maximum and
 * added. */
#include "problem.clh"

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

/* stats [rows] → their log-sum-exp, −inf where all was blocked. */
__kernel void log_sums(__global const float2 *stats, ulong rows, __global float *lse)
{
    ulong row = get_global_id(0);
    if (row < rows)
        lse[row] = stats[row].y > 0.0f ? (stats[row].x + log2(stats[row].y)) * M_LN2_F : -INFINITY;
}
