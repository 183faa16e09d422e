/* Windows that go over a picture x [height,width,depth]. A work-item takes one number of the result
 * y [down,across,depth]. */

typedef struct grids {
    uint height, width, down, across, depth;
    uint unused[3];
} grids;

/* Pixels first … last − 1 of a side. */
typedef struct range {
    uint first, last;
} range;

/* The three around every other pixel, as far as there are any. */
inline range around(uint cell, uint side)
{
    range r = {max(2 * cell, 1u) - 1, min(2 * cell + 2, side)};
    return r;
}

/* The share of a cell, with the pixels that it has a part of. */
inline range share_of(uint cell, uint cells, uint side)
{
    range r = {cell * side / cells, ((cell + 1) * side + cells - 1) / cells};
    return r;
}

/* y = the largest of each window of 3 × 3, two pixels apart. */
__kernel void max_windows(grids g, __global const float *x, uint x_at, __global float *y, uint y_at)
{
    uint index = (uint)get_global_id(0), column = index % g.depth, cell = index / g.depth;
    if (cell >= g.down * g.across)
        return;
    range lines = around(cell / g.across, g.height), pixels = around(cell % g.across, g.width);
    float largest = -INFINITY;
    for (uint line = lines.first; line < lines.last; line++)
        for (uint i = pixels.first; i < pixels.last; i++)
            largest = max(largest, x[x_at + ((ulong)line * g.width + i) * g.depth + column]);
    y[y_at + index] = largest;
}

/* y = the mean of each cell's share. */
__kernel void mean_windows(grids g, __global const float *x, uint x_at, __global float *y,
                           uint y_at)
{
    uint index = (uint)get_global_id(0), column = index % g.depth, cell = index / g.depth;
    if (cell >= g.down * g.across)
        return;
    range lines = share_of(cell / g.across, g.down, g.height);
    range pixels = share_of(cell % g.across, g.across, g.width);
    float sum = 0.0f;
    for (uint line = lines.first; line < lines.last; line++)
        for (uint i = pixels.first; i < pixels.last; i++)
            sum += x[x_at + ((ulong)line * g.width + i) * g.depth + column];
    y[y_at + index] = sum / ((lines.last - lines.first) * (pixels.last - pixels.first));
}
