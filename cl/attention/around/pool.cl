/* Shrinks a matrix that is seen a slab of rows at a time. Cell (r, c) of the result covers the rows
 * [r·rows/out_rows, (r+1)·rows/out_rows) of the rectangle, and columns likewise. */
typedef struct pooling {
    ulong rows, cols;         /* of the rectangle */
    ulong out_rows, out_cols; /* of the result */
    ulong begin, end;         /* the slab: rows of the rectangle */
    ulong first, last;        /* the first and last row of the result that the slab touches */
    uint maximum;             /* 0: mean, 1: largest */
    uint unused;
} pooling;

/* slab [end − begin, cols] → lines [end − begin, out_cols]: each row shrunk by itself. */
__kernel void pool_columns(pooling p, __global const float *slab, __global float *lines)
{
    ulong row = get_global_id(0) / p.out_cols, col = get_global_id(0) % p.out_cols;
    ulong left = col * p.cols / p.out_cols, right = (col + 1) * p.cols / p.out_cols;
    if (row >= p.end - p.begin)
        return;
    slab += row * p.cols;
    float sum = 0.0f, largest = 0.0f;
    for (ulong k = left; k < right; k++) {
        sum += slab[k];
        largest = max(largest, slab[k]);
    }
    lines[get_global_id(0)] = p.maximum ? largest : sum / (float)(right - left);
}

/* lines [end − begin, out_cols] is added to pooled [out_rows,out_cols], which starts as zeros. */
__kernel void pool_rows(pooling p, __global const float *lines, __global float *pooled)
{
    ulong row = p.first + get_global_id(0) / p.out_cols, col = get_global_id(0) % p.out_cols;
    ulong top = row * p.rows / p.out_rows, bottom = (row + 1) * p.rows / p.out_rows;
    if (row > p.last)
        return;
    float sum = 0.0f, largest = 0.0f;
    for (ulong i = max(top, p.begin); i < min(bottom, p.end); i++) {
        float line = lines[(i - p.begin) * p.out_cols + col];
        sum += line;
        largest = max(largest, line);
    }
    __global float *cell = pooled + row * p.out_cols + col;
    *cell = p.maximum ? max(*cell, largest) : *cell + sum / (float)(bottom - top);
}

__kernel void clear(__global float *pooled, ulong count)
{
    if (get_global_id(0) < count)
        pooled[get_global_id(0)] = 0.0f;
}
