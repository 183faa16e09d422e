/* The names of the enumerations of saccade.h, and the version. */

#include "saccade.h"

const char *sac_version(void)
{
    return SAC_VERSION;
}

static const char *const variant_names[SAC_VARIANT_COUNT] = {
    [SAC_VARIANT_AUTO] = "auto",   [SAC_VARIANT_CPU] = "cpu",       [SAC_VARIANT_GPU] = "gpu",
    [SAC_VARIANT_NAIVE] = "naive", [SAC_VARIANT_MATRIX] = "matrix",
};

static const char *const storage_names[SAC_STORAGE_COUNT] = {
    [SAC_STORAGE_F32] = "float32",
    [SAC_STORAGE_F16] = "float16",
    [SAC_STORAGE_BF16] = "bfloat16",
};

const char *sac_storage_name(sac_storage storage)
{
    return (unsigned)storage < SAC_STORAGE_COUNT ? storage_names[storage] : "unknown storage";
}

static const char *const matrix_names[SAC_MATRIX_COUNT] = {
    [SAC_MATRIX_NONE] = "none",
    [SAC_MATRIX_MMA] = "mma (PTX)",
    [SAC_MATRIX_MFMA] = "MFMA",
    [SAC_MATRIX_WMMA_11] = "WMMA (RDNA 3)",
    [SAC_MATRIX_WMMA_12] = "WMMA (RDNA 4)",
    [SAC_MATRIX_DPAS_8] = "DPAS (8)",
    [SAC_MATRIX_DPAS_16] = "DPAS (16)",
    [SAC_MATRIX_MMA_TF32] = "mma (PTX, TF32)",
};

const char *sac_matrix_name(sac_matrix matrix)
{
    return (unsigned)matrix < SAC_MATRIX_COUNT ? matrix_names[matrix] : "unknown instruction";
}

const char *sac_variant_name(sac_variant variant)
{
    return (unsigned)variant < SAC_VARIANT_COUNT ? variant_names[variant] : "unknown variant";
}
