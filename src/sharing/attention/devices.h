/* One attention by several devices of one machine: each has its own context, queue and self-test, and a
 * thread that feeds it. Rows of queries are handed out as they are requested, first few, then in
 * proportion to the speed that a device has shown. */
#ifndef SAC_SHARING_ATTENTION_DEVICES_H
#define SAC_SHARING_ATTENTION_DEVICES_H

#include "sharing/attention/device_set.h"

typedef struct sac_device_share {
    char name[160];
    sac_variant variant;
    size_t rows; /* of each head, that it computed */
    double seconds;
    bool failed; /* others took over what it had not done */
} sac_device_share;

typedef struct sac_device_shares {
    sac_device_share of[SAC_MOST_DEVICES];
    int count;
} sac_device_shares;

/* Runs an attention that sac_attention_resolve accepts on the devices of `selector`: numbers or names
 * with commas, or "all" that can be used. Results as in sac_attention_run, those of one device to
 * rounding. A device that fails is left out with a notice, and its rows are given to the others; where
 * none is left its error is returned. SAC_E_ARGUMENT for heads that are split by view. */
sac_status sac_devices_attend(const char *selector, const sac_attention_spec *spec,
                              const sac_attention_input *input, const sac_attention_shape *shape,
                              const sac_attention_output *output, const sac_progress *progress,
                              sac_device_shares *shares, sac_error *error);

#endif
