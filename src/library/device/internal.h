/* Functions that the files of this box share. */
#ifndef SAC_DEVICE_INTERNAL_H
#define SAC_DEVICE_INTERNAL_H

#include "device/device.h"

/* A device that was found but not opened; `id` is NULL for a platform that is broken. */
typedef struct sac_found {
    sac_device_info info;
    cl_platform_id platform;
    cl_device_id id;
    char verdicts[sizeof((sac_device *)0)->verdicts];
} sac_found;

/* Loads OpenCL's drivers, once a process, without those that would crash it. Lends the file name
 * ("pocl.icd") of the index'th of these and of those that cannot be loaded, and what is wrong with
 * it, until the next call; NULL where there are no more. The drivers are locked. */
const char *sac_drivers_bad_name(size_t index, const char **problem);

/* Takes every driver as it is: none is tried by a child process, and no environment variable is set.
 * Does nothing once they are loaded. The drivers are locked. */
void sac_drivers_skip_check(void);

/* Why no driver could be loaded, and what to do, where that is known: memory, or a system without
 * /proc and /sys; else NULL. */
const char *sac_drivers_advice(void);

/* Every device, and every platform that is broken, in the loader's order; free() it. The drivers
 * are locked. */
sac_status sac_find_devices(sac_found **found, size_t *count, sac_error *error);
/* Fills all but `number`, `verdict`, `chosen` and `reason`. */
void sac_device_describe(cl_platform_id platform, cl_device_id id, sac_device_info *info);

/* Lends the device that `selector` means, or where that is NULL SACCADE_DEVICE, or else the
 * default, and fills its `chosen` and `reason`. May be one that failed the self-test, where it was
 * selected or is the only one. SAC_E_NO_DEVICE, with a list of the devices, where nothing fits. */
sac_status sac_choose_device(sac_found *found, size_t count, const char *selector,
                             sac_found **chosen, sac_error *error);

bool sac_device_is_pocl(const sac_device_info *info);

/* Program version, platform, device and driver, one a line. */
void sac_device_key(const sac_device_info *info, char *key, size_t size);
/* Reads what is remembered of the device into `verdicts`, and sets info->verdict. */
void sac_verdicts_load(sac_device_info *info, char *verdicts, size_t size);

void sac_programs_release(sac_device *device);
/* "few_rows": lends the source that a kernel was built of, or "" for one that others made. */
const char *sac_kernel_source_name(const sac_device *device, cl_kernel kernel);
/* Builds cl/<source>.cl from its source, `wholly` down to what runs. Where `unmade` is not NULL and kernels' code
 * can be made ahead, *unmade becomes the program: release it. */
sac_status sac_program_compile(sac_device *device, const char *source, const char *options,
                               bool wholly, cl_program *unmade);
/* Makes all of its kernels, down to what runs. */
void sac_program_make_all_kernels(cl_program program);

#endif
