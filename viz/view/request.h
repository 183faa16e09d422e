/* The requests of a view to the worker: one job is out at a time, a demand that was answered is not
 * made again, and of many demands made while a job is out only the newest becomes the next job. */
#ifndef VIZ_VIEW_REQUEST_H
#define VIZ_VIEW_REQUEST_H

#include "view/view.h"

/* Start from a zeroed one. */
typedef struct viz_request {
    bool out;          /* a job is with the worker */
    bool asked;        /* something was requested, … */
    uint64_t demand;   /* … and this was it, last */
    char problem[512]; /* why the last job failed, as a line; empty: it worked */
} viz_request;

/* True where `demand` should become a job now: no job is out and it is not what was requested last.
 * A demand is any number that is another one where another result is wanted: a count of changes, or
 * a packed position. */
bool viz_request_due(const viz_request *request, uint64_t demand);

/* A zeroed job of `size` bytes, whose struct begins with a viz_job, of viz_allocate; NULL: no
 * memory. The view frees it in its class's `take`. */
void *viz_job_create(const viz_view_class *class, size_t size);
/* The job as the view's own struct: `of` is the class that it was created for, and is asserted. */
void *viz_job_of(viz_job *job, const viz_view_class *of);

/* The job is now out, and is what the class's `want` returns. */
viz_job *viz_request_submit(viz_request *request, viz_job *job, uint64_t demand);
/* Marks the job as returned, so that another may be submitted. True if it succeeded; else `problem`
 * has the reason. */
bool viz_request_take(viz_request *request, const sac_error *error);

#endif
