/* The kernels with which `saccade bench` measures a device's limits. */

#ifndef FAST_FMA
#error "define FAST_FMA: 1 where the device has fma() in hardware"
#endif

#if FAST_FMA
#define FUSED(a, b, c) fma(a, b, c)
#else
#define FUSED(a, b, c) mad(a, b, c)
#endif

/* Twelve chains of multiply-adds per work-item that do not wait for each other: more than any
 * processor has in flight (latency 4 on 2 pipes is 8), and few enough for 16 registers. Each counts
 * 2 operations a lane; `rounds` times. The sum is stored so that nothing can be left out. */
#define PEAK(NAME, VECTOR, STORE)                                                                  \
    __kernel void NAME(__global float *out, float a, float b, int rounds)                          \
    {                                                                                              \
        VECTOR x0 = (VECTOR)(a), x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3, x4 = x0 + 4, x5 = x0 + 5;  \
        VECTOR x6 = x0 + 6, x7 = x0 + 7, x8 = x0 + 8, x9 = x0 + 9, x10 = x0 + 10, x11 = x0 + 11;   \
        VECTOR m = (VECTOR)(a), c = (VECTOR)(b);                                                   \
        for (int i = 0; i < rounds; i++) {                                                         \
            x0 = FUSED(x0, m, c), x1 = FUSED(x1, m, c), x2 = FUSED(x2, m, c);                      \
            x3 = FUSED(x3, m, c), x4 = FUSED(x4, m, c), x5 = FUSED(x5, m, c);                      \
            x6 = FUSED(x6, m, c), x7 = FUSED(x7, m, c), x8 = FUSED(x8, m, c);                      \
            x9 = FUSED(x9, m, c), x10 = FUSED(x10, m, c), x11 = FUSED(x11, m, c);                  \
        }                                                                                          \
        STORE(((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7)) + ((x8 + x9) + (x10 + x11)),       \
              get_global_id(0), out);                                                              \
    }
#define STORE_SCALAR(x, i, out) (out)[i] = (x)

PEAK(peak1, float, STORE_SCALAR)
PEAK(peak4, float4, vstore4)
PEAK(peak8, float8, vstore8)
PEAK(peak16, float16, vstore16)

/* Copies `count` float4: work-item i takes `run` of them from i·first on, `step` apart. CPUs like
 * long runs (step 1), GPUs neighbours side by side (first 1). */
__kernel void copy(__global const float4 *restrict in, __global float4 *restrict out, ulong count,
                   ulong first, ulong step, ulong run)
{
    ulong at = get_global_id(0) * first;
    for (ulong i = 0; i < run && at < count; i++, at += step)
        out[at] = in[at];
}
