#include "nn/lstm.h"

#include "nn/launch.h"

sac_status sac_lstm_forward(sac_device *device, const sac_lstm *layer, sac_span gates,
                            sac_span c_before, sac_span c, sac_span h, sac_error *error)
{
    cl_uint batch = (cl_uint)layer->batch, hidden = (cl_uint)layer->hidden;
    sac_arg args[] = {SAC_ARG(batch),          SAC_ARG(hidden),  SAC_SPAN_ARGS(gates),
                      SAC_SPAN_ARGS(c_before), SAC_SPAN_ARGS(c), SAC_SPAN_ARGS(h)};
    return sac_launch_elements(device, "lstm", "forward", args, sizeof args / sizeof *args,
                               layer->batch * layer->hidden, error);
}

sac_status sac_lstm_backward(sac_device *device, const sac_lstm *layer, sac_span gates,
                             sac_span c_before, sac_span c, sac_span dh, sac_span dc,
                             sac_span dgates, sac_span dc_before, sac_error *error)
{
    cl_uint batch = (cl_uint)layer->batch, hidden = (cl_uint)layer->hidden;
    sac_arg args[] = {SAC_ARG(batch),          SAC_ARG(hidden),       SAC_SPAN_ARGS(gates),
                      SAC_SPAN_ARGS(c_before), SAC_SPAN_ARGS(c),      SAC_SPAN_ARGS(dh),
                      SAC_SPAN_ARGS(dc),       SAC_SPAN_ARGS(dgates), SAC_SPAN_ARGS(dc_before)};
    return sac_launch_elements(device, "lstm", "backward", args, sizeof args / sizeof *args,
                               layer->batch * layer->hidden, error);
}
