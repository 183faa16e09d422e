#include "attention/internal.h"
sac_status sac_variant_choose(sac_device *device, sac_variant *variant, sac_error *error)
{
    (void)device;
    (void)error;
    *variant = SAC_VARIANT_NAIVE;
    return SAC_OK;
}
