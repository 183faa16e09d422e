/* Rotary positions: of each head's `depth` numbers the first 2·half, of which i and i + half are
 * turned as a point. x [rows,heads·depth], table [places,2·half]: cosines, then sines, which
 * `sense` −1 turns back, as the gradient goes. A work-item takes one point. */
__kernel void rotate_heads(uint points, uint heads, uint depth, uint half_depth, uint places,
                           float sense, __global const float *table, uint table_at,
                           __global float *x, uint x_at)
{
    uint point = (uint)get_global_id(0), i = point % half_depth;
    uint row = point / half_depth / heads;
    if (point >= points)
        return;
    table += table_at + (ulong)(row % places) * 2 * half_depth + i;
    x += x_at + (ulong)(point / half_depth) * depth + i;
    float first = x[0], second = x[half_depth], sine = sense * table[half_depth];
    x[0] = first * table[0] - second * sine;
    x[half_depth] = second * table[0] + first * sine;
}
