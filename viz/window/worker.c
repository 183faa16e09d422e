/* The thread that computes a view's jobs, one at a time. */

#include "window/worker.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/notice.h"

typedef enum stage { IDLE, GIVEN, FINISHED } stage;

struct viz_worker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    stage stage;
    bool ending;
    viz_task task;
    viz_view *view; /* whose job the task is, if it is one; lent */
    viz_job *job;
    sac_status status;
    sac_error error;
    void (*done)(void *user);
    void *user;
};

static void *run_worker_thread(void *self)
{
    viz_worker *worker = self;
    pthread_mutex_lock(&worker->lock);
    for (;;) {
        while (worker->stage != GIVEN && !worker->ending)
            pthread_cond_wait(&worker->changed, &worker->lock);
        if (worker->stage != GIVEN)
            break;
        pthread_mutex_unlock(&worker->lock);
        worker->error = (sac_error){0};
        worker->status = worker->task.work(worker->task.self, &worker->error);
        sac_activity_end(); /* where it failed before it ended its activity */
        pthread_mutex_lock(&worker->lock);
        worker->stage = FINISHED;
        pthread_cond_broadcast(&worker->changed);
        pthread_mutex_unlock(&worker->lock);
        if (worker->done)
            worker->done(worker->user);
        pthread_mutex_lock(&worker->lock);
    }
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

static void worker_free(viz_worker *worker)
{
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}

sac_status viz_worker_create(void (*done)(void *user), void *user, viz_worker **out,
                             sac_error *error)
{
    viz_worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return sac_no_memory(error, "window");
    worker->done = done;
    worker->user = user;
    pthread_mutex_init(&worker->lock, NULL);
    /* Waits are measured on the clock that never jumps. */
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&worker->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    int code = pthread_create(&worker->thread, NULL, run_worker_thread, worker);
    if (code != 0) {
        worker_free(worker);
        return sac_fail(error, SAC_E_MEMORY, "window", NULL, "cannot start a thread: %s",
                        strerror(code));
    }
    *out = worker;
    return SAC_OK;
}

static stage current_stage(viz_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    stage now = worker->stage;
    pthread_mutex_unlock(&worker->lock);
    return now;
}

static void set_stage(viz_worker *worker, stage next)
{
    pthread_mutex_lock(&worker->lock);
    worker->stage = next;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
}

bool viz_worker_is_idle(viz_worker *worker)
{
    return current_stage(worker) == IDLE;
}

void viz_worker_submit(viz_worker *worker, viz_task task)
{
    worker->task = task;
    set_stage(worker, GIVEN);
}

static sac_status work_for_view(void *self, sac_error *error)
{
    viz_worker *worker = self;
    return worker->view->class->run_job(worker->view, worker->job, error);
}

static void take_for_view(void *self, const sac_error *error)
{
    viz_worker *worker = self;
    worker->view->class->finish_job(worker->view, worker->job, error);
}

void viz_worker_submit_job(viz_worker *worker, viz_view *view, viz_job *job)
{
    worker->view = view;
    worker->job = job;
    viz_worker_submit(worker, (viz_task){work_for_view, take_for_view, worker});
}

bool viz_worker_is_finished(viz_worker *worker)
{
    return current_stage(worker) == FINISHED;
}

bool viz_worker_collect(viz_worker *worker)
{
    if (!viz_worker_is_finished(worker))
        return false;
    worker->task.take(worker->task.self, worker->status == SAC_OK ? NULL : &worker->error);
    set_stage(worker, IDLE);
    return true;
}

void viz_worker_destroy(viz_worker *worker)
{
    if (!worker)
        return;
    pthread_mutex_lock(&worker->lock);
    worker->ending = true;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    pthread_join(worker->thread, NULL);
    viz_worker_collect(worker);
    worker_free(worker);
}

static struct timespec time_after(double seconds)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    long nanoseconds = end.tv_nsec + (long)(1e9 * (seconds - floor(seconds)));
    end.tv_sec += (time_t)floor(seconds) + nanoseconds / 1000000000;
    end.tv_nsec = nanoseconds % 1000000000;
    return end;
}

bool viz_worker_detach(viz_worker *worker, double seconds)
{
    if (!worker)
        return true;
    struct timespec end = time_after(seconds);
    int code = 0;
    pthread_mutex_lock(&worker->lock);
    while (worker->stage == GIVEN && code == 0)
        code = pthread_cond_timedwait(&worker->changed, &worker->lock, &end);
    bool left = worker->stage == GIVEN;
    pthread_mutex_unlock(&worker->lock);
    if (left)
        pthread_detach(worker->thread);
    else
        viz_worker_destroy(worker);
    return !left;
}
