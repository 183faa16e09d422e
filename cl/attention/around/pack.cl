/* Packs [B,T,H·d] or [B,H,T,d] in the layouts that the attention kernels read. Element (matrix, t,
 * c) of the source is source[first + batch·source_batch + head·source_head + t·source_row + c]. */
typedef struct packing {
    ulong source_batch, source_head, source_row; /* strides in floats */
    ulong count;                                 /* floats to write */
    uint heads, rows, dim;                       /* H, T, d */
    uint stride,
        chunks; /* floats per row (or of a panel's token), pieces per row of the result … */
    uint panel, panels; /* … or tokens per panel, panels per matrix */
    uint first;         /* where the source begins, in floats */
    uint room;          /* tokens that the result has room for; those from `rows` on are 0 */
    uint token;         /* of the result, at which kernel `append` begins … */
    uint halves;        /* … which writes float16 where this is 1 */
    uint unused;
} packing;

inline ulong source_at(const packing *p, uint matrix, uint row, uint c)
{
    return p->first + (matrix / p->heads) * p->source_batch + (matrix % p->heads) * p->source_head +
           row * p->source_row + c;
}

inline float row_element(const packing *p, __global const float *source, ulong index)
{
    ulong rest = index / p->stride;
    uint row = (uint)(rest % p->room);
    rest /= p->room;
    uint c = (uint)(rest % p->chunks) * p->stride + (uint)(index % p->stride);
    uint matrix = (uint)(rest / p->chunks);
    return row < p->rows && c < p->dim ? source[source_at(p, matrix, row, c)] : 0.0f;
}

inline float panel_element(const packing *p, __global const float *source, ulong index)
{
    ulong rest = index / p->panel;
    uint c = (uint)(rest % p->stride);
    rest /= p->stride;
    uint row = (uint)(rest % p->panels) * p->panel + (uint)(index % p->panel);
    uint matrix = (uint)(rest / p->panels);
    return row < p->rows && c < p->dim ? source[source_at(p, matrix, row, c)] : 0.0f;
}

/* → [M,chunks,T,stride]: each row in pieces of `stride`, the columns from dim on filled with 0. */
__kernel void pack_rows(packing p, __global const float *source, __global float *packed)
{
    ulong index = get_global_id(0);
    if (index < p.count)
        packed[index] = row_element(&p, source, index);
}

/* → [M,panels,stride,panel]: the tokens of a panel side by side, coordinate by coordinate, so that
 * a vector of scores takes one load per coordinate. Tokens past the last are 0, coordinates from
 * dim on too. */
__kernel void pack_panels(packing p, __global const float *source, __global float *packed)
{
    ulong index = get_global_id(0);
    if (index < p.count)
        packed[index] = panel_element(&p, source, index);
}

/* The same for a CPU, whose divisions are slow: a work-item writes a row's piece … */
__kernel void pack_row_lines(packing p, __global const float *source, __global float *packed)
{
    ulong first = get_global_id(0) * p.stride;
    if (first >= p.count)
        return;
    uint rest = (uint)get_global_id(0), row = rest % p.room, columns = 0;
    rest /= p.room;
    uint c = rest % p.chunks * p.stride, matrix = rest / p.chunks;
    if (row < p.rows && c < p.dim)
        columns = min(p.stride, p.dim - c);
    source += columns ? source_at(&p, matrix, row, c) : 0;
    for (uint i = 0; i < columns; i++)
        packed[first + i] = source[i];
    for (uint i = columns; i < p.stride; i++)
        packed[first + i] = 0.0f;
}

/* Four tokens by four coordinates, which become four lines of a panel. */
inline void turn(__global const float *from, ulong apart, __global float *to, uint panel)
{
    float4 a = vload4(0, from), b = vload4(0, from + apart);
    float4 c = vload4(0, from + 2 * apart), d = vload4(0, from + 3 * apart);
    vstore4((float4)(a.x, b.x, c.x, d.x), 0, to);
    vstore4((float4)(a.y, b.y, c.y, d.y), 0, to + panel);
    vstore4((float4)(a.z, b.z, c.z, d.z), 0, to + 2 * panel);
    vstore4((float4)(a.w, b.w, c.w, d.w), 0, to + 3 * panel);
}

/* … or SIDE coordinates of a panel, of which a token has a line of a cache. The host's twin is in
 * attention/prepare/layout.c. */
#define SIDE 16
__kernel void pack_panel_lines(packing p, __global const float *source, __global float *packed)
{
    uint sides = (p.stride + SIDE - 1) / SIDE, rest = (uint)get_global_id(0);
    uint c = rest % sides * SIDE, end = min(c + SIDE, p.stride);
    rest /= sides;
    ulong first = ((ulong)rest * p.stride + c) * p.panel;
    if (first >= p.count)
        return;
    uint row = rest % p.panels * p.panel, matrix = rest / p.panels;
    uint rows = row < p.rows ? min(p.panel, p.rows - row) : 0;
    packed += first;
    source += rows ? source_at(&p, matrix, row, c) : 0;
    for (uint i = 0; i < end - c; i += 4)
        for (uint r = 0; r < p.panel; r += 4) {
            uint lines = min(4u, end - c - i);
            __global float *to = packed + i * p.panel + r;
            if (r + 4 <= rows && c + i + 4 <= p.dim)
                turn(source + r * p.source_row + i, p.source_row, to, p.panel);
            else if (r >= rows || c + i >= p.dim)
                for (uint n = 0; n < lines; n++)
                    vstore4((float4)(0.0f), 0, to + n * p.panel);
            else
                for (uint n = 0; n < lines; n++)
                    for (uint t = 0; t < 4; t++)
                        to[n * p.panel + t] = r + t < rows && c + i + n < p.dim
                                                  ? source[(r + t) * p.source_row + i + n]
                                                  : 0.0f;
        }
}

