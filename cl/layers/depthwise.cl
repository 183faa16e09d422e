/* Depthwise convolutions: each channel of a picture by windows of TAPS × TAPS of its own, STRIDE
 * pixels apart. Channels lie side by side, so that a vector is some channels of a pixel. A few
 * neighbours of a line are computed at once: they share the weights, and most of what they read.
 * Pixels outside of the picture are 0. */
#include "common/vector.clh"
#include "common/group.clh"

#ifndef TAPS
#error "define TAPS: along a side of a window"
#endif
#ifndef STRIDE
#error "define STRIDE: 1 or 2"
#endif

#define TOGETHER 4 /* neighbours; a multiple of STRIDE */

typedef struct depthwise {
    uint height, width, channels; /* of x */
    uint down, across;            /* of y */
    uint above, left;             /* the first window begins so far outside of x */
    uint rows;                    /* of y, for a piece of the weights' gradient */
    float ceiling;                /* y is brought between 0 and this; 0: it is not */
} depthwise;

/* Channels c … of a pixel of a line; `inner`: they are all there. */
ALWAYS_INLINE vf take(__global const float *line, int column, uint width, uint channels, uint c,
                      const int inner)
{
    if (inner)
        return VF_TAKE(line + (ulong)(uint)column * channels + c);
    if (column < 0 || column >= (int)width)
        return (vf)(0.0f);
    return load_some(line + (ulong)(uint)column * channels + c, channels - c, 0.0f);
}

/* A row of a window's weights. */
ALWAYS_INLINE void take_weights(const depthwise *p, __global const float *w, uint row, uint c,
                                const int inner, vf factors[TAPS])
{
#pragma unroll
    for (int i = 0; i < TAPS; i++)
        factors[i] = take(w + (ulong)row * TAPS * p->channels, i, TAPS, p->channels, c, inner);
}

ALWAYS_INLINE void put(vf x, __global float *line, int column, uint width, uint channels, uint c,
                       const int inner)
{
    if (inner)
        VF_STORE(x, line + (ulong)(uint)column * channels + c);
    else if (column >= 0 && column < (int)width)
        store_some(x, line + (ulong)(uint)column * channels + c, channels - c);
}

/* y at (row, first …) */
ALWAYS_INLINE void convolve(const depthwise *p, __global const float *x, __global const float *w,
                            __global const float *bias, uint row, uint first, uint c,
                            const int inner, __global float *y)
{
    vf sum[TOGETHER], factors[TAPS];
    int left = (int)(first * STRIDE) - (int)p->left;
    sum[0] = take(bias, 0, 1, p->channels, c, inner);
#pragma unroll
    for (int i = 1; i < TOGETHER; i++)
        sum[i] = sum[0];
    for (uint k = 0; k < TAPS; k++) {
        int at = (int)(row * STRIDE + k) - (int)p->above;
        if (at < 0 || at >= (int)p->height)
            continue;
        __global const float *line = x + (ulong)(uint)at * p->width * p->channels;
        take_weights(p, w, k, c, inner, factors);
#pragma unroll
        for (int j = 0; j < (TOGETHER - 1) * STRIDE + TAPS; j++) {
            vf pixel = take(line, left + j, p->width, p->channels, c, inner);
#pragma unroll
            for (int i = 0; i < TOGETHER; i++)
                if (j >= i * STRIDE && j < i * STRIDE + TAPS)
                    sum[i] = FMA(pixel, factors[j - i * STRIDE], sum[i]);
        }
    }
    for (int i = 0; i < TOGETHER; i++) {
        if (p->ceiling > 0.0f)
            sum[i] = clamp(sum[i], (vf)(0.0f), (vf)(p->ceiling));
        put(sum[i], y, (int)first + i, p->across, p->channels, c, inner);
    }
}

/* One group per line of y. */
__kernel void forward(depthwise p, __global const float *x, uint x_at, __global const float *w,
                      uint w_at, __global const float *bias, uint bias_at, __global float *y,
                      uint y_at, __local float *scratch)
{
    uint row = (uint)get_group_id(0) % p.down, picture = (uint)get_group_id(0) / p.down;
    x += x_at + (ulong)picture * p.height * p.width * p.channels;
    y += y_at + (ulong)get_group_id(0) * p.across * p.channels;
    for (uint first = 0; first < p.across; first += TOGETHER) {
        int inner = first * STRIDE >= p.left && first + TOGETHER <= p.across &&
                    (first + TOGETHER - 1) * STRIDE + TAPS <= p.width + p.left;
        for (uint c = ITEM * WIDTH; c < p.channels; c += GROUP_ITEMS * WIDTH)
            if (inner && c + WIDTH <= p.channels)
                convolve(&p, x, w + w_at, bias + bias_at, row, first, c, 1, y);
            else
                convolve(&p, x, w + w_at, bias + bias_at, row, first, c, 0, y);
    }
}

