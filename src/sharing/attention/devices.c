/* Rows of queries for several devices. */
#include "sharing/attention/devices.h"

#include <pthread.h>
#include <time.h>

#include "attention/attention.h"
#include "attention/run/run.h"
#include "attention/spec/resolve.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/notice.h"
#include "device/device.h"
#include "sharing/attention/rectangle.h"
#include "sharing/ranks/ranks.h"

enum { LEAST_ROWS = 64, FIRST_PARTS = 16 }; /* a device's first rows: that part of its even share */

typedef struct crew crew;

/* A device and the thread that feeds it. */
typedef struct worker {
    crew *crew;
    sac_device *device;
    sac_attention *attention; /* NULL: none yet */
    sac_device_share *share;
    pthread_t thread;
    bool runs;
} worker;

struct crew {
    const sac_attention_spec *spec;
    const sac_attention_input *input;
    const sac_attention_shape *shape;
    const sac_attention_output *output;
    worker workers[SAC_MOST_DEVICES];
    int count;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* The lock's: */
    size_t next, done; /* the first row that is not taken; rows that are computed */
    sac_range returned[SAC_MOST_DEVICES]; /* by devices that failed */
    int returned_count, busy, alive;
    bool stops;
    sac_status status; /* the first failure that ends the work */
    sac_error error;
};

/* ---------------------------------------------------------------- who takes what */

static double speed_of(const sac_device_share *s)
{
    return s->rows && s->seconds > 0 ? (double)s->rows / s->seconds : 0;
}

/* Rows for a device: half of its part of what is left, by the speeds that are known. */
static size_t rows_for(const crew *c, const worker *w)
{
    size_t left = c->shape->queries - c->next;
    double all = 0, own = speed_of(w->share), rows;
    for (int i = 0; i < c->count; i++)
        all += c->workers[i].share->failed ? 0 : speed_of(c->workers[i].share);
    if (own > 0)
        rows = 0.5 * (double)left * own / all;
    else
        rows = (double)c->shape->queries / (FIRST_PARTS * c->count);
    size_t whole = rows > LEAST_ROWS ? (size_t)rows / LEAST_ROWS * LEAST_ROWS : LEAST_ROWS;
    return whole < left ? whole : left;
}

/* The next rows of a device. It waits while others may still hand back theirs; false: there are none. */
static bool take_next_rows(worker *w, sac_range *span)
{
    crew *c = w->crew;
    bool found = false;
    pthread_mutex_lock(&c->lock);
    while (!found && !c->stops) {
        if (c->returned_count) {
            *span = c->returned[--c->returned_count];
            found = true;
        } else if (c->next < c->shape->queries) {
            *span = (sac_range){c->next, rows_for(c, w)};
            c->next += span->count;
            found = true;
        } else if (c->busy == 0) {
            break;
        } else {
            pthread_cond_wait(&c->changed, &c->lock);
        }
    }
    c->busy += found;
    pthread_mutex_unlock(&c->lock);
    return found;
}

