/* Builds and launches kernels that have no tiles. */
#ifndef SAC_GEMM_LAUNCH_H
#define SAC_GEMM_LAUNCH_H

#include "device/device.h"

/* One work-item per element, `count` of them, with one float each; the kernel turns away those
 * beyond the last. */
sac_status sac_launch_items(sac_device *device, const char *source, const char *kernel,
                            const sac_arg *args, int arg_count, size_t count, sac_error *error);
/* Builds it as that would, and launches nothing. */
sac_status sac_launch_items_build(sac_device *device, const char *source, const char *kernel,
                                  sac_error *error);
/* That the program of sac_launch_items, or of sac_launch_groups, will be needed: sac_kernel_expect. */
void sac_launch_items_expect(sac_device *device, const char *source);
void sac_launch_groups_expect(sac_device *device, const char *source, const char *options,
                              bool all_kernels);
/* As sac_launch_items, of a kernel built with these options. */
sac_status sac_launch_with_options(sac_device *device, const char *source, const char *options,
                                   const char *kernel, const sac_arg *args, int arg_count,
                                   size_t count, sac_error *error);
/* `groups` work-groups, each of which works on one thing, such as a picture or a row. They are
 * built with `options` besides cl/common/group.clh's own: a single item with wide vectors on a CPU, many
 * items elsewhere. The local memory that cl/common/group.clh sums in is added here as the kernel's last
 * argument. */
sac_status sac_launch_groups(sac_device *device, const char *source, const char *options,
                             const char *kernel, const sac_arg *args, int arg_count, size_t groups,
                             sac_error *error);

/* Defects of a device that its description does not show: found by a test, and remembered. */

/* The number of rounds that the loops of one work-item may take together; 0: any number. Mesa's
 * llvmpipe ends every loop after 65535, and the results are wrong without a word. */
sac_status sac_quirk_loop_limit(sac_device *device, size_t *limit, sac_error *error);

#endif
