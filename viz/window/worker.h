/* One thread that computes what views want, one job at a time, so that the window's own thread
 * never waits for a device. One is enough: views of one file share its source, which is asked one
 * call at a time. */
#ifndef VIZ_WINDOW_WORKER_H
#define VIZ_WINDOW_WORKER_H

#include "view/view.h"

typedef struct viz_worker viz_worker;

/* `done` is called on the worker's thread after each job; may be NULL. */
sac_status viz_worker_create(void (*done)(void *user), void *user, viz_worker **worker,
                             sac_error *error);
/* True when a job may be given: none is out, and the last one was handed back. */
bool viz_worker_is_idle(viz_worker *worker);
void viz_worker_give(viz_worker *worker, viz_view *view, viz_job *job);
/* Hands a finished job back to its view; true where there was one. */
bool viz_worker_hand_back(viz_worker *worker);
/* Waits for the job that is out, hands it back, ends the thread. Takes NULL. */
void viz_worker_destroy(viz_worker *worker);

#endif
