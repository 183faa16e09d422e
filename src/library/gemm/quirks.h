/* Defects of a device that its description does not show: found by a test, and remembered. */
#ifndef SAC_GEMM_QUIRKS_H
#define SAC_GEMM_QUIRKS_H

#include "device/device.h"

/* The number of rounds that the loops of one work-item may take together; 0: any number. Mesa's
 * llvmpipe ends every loop after 65535, and the results are wrong without a word. */
sac_status sac_quirk_loop_limit(sac_device *device, size_t *limit, sac_error *error);

#endif
