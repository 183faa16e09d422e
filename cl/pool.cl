/* Shrinks a matrix that is seen a slab of rows at a time. Cell (r, c) of `pooled` covers the rows
 * [r·rows/out_rows, (r+1)·rows/out_rows) of the rectangle, and columns likewise. */
typedef struct pooling {
    ulong rows, cols;         /* of the rectangle */
    ulong out_rows, out_cols; /* of the result */
    ulong begin, end;         /* the slab: rows of the rectangle */
    ulong first;              /* the first result row that the slab touches */
    uint maximum;             /* 0: mean, 1: largest */
    uint unused;
} pooling;

/* slab [end − begin, cols] is added to pooled [out_rows,out_cols], which starts as zeros. One
 * work-item per cell of the result rows from `first` on. */
__kernel void pool(pooling p, __global const float *slab, __global float *pooled)
{
    ulong row = p.first + get_global_id(0) / p.out_cols, col = get_global_id(0) % p.out_cols;
    ulong top = row * p.rows / p.out_rows, bottom = (row + 1) * p.rows / p.out_rows;
    ulong left = col * p.cols / p.out_cols, right = (col + 1) * p.cols / p.out_cols;
    if (row >= p.out_rows || top >= p.end)
        return;
    float cells = (float)(bottom - top) * (float)(right - left), sum = 0.0f, largest = 0.0f;
    for (ulong i = max(top, p.begin); i < min(bottom, p.end); i++) {
        float line = 0.0f;
        for (ulong k = left; k < right; k++) {
            float weight = slab[(i - p.begin) * p.cols + k];
            line += weight;
            largest = max(largest, weight);
        }
        sum += line;
    }
    __global float *cell = pooled + row * p.out_cols + col;
    *cell = p.maximum ? max(*cell, largest) : *cell + sum / cells;
}

__kernel void clear(__global float *pooled, ulong count)
{
    if (get_global_id(0) < count)
        pooled[get_global_id(0)] = 0.0f;
}
