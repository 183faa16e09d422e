#include "device/internal.h"
sac_verdict sac_verdict_recall(const sac_device *device, const char *variant)
{
    (void)device;
    (void)variant;
    return SAC_UNTESTED;
}
void sac_verdict_remember(sac_device *device, const char *variant, sac_verdict verdict)
{
    (void)device;
    (void)variant;
    (void)verdict;
}
