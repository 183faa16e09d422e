/* The devices that `--device 1,2` or `all` names. */
#ifndef SAC_SHARING_ATTENTION_DEVICE_SET_H
#define SAC_SHARING_ATTENTION_DEVICE_SET_H

#include "saccade.h"

enum { SAC_MOST_DEVICES = 16 };

typedef struct sac_device_set {
    sac_device *of[SAC_MOST_DEVICES];
    int count;
} sac_device_set;

/* True for "0,1" and "all": a selector of several devices. */
bool sac_devices_are_several(const char *selector);
/* Opens numbers or names with commas between them, or "all" that can be used, of which one that cannot
 * be opened after all is left out with a notice; any other selector as sac_device_open does.
 * Nothing is open after a failure. */
sac_status sac_device_set_open(const char *selector, sac_device_set *set, sac_error *error);
void sac_device_set_close(sac_device_set *set); /* takes an empty one */
/* "PoCL, AMD EPYC, 2 cores; NVIDIA, H100": for status lines. */
void sac_device_set_name(const sac_device_set *set, char *text, size_t size);

/* Devices that share the parts of one job: each has a thread, which takes the next part as it is free. */
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
bool sac_crew_can_use(const sac_crew *crew, int device);
void sac_crew_destroy(sac_crew *crew); /* takes NULL */

#endif
