/* From [B,T,H·d] or [B,H,T,d] to what the attention kernels read. Element (matrix, t, c) of the
 * source is source[batch·source_batch + head·source_head + t·source_row + c]. */
typedef struct packing {
    ulong source_batch, source_head, source_row; /* strides in floats */
    ulong count;                                 /* floats to write */
    uint heads, rows, dim;                       /* H, T, d */
    uint stride, chunks; /* floats per row (or of a panel's token), pieces per row of the result … */
    uint panel, panels;  /* … or tokens per panel, panels per matrix */
    uint unused;
} packing;

inline ulong source_at(const packing *p, uint matrix, uint row, uint c)
{
    return (matrix / p->heads) * p->source_batch + (matrix % p->heads) * p->source_head +
           row * p->source_row + c;
}

/* → [M,chunks,T,stride]: each row in pieces of `stride`, the columns from dim on filled with 0. */
__kernel void pack_rows(packing p, __global const float *source, __global float *packed)
{
    ulong index = get_global_id(0);
    if (index >= p.count)
        return;
    ulong rest = index / p.stride;
    uint row = (uint)(rest % p.rows);
    rest /= p.rows;
    uint c = (uint)(rest % p.chunks) * p.stride + (uint)(index % p.stride);
    uint matrix = (uint)(rest / p.chunks);
    packed[index] = c < p.dim ? source[source_at(&p, matrix, row, c)] : 0.0f;
}

/* → [M,panels,stride,panel]: the tokens of a panel side by side, coordinate by coordinate, so that a
 * vector of scores takes one load per coordinate. Tokens past the last are 0, coordinates from dim on
 * too. */
__kernel void pack_panels(packing p, __global const float *source, __global float *packed)
{
    ulong index = get_global_id(0);
    if (index >= p.count)
        return;
    ulong rest = index / p.panel;
    uint c = (uint)(rest % p.stride);
    rest /= p.stride;
    uint row = (uint)(rest % p.panels) * p.panel + (uint)(index % p.panel);
    uint matrix = (uint)(rest / p.panels);
    bool is_there = row < p.rows && c < p.dim;
    packed[index] = is_there ? source[source_at(&p, matrix, row, c)] : 0.0f;
}
