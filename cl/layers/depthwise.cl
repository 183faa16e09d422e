/* Depthwise convolutions: each channel of a picture by windows of TAPS × TAPS of its own, STRIDE
 * pixels apart. Channels lie side by side, so that a vector is some channels of a pixel. A block of
 * DOWN × ACROSS neighbours is computed at once: they share the weights, and most of what they read.
 * Pixels outside of the picture are 0. A group takes some channels of a band of blocks. */
#include "common/vector.clh"
#include "common/group.clh"
#include "common/sums.clh"
#include "common/prefetch.clh"

#ifndef TAPS
#error "define TAPS: along a side of a window"
#endif
#ifndef STRIDE
#error "define STRIDE: 1 or 2"
#endif

#ifndef NARROW
#error "define NARROW: 1 where there are fewer channels than a vector is wide"
#endif
#ifndef BACKWARD
#error "define BACKWARD: 0 for the convolution, 1 for its gradients"
#endif

#define DOWN 2 /* multiples of STRIDE */
#define ACROSS 4

/* Pixels that the windows of neighbours see along a side, and windows that see them. */
#define SEEN(neighbours) (((neighbours)-1) * STRIDE + TAPS)
#define FIRST_SEEN (-((TAPS - 1) / STRIDE))

/* Into global memory: PoCL makes four stores of a vstore16, and one of this. */
#if WIDTH == 1
#define VF_GIVE(x, at) (*(at) = (x))
#define VF_PUT(x, at) (*(at) = (x))
#else
#define VF_GIVE(x, at) (*(__global vf_unaligned *)(at) = (x))
#endif

typedef struct depthwise {
    uint height, width, channels; /* of x */
    uint down, across;            /* of y */
    uint above, left;             /* the first window begins so far outside of x */
    uint each;                    /* channels of a group */
    uint all, bands;              /* DOWN rows of y each; of a piece of the weights' gradient */
    float ceiling;                /* y is brought between 0 and this; 0: it is not */
} depthwise;

/* The part of a launch that a group makes. */
typedef struct share {
    uint band, picture; /* which rows, of which picture */
    uint from, to;      /* channels */
} share;

inline share share_of(const depthwise *p, uint bands)
{
    uint index = (uint)get_group_id(0), pieces = (p->channels + p->each - 1) / p->each;
    share s;
    s.from = index % pieces * p->each;
    s.to = min(p->channels, s.from + p->each);
    s.band = index / pieces % bands;
    s.picture = index / pieces / bands;
    return s;
}

/* The channels of a vector: the last one takes some that the one before it took too, rather than
 * few. */
inline uint channel_of(const depthwise *p, uint i)
{
    return NARROW ? i : min(i, p->channels - WIDTH);
}

/* Channels c … of a pixel of a line; `inner`: there is such a pixel, and so many channels. */
ALWAYS_INLINE vf take(__global const float *line, int column, uint width, uint channels, uint c,
                      const int inner)
{
    if (inner)
        return VF_TAKE(line + (long)column * channels + c);
    if (column < 0 || column >= (int)width)
        return (vf)(0.0f);
    line += (ulong)(uint)column * channels + c;
    return NARROW ? load_some(line, channels - c, 0.0f) : VF_TAKE(line);
}

ALWAYS_INLINE void put(vf x, __global float *line, int column, uint width, uint channels, uint c,
                       const int inner)
{
    __global float *to = line + (long)column * channels + c;
    if (!inner && (column < 0 || column >= (int)width))
        return;
    if (NARROW && !inner)
        store_some(x, to, channels - c);
    else
        VF_GIVE(x, to);
}

/* A row of a window's weights. */
ALWAYS_INLINE void take_weights(const depthwise *p, __global const float *w, int row, uint c,
                                const int inner, vf factors[TAPS])
{
#pragma unroll
    for (int i = 0; i < TAPS; i++)
        factors[i] = take(w + (ulong)row * TAPS * p->channels, i, TAPS, p->channels, c, inner);
}

/* Asks memory for the pixels that the block below reads first, from `line` on. A vector of channels
 * asks for its share of the lines in the order in which they lie. */
