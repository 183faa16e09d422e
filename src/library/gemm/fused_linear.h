/* Products of the same few rows with up to three weights in one launch, on CPUs: rows are normed on
 * the way in; results are activated, gated, or added to a residual (cl/gemm/fused_linear.clh). */
#ifndef SAC_GEMM_JOINT_H
#define SAC_GEMM_JOINT_H

#include "base/stored.h"
#include "device/device.h"
#include "device/tested.h"

enum { SAC_JOINT_PARTS = 3 };

typedef enum sac_fused_norm { SAC_JOINT_AS_IT_IS, SAC_JOINT_RMS, SAC_JOINT_LAYER } sac_fused_norm;
typedef enum sac_fused_activation {
    SAC_JOINT_LINEAR,
    SAC_JOINT_SILU,
    SAC_JOINT_GELU,
    SAC_JOINT_GELU_TANH
} sac_fused_activation;

/* y_i = activation(norm(x) W_iᵀ + b_i) + residual; or gated y_0 = activation(norm(x) W_0ᵀ + b_0) ·
 * (norm(x) W_1ᵀ + b_1) + residual. Spans that are empty: there is none. */
typedef struct sac_fused {
    size_t rows, in;   /* up to SAC_GEMM_FEW; a multiple of 32 and of the numbers of a block */
    sac_stored stored; /* of all W_i */
    sac_span x;
    sac_fused_norm norm;
    sac_span gain, shift; /* [in] */
    float epsilon;
    int count;
    struct {
        sac_span weight, bias, y; /* [out,in], [out], [rows,out] */
        size_t out;
    } part[SAC_JOINT_PARTS];
    bool gated; /* two parts of one size, and one y */
    sac_fused_activation activation;
    sac_span residual; /* [rows,out] */
} sac_fused;

/* The self-test of weights that are stored so, which is lent; `dots`: by integer dot products. False where the
 * device has no such kernel. */
bool sac_fused_fill_test(sac_device *device, const sac_stored *stored, bool dots,
                         sac_tested *tested);
/* Whether this device computes it so, and right: its self-test runs when it is first asked. */
bool sac_fused_takes(sac_device *device, const sac_fused *joint);
/* Of local memory that so many numbers of the rows take. */
size_t sac_fused_row_bytes(const sac_device *device, const sac_fused *j, size_t numbers);
/* Enqueues and does not wait. No y may overlap what is read, but for the residual. */
sac_status sac_fused_run(sac_device *device, const sac_fused *joint, sac_error *error);

/* The arguments of the kernels: the twin of `joint` in cl/gemm/fused_linear.clh. */
typedef struct sac_fused_numbers {
    cl_uint m, k, share;
    cl_uint n[SAC_JOINT_PARTS], groups[SAC_JOINT_PARTS];
    cl_uint norm, gated, activation, biases, residual;
    cl_float epsilon;
} sac_fused_numbers;

/* All but how its lines are shared out. */
sac_fused_numbers sac_fused_numbers_of(const sac_fused *joint);
/* Groups, or units, of `share` steps of lines each; how many there are. */
size_t sac_fused_share_out(const sac_fused *joint, size_t share, sac_fused_numbers *numbers);
/* Steps of lines, side by side, that all parts have. */
size_t sac_fused_steps(const sac_fused *joint);
/* The source of its kernels, and their options, at most 128 bytes. */
const char *sac_fused_source(const sac_device *device, const sac_fused *joint, char *options);

#endif
