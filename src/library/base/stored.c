/* The forms of stored weights. A number of a block is scale · q, or scale · q + least; a large block has smaller
 * ones with scales of few bits (ggml-common.h, ggml-quants.c). */
#include "base/stored.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/random/random.h"

enum { SMALL = 32, LARGE = 256 };

static float half_at(const uint8_t *bytes)
{
    return sac_half_to_float((uint16_t)(bytes[0] | bytes[1] << 8));
}

/* ---------------------------------------------------------------- small blocks */

/* The low halves of 16 bytes are the first 16 numbers, the high halves the others. */
static int nibble(const uint8_t *packed, int i)
{
    return i < SMALL / 2 ? packed[i] & 15 : packed[i - SMALL / 2] >> 4;
}

static void read_q4_0(const uint8_t *b, float *out)
{
    float scale = half_at(b);
    for (int i = 0; i < SMALL; i++)
        out[i] = scale * (float)(nibble(b + 2, i) - 8);
}

static void read_q4_1(const uint8_t *b, float *out)
{
    float scale = half_at(b), least = half_at(b + 2);
    for (int i = 0; i < SMALL; i++)
        out[i] = scale * (float)nibble(b + 4, i) + least;
}

/* Its fifth bit is bit i of four bytes. */
static int five_bit_number(const uint8_t *bits, const uint8_t *packed, int i)
{
    return nibble(packed, i) | (bits[i / 8] >> i % 8 & 1) << 4;
}

static void read_q5_0(const uint8_t *b, float *out)
{
    float scale = half_at(b);
    for (int i = 0; i < SMALL; i++)
        out[i] = scale * (float)(five_bit_number(b + 2, b + 6, i) - 16);
}

static void read_q5_1(const uint8_t *b, float *out)
{
    float scale = half_at(b), least = half_at(b + 2);
    for (int i = 0; i < SMALL; i++)
        out[i] = scale * (float)five_bit_number(b + 4, b + 8, i) + least;
}

static void read_q8_0(const uint8_t *b, float *out)
{
    float scale = half_at(b);
    for (int i = 0; i < SMALL; i++)
        out[i] = scale * (float)(int8_t)b[2 + i];
}

/* ---------------------------------------------------------------- MXFP4 */

/* Blocks of the Open Compute Project's Microscaling Formats (2023): an exponent less 127, and numbers
 * of a sign, two bits of exponent and one of fraction. */
enum { MXFP4_BYTES = 1 + SMALL / 2 };

static void read_mxfp4(const uint8_t *b, float *out)
{
    static const float sizes[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    for (int i = 0; i < SMALL; i++) {
        int q = nibble(b + 1, i);
        float size = ldexpf(sizes[q & 7], b[0] - 127);
        out[i] = q & 8 ? -size : size;
    }
}

void sac_mxfp4_join(const uint8_t *pairs, const uint8_t *scales, size_t count, uint8_t *blocks)
{
    for (size_t k = 0; k < count; k++, pairs += SMALL / 2, blocks += MXFP4_BYTES) {
        blocks[0] = scales[k];
        for (int i = 0; i < SMALL / 2; i++) { /* number i, and number i + 16 */
            int low = pairs[i / 2] >> 4 * (i % 2) & 15;
            int high = pairs[SMALL / 4 + i / 2] >> 4 * (i % 2) & 15;
            blocks[1 + i] = (uint8_t)(low | high << 4);
        }
    }
}

/* ---------------------------------------------------------------- large blocks */

/* Of 12 bytes: eight scales and eight leasts of six bits. The first four of each are the low bits of bytes 0
 * to 7; the others have their low four bits in bytes 8 to 11 and their high two on top of the first. */
static void read_six_bit_scales(const uint8_t *packed, int i, float *scale, float *least)
{
    int s = packed[i % 4], m = packed[4 + i % 4], low = packed[8 + i % 4];
    *scale = (float)(i < 4 ? s & 63 : (low & 15) | (s >> 6) << 4);
    *least = (float)(i < 4 ? m & 63 : low >> 4 | (m >> 6) << 4);
}

/* Numbers of four bits, and of a fifth where `fifths` is given. */
static void read_k_block(const uint8_t *b, const uint8_t *fifths, const uint8_t *packed, float *out)
{
    for (int i = 0; i < LARGE / SMALL; i++, out += SMALL) {
        float scale, least;
        read_six_bit_scales(b + 4, i, &scale, &least);
        scale *= half_at(b);
        least *= half_at(b + 2);
        for (int k = 0; k < SMALL; k++) {
            int q = packed[SMALL * (i / 2) + k] >> 4 * (i % 2) & 15;
            if (fifths)
                q |= (fifths[k] >> i & 1) << 4;
            out[k] = scale * (float)q - least;
        }
    }
}

static void read_q4_k(const uint8_t *b, float *out)
{
    read_k_block(b, NULL, b + 16, out);
}

static void read_q5_k(const uint8_t *b, float *out)
{
    read_k_block(b, b + 16, b + 16 + LARGE / 8, out);
}

/* Two halves of 128; in each, number 32 k + j has four bits in byte j + 32 (k mod 2), and two in byte j of the
 * high ones. A scale for 16 numbers. */
static void read_q6_k(const uint8_t *b, float *out)
{
    const uint8_t *low = b, *high = b + 128, *scales = b + 192;
    float all = half_at(b + 208);
    for (int half = 0; half < 2; half++, low += 64, high += 32, scales += 8)
        for (int k = 0; k < 4; k++)
            for (int j = 0; j < SMALL; j++) {
                int q = (low[SMALL * (k % 2) + j] >> 4 * (k / 2) & 15) | (high[j] >> 2 * k & 3)
                                                                             << 4;
                *out++ = all * (float)(int8_t)scales[2 * k + j / 16] * (float)(q - 32);
            }
}

/* Two halves of 128; in each, number 32 k + j has two bits in byte j, at 2 k. */
static int two_bit_number(const uint8_t *packed, int i)
{
    return packed[i / 128 * SMALL + i % SMALL] >> 2 * (i % 128 / SMALL) & 3;
}

/* A scale and a least of four bits for 16 numbers. */
static void read_q2_k(const uint8_t *b, float *out)
{
    float all = half_at(b + 80), least = half_at(b + 82);
    for (int i = 0; i < LARGE; i++) {
        int packed = b[i / 16];
        out[i] = all * (float)(packed & 15) * (float)two_bit_number(b + 16, i) -
                 least * (float)(packed >> 4);
    }
}

/* The third bit of number i is bit i / 32 of byte i % 32. The scale of 16 numbers has six bits: the lower four
 * of all are in eight bytes, the upper two in the four behind them. */
static void read_q3_k(const uint8_t *b, float *out)
{
    const uint8_t *scales = b + 96;
    float all = half_at(b + 108);
    for (int i = 0; i < LARGE; i++) {
        int run = i / 16, third = b[i % SMALL] >> i / SMALL & 1;
        int scale = (scales[run % 8] >> run / 8 * 4 & 15) | (scales[8 + run % 4] >> run / 4 * 2 & 3)
                                                                << 4;
        out[i] = all * (float)(scale - 32) * (float)((two_bit_number(b + 32, i) | third << 2) - 4);
    }
}

/* ---------------------------------------------------------------- four bits by a table */

/* Close together about 0, where most weights are. */
static const int8_t uneven[] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                1,    13,   25,  38,  53,  69,  89,  113};

