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

#endif
