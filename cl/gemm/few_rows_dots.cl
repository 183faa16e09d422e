/* few_rows.cl for weights in blocks of 32, Q8_0, Q4_0 and Q4_1, on processors that multiply bytes four at a time:
 * a number of B is not made a float. A row's 32 numbers are integers of 24 bits times a scale instead, as exact as
 * floats are, and an integer is three digits of a byte: q = 65536 high + 256 middle + low, all from −128 to 127.
 * A block then takes six instructions for what would take two of multiply-adds and as many of each conversion, on
 * half as wide vectors: two lines of B lie side by side, the first 16 of a block's numbers and then the others. */
#include "common/common.clh"
#include "common/prefetch.clh"
#include "common/vector.clh"
#include "gemm/storage.clh"
#include "gemm/few_rows.clh"
#include "gemm/joint.clh"
#include "gemm/dots.clh"

#if STORAGE == 3
#define LARGEST 128 /* of wholes − OFFSET */
#define OFFSET 128  /* of what is multiplied, which has no sign */
#else
#define LARGEST 15
#define OFFSET LESS
#endif
#define PAIRS (LINES / 2)
/* Bytes: of so much arithmetic a processor does not look as far as memory is away. */
#define AHEAD 512

typedef uint uint_unaligned __attribute__((aligned(1)));
typedef uint4 uint4_unaligned __attribute__((aligned(1)));
#define FOUR_BYTES(at) (*(__global const uint_unaligned *)(at))
#define SIXTEEN_BYTES(at) (*(__global const uint4_unaligned *)(at))

/* 32 numbers of a row: x = scale · q, with their sum. */
typedef struct digits {
    int4 of[6];   /* high ones of the first 16, and of the others; middle ones; low ones */
    int4 offset;  /* −OFFSET · Σ q of the eight that meet in a lane */
    float4 scale; /* scale, sum, scale, sum */
} digits;

/* Sums of four neighbours. */
ALWAYS_INLINE float4 across_fours(float16 x)
{
    float8 twos = x.even + x.odd;
    return twos.even + twos.odd;
}

/* The scale is so large that q has three digits, and that no lane's sum of eight products leaves 32 bits. A number
 * that is not finite makes it a NaN. */
ALWAYS_INLINE void take_digits(float16 x0, float16 x1, __local digits *to)
{
    float16 size0 = fabs(x0), size1 = fabs(x1);
    float4 sums = across_fours(x0 + x1), sizes = across_fours(size0 + size1);
    float sum = (sums.x + sums.y) + (sums.z + sums.w);
    float size = max(max(sizes.x, sizes.y), max(sizes.z, sizes.w));
    float scale = max(max(across_max(max(size0, size1)), 0x1p-100f) / 8355700.0f,
                      size * (LARGEST / 2147480000.0f));
    int16 q0 = to_ints(x0 * (1.0f / scale)), q1 = to_ints(x1 * (1.0f / scale));
    int8 twos = (q0 + q1).even + (q0 + q1).odd;
    to->offset = -OFFSET * (twos.even + twos.odd);
#pragma unroll
    for (int i = 4; i >= 0; i -= 2) {
        to->of[i] = as_int4(convert_uchar16(q0 & 255));
        to->of[i + 1] = as_int4(convert_uchar16(q1 & 255));
        q0 = (q0 + 128) >> 8;
        q1 = (q1 + 128) >> 8;
    }
    scale += 0.0f * sum;
    to->scale = (float4)(scale, sum, scale, sum);
}

#define TWICE(x) ((int8)((x), (x)))

/* The products of a row's 32 numbers with a block of two lines → added to `sum`, four lanes each, and to lanes 1 and
 * 3 of `least`. */
ALWAYS_INLINE void multiply_blocks(__global const uchar *a, __global const uchar *b,
                                   __local const digits *x, float8 *sum, float4 *least)
{
#if STORAGE == 3
    uint8 first = (uint8)(SIXTEEN_BYTES(a + 2), SIXTEEN_BYTES(b + 2)) ^ 0x80808080u;
    uint8 others = (uint8)(SIXTEEN_BYTES(a + 18), SIXTEEN_BYTES(b + 18)) ^ 0x80808080u;
#else
    uint8 both = (uint8)(SIXTEEN_BYTES(a + BLOCK_BYTES - 16), SIXTEEN_BYTES(b + BLOCK_BYTES - 16));
    uint8 first = both & 0x0F0F0F0Fu, others = both >> 4 & 0x0F0F0F0Fu;
#endif
    const int8 none = (int8)(0);
    int8 high = add_dots(add_dots(none, first, TWICE(x->of[0])), others, TWICE(x->of[1]));
    int8 middle = add_dots(add_dots(none, first, TWICE(x->of[2])), others, TWICE(x->of[3]));
    int8 all = add_dots(add_dots(none, first, TWICE(x->of[4])), others, TWICE(x->of[5]));
    all += (middle << 8) + (high << 16);
    if (OFFSET)
        all += TWICE(x->offset);
    float4 scale = four_halves(FOUR_BYTES(a), FOUR_BYTES(b)) * x->scale;
    *sum = fma(convert_float8(all), scale.s00002222, *sum);
#ifdef LEAST
    *least += scale;
#endif
}

