/* Shared by the kernels of a backward pass: launches, progress reports, and buffers that replace
 * absent arrays. */
#include "attention/backward/backward_pass.h"

#include "base/error.h"
#include "gemm/launch.h"
#include "gemm/quirks.h"

sac_status sac_backward_launch(const sac_backward *s, const char *kernel, const sac_arg *args,
                               int arg_count, size_t count, sac_error *error)
{
    char options[256];
    sac_specialisation_options(&s->kernels, options, sizeof options);
    return sac_launch_built(s->device, s->kernels.source, options, kernel, args, arg_count, count,
                            error);
}

static sac_status launch(const sac_backward *s, const sac_backward_sweep *sweep,
                         const sac_arg *args, int arg_count, sac_error *error)
{
    cl_kernel kernel;
    char options[256];
    if (!sweep->group)
        return sac_backward_launch(s, sweep->kernel, args, arg_count, sweep->items, error);
    sac_specialisation_options(&s->kernels, options, sizeof options);
    sac_status status =
        sac_kernel_get(s->device, s->kernels.source, options, sweep->kernel, &kernel, error);
    return status == SAC_OK ? sac_kernel_launch(s->device, kernel, args, arg_count, 1,
                                                &sweep->items, &sweep->group, error)
                            : status;
}

/* Called after each launch: waits, and reports the share done. */
static sac_status tell(const sac_backward *s, double done, sac_error *error)
{
    if (!s->progress)
        return SAC_OK;
    sac_status status = sac_device_finish(s->device, error);
    if (status == SAC_OK && s->progress->step && !s->progress->step(s->progress->user, done))
        status = sac_fail(error, SAC_E_CANCELLED, "attention", NULL, "stopped on request");
    return status;
}

sac_status sac_backward_sweep_run(sac_backward *s, const sac_backward_sweep *sweep,
                                  const sac_arg *args, int arg_count, sac_error *error)
{
    size_t each;
    /* How many of the others go into a launch. */
    size_t limit = 0;
    sac_status status = sac_quirk_loop_limit(s->device, &limit, error);
    each = (size_t)(sweep->most / sweep->operations) + 1;
    if (limit && each > limit / 2 / sweep->rounds)
        each = limit / 2 / sweep->rounds ? limit / 2 / sweep->rounds : 1;
    for (size_t begin = 0; begin < sweep->others && status == SAC_OK; begin += each) {
        size_t end = sweep->others - begin < each ? sweep->others : begin + each;
        s->b.begin = (cl_uint)begin;
        s->b.end = (cl_uint)end;
        status = launch(s, sweep, args, arg_count, error);
        if (status == SAC_OK)
            status =
                tell(s, sweep->done + sweep->share * (double)end / (double)sweep->others, error);
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
