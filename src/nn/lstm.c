/* One step of an LSTM, forward and backward. */

#include "nn/lstm.h"

#include <assert.h>

void sac_lstm_forward(sac_pass *pass, sac_tensor h, sac_tensor c, sac_tensor gates,
                      sac_tensor c_before)
{
    cl_uint batch = (cl_uint)h.rows, hidden = (cl_uint)h.width;
    sac_arg args[] = {SAC_ARG(batch),          SAC_ARG(hidden),  SAC_SPAN_ARGS(gates),
                      SAC_SPAN_ARGS(c_before), SAC_SPAN_ARGS(c), SAC_SPAN_ARGS(h)};
    assert(gates.rows == h.rows && gates.width == 4 * h.width);
    sac_pass_items(pass, "lstm", "forward", args, sizeof args / sizeof *args, sac_tensor_count(h));
}

void sac_lstm_backward(sac_pass *pass, sac_tensor dgates, sac_tensor dc_before, sac_tensor dh,
                       sac_tensor dc, sac_tensor gates, sac_tensor c, sac_tensor c_before)
{
    cl_uint batch = (cl_uint)dh.rows, hidden = (cl_uint)dh.width;
    sac_arg args[] = {SAC_ARG(batch),          SAC_ARG(hidden),       SAC_SPAN_ARGS(gates),
                      SAC_SPAN_ARGS(c_before), SAC_SPAN_ARGS(c),      SAC_SPAN_ARGS(dh),
                      SAC_SPAN_ARGS(dc),       SAC_SPAN_ARGS(dgates), SAC_SPAN_ARGS(dc_before)};
    assert(dgates.rows == dh.rows && dgates.width == 4 * dh.width);
    sac_pass_items(pass, "lstm", "backward", args, sizeof args / sizeof *args,
                   sac_tensor_count(dh));
}
