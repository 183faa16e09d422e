/* The forms of numbers in a GGUF by the numbers of ggml_type. Those in blocks that weights keep on the device
 * are base/stored.h's; Q5_0 and Q5_1 are unpacked. */
#include "base/array.h"
#include "pretrained/files/gguf/gguf.h"

enum { SMALL = 32 };

/* Number i of 32: the low halves of 16 bytes are the first 16, the high halves the others. */
static int fifth(const uint8_t *bits, const uint8_t *packed, int i)
{
    int low = i < SMALL / 2 ? packed[i] & 15 : packed[i - SMALL / 2] >> 4;
    return low | (bits[i / 8] >> i % 8 & 1) << 4;
}

static float half_at(const uint8_t *bytes)
{
    return sac_half_to_float((uint16_t)(bytes[0] | bytes[1] << 8));
}

static void read_q5_0(const uint8_t *b, float *out)
{
    float scale = half_at(b);
    for (int i = 0; i < SMALL; i++)
        out[i] = scale * (float)(fifth(b + 2, b + 6, i) - 16);
}

static void read_q5_1(const uint8_t *b, float *out)
{
    float scale = half_at(b), least = half_at(b + 2);
    for (int i = 0; i < SMALL; i++)
        out[i] = scale * (float)fifth(b + 4, b + 8, i) + least;
}

static const sac_gguf_form forms[] = {
    [0] = {"F32", 1, 4, SAC_F32, NULL, 0},
    [1] = {"F16", 1, 2, SAC_F16, NULL, 0},
    [2] = {"Q4_0", SMALL, 18, SAC_F32, NULL, SAC_STORED_Q4_0},
    [3] = {"Q4_1", SMALL, 20, SAC_F32, NULL, SAC_STORED_Q4_1},
    [6] = {"Q5_0", SMALL, 22, SAC_F32, read_q5_0, 0},
    [7] = {"Q5_1", SMALL, 24, SAC_F32, read_q5_1, 0},
    [8] = {"Q8_0", SMALL, 34, SAC_F32, NULL, SAC_STORED_Q8_0},
    [12] = {"Q4_K", 256, 144, SAC_F32, NULL, SAC_STORED_Q4_K},
    [13] = {"Q5_K", 256, 176, SAC_F32, NULL, SAC_STORED_Q5_K},
    [14] = {"Q6_K", 256, 210, SAC_F32, NULL, SAC_STORED_Q6_K},
    [24] = {"I8", 1, 1, SAC_I8, NULL, 0},
    [25] = {"I16", 1, 2, SAC_I16, NULL, 0},
    [26] = {"I32", 1, 4, SAC_I32, NULL, 0},
    [27] = {"I64", 1, 8, SAC_I64, NULL, 0},
    [28] = {"F64", 1, 8, SAC_F64, NULL, 0},
    [30] = {"BF16", 1, 2, SAC_BF16, NULL, 0},
    [39] = {"MXFP4", SMALL, 17, SAC_F32, NULL, SAC_STORED_MXFP4},
};

const sac_gguf_form *sac_gguf_form_of(unsigned kind)
{
    return kind < sizeof forms / sizeof *forms && forms[kind].name ? &forms[kind] : NULL;
}
