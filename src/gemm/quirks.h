/* What a device cannot do although it says nothing of it: found out by trying, and remembered. */
#ifndef SAC_GEMM_QUIRKS_H
#define SAC_GEMM_QUIRKS_H

#include "device/device.h"

/* How many rounds the loops of one work-item may take together; 0: as many as they like. Mesa's
 * llvmpipe ends every loop after 65535, and the results are wrong without a word. */
sac_status sac_quirk_loop_limit(sac_device *device, size_t *limit, sac_error *error);

#endif
