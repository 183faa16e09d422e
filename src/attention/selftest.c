#include "attention/internal.h"
sac_status sac_variant_choose(sac_device *device, sac_variant *variant, sac_error *error)
{
    (void)error;
    *variant = device->info.is_cpu ? SAC_VARIANT_CPU : SAC_VARIANT_NAIVE;
    return SAC_OK;
}
