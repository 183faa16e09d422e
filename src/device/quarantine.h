/* A driver may die while it compiles a kernel, and the process with it; the next run would die in
 * the same place. So a mark lies in the cache folder from before a program is built until the
 * device was next waited for, as some drivers compile a kernel when it is first launched. A mark
 * that is found when nobody holds it is a death: after two of them the program is not built again,
 * and what needs it fails with an error, so that simpler kernels take over. One death alone may be
 * that of a process which somebody killed. A self-test tries such a program once more, unless a
 * self-test is among what died. A mark is forgotten with the driver, the kernels or the version of
 * this program that it belongs to. */
#ifndef SAC_DEVICE_QUARANTINE_H
#define SAC_DEVICE_QUARANTINE_H

#include "device/device.h"

/* Marks the program of that cache key; with the drivers locked. SAC_E_DEVICE where drivers died of
 * it too often. *is_suspect: a driver died of it once, and the binary that was stored then is not
 * to be used. Where there is no cache folder nothing is marked. */
sac_status sac_quarantine_begin(sac_device *device, const char *source, const char *key,
                                bool *is_suspect, sac_error *error);
/* Removes the device's marks: the programs that they stand for have been built and have run. */
void sac_quarantine_end(const sac_device *device);
/* Takes all marks of this process away, before it ends for another reason; on any thread. */
void sac_quarantine_abandon(void);

#endif
