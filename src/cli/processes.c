/* A command by several processes: those that a launcher of MPI started, or one for each device of this
 * machine. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "device/device.h"
#include "sharing/attention/device_set.h"
#include "sharing/ranks/ranks.h"

static char *const *program_words;

/* Of the processes of a run the first alone prints. */
static int be_quiet(void)
{
    sac_ranks_stop_when(cli_interrupted);
    return sac_ranks_me() > 0 && !freopen("/dev/null", "w", stdout) ? CLI_FAILED : CLI_DONE;
}

int cli_join(const cli_command *command, char *const *words)
{
    int me, count;
    sac_error error = {0};
    program_words = words;
    if (sac_ranks_join(&me, &count, &error) != SAC_OK)
        return cli_report(&error);
    int status = be_quiet();
    return count == 1 || command->shares || status != CLI_DONE
               ? status
               : cli_usage(command->name, "is the work of one process", "start it without mpirun");
}

/* ---------------------------------------------------------------- a process for each device */

static void add(sac_ranks_devices *devices, const sac_device_info *info)
{
    char model[160];
    sac_ranks_device *one = &devices->of[devices->count++];
    sac_device_model(info, model, sizeof model);
    snprintf(one->selector, sizeof one->selector, "%d", info->number);
    snprintf(one->name, sizeof one->name, "device %d (%s)", info->number, model);
    one->threads = info->is_cpu;
}

_Static_assert((int)SAC_RANKS_MOST == (int)SAC_MOST_DEVICES, "a process for each");

/* Each CPU has its part of the cores that this process may use. */
static void share_cores(sac_ranks_devices *devices)
{
    cpu_set_t set;
    int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    int sharing = 0, i = 0;
    for (int d = 0; d < devices->count; d++)
        sharing += devices->of[d].threads;
    for (int d = 0; d < devices->count; d++)
        if (devices->of[d].threads) {
            int part = cores * (i + 1) / sharing - cores * i / sharing;
            devices->of[d].threads = part > 1 ? part : 1;
            i++;
        }
}

static sac_status list_devices(const void *selector, sac_ranks_devices *devices, sac_error *error)
{
    sac_device_set set;
    sac_status status = sac_device_set_open(selector, &set, error);
    for (int i = 0; i < set.count; i++)
        add(devices, sac_device_get_info(set.of[i]));
    sac_device_set_close(&set);
    share_cores(devices);
    return status;
}

int cli_share_devices(const char *selector)
{
    sac_error error = {0};
    if (!sac_devices_are_several(selector) || sac_ranks_count() > 1 || sac_ranks_launched())
        return CLI_DONE;
    return sac_ranks_start(program_words, list_devices, selector, &error) == SAC_OK
               ? be_quiet()
               : cli_report(&error);
}

const char *cli_own_device(const char *selector)
{
    static char own[128];
    int count = 1;
    if (sac_ranks_device_of(sac_ranks_me()))
        return sac_ranks_device_of(sac_ranks_me())->selector;
    for (const char *at = selector; at && *at; at++)
        count += *at == ',';
    if (count == 1 || sac_ranks_count() == 1)
        return selector;
    for (int skip = sac_ranks_me() % count; skip > 0; skip--)
        selector = strchr(selector, ',') + 1;
    snprintf(own, sizeof own, "%.*s", (int)strcspn(selector, ","), selector);
    return own;
}

void cli_name_devices(char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < sac_ranks_count() && sac_ranks_device_of(i) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
                                 sac_ranks_device_of(i)->name);
}
