/* Devices by their numbers or names. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/notice.h"
#include "device/device.h"
#include "sharing/attention/device_set.h"
#include "sharing/ranks/ranks.h"

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

/* ---------------------------------------------------------------- a crew */

typedef struct member {
    sac_crew *crew;
    int index;
    bool failed, runs;
    pthread_t thread;
} member;

struct sac_crew {
    const sac_device_set *set;
    member members[SAC_MOST_DEVICES];
    int count;

    pthread_mutex_t lock;
    pthread_cond_t begins, changed;
    /* The lock's: */
    bool closes;
    size_t parts, left; /* of the job: all, and those that are not done */
    int able, busy;
    uint8_t *taken; /* [parts] */
    sac_crew_work *work;
    void *user;
    sac_status status; /* the failure that ends the job */
    sac_error error;
};

/* The next part of a device: of its own stretch, or else any. The lock is held. */
static bool take_next_part(sac_crew *c, int device, size_t *part)
{
    size_t own = c->parts * (size_t)device / (size_t)c->count;
    for (size_t i = 0; c->status == SAC_OK && i < c->parts; i++) {
        *part = (own + i) % c->parts;
        if (!c->taken[*part]) {
            c->taken[*part] = 1;
            return true;
        }
    }
    return false;
}

static void report(const sac_crew *c, int device, const sac_error *why)
{
    char name[160];
    sac_device_short_name(sac_device_get_info(c->set->of[device]), name, sizeof name);
    sac_notice("%s: %s: %s; the other devices take over", name, why->where, why->what);
}

/* The lock is held. */
static void record_part_result(sac_crew *c, member *m, size_t part, sac_status status,
                               const sac_error *why)
{
    c->busy--;
    if (status == SAC_OK) {
        c->left--;
    } else if (sac_status_is_of_device(status) && c->able > 1) {
        m->failed = true;
        c->able--;
        c->taken[part] = 0;
    } else if (c->status == SAC_OK) {
        c->status = status;
        c->error = *why;
    }
    pthread_cond_broadcast(&c->begins); /* what was handed back is another's */
    pthread_cond_broadcast(&c->changed);
}

static void *run_member_thread(void *self)
{
    member *m = self;
    sac_crew *c = m->crew;
    size_t part;
    pthread_mutex_lock(&c->lock);
    while (!c->closes && !m->failed) {
        if (!take_next_part(c, m->index, &part)) {
            pthread_cond_wait(&c->begins, &c->lock);
            continue;
        }
        sac_error why = {0};
        c->busy++;
        pthread_mutex_unlock(&c->lock);
        sac_status status = c->work(c->user, m->index, part, &why);
        pthread_mutex_lock(&c->lock);
        record_part_result(c, m, part, status, &why);
        if (m->failed) {
            pthread_mutex_unlock(&c->lock);
            report(c, m->index, &why);
            pthread_mutex_lock(&c->lock);
        }
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

sac_status sac_crew_create(const sac_device_set *set, sac_crew **crew, sac_error *error)
{
    sac_crew *c = *crew = calloc(1, sizeof *c);
    if (!c)
        return sac_no_memory(error, "devices");
    c->set = set;
    c->count = c->able = set->count;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->begins, NULL);
    pthread_cond_init(&c->changed, NULL);
    for (int i = 0; i < c->count; i++) {
        member *m = &c->members[i];
        m->crew = c;
        m->index = i;
        m->runs = pthread_create(&m->thread, NULL, run_member_thread, m) == 0;
        if (!m->runs) {
            sac_crew_destroy(c);
            *crew = NULL;
            return sac_fail(error, SAC_E_MEMORY, "devices", NULL, "no thread for a device");
        }
    }
    return SAC_OK;
}

sac_status sac_crew_run(sac_crew *c, size_t parts, sac_crew_work *work, void *user,
                        sac_error *error)
{
    uint8_t *taken = calloc(parts + 1, sizeof *taken);
    if (!taken)
        return sac_no_memory(error, "devices");
    pthread_mutex_lock(&c->lock);
    c->taken = taken;
    c->left = c->parts = parts;
    c->work = work;
    c->user = user;
    c->status = SAC_OK;
    pthread_cond_broadcast(&c->begins);
    while (c->busy || (c->left && c->status == SAC_OK))
        pthread_cond_wait(&c->changed, &c->lock);
    c->parts = 0;
    sac_status status = c->status == SAC_OK ? SAC_OK : sac_error_pass(error, &c->error, NULL);
    pthread_mutex_unlock(&c->lock);
    free(taken);
    return status;
}

bool sac_crew_leave_out(sac_crew *c, int device, const sac_error *why)
{
    pthread_mutex_lock(&c->lock);
    bool goes_on = c->able > 1;
    c->able -= goes_on;
    c->members[device].failed = goes_on;
    pthread_cond_broadcast(&c->begins);
    pthread_mutex_unlock(&c->lock);
    if (goes_on)
        report(c, device, why);
    return goes_on;
}

/* Between jobs, when no thread changes it. */
bool sac_crew_can_use(const sac_crew *c, int device)
{
    return !c->members[device].failed;
}

void sac_crew_destroy(sac_crew *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->closes = true;
    pthread_cond_broadcast(&c->begins);
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; i < c->count; i++)
        if (c->members[i].runs)
            pthread_join(c->members[i].thread, NULL);
    pthread_cond_destroy(&c->begins);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    free(c);
}