static void read_iq4_nl(const uint8_t *b, float *out)
{
    float scale = half_at(b);
    for (int i = 0; i < SMALL; i++)
        out[i] = scale * (float)uneven[nibble(b + 2, i)];
}

/* A scale of six bits for 32 numbers: the upper two are in two bytes, the lower four in the four behind them. */
static void read_iq4_xs(const uint8_t *b, float *out)
{
    int upper = b[2] | b[3] << 8;
    for (int run = 0; run < LARGE / SMALL; run++) {
        int scale = (b[4 + run / 2] >> run % 2 * 4 & 15) | (upper >> 2 * run & 3) << 4;
        for (int i = 0; i < SMALL; i++)
            *out++ = half_at(b) * (float)(scale - 32) *
                     (float)uneven[nibble(b + 8 + run * SMALL / 2, i)];
    }
}

/* ---------------------------------------------------------------- all of them */

static const sac_stored_form forms[SAC_STORED_COUNT] = {
    {"float32", 1, 4, {0}, 0, NULL},
    {"float16", 1, 2, {0}, 0, NULL},
    {"bfloat16", 1, 2, {0}, 0, NULL},
    {"Q8_0", SMALL, 34, {0}, 1, read_q8_0},
    {"Q4_0", SMALL, 18, {0}, 1, read_q4_0},
    {"Q4_1", SMALL, 20, {0, 2}, 2, read_q4_1},
    {"Q4_K", LARGE, 144, {0, 2}, 2, read_q4_k},
    {"Q5_K", LARGE, 176, {0, 2}, 2, read_q5_k},
    {"Q6_K", LARGE, 210, {208}, 1, read_q6_k},
    {"MXFP4", SMALL, MXFP4_BYTES, {0}, 0, read_mxfp4},
    {"Q5_0", SMALL, 22, {0}, 1, read_q5_0},
    {"Q5_1", SMALL, 24, {0, 2}, 2, read_q5_1},
    {"Q2_K", LARGE, 84, {80, 82}, 2, read_q2_k},
    {"Q3_K", LARGE, 110, {108}, 1, read_q3_k},
    {"IQ4_NL", SMALL, 18, {0}, 1, read_iq4_nl},
    {"IQ4_XS", LARGE, 136, {0}, 1, read_iq4_xs},
};

const sac_stored_form *sac_stored_form_of(sac_stored stored)
{
    return &forms[stored];
}

size_t sac_stored_bytes(sac_stored stored, size_t numbers)
{
    return numbers / forms[stored].numbers * forms[stored].bytes;
}

bool sac_stored_from_dtype(sac_dtype dtype, sac_stored *stored)
{
    *stored = dtype == SAC_F16    ? SAC_STORED_F16
              : dtype == SAC_BF16 ? SAC_STORED_BF16
                                  : SAC_STORED_F32;
    return dtype == SAC_F32 || *stored != SAC_STORED_F32;
}

void sac_stored_fill_random(sac_stored stored, uint32_t seed, size_t bytes, uint8_t *blocks)
{
    enum { EXPONENT = 5 << 2 }; /* of float16: 2^−10 … 2^−9 */
    const sac_stored_form *form = &forms[stored];
    for (size_t i = 0; i < bytes; i++)
        blocks[i] = (uint8_t)(sac_philox((uint32_t)i, 2, seed) >> 8);
    for (size_t at = 0; stored == SAC_STORED_MXFP4 && at + form->bytes <= bytes; at += form->bytes)
        blocks[at] = 117 + (blocks[at] & 3); /* its exponent: 2^−10 … 2^−7 */
    for (size_t at = 0; at + form->bytes <= bytes; at += form->bytes)
        for (int i = 0; i < form->halves_count; i++) {
            uint8_t *high = blocks + at + form->halves[i] + 1;
            *high = (uint8_t)((*high & 0x83) | EXPONENT);
        }
}
