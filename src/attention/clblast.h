/* Matrix products by CLBlast, where it can be trusted. */
#ifndef SAC_ATTENTION_CLBLAST_H
#define SAC_ATTENTION_CLBLAST_H

#include "device/device.h"

/* y [m,n] = x [m,k] · w, where w is [n,k] (transposed: y = x wᵀ) or [k,n]. The first call on a
 * device compiles for seconds. */
sac_status sac_clblast_product(sac_device *device, size_t m, size_t n, size_t k, cl_mem x, cl_mem w,
                               bool transposed, cl_mem y, sac_error *error);

/* The relative error of a known product, which decides whether CLBlast is used on this device;
 * infinity where it fails altogether. */
double sac_clblast_error(sac_device *device);
/* Whether CLBlast multiplies right on this device: tried once with a known product, and remembered.
 */
bool sac_clblast_usable(sac_device *device);

#endif