ALWAYS_INLINE void ask(const depthwise *p, __global const float *line, uint c)
{
#pragma unroll
    for (int r = 0; r < DOWN * STRIDE; r++)
#pragma unroll
        for (int i = 0; i < ACROSS * STRIDE; i++)
            PREFETCH(line + (ulong)r * p->width * p->channels + c * (ACROSS * STRIDE) + i * WIDTH);
}

#if !BACKWARD
/* y at (row …, first …) */
ALWAYS_INLINE void convolve(const depthwise *p, __global const float *x, __global const float *w,
                            __global const float *bias, uint row, uint first, uint c,
                            const int inner, __global float *y)
{
    vf sum[DOWN][ACROSS], pixel[SEEN(ACROSS)], factors[TAPS];
    int top = (int)(row * STRIDE) - (int)p->above, left = (int)(first * STRIDE) - (int)p->left;
    vf least = (vf)(p->ceiling > 0.0f ? 0.0f : -INFINITY);
    vf most = (vf)(p->ceiling > 0.0f ? p->ceiling : INFINITY);
#pragma unroll
    for (int i = 0; i < DOWN * ACROSS; i++)
        sum[i / ACROSS][i % ACROSS] = take(bias, 0, 1, p->channels, c, inner);
    if (inner && top + SEEN(DOWN) + DOWN * STRIDE <= (int)p->height)
        ask(p, x + ((ulong)(uint)(top + SEEN(DOWN)) * p->width + (uint)left) * p->channels, c);
    for (int k = max(0, -top); k < min(SEEN(DOWN), (int)p->height - top); k++) {
        __global const float *line = x + (ulong)(uint)(top + k) * p->width * p->channels;
#pragma unroll
        for (int j = 0; j < SEEN(ACROSS); j++)
            pixel[j] = take(line, left + j, p->width, p->channels, c, inner);
#pragma unroll
        for (int d = 0; d < DOWN; d++) {
            if (k < d * STRIDE || k >= d * STRIDE + TAPS)
                continue;
            take_weights(p, w, k - d * STRIDE, c, inner, factors);
#pragma unroll
            for (int i = 0; i < ACROSS; i++)
#pragma unroll
                for (int j = 0; j < TAPS; j++)
                    sum[d][i] = FMA(pixel[i * STRIDE + j], factors[j], sum[d][i]);
        }
    }
#pragma unroll
    for (int d = 0; d < DOWN; d++)
        if (row + d < p->down)
#pragma unroll
            for (int i = 0; i < ACROSS; i++)
                put(min(max(sum[d][i], least), most),
                    y + (ulong)(row + d) * p->across * p->channels, (int)first + i, p->across,
                    p->channels, c, inner);
}

/* One group per picture, DOWN rows of y and `each` channels. */
__kernel void forward(depthwise p, __global const float *x, uint x_at, __global const float *w,
                      uint w_at, __global const float *bias, uint bias_at, __global float *y,
                      uint y_at, __local float *scratch)
{
    share s = share_of(&p, (p.down + DOWN - 1) / DOWN);
    x += x_at + (ulong)s.picture * p.height * p.width * p.channels;
    y += y_at + (ulong)s.picture * p.down * p.across * p.channels;
    for (uint first = 0; first < p.across; first += ACROSS) {
        int inner = p.channels >= WIDTH && first * STRIDE >= p.left && first + ACROSS <= p.across &&
                    first * STRIDE + SEEN(ACROSS) <= p.width + p.left;
        for (uint i = s.from + ITEM * WIDTH; i < s.to; i += GROUP_ITEMS * WIDTH) {
            uint c = channel_of(&p, i), row = s.band * DOWN;
            if (inner)
                convolve(&p, x, w + w_at, bias + bias_at, row, first, c, 1, y);
            else
                convolve(&p, x, w + w_at, bias + bias_at, row, first, c, 0, y);
        }
    }
}

