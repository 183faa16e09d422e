/* Dropout of numbers that are added to others: see nn/dropout.h. A work-item takes a strip of 16
 * neighbours, so that a CPU draws 16 random numbers at once. */
#include "common/philox.clh"
DEFINE_PHILOX(philox_strip, uint16)

#define STRIP 16
#define PLACES ((uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

/* 0 where the number at a place is dropped, else 1/(1 − p). */
inline float16 factors(float p, float keep, uint key, uint first)
{
    if (p == 0.0f)
        return (float16)(1.0f);
    uint16 drawn = philox_strip(first + PLACES, (uint16)(0), (uint16)(key)) >> 8;
    return select((float16)(keep), (float16)(0.0f), convert_float16(drawn) * 0x1p-24f < p);
}

/* The strip of x [count] at `first`; zeros past its end. */
inline float16 load_strip(__global const float *x, uint first, uint count)
{
    float lanes[STRIP];
    if (count - first >= STRIP)
        return vload16(0, x + first);
    for (uint i = 0; i < STRIP; i++)
        lanes[i] = i < count - first ? x[first + i] : 0.0f;
    return vload16(0, lanes);
}

inline void store_strip(float16 y, __global float *x, uint first, uint count)
{
    float lanes[STRIP];
    if (count - first >= STRIP) {
        vstore16(y, 0, x + first);
        return;
    }
    vstore16(y, 0, lanes);
    for (uint i = 0; i < count - first; i++)
        x[first + i] = lanes[i];
}

/* y = D x */
__kernel void drop(uint count, float p, float keep, uint key, __global const float *x, uint x_at,
                   __global float *y, uint y_at)
{
    uint first = (uint)get_global_id(0) * STRIP;
    if (first >= count)
        return;
    float16 kept = factors(p, keep, key, first) * load_strip(x + x_at, first, count);
    store_strip(kept, y + y_at, first, count);
}

/* sum = x + D y; `sum` may be x or y. */
__kernel void add_dropped(uint count, float p, float keep, uint key, __global const float *x,
                          uint x_at, __global const float *y, uint y_at, __global float *sum,
                          uint sum_at)
{
    uint first = (uint)get_global_id(0) * STRIP;
    if (first >= count)
        return;
    float16 kept = factors(p, keep, key, first) * load_strip(y + y_at, first, count);
    store_strip(load_strip(x + x_at, first, count) + kept, sum + sum_at, first, count);
}
