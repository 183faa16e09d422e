/* Weights stored on the device in the bits of their file (base/stored.h), 16 or blocks of 2 to 8 a number,
 * and converted to float32 when read. They take as much less memory, and products of few rows, which
 * are limited by reading them, as many bytes less. Blocks are read where a B is stored [n,k]. A parameter's
 * declaration (sac_parameter_weight) allows it. */
#ifndef SAC_GEMM_STORAGE_H
#define SAC_GEMM_STORAGE_H

#include "base/stored.h"
#include "device/device.h"

/* True for the forms that weights may be stored in on this device: float32, and of the others what it reads
 * right, which is tried once and remembered. */
bool sac_storage_is_right(sac_device *device, sac_stored stored);
/* " -DSTORAGE=1": of kernels that read it by cl/gemm/storage.clh. */
const char *sac_storage_option(sac_stored stored);
/* y [rows,width] = lines of x [·,width], as float32: those of the numbers `chosen` [rows], from
 * `chosen_at` on, or where that is NULL the first ones. Enqueues; does not wait. */
sac_status sac_widen(sac_device *device, sac_stored stored, size_t rows, size_t width,
                     cl_mem chosen, cl_uint chosen_at, sac_span x, sac_span y, sac_error *error);

#endif