/* Both as float16, of numbers that were rounded to it. */
__kernel void pack_rows_half(packing p, __global const float *source, __global half *packed)
{
    ulong index = get_global_id(0);
    if (index < p.count)
        vstore_half(row_element(&p, source, index), index, packed);
}

__kernel void pack_panels_half(packing p, __global const float *source, __global half *packed)
{
    ulong index = get_global_id(0);
    if (index < p.count)
        vstore_half(panel_element(&p, source, index), index, packed);
}

/* The place of element (matrix, token, c) in the result. */
inline ulong place_of(const packing *p, ulong matrix, uint token, uint c)
{
    if (p->panel > 1)
        return ((matrix * p->panels + token / p->panel) * p->stride + c) * p->panel +
               token % p->panel;
    return ((matrix * p->chunks + c / p->stride) * p->room + token) * p->stride + c % p->stride;
}

/* The source becomes the tokens token … token + rows − 1 of what one of these packed. */
__kernel void append(packing p, __global const float *source, __global uchar *packed)
{
    ulong index = get_global_id(0), rest = index / p.dim;
    uint c = (uint)(index % p.dim), row = (uint)(rest % p.rows), matrix = (uint)(rest / p.rows);
    if (index >= p.count)
        return;
    ulong place = place_of(&p, matrix, p.token + row, c);
    float number = source[source_at(&p, matrix, row, c)];
    if (p.halves)
        vstore_half(number, place, (__global half *)packed);
    else
        ((__global float *)packed)[place] = number;
}

/* x [count], each number rounded to the nearest float16, to the even one of two. *beyond, which is
 * 0 before, becomes the bits of the largest magnitude that float16 does not hold, if there is any.
 * Under 2^-14 float16 are the multiples of 2^-24, which is what floats around 0.75 are, too. */
__kernel void round_to_half(__global float *x, ulong count, __global uint *beyond)
{
    ulong index = get_global_id(0);
    if (index >= count)
        return;
    float number = x[index];
    uint bits = as_uint(number), sign = bits & 0x80000000u, magnitude = bits ^ sign;
    uint rounded = (magnitude + 0xFFFu + (magnitude >> 13 & 1u)) & ~0x1FFFu;
    if (rounded > as_uint(65504.0f))
        atomic_max(beyond, magnitude);
    x[index] = fabs(number) < 0x1p-14f ? (number + 0.75f) - 0.75f : as_float(sign | rounded);
}

/* The same to bfloat16, the upper half of a float32. */
__kernel void round_to_bfloat(__global float *x, ulong count, __global uint *beyond)
{
    ulong index = get_global_id(0);
    if (index >= count)
        return;
    uint bits = as_uint(x[index]), magnitude = bits & 0x7FFFFFFFu;
    uint rounded = (bits + 0x7FFFu + (bits >> 16 & 1u)) & 0xFFFF0000u;
    if ((rounded & 0x7FFFFFFFu) >= 0x7F800000u)
        atomic_max(beyond, magnitude);
    x[index] = as_float(rounded);
}

/* *bits becomes the bits of the largest magnitude of x [count], if it is larger than that: those of
 * an infinity or a NaN are larger than any number's. SOME numbers each. */
#define SOME 64
__kernel void largest(__global const float *x, ulong count, __global uint *bits)
{
    ulong first = get_global_id(0) * SOME, end = min(first + SOME, count);
    uint most = 0;
    for (ulong i = first; i < end; i++)
        most = max(most, as_uint(x[i]) & 0x7FFFFFFFu);
    atomic_max(bits, most);
}

/* x [count] ← factor · x. */
__kernel void multiply(__global float *x, ulong count, float factor)
{
    if (get_global_id(0) < count)
        x[get_global_id(0)] *= factor;
}

/* A mask of floats as the kernels take it: in base 2, and finite (attention/prepare/upload.c). */
__kernel void pack_biases(ulong count, __global const float *biases, __global float *packed)
{
    ulong index = get_global_id(0);
    if (index >= count)
        return;
    bool blocked = as_uint(biases[index]) == 0xFF800000u; /* −inf */
    packed[index] = blocked ? -1.7e38f : clamp(biases[index], -1e38f, 1e38f) * 1.44269504f;
}

/* Numbers out of a caller's buffer as dense floats: element (i0, i1, i2, i3) is number offset + Σ
 * i·stride of the buffer. */
typedef struct gathering {
    ulong offset, strides[4];
    ulong count;
    uint sizes[4];
    uint type; /* 0: float32, 1: float16, 2: bfloat16 */
    uint unused;
} gathering;

__kernel void gather(gathering g, __global const float *source, __global float *dense)
{
    ulong index = get_global_id(0), rest = index, at = g.offset;
    if (index >= g.count)
        return;
    for (int i = 3; i >= 0; i--) {
        at += rest % g.sizes[i] * g.strides[i];
        rest /= g.sizes[i];
    }
    if (g.type == 0)
        dense[index] = source[at];
    else if (g.type == 1)
        dense[index] = vload_half(at, (__global const half *)source);
    else
        dense[index] = as_float((uint)((__global const ushort *)source)[at] << 16);
}
