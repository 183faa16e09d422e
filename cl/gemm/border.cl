/* Pictures with a border of zeros, so that a window over them needs no test. */
typedef struct border {
    uint pictures, height, width, depth;
    uint before, after; /* lines and pixels of zeros on either side */
    uint masked;        /* 0: copy all; 1: only where `mask` is above 0, ReLU's gradient */
    uint unused;
} border;

/* `count` floats, with zeros where the mask is not above 0. */
inline void copy_line(const border *p, __global const float *x, __global const float *mask,
                      uint count, __global float *padded)
{
    uint i = 0;
    for (; i + 16 <= count; i += 16) {
        float16 values = vload16(0, x + i);
        if (p->masked)
            values = select((float16)(0.0f), values, vload16(0, mask + i) > 0.0f);
        vstore16(values, 0, padded + i);
    }
    for (; i < count; i++)
        padded[i] = !p->masked || mask[i] > 0.0f ? x[i] : 0.0f;
}

inline void clear(__global float *padded, uint count)
{
    for (uint i = 0; i < count; i++)
        padded[i] = 0.0f;
}

/* x [pictures,height,width,depth] → padded [pictures,height + before + after,width + before +
 * after,depth]. One work-item per line of the result. */
__kernel void add_border(border p, __global const float *x, uint x_at, __global const float *mask,
                         uint mask_at, __global float *padded, uint padded_at)
{
    uint around = p.before + p.after, lines = p.height + around, index = (uint)get_global_id(0);
    uint picture = index / lines, line = index % lines;
    if (picture >= p.pictures)
        return;
    padded += padded_at + (ulong)index * (p.width + around) * p.depth;
    if (line < p.before || line - p.before >= p.height) {
        clear(padded, (p.width + around) * p.depth);
        return;
    }
    ulong at = ((ulong)picture * p.height + line - p.before) * p.width * p.depth;
    clear(padded, p.before * p.depth);
    padded += p.before * p.depth;
    copy_line(&p, x + x_at + at, mask + mask_at + at, p.width * p.depth, padded);
    clear(padded + p.width * p.depth, p.after * p.depth);
}
