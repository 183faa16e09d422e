/* A thread that does one thing at a time for the window, whose own thread never waits for a device,
 * a file or a compiler. Views of one file share its source, which is asked one call at a time: one
 * worker is enough for them all. Another one opens files and devices. */
#ifndef VIZ_WINDOW_WORKER_H
#define VIZ_WINDOW_WORKER_H

#include "view/view.h"

/* `work` is called on the worker's thread, `take` where the task is handed back. */
typedef struct viz_task {
    sac_status (*work)(void *self, sac_error *error);
    void (*take)(void *self, const sac_error *error); /* error NULL: it worked */
    void *self;
} viz_task;

typedef struct viz_worker viz_worker;

/* `done` is called on the worker's thread after each task; may be NULL. */
sac_status viz_worker_create(void (*done)(void *user), void *user, viz_worker **worker,
                             sac_error *error);
/* True when a task may be given: none is out, and the last one was handed back. */
bool viz_worker_is_idle(viz_worker *worker);
void viz_worker_submit(viz_worker *worker, viz_task task);
/* A view's job: its class's `work` and `take`. */
void viz_worker_submit_job(viz_worker *worker, viz_view *view, viz_job *job);
/* True when the task is done and waits to be handed back. */
bool viz_worker_is_finished(viz_worker *worker);
/* Hands a finished task back; true where there was one. */
bool viz_worker_collect(viz_worker *worker);
/* Waits for the task that is out, hands it back, ends the thread. Takes NULL. */
void viz_worker_destroy(viz_worker *worker);
/* The same, but waits no longer than `seconds`; false if the job is still running then: no driver
 * can be made to stop compiling. The worker and all that it uses then belong to its thread as long
 * as the process lives, which should end by _exit. Takes NULL. */
bool viz_worker_detach(viz_worker *worker, double seconds);

#endif
