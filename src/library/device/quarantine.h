/* A driver may die while it compiles a kernel, and the process with it; the next run would die in
 * the same place. So a mark lies in the cache folder from before a program is built until the
 * device was next waited for, as some drivers compile a kernel when it is first launched. What the
 * driver did is written into it: that it ended the process that compiles (device/compiler.h),
 * raised SIGSEGV, SIGABRT, SIGBUS or SIGILL in this one, or called exit. After two such deaths the
 * program is not built again, and what needs it fails with an error, so that simpler kernels take
 * over. An unlocked mark without a cause comes from a process that was killed, or from a machine
 * that went down: no death is counted. Only where the program handles no signals, as with other
 * programs that use the library, it counts as one, unless the machine was started since.
 *
 * A self-test tries such a program once more, unless a self-test is among what died. A mark is
 * forgotten after 30 days, and with the driver, the kernels or the version of this program that it
 * belongs to. Where memory is limited (RLIMIT_AS) nothing is counted. */
#ifndef SAC_DEVICE_QUARANTINE_H
#define SAC_DEVICE_QUARANTINE_H

#include <signal.h>

#include "device/device.h"

/* What is known of a program that is not left out. */
typedef struct sac_suspicion {
    bool died;     /* a driver died of it once: what was stored then is not to be used */
    bool vanished; /* a process that built it is gone, for an unknown reason */
} sac_suspicion;

/* Marks the program of that cache key; with the drivers locked. SAC_E_DEVICE, and a notice the
 * first time, where drivers died of it too often. Where there is no cache folder nothing is marked.
 */
sac_status sac_quarantine_begin(sac_device *device, const char *source, const char *key,
                                sac_suspicion *suspicion, sac_error *error);
/* Records that the driver died of that program in another process; `how`: of what ("ended by
 * signal 6"). Returns SAC_E_DEVICE. */
sac_status sac_quarantine_count_death(sac_device *device, const char *source, const char *key,
                                      const char *how, sac_error *error);
/* Removes the device's marks: the programs that they stand for have been built and have run. */
void sac_quarantine_remove_marks(const sac_device *device);
/* Takes all marks of this process away, before it ends for another reason; on any thread. */
void sac_quarantine_remove_all_marks(void);

/* Whether this thread is in a call in which a driver may compile: one that exits then is the
 * driver. */
void sac_quarantine_in_driver(bool is_in);
/* Watches for the signals of drivers that die, and for exits: for programs, as it takes signals.
 * SIGBUS is left to others, who call sac_quarantine_record_death. */
void sac_quarantine_watch(void);
/* Writes a death into all marks, unless another process sent the signal. Async-signal-safe. */
void sac_quarantine_record_death(const siginfo_t *info);

/* Calls `report` for each program of the device that is left out: "attend_cpu.cl", the number of
 * deaths, and the mark's file where a self-test does not try it again, else NULL. */
void sac_quarantine_list(const sac_device_info *info,
                         void (*report)(void *user, const char *source, int deaths,
                                        const char *file),
                         void *user);

#endif
