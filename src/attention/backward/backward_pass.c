/* What the kernels of a backward pass share: the launch, buffers that stand in for those that are
 * not there, and the word to whoever waits. */
#include "attention/backward/backward_pass.h"

#include "base/error.h"
#include "gemm/launch.h"

sac_status sac_backward_launch(const sac_backward *s, const char *kernel, const sac_arg *args,
                               int arg_count, size_t count, sac_error *error)
{
    char options[256];
    sac_specialisation_options(&s->kernels, options, sizeof options);
    return sac_launch_built(s->device, s->kernels.source, options, kernel, args, arg_count, count,
                            error);
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

sac_status sac_backward_tell(const sac_backward *s, double done, sac_error *error)
{
    if (!s->progress)
        return SAC_OK;
    sac_status status = sac_device_finish(s->device, error);
    if (status == SAC_OK && s->progress->step && !s->progress->step(s->progress->user, done))
        status = sac_fail(error, SAC_E_CANCELLED, "attention", NULL, "stopped on request");
    return status;
}
