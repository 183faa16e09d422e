/* Shared by the kernels of a backward pass: launches, progress reports, and buffers that replace
 * absent arrays. */
#include "attention/backward/backward_pass.h"

#include <math.h>

#include "base/clock.h"
#include "base/error.h"
#include "gemm/launch.h"
#include "gemm/quirks.h"

#define SLICE_SECONDS 0.1 /* of one launch: a display that shares the device still moves */

sac_status sac_backward_launch(const sac_backward *s, const char *kernel, const sac_arg *args,
                               int arg_count, size_t count, sac_error *error)
{
    char options[256];
    sac_specialisation_options(&s->kernels, options, sizeof options);
    return sac_launch_built(s->device, s->kernels.source, options, kernel, args, arg_count, count,
                            error);
}

/* The kernel of a sweep by groups; NULL for one by items. */
static sac_status kernel_of(const sac_backward *s, const sac_backward_sweep *sweep,
                            cl_kernel *kernel, sac_error *error)
{
    char options[256];
    *kernel = NULL;
    if (!sweep->group)
        return SAC_OK;
    sac_specialisation_options(&s->kernels, options, sizeof options);
    return sac_kernel_get(s->device, s->kernels.source, options, sweep->kernel, kernel, error);
}

static sac_status launch(const sac_backward *s, const sac_backward_sweep *sweep, cl_kernel kernel,
                         const sac_arg *args, int arg_count, sac_error *error)
{
    if (!kernel)
        return sac_backward_launch(s, sweep->kernel, args, arg_count, sweep->items, error);
    return sac_kernel_launch(s->device, kernel, args, arg_count, 1, &sweep->items, &sweep->group,
                             error);
}

/* How many of the others go into the next launch: by groups, as many as take SLICE_SECONDS at the
 * speed of the last one that was waited for. */
static size_t others_of(const sac_backward *s, const sac_backward_sweep *sweep, size_t limit)
{
    double operations = sweep->most;
    if (sweep->group && s->device->backward_speed > 0)
        operations = s->device->backward_speed * SLICE_SECONDS;
    size_t each = (size_t)fmin(operations / sweep->operations, (double)sweep->others) + 1;
    if (limit && each > limit / 2 / sweep->rounds)
        each = limit / 2 / sweep->rounds ? limit / 2 / sweep->rounds : 1;
    return each;
}

static sac_status report_progress(const sac_backward *s, double done, sac_error *error)
{
    if (s->progress && s->progress->step && !s->progress->step(s->progress->user, done))
        return sac_fail(error, SAC_E_CANCELLED, "attention", NULL, "stopped on request");
    return SAC_OK;
}

sac_status sac_backward_sweep_run(sac_backward *s, const sac_backward_sweep *sweep,
                                  const sac_arg *args, int arg_count, sac_error *error)
{
    size_t limit = 0, begin = 0;
    cl_kernel kernel;
    sac_status status = sac_quirk_loop_limit(s->device, &limit, error);
    if (status == SAC_OK)
        status = kernel_of(s, sweep, &kernel, error);
    while (begin < sweep->others && status == SAC_OK) {
        size_t each = others_of(s, sweep, limit);
        size_t end = sweep->others - begin < each ? sweep->others : begin + each;
        bool is_first = sweep->group && s->device->backward_speed == 0;
        double start = sac_now();
        s->b.begin = (cl_uint)begin;
        s->b.end = (cl_uint)end;
        status = launch(s, sweep, kernel, args, arg_count, error);
        if (status == SAC_OK && (s->progress || is_first)) {
            status = sac_device_finish(s->device, error);
            s->device->backward_speed =
                (double)(end - begin) * sweep->operations / fmax(sac_now() - start, 1e-6);
        }
        if (status == SAC_OK)
            status = report_progress(
                s, sweep->done + sweep->share * (double)end / (double)sweep->others, error);
        begin = end;
    }
    return status;
}

cl_mem sac_backward_weight(const sac_backward *s)
{
    return s->o->score_weight.buffer ? s->o->score_weight.buffer : s->o->query.buffer;
}

cl_mem sac_backward_padding(const sac_backward *s)
{
    return s->o->padding ? s->o->padding : s->o->query.buffer;
}

cl_mem sac_backward_mask(const sac_backward *s)
{
    return s->biases ? s->biases : s->o->mask ? s->o->mask : s->o->query.buffer;
}

cl_mem sac_backward_dweight(const sac_backward *s)
{
    return s->g->dscore_weight.buffer ? s->g->dscore_weight.buffer : s->g->dquery.buffer;
}

cl_mem sac_backward_dscale(const sac_backward *s)
{
    return s->g->dscale.buffer ? s->g->dscale.buffer : s->g->dquery.buffer;
}
