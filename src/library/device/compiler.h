/* A separate process for PoCL's compiler. After compiling its first program from source, PoCL keeps
 * 110 MB of built-in functions as long as the process has a context, and a compiler cannot be
 * stopped within a process. Its results are cached on disk, where any process finds them. So a
 * program that can run again as a compiler registers how, and that process compiles what was never
 * built before; in other programs PoCL compiles within the process. */
#ifndef SAC_DEVICE_COMPILER_H
#define SAC_DEVICE_COMPILER_H

#include "device/device.h"

/* The words that run sac_compiler_serve, the first of them a path, the last NULL; lent. NULL, as at
 * first: nothing does. Set it before other threads begin. */
void sac_compiler_set(char *const command[]);
/* Lets that process compile cl/<source>.cl for a device, for one of PoCL's so that it is in PoCL's
 * cache; `wholly` down to machine code. SAC_OK, too, where there is no such process or it could not:
 * then the caller compiles itself, unless `how` has how the driver ended that process while it
 * compiled ("ended by signal 6"), or that it took minutes; else it is empty. SIGKILL and SIGTERM do
 * not count. SAC_E_CANCELLED, and the process is ended, once work should stop. With the drivers
 * locked. */
sac_status sac_compiler_run(const sac_device *device, const char *source, const char *options,
                            bool wholly, char how[80], sac_error *error);
/* Has that process begin on a program that will be requested, and returns at once; they are compiled
 * in the order of the calls, and where `makes` is set all kernels of it are made once nothing is requested.
 * With the drivers locked. */
void sac_compiler_expect(const sac_device *device, const char *source, const char *options,
                         bool makes);
/* How long the process may take for a program: 5 minutes, at first. */
void sac_compiler_set_limit(double seconds);
/* Compiles what is requested on descriptor 0, until its other end is closed or nothing was asked
 * for a while; returns the process's exit status. */
int sac_compiler_serve(void);

#endif
