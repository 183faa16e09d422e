/* Dropout of activations: one kernel for both directions. */

#include "nn/training/dropout.h"

#include <assert.h>

#include "base/random/random.h"

sac_dropout sac_dropout_of(float p, uint64_t seed, uint32_t use)
{
    return (sac_dropout){p, sac_philox(use, (uint32_t)(seed >> 32), (uint32_t)seed)};
}

void sac_dropout_run(sac_pass *pass, const sac_dropout *dropout, sac_tensor y, sac_tensor x)
{
    cl_uint count = (cl_uint)sac_tensor_count(x), key = dropout->key;
    cl_float p = dropout->p, keep = 1 / (1 - p);
    sac_arg args[] = {SAC_ARG(count), SAC_ARG(p),       SAC_ARG(keep),
                      SAC_ARG(key),   SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(y)};
    assert(sac_tensor_count(y) == count);
    sac_pass_strips(pass, "dropout", "drop", args, sizeof args / sizeof *args, 1, count);
}

void sac_dropout_add(sac_pass *pass, const sac_dropout *dropout, sac_tensor sum, sac_tensor x,
                     sac_tensor y)
{
    cl_uint count = (cl_uint)sac_tensor_count(x), key = dropout->key;
    cl_float p = dropout->p, keep = 1 / (1 - p);
    sac_arg args[] = {SAC_ARG(count),   SAC_ARG(p),       SAC_ARG(keep),     SAC_ARG(key),
                      SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(y), SAC_SPAN_ARGS(sum)};
    assert(sac_tensor_count(y) == count && sac_tensor_count(sum) == count);
    sac_pass_strips(pass, "dropout", "add_dropped", args, sizeof args / sizeof *args, 1, count);
}