/* sums [LINES] = the products of a row with lines of B; `first`: they are asked for ahead. */
ALWAYS_INLINE void multiply_lines(uint blocks, __global const number *const *line, bool first,
                                  __local const digits *x, float sums[MOST_LINES])
{
    float8 sum[PAIRS];
    float4 least[PAIRS];
#pragma unroll
    for (int l = 0; l < PAIRS; l++)
        sum[l] = (float8)(0.0f), least[l] = (float4)(0.0f);
    for (uint i = 0, at = 0; i < blocks; i++, at += BLOCK_BYTES) {
        if (first && i % (64 / BLOCK_BYTES) == 0)
#pragma unroll
            for (int l = 0; l < LINES; l++)
                PREFETCH(line[l] + at + AHEAD);
#pragma unroll
        for (int l = 0; l < PAIRS; l++)
            multiply_blocks(line[2 * l] + at, line[2 * l + 1] + at, x + i, &sum[l], &least[l]);
    }
#pragma unroll
    for (int l = 0; l < PAIRS; l++) {
        float4 twos = sum[l].even + sum[l].odd;
        float2 both = twos.even + twos.odd + least[l].odd;
        sums[2 * l] = both.x;
        sums[2 * l + 1] = both.y;
    }
}

/* Steps t to end − 1 of LINES lines; `x` [m, k / BLOCK]. */
OWN void multiply_steps(const gemm *p, uint t, uint end, __global const float *a,
                        __global const number *b, __global const float *bias, __global float *c,
                        __local digits *x)
{
    const uint blocks = p->k / BLOCK;
    for (uint i = 0; i < p->m * blocks; i++)
        take_digits(VF_TAKE(a + i * BLOCK), VF_TAKE(a + i * BLOCK + 16), x + i);
    for (; t < end; t++) {
        __global const number *line[LINES];
        float sums[MOST_LINES];
#pragma unroll
        for (int l = 0; l < LINES; l++)
            line[l] = PLACE(b, (ulong)LINE(p, l, t) * p->k);
        for (uint row = 0; row < p->m; row++) {
            multiply_lines(blocks, line, row == 0, x + row * blocks, sums);
#pragma unroll
            for (int l = 0; l < LINES; l++)
                write_product(p, sums[l], l, t, bias, c + (ulong)row * p->n);
        }
    }
}

/* The same of a joint product. */
OWN void multiply_joint_steps(const joint *p, const joint_part *parts, uint which, uint t, uint end,
                              __global const float *x, __global const float *gain,
                              __global const float *shift, __global const float *residual,
                              __local digits *rows)
{
    const uint blocks = p->k / BLOCK;
    float sums[MOST_LINES] = {0.0f}, ups[MOST_LINES] = {0.0f};
    for (uint row = 0; row < p->m; row++, x += p->k) {
        row_norm norm = norm_of_row(p, x);
        for (uint i = 0; i < p->k; i += BLOCK)
            take_digits(normed(p, norm, x, gain, shift, i), normed(p, norm, x, gain, shift, i + 16),
                        rows + row * blocks + i / BLOCK);
    }
    for (; t < end; t++) {
        __global const number *line[LINES], *up[LINES];
#pragma unroll
        for (int l = 0; l < LINES; l++) {
            line[l] = PLACE(parts[which].b, (ulong)LINE(parts + which, l, t) * p->k);
            up[l] = PLACE(parts[1].b, (ulong)LINE(parts + 1, l, t) * p->k);
        }
        for (uint row = 0; row < p->m; row++) {
            multiply_lines(blocks, line, row == 0, rows + row * blocks, sums);
            if (p->gated)
                multiply_lines(blocks, up, row == 0, rows + row * blocks, ups);
            finish_step(p, parts, which, t, row, sums, ups, residual);
        }
    }
}
END_PROCESSOR

/* One group per `share` steps. */
__kernel void multiply_by_lines(gemm p, __global const float *a, uint a_at,
                                __global const number *b, uint b_at, __global const float *bias,
                                uint bias_at, __global float *c, uint c_at, __local digits *x)
{
    uint t = (uint)get_group_id(0) * p.share;
    multiply_steps(&p, t, min(STREAM(&p), t + p.share), a + a_at, PLACE(b, b_at), bias + bias_at,
                   c + c_at, x);
}

__kernel void multiply_joint(JOINT_ARGUMENTS, __local digits *rows)
{
    const joint_part parts[PARTS] = JOINT_PARTS;
    uint t, which = part_of_group(&p, (uint)get_group_id(0), &t);
    multiply_joint_steps(&p, parts, which, t, min(STREAM(parts + which), t + p.share), x + x_at,
                         gain + gain_at, shift + shift_at, residual + residual_at, rows);
}