#else
/* dx at (row …, first …), where windows begin. */
ALWAYS_INLINE void to_pixels(const depthwise *p, __global const float *dy, __global const float *w,
                             int row, int first, uint c, const int inner, __global float *dx)
{
    enum { SLOPES = (ACROSS - 1) / STRIDE + 1 - FIRST_SEEN };
    vf sum[DOWN][ACROSS], slope[SLOPES], factors[TAPS];
    int top = (row + (int)p->above) / STRIDE, left = (first + (int)p->left) / STRIDE + FIRST_SEEN;
#pragma unroll
    for (int i = 0; i < DOWN * ACROSS; i++)
        sum[i / ACROSS][i % ACROSS] = (vf)(0.0f);
    for (int k = max(FIRST_SEEN, -top); k <= min((DOWN - 1) / STRIDE, (int)p->down - 1 - top);
         k++) {
        __global const float *line = dy + (ulong)(uint)(top + k) * p->across * p->channels;
#pragma unroll
        for (int j = 0; j < SLOPES; j++)
            slope[j] = take(line, left + j, p->across, p->channels, c, inner);
#pragma unroll
        for (int d = 0; d < DOWN; d++) {
            if (d < k * STRIDE || d >= k * STRIDE + TAPS)
                continue;
            take_weights(p, w, d - k * STRIDE, c, inner, factors);
#pragma unroll
            for (int i = 0; i < ACROSS; i++)
#pragma unroll
                for (int j = 0; j < SLOPES; j++) {
                    const int tap = i - (j + FIRST_SEEN) * STRIDE;
                    if (tap >= 0 && tap < TAPS)
                        sum[d][i] = FMA(slope[j], factors[tap], sum[d][i]);
                }
        }
    }
#pragma unroll
    for (int d = 0; d < DOWN; d++)
        if (row + d >= 0 && row + d < (int)p->height)
#pragma unroll
            for (int i = 0; i < ACROSS; i++)
                put(sum[d][i], dx + (ulong)(uint)(row + d) * p->width * p->channels, first + i,
                    p->width, p->channels, c, inner);
}

/* One group per picture, DOWN rows of dx and `each` channels; where the first window begins outside
 * of the picture, so do they. */
__kernel void backward_input(depthwise p, __global const float *dy, uint dy_at,
                             __global const float *w, uint w_at, __global float *dx, uint dx_at,
                             __local float *scratch)
{
    uint above = p.above % STRIDE, left = p.left % STRIDE;
    share s = share_of(&p, (p.height + above + DOWN - 1) / DOWN);
    int row = (int)(s.band * DOWN) - (int)above;
    dy += dy_at + (ulong)s.picture * p.down * p.across * p.channels;
    dx += dx_at + (ulong)s.picture * p.height * p.width * p.channels;
    for (int first = -(int)left; first < (int)p.width; first += ACROSS) {
        int window = (first + (int)p.left) / STRIDE;
        int inner = p.channels >= WIDTH && first >= 0 && first + ACROSS <= (int)p.width &&
                    window + FIRST_SEEN >= 0 && window + (ACROSS - 1) / STRIDE < (int)p.across;
        for (uint i = s.from + ITEM * WIDTH; i < s.to; i += GROUP_ITEMS * WIDTH) {
            uint c = channel_of(&p, i);
            if (inner)
                to_pixels(&p, dy, w + w_at, row, first, c, 1, dx);
            else
                to_pixels(&p, dy, w + w_at, row, first, c, 0, dx);
        }
    }
}

/* The gradients of weights and bias: a group's sums for its channels, at most MOST, stay in arrays of
 * its items' own. The bias is one more weight, of pixels that are 1. */
#define MOST 128
#define VECTORS ((MOST + GROUP_ITEMS * WIDTH - 1) / (GROUP_ITEMS * WIDTH))
#define SUMS (TAPS * TAPS + 1)
#define CHANNEL(s, v) ((s).from + ((v)*GROUP_ITEMS + ITEM) * WIDTH)

