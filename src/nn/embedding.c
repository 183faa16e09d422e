/* Words as rows of a table. */
#include "nn/launch.h"
#include "nn/layers.h"

#define STRIP 16   /* columns per work-item, as in cl/layers.cl */
#define ROWS 2048u /* of a launch of the gradient: some drivers end longer loops */

sac_status sac_embedding_forward(sac_device *device, const sac_embedding *layer, cl_mem words,
                                 size_t words_at, sac_span table, sac_span y, sac_error *error)
{
    cl_uint rows = (cl_uint)layer->rows, depth = (cl_uint)layer->depth, at = (cl_uint)words_at;
    sac_arg args[] = {SAC_ARG(rows), SAC_ARG(depth),       SAC_ARG(words),
                      SAC_ARG(at),   SAC_SPAN_ARGS(table), SAC_SPAN_ARGS(y)};
    size_t strips = layer->rows * ((layer->depth + STRIP - 1) / STRIP);
    return sac_launch_elements(device, "layers", "look_up", args, 8, strips, error);
}

sac_status sac_embedding_backward(sac_device *device, const sac_embedding *layer, cl_mem words,
                                  size_t words_at, sac_span dy, sac_span dtable, sac_error *error)
{
    cl_uint depth = (cl_uint)layer->depth, vocabulary = (cl_uint)layer->vocabulary;
    size_t strips = layer->vocabulary * ((layer->depth + STRIP - 1) / STRIP);
    sac_status status = SAC_OK;
    for (size_t first = 0; first < layer->rows && status == SAC_OK; first += ROWS) {
        size_t left = layer->rows - first;
        cl_uint rows = left < ROWS ? (cl_uint)left : ROWS, at = (cl_uint)(words_at + first);
        sac_span gradient = sac_span_from(dy, first * layer->depth);
        sac_arg args[] = {SAC_ARG(rows),        SAC_ARG(depth), SAC_ARG(vocabulary),
                          SAC_ARG(words),       SAC_ARG(at),    SAC_SPAN_ARGS(gradient),
                          SAC_SPAN_ARGS(dtable)};
        status = sac_launch_elements(device, "layers", "look_up_backward", args, 9, strips, error);
    }
    return status;
}
