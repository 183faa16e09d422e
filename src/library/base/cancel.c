/* The request to stop, and the files that this process waits for. */

#include "base/cancel.h"

#include <pthread.h>
#include <stdio.h>

#include "base/error.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char wait_path[SAC_WAIT_SIZE];
static int waits; /* begun and not ended */
static bool (*stop_asked)(void);

void sac_cancel_when(bool (*asked)(void))
{
    stop_asked = asked;
}

/* Who may stop the work of this thread, and how far it is. */
static _Thread_local struct scope {
    const sac_progress *progress;
    double begin, end, done; /* of the whole, and `done` of the stage between them */
    bool stopped;
} scope;

static bool scope_stops(void)
{
    double share = scope.begin + scope.done * (scope.end - scope.begin);
    if (scope.progress && scope.progress->step && !scope.stopped)
        scope.stopped = !scope.progress->step(scope.progress->user, share);
    return scope.stopped;
}

void sac_cancel_scope_begin(const sac_progress *progress)
{
    scope = (struct scope){.progress = progress, .end = 1};
}

void sac_cancel_scope_end(void)
{
    scope = (struct scope){0};
}

void sac_cancel_scope_stage(double begin, double end)
{
    scope.begin = begin;
    scope.end = end;
    scope.done = 0;
}

void sac_cancel_scope_set_done(double done)
{
    if (done < scope.done) /* other work in the same stage, which has what is left of it */
        scope.begin += scope.done * (scope.end - scope.begin);
    scope.done = done;
}

bool sac_cancel_asked(void)
{
    return (stop_asked && stop_asked()) || scope_stops();
}

sac_status sac_cancel_check(const char *where, sac_error *error)
{
    if (!sac_cancel_asked())
        return SAC_OK;
    return sac_fail(error, SAC_E_CANCELLED, where, NULL, "stopped on request");
}

void sac_wait_end(void)
{
    pthread_mutex_lock(&lock);
    waits--;
    pthread_mutex_unlock(&lock);
}

/* The wait is recorded before the request is read: a thread that asks for a stop and then looks for
 * a wait finds this one, or this call finds the request. */
sac_status sac_wait_begin(const char *path, sac_error *error)
{
    pthread_mutex_lock(&lock);
    waits++;
    snprintf(wait_path, sizeof wait_path, "%s", path);
    pthread_mutex_unlock(&lock);
    sac_status status = sac_cancel_check(path, error);
    if (status != SAC_OK)
        sac_wait_end();
    return status;
}

bool sac_wait_path(char path[SAC_WAIT_SIZE])
{
    pthread_mutex_lock(&lock);
    bool any = waits > 0;
    snprintf(path, SAC_WAIT_SIZE, "%s", any ? wait_path : "");
    pthread_mutex_unlock(&lock);
    return any;
}
