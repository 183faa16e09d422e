/* Devices that share the parts of one job: each has a thread, which takes the next part as it is free. */
#ifndef SAC_SHARING_ATTENTION_CREW_H
#define SAC_SHARING_ATTENTION_CREW_H

#include "sharing/attention/device_set.h"

typedef struct sac_crew sac_crew;

/* `device` counts in the set, which is lent. */
sac_status sac_crew_create(const sac_device_set *set, sac_crew **crew, sac_error *error);
/* Does `work` for each part, on the threads of the devices, and waits for all. A device takes first what
 * lies in its own stretch of the parts, so that jobs of one shape come to the same devices, and then what
 * others left. The failure of one is a notice: it takes no more, and another does what it had; where none
 * is left its error is returned. By one caller at a time. */
typedef sac_status sac_crew_work(void *user, int device, size_t part, sac_error *error);
sac_status sac_crew_run(sac_crew *crew, size_t parts, sac_crew_work *work, void *user,
                        sac_error *error);
/* Leaves out a device that failed with `why` elsewhere, with a notice; false where none would be left. */
bool sac_crew_leave_out(sac_crew *crew, int device, const sac_error *why);
bool sac_crew_has(const sac_crew *crew, int device);
void sac_crew_destroy(sac_crew *crew); /* takes NULL */

#endif