/* dx at (row, first …), where a window of y begins `first` pixels of x or more ahead. */
ALWAYS_INLINE void to_pixels(const depthwise *p, __global const float *dy, __global const float *w,
                             uint row, int first, uint c, const int inner, __global float *dx)
{
    vf sum[TOGETHER], factors[TAPS];
    int window = (first + (int)p->left) / STRIDE;
#pragma unroll
    for (int i = 0; i < TOGETHER; i++)
        sum[i] = (vf)(0.0f);
    for (uint k = 0; k < TAPS; k++) {
        int at = (int)(row + p->above) - (int)k;
        if (at < 0 || at % STRIDE != 0 || at / STRIDE >= (int)p->down)
            continue;
        __global const float *line = dy + (ulong)(uint)(at / STRIDE) * p->across * p->channels;
        take_weights(p, w, k, c, inner, factors);
#pragma unroll
        for (int j = -((TAPS - 1) / STRIDE); j <= (TOGETHER - 1) / STRIDE; j++) {
            vf slope = take(line, window + j, p->across, p->channels, c, inner);
#pragma unroll
            for (int i = 0; i < TOGETHER; i++)
                if (i >= j * STRIDE && i < j * STRIDE + TAPS)
                    sum[i] = FMA(slope, factors[i - j * STRIDE], sum[i]);
        }
    }
    for (int i = 0; i < TOGETHER; i++)
        put(sum[i], dx, first + i, p->width, p->channels, c, inner);
}

/* One group per line of dx. */
__kernel void backward_input(depthwise p, __global const float *dy, uint dy_at,
                             __global const float *w, uint w_at, __global float *dx, uint dx_at,
                             __local float *scratch)
{
    uint row = (uint)get_group_id(0) % p.height, picture = (uint)get_group_id(0) / p.height;
    dy += dy_at + (ulong)picture * p.down * p.across * p.channels;
    dx += dx_at + (ulong)get_group_id(0) * p.width * p.channels;
    for (int first = -(int)(p.left % STRIDE); first < (int)p.width; first += TOGETHER) {
        int window = (first + (int)p.left) / STRIDE;
        int inner = first >= 0 && first + TOGETHER <= (int)p.width &&
                    window >= (TAPS - 1) / STRIDE &&
                    window + (TOGETHER - 1) / STRIDE < (int)p.across;
        for (uint c = ITEM * WIDTH; c < p.channels; c += GROUP_ITEMS * WIDTH)
            if (inner && c + WIDTH <= p.channels)
                to_pixels(&p, dy, w + w_at, row, first, c, 1, dx);
            else
                to_pixels(&p, dy, w + w_at, row, first, c, 0, dx);
    }
}

/* sum += the products of a row of weights with pixels (at, first …) of y */
ALWAYS_INLINE void to_weights(const depthwise *p, __global const float *line,
                              __global const float *dy, uint first, uint c, const int inner,
                              vf sum[TAPS])
{
    vf slope[TOGETHER];
    int left = (int)(first * STRIDE) - (int)p->left;
#pragma unroll
    for (int i = 0; i < TOGETHER; i++)
        slope[i] = take(dy, (int)first + i, p->across, p->channels, c, inner);
#pragma unroll
    for (int j = 0; j < (TOGETHER - 1) * STRIDE + TAPS; j++) {
        vf pixel = take(line, left + j, p->width, p->channels, c, inner);
#pragma unroll
        for (int i = 0; i < TOGETHER; i++)
            if (j >= i * STRIDE && j < i * STRIDE + TAPS)
                sum[j - i * STRIDE] = FMA(pixel, slope[i], sum[j - i * STRIDE]);
    }
}

/* pieces [pictures · pieces of rows,TAPS,TAPS,channels]: of the gradient of the weights, which is
 * their sum. One group per piece and row of the weights. */
__kernel void backward_weights(depthwise p, __global const float *x, uint x_at,
                               __global const float *dy, uint dy_at, __global float *pieces,
                               uint pieces_at, __local float *scratch)
{
    uint k = (uint)get_group_id(0) % TAPS, piece = (uint)get_group_id(0) / TAPS;
    uint each = (p.down + p.rows - 1) / p.rows, picture = piece / each;
    uint from = piece % each * p.rows, to = min(p.down, from + p.rows);
    x += x_at + (ulong)picture * p.height * p.width * p.channels;
    dy += dy_at + (ulong)picture * p.down * p.across * p.channels;
    pieces += pieces_at + (ulong)get_group_id(0) * TAPS * p.channels;
    for (uint c = ITEM * WIDTH; c < p.channels; c += GROUP_ITEMS * WIDTH) {
        vf sum[TAPS];
        int whole = c + WIDTH <= p.channels;
#pragma unroll
        for (int i = 0; i < TAPS; i++)
            sum[i] = (vf)(0.0f);
        for (uint row = from; row < to; row++) {
            int at = (int)(row * STRIDE + k) - (int)p.above;
            if (at < 0 || at >= (int)p.height)
                continue;
            __global const float *line = x + (ulong)(uint)at * p.width * p.channels;
            __global const float *slopes = dy + (ulong)row * p.across * p.channels;
            for (uint first = 0; first < p.across; first += TOGETHER)
                if (whole && first * STRIDE >= p.left && first + TOGETHER <= p.across &&
                    (first + TOGETHER - 1) * STRIDE + TAPS <= p.width + p.left)
                    to_weights(&p, line, slopes, first, c, 1, sum);
                else
                    to_weights(&p, line, slopes, first, c, 0, sum);
        }
#pragma unroll
        for (int i = 0; i < TAPS; i++)
            put(sum[i], pieces, i, TAPS, p.channels, c, whole);
    }
}
