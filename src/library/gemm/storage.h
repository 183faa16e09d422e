/* Weights stored on the device in the 16 bits of their file and converted to float32 when read.
 * They take half the memory, and products of few rows, which are limited by reading them, half the
 * bytes. A parameter's declaration says whether it may be stored so (sac_parameter_weight). */
#ifndef SAC_GEMM_STORAGE_H
#define SAC_GEMM_STORAGE_H

#include "device/span.h"

/* True for the types that weights may be stored as on this device: float32, and of float16 and
 * bfloat16 what it reads right, which is tried once and remembered. */
bool sac_storage_is_right(sac_device *device, sac_dtype stored);
/* " -DSTORAGE=1": of kernels that read it by cl/gemm/storage.clh. */
const char *sac_storage_option(sac_dtype stored);
/* y [rows,width] = lines of x [·,width], as float32: those of the numbers `chosen` [rows], from
 * `chosen_at` on, or where that is NULL the first ones. Enqueues; does not wait. */
sac_status sac_widen(sac_device *device, sac_dtype stored, size_t rows, size_t width, cl_mem chosen,
                     cl_uint chosen_at, sac_span x, sac_span y, sac_error *error);

#endif