/* sums [SUMS,WIDTH] += the products with pixels (row …, first …) of y */
ALWAYS_INLINE void to_weights(const depthwise *p, __global const float *x, __global const float *dy,
                              uint row, uint first, uint c, const int inner, float *sums)
{
    vf slope[DOWN][ACROSS], pixel[SEEN(ACROSS)], sum[TAPS];
    int top = (int)(row * STRIDE) - (int)p->above, left = (int)(first * STRIDE) - (int)p->left;
    vf ones = VF_LOAD(sums + TAPS * TAPS * WIDTH);
#pragma unroll
    for (int d = 0; d < DOWN; d++)
#pragma unroll
        for (int i = 0; i < ACROSS; i++) {
            slope[d][i] = row + d < p->down ? take(dy + (ulong)(row + d) * p->across * p->channels,
                                                   (int)first + i, p->across, p->channels, c, inner)
                                            : (vf)(0.0f);
            ones += slope[d][i];
        }
    VF_PUT(ones, sums + TAPS * TAPS * WIDTH);
    SUMS_FOR(int k = 0; k < TAPS; k++, sums += TAPS * WIDTH) {
#pragma unroll
        for (int j = 0; j < TAPS; j++)
            sum[j] = VF_LOAD(sums + j * WIDTH);
#pragma unroll
        for (int d = 0; d < DOWN; d++) {
            int at = top + d * STRIDE + k;
            if (at < 0 || at >= (int)p->height)
                continue;
            __global const float *line = x + (ulong)(uint)at * p->width * p->channels;
#pragma unroll
            for (int j = 0; j < SEEN(ACROSS); j++)
                pixel[j] = take(line, left + j, p->width, p->channels, c, inner);
#pragma unroll
            for (int i = 0; i < ACROSS; i++)
#pragma unroll
                for (int j = 0; j < TAPS; j++)
                    sum[j] = FMA(pixel[i * STRIDE + j], slope[d][i], sum[j]);
        }
#pragma unroll
        for (int j = 0; j < TAPS; j++)
            VF_PUT(sum[j], sums + j * WIDTH);
    }
}

/* pieces [count,TAPS,TAPS,channels] and ones [count,channels], whose sums are the gradients of the
 * weights and of the bias. One group per piece, which is `bands` times DOWN rows of y, of any
 * pictures, and `each` channels. */
__kernel void backward_weights(depthwise p, __global const float *x, uint x_at,
                               __global const float *dy, uint dy_at, __global float *pieces,
                               uint pieces_at, __global float *ones, uint ones_at,
                               __local float *scratch)
{
    float sums[VECTORS * SUMS * WIDTH];
    share s = share_of(&p, (p.all + p.bands - 1) / p.bands);
    uint per_picture = (p.down + DOWN - 1) / DOWN, to = min(p.all, (s.band + 1) * p.bands);
    SUMS_FOR(uint j = 0; j < VECTORS * SUMS * WIDTH; j++)
        sums[j] = 0.0f;
    for (uint band = s.band * p.bands; band < to; band++) {
        uint picture = band / per_picture, row = band % per_picture * DOWN;
        __global const float *seen = x + x_at + (ulong)picture * p.height * p.width * p.channels;
        __global const float *slopes = dy + dy_at + (ulong)picture * p.down * p.across * p.channels;
        for (uint first = 0; first < p.across; first += ACROSS) {
            int inner = p.channels >= WIDTH && row + DOWN <= p.down && first * STRIDE >= p.left &&
                        first + ACROSS <= p.across &&
                        first * STRIDE + SEEN(ACROSS) <= p.width + p.left;
            SUMS_FOR(uint v = 0; v < VECTORS && CHANNEL(s, v) < s.to; v++) {
                uint c = channel_of(&p, CHANNEL(s, v));
                float *of_vector = sums + v * SUMS * WIDTH;
                if (inner)
                    to_weights(&p, seen, slopes, row, first, c, 1, of_vector);
                else
                    to_weights(&p, seen, slopes, row, first, c, 0, of_vector);
            }
        }
    }
    pieces += pieces_at + (ulong)s.band * TAPS * TAPS * p.channels;
    ones += ones_at + (ulong)s.band * p.channels;
    SUMS_FOR(uint v = 0; v < VECTORS && CHANNEL(s, v) < s.to; v++) {
        uint c = channel_of(&p, CHANNEL(s, v));
        SUMS_FOR(uint j = 0; j < SUMS; j++)
            put(VF_LOAD(sums + (v * SUMS + j) * WIDTH), j < TAPS * TAPS ? pieces : ones,
                j % (TAPS * TAPS), TAPS * TAPS, p.channels, c, 0);
    }
}
#endif
