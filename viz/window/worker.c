#include "window/worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

typedef enum stage { IDLE, GIVEN, FINISHED } stage;

struct viz_worker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    stage stage;
    bool ending;
    viz_view *view; /* whose job it is; lent */
    viz_job *job;
    sac_status status;
    sac_error error;
    void (*done)(void *user);
    void *user;
};

static void *work(void *self)
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
        worker->status = worker->view->class->work(worker->view, worker->job, &worker->error);
        pthread_mutex_lock(&worker->lock);
        worker->stage = FINISHED;
        pthread_mutex_unlock(&worker->lock);
        if (worker->done)
            worker->done(worker->user);
        pthread_mutex_lock(&worker->lock);
    }
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

sac_status viz_worker_create(void (*done)(void *user), void *user, viz_worker **out,
                             sac_error *error)
{
    viz_worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return sac_fail(error, SAC_E_MEMORY, "window", NULL, "no memory for the worker");
    worker->done = done;
    worker->user = user;
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->changed, NULL);
    int code = pthread_create(&worker->thread, NULL, work, worker);
    if (code != 0) {
        pthread_cond_destroy(&worker->changed);
        pthread_mutex_destroy(&worker->lock);
        free(worker);
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

static void move_to(viz_worker *worker, stage next)
{
    pthread_mutex_lock(&worker->lock);
    worker->stage = next;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
}

bool viz_worker_is_idle(viz_worker *worker)
{
    return current_stage(worker) == IDLE;
}

void viz_worker_give(viz_worker *worker, viz_view *view, viz_job *job)
{
    worker->view = view;
    worker->job = job;
    move_to(worker, GIVEN);
}

bool viz_worker_hand_back(viz_worker *worker)
{
    if (current_stage(worker) != FINISHED)
        return false;
    viz_view *view = worker->view;
    view->class->take(view, worker->job, worker->status == SAC_OK ? NULL : &worker->error);
    move_to(worker, IDLE);
    return true;
}

void viz_worker_destroy(viz_worker *worker)
{
    if (!worker)
        return;
    pthread_mutex_lock(&worker->lock);
    worker->ending = true;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    pthread_join(worker->thread, NULL);
    viz_worker_hand_back(worker);
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}
