#include "view/view.h"

void viz_view_destroy(viz_view *view)
{
    if (view && view->class->destroy)
        view->class->destroy(view);
}

sac_status viz_view_settle(viz_view *view, sac_error *error)
{
    const viz_view_class *class = view->class;
    viz_job *job;
    while (class->want && (job = class->want(view))) {
        sac_error failure = {0};
        sac_status status = class->work(view, job, &failure);
        class->take(view, job, status == SAC_OK ? NULL : &failure);
        if (status != SAC_OK) {
            if (error)
                *error = failure;
            return status;
        }
    }
    return SAC_OK;
}