/* Hands in what a device did. */
static void record_rows_result(worker *w, sac_range span, double seconds, sac_status status,
                               const sac_error *error)
{
    crew *c = w->crew;
    pthread_mutex_lock(&c->lock);
    c->busy--;
    if (status == SAC_OK) {
        w->share->rows += span.count;
        w->share->seconds += seconds;
        c->done += span.count;
    } else if (sac_status_is_of_device(status) && c->alive > 1) {
        w->share->failed = true;
        c->alive--;
        c->returned[c->returned_count++] = span;
    } else if (c->status == SAC_OK) {
        c->status = status;
        c->error = *error;
        c->stops = true;
    }
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

/* ---------------------------------------------------------------- one device */

static bool should_continue(void *user, double done)
{
    (void)done;
    crew *c = user;
    pthread_mutex_lock(&c->lock);
    bool goes_on = !c->stops;
    pthread_mutex_unlock(&c->lock);
    return goes_on;
}

/* Keys and values are brought to the device once, with its first rows. */
static sac_status compute(worker *w, sac_range span, sac_error *error)
{
    crew *c = w->crew;
    sac_progress progress = {should_continue, c};
    sac_status status = SAC_OK;
    if (!w->attention)
        status = sac_attention_create_resolved(w->device, c->spec, c->shape, c->input,
                                               &w->attention, error);
    if (status != SAC_OK)
        return status;
    w->share->variant = sac_attention_get_variant(w->attention);
    return sac_attention_run_rows(w->attention, span.first, span.count, c->output, &progress,
                                  error);
}

static void *run_worker(void *self)
{
    worker *w = self;
    sac_range span;
    while (!w->share->failed && take_next_rows(w, &span)) {
        sac_error error = {0};
        double start = sac_now();
        sac_status status = compute(w, span, &error);
        record_rows_result(w, span, sac_now() - start, status, &error);
        if (w->share->failed)
            sac_notice("%s: %s: %s; the other devices take over", w->share->name, error.where,
                       error.what);
    }
    return NULL;
}

/* ---------------------------------------------------------------- the devices */

/* Waits for the workers, and shows how far they are: a person's progress is asked on one thread. */
static void wait_for_workers(crew *c, const sac_progress *progress)
{
    pthread_mutex_lock(&c->lock);
    while (c->done < c->shape->queries && !c->stops) {
        struct timespec until;
        double share = (double)c->done / (double)c->shape->queries;
        pthread_mutex_unlock(&c->lock);
        bool goes_on = !progress || !progress->step || progress->step(progress->user, share);
        pthread_mutex_lock(&c->lock);
        if (!goes_on && c->status == SAC_OK) {
            c->status =
                sac_fail(&c->error, SAC_E_CANCELLED, "attention", NULL, "stopped on request");
            c->stops = true;
            pthread_cond_broadcast(&c->changed);
        }
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        if (c->done < c->shape->queries && !c->stops)
            pthread_cond_timedwait(&c->changed, &c->lock, &until);
    }
    pthread_mutex_unlock(&c->lock);
}

static sac_status run(crew *c, const sac_progress *progress, sac_error *error)
{
    sac_status status = SAC_OK;
    c->alive = c->count;
    for (int i = 0; i < c->count && status == SAC_OK; i++) {
        worker *w = &c->workers[i];
        w->runs = pthread_create(&w->thread, NULL, run_worker, w) == 0;
        if (!w->runs)
            status = sac_fail(error, SAC_E_MEMORY, "attention", NULL, "no thread for a device");
    }
    if (status == SAC_OK)
        wait_for_workers(c, progress);
    pthread_mutex_lock(&c->lock);
    c->stops = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; i < c->count; i++)
        if (c->workers[i].runs)
            pthread_join(c->workers[i].thread, NULL);
    return status == SAC_OK && c->status != SAC_OK ? sac_error_pass(error, &c->error, NULL)
                                                   : status;
}

sac_status sac_devices_attend(const char *selector, const sac_attention_spec *spec,
                              const sac_attention_input *input, const sac_attention_shape *shape,
                              const sac_attention_output *output, const sac_progress *progress,
                              sac_device_shares *shares, sac_error *error)
{
    crew c = {.spec = spec, .input = input, .shape = shape, .output = output};
    sac_device_set set = {.count = 0};
    *shares = (sac_device_shares){.count = 0};
    sac_status status = SAC_OK;
    if (spec->split == SAC_SPLIT_VIEW && !sac_attention_is_split(input))
        status = sac_fail(error, SAC_E_ARGUMENT, "head split", "use one device",
                          "heads that are split by view mix queries, and cannot be shared out");
    if (status == SAC_OK)
        status = sac_device_set_open(selector, &set, error);
    if (status == SAC_OK) {
        c.count = shares->count = set.count;
        for (int i = 0; i < set.count; i++) {
            sac_device_share *share = &shares->of[i];
            c.workers[i] = (worker){.crew = &c, .device = set.of[i], .share = share};
            sac_device_short_name(sac_device_get_info(set.of[i]), share->name, sizeof share->name);
        }
        pthread_mutex_init(&c.lock, NULL);
        pthread_cond_init(&c.changed, NULL);
        status = run(&c, progress, error);
        pthread_cond_destroy(&c.changed);
        pthread_mutex_destroy(&c.lock);
    }
    for (int i = 0; i < c.count; i++)
        sac_attention_destroy(c.workers[i].attention);
    sac_device_set_close(&set);
    return status;
}
