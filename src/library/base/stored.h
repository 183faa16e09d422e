/* How a model's weights are stored: as floats of 32 or 16 bits, or as ggml's blocks of 2 to 8 bits a number,
 * which llama.cpp's and Ollama's files have (ggml-common.h). */
#ifndef SAC_BASE_STORED_H
#define SAC_BASE_STORED_H

#include "saccade.h"

/* As cl/gemm/storage.clh counts them. From SAC_STORED_Q8_0 on a row is of whole blocks. */
typedef enum sac_stored {
    SAC_STORED_F32 = 0,
    SAC_STORED_F16,
    SAC_STORED_BF16,
    SAC_STORED_Q8_0,
    SAC_STORED_Q4_0,
    SAC_STORED_Q4_1,
    SAC_STORED_Q4_K,
    SAC_STORED_Q5_K,
    SAC_STORED_Q6_K,
    SAC_STORED_MXFP4,
    SAC_STORED_Q5_0,
    SAC_STORED_Q5_1,
    SAC_STORED_Q2_K,
    SAC_STORED_Q3_K,
    SAC_STORED_IQ4_NL,
    SAC_STORED_IQ4_XS,
    SAC_STORED_COUNT,
} sac_stored;

typedef struct sac_stored_form {
    const char *name;                                   /* "float16", "Q4_K" */
    size_t numbers, bytes;                              /* of a block; a float is a block of one */
    int halves[2], halves_count;                        /* where a block's scales of float16 lie */
    void (*read)(const uint8_t *block, float *numbers); /* NULL: they are floats */
} sac_stored_form;

const sac_stored_form *sac_stored_form_of(sac_stored stored);
static inline bool sac_stored_in_blocks(sac_stored stored)
{
    return stored >= SAC_STORED_Q8_0;
}
/* Of so many numbers, which are whole blocks. */
size_t sac_stored_bytes(sac_stored stored, size_t numbers);
/* False: weights are not stored as numbers of this type. */
bool sac_stored_from_dtype(sac_dtype dtype, sac_stored *stored);
/* Blocks of MXFP4 [count] as safetensors has them, 16 bytes of numbers in pairs and a scale each, as
 * ggml's. */
void sac_mxfp4_join(const uint8_t *pairs, const uint8_t *scales, size_t count, uint8_t *blocks);
/* Pseudo-random blocks [bytes], whose numbers are below 8, for tests on a device. */
void sac_stored_fill_random(sac_stored stored, uint32_t seed, size_t bytes, uint8_t *blocks);

#endif
