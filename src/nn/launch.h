/* How the kernels of the layers are built and launched. */
#ifndef SAC_NN_LAUNCH_H
#define SAC_NN_LAUNCH_H

#include "device/device.h"

/* One work-item per element, `count` of them, one float each; the kernel turns away those beyond
 * the last. */
sac_status sac_launch_elements(sac_device *device, const char *source, const char *kernel,
                               const sac_arg *args, int arg_count, size_t count, sac_error *error);
/* One work-group per picture, `pictures` of them, built with `options` besides cl/group.clh's own:
 * a single item with wide vectors on a CPU, many items elsewhere. The local memory that
 * cl/group.clh sums in is added here as the kernel's last argument. */
sac_status sac_launch_pictures(sac_device *device, const char *source, const char *options,
                               const char *kernel, const sac_arg *args, int arg_count,
                               size_t pictures, sac_error *error);

#endif
