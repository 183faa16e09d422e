/* Protects PoCL's cache of compiled programs, where it is ours (device/cache/cache.h). PoCL loads its
 * files unchecked: with one that was cut short or overwritten it aborts the process or finds no
 * kernel, every time. So damaged files are detected before they are loaded, and any that still gets
 * through is set aside once. */
#ifndef SAC_DEVICE_POCL_CACHE_H
#define SAC_DEVICE_POCL_CACHE_H

#include <stdbool.h>

/* Removes programs of which a file is damaged, with a notice; once a process, with the drivers
 * locked. It looks at the time of each file's last change, and compares the contents of those that
 * were changed since they were first seen, or not seen since the machine was started, by a hash. Empties
 * the folder where a run died of what it holds. Does nothing while another process uses the folder. */
void sac_pocl_cache_remove_damaged(void);
/* A kernel died, on a thread of PoCL's: the next run empties the folder. Async-signal-safe. */
void sac_pocl_cache_mark_death(void);
/* Sees what was compiled in this process; before it closes its device, with the drivers locked. */
void sac_pocl_cache_record_files(void);
/* Empties the folder, with a notice that ends in `why` ("PoCL died of it"). Returns false, and does
 * nothing, where it is not ours, or this process emptied it before: then something else is at
 * fault.
 */
bool sac_pocl_cache_empty(const char *why);

#endif
