/* One step of a GRU, forward and backward. */

#include "nn/gru.h"

#include <assert.h>

void sac_gru_forward(sac_pass *pass, sac_tensor h, sac_tensor gates, sac_tensor recurrent,
                     sac_tensor h_before)
{
    cl_uint batch = (cl_uint)h.rows, hidden = (cl_uint)h.width;
    sac_arg args[] = {SAC_ARG(batch),           SAC_ARG(hidden),         SAC_SPAN_ARGS(gates),
                      SAC_SPAN_ARGS(recurrent), SAC_SPAN_ARGS(h_before), SAC_SPAN_ARGS(h)};
    assert(gates.rows == h.rows && gates.width == 3 * h.width);
    sac_pass_items(pass, "gru", "forward", args, sizeof args / sizeof *args, sac_tensor_count(h));
}

void sac_gru_backward(sac_pass *pass, sac_tensor dgates, sac_tensor drecurrent,
                      sac_tensor dh_before, sac_tensor dh, sac_tensor gates, sac_tensor recurrent,
                      sac_tensor h_before)
{
    cl_uint batch = (cl_uint)dh.rows, hidden = (cl_uint)dh.width;
    sac_arg args[] = {
        SAC_ARG(batch),           SAC_ARG(hidden),           SAC_SPAN_ARGS(gates),
        SAC_SPAN_ARGS(recurrent), SAC_SPAN_ARGS(h_before),   SAC_SPAN_ARGS(dh),
        SAC_SPAN_ARGS(dgates),    SAC_SPAN_ARGS(drecurrent), SAC_SPAN_ARGS(dh_before)};
    assert(dgates.rows == dh.rows && dgates.width == 3 * dh.width);
    sac_pass_items(pass, "gru", "backward", args, sizeof args / sizeof *args, sac_tensor_count(dh));
}
