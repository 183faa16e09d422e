/* Devices by their numbers or names. */
#include "sharing/attention/device_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/notice.h"
#include "device/device.h"

bool sac_devices_are_several(const char *selector)
{
    return selector && (strcmp(selector, "all") == 0 || strchr(selector, ','));
}

static sac_status open_one(sac_device_set *set, const char *selector, sac_error *error)
{
    sac_status status = set->count < SAC_MOST_DEVICES
                            ? sac_device_open(selector, &set->of[set->count], error)
                            : sac_fail(error, SAC_E_ARGUMENT, "--device", "give fewer",
                                       "more than %d devices", SAC_MOST_DEVICES);
    set->count += status == SAC_OK;
    return status;
}

static sac_status open_all(sac_device_set *set, sac_error *error)
{
    sac_device_info *infos;
    size_t count;
    sac_error why;
    sac_status status = sac_devices_list(&infos, &count, error);
    if (status != SAC_OK)
        return status;
    for (size_t i = 0; i < count && set->count < SAC_MOST_DEVICES; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", infos[i].number);
        if (!infos[i].problem[0] && open_one(set, number, &why) != SAC_OK)
            sac_notice("%s is left out: %s", infos[i].name, why.what);
    }
    free(infos);
    return set->count ? SAC_OK
                      : sac_fail(error, SAC_E_NO_DEVICE, "--device", "see `saccade devices`",
                                 "no device can be used");
}

static sac_status open_listed(sac_device_set *set, const char *selector, sac_error *error)
{
    sac_status status = SAC_OK;
    while (status == SAC_OK) {
        char one[128];
        size_t length = strcspn(selector, ",");
        snprintf(one, sizeof one, "%.*s", (int)length, selector);
        status = length ? open_one(set, one, error)
                        : sac_fail(error, SAC_E_ARGUMENT, "--device",
                                   "give numbers or names with commas between them",
                                   "a name is missing");
        if (!selector[length])
            break;
        selector += length + 1;
    }
    return status;
}

sac_status sac_device_set_open(const char *selector, sac_device_set *set, sac_error *error)
{
    *set = (sac_device_set){.count = 0};
    sac_status status = !sac_devices_are_several(selector) ? open_one(set, selector, error)
                        : strcmp(selector, "all") == 0     ? open_all(set, error)
                                                           : open_listed(set, selector, error);
    if (status != SAC_OK)
        sac_device_set_close(set);
    return status;
}

void sac_device_set_close(sac_device_set *set)
{
    while (set->count)
        sac_device_close(set->of[--set->count]);
}

void sac_device_set_name(const sac_device_set *set, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < set->count && used < size; i++) {
        char name[160];
        sac_device_short_name(sac_device_get_info(set->of[i]), name, sizeof name);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "; " : "", name);
    }
}
