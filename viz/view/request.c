/* Keeps the state of a request: the demand, the running job, and the failure. */

#include "view/request.h"

#include <assert.h>

#include "base/error.h"

bool viz_request_due(const viz_request *request, uint64_t demand)
{
    return !request->out && (!request->asked || request->demand != demand);
}

void *viz_job_create(const viz_view_class *class, size_t size)
{
    viz_job *job = viz_allocate(1, size);
    if (job)
        job->class = class;
    return job;
}

void *viz_job_of(viz_job *job, const viz_view_class *of)
{
    assert(job->class == of);
    (void)of;
    return job;
}

viz_job *viz_request_submit(viz_request *request, viz_job *job, uint64_t demand)
{
    request->out = true;
    request->asked = true;
    request->demand = demand;
    return job;
}

bool viz_request_take(viz_request *request, const sac_error *error)
{
    char line[1200];
    request->out = false;
    request->problem[0] = '\0';
    if (error)
        snprintf(request->problem, sizeof request->problem, "%.*s",
                 (int)sizeof request->problem - 1, sac_error_line(error, line, sizeof line));
    return !error;
}
