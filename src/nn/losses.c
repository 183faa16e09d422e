#include "nn/losses.h"

#include "nn/launch.h"

sac_status sac_word_loss_run(sac_device *device, const sac_word_loss *loss, cl_mem targets,
                             sac_span logits, sac_span losses, sac_error *error)
{
    cl_uint rows = (cl_uint)loss->rows, vocabulary = (cl_uint)loss->vocabulary;
    cl_float scale = loss->scale;
    sac_arg args[] = {SAC_ARG(rows),    SAC_ARG(vocabulary),   SAC_ARG(scale),
                      SAC_ARG(targets), SAC_SPAN_ARGS(logits), SAC_SPAN_ARGS(losses)};
    return sac_launch_elements(device, "word_loss", "word_loss", args, sizeof args / sizeof *args,
                               loss->rows, error);
}

/* The twin of cl/gaze_loss.cl's `gaze_loss`. */
typedef struct gaze_loss_numbers {
    cl_uint steps, batch, cells, objects;
    cl_float coverage_weight, gaze_weight;
} gaze_loss_numbers;

sac_status sac_gaze_loss_run(sac_device *device, const sac_gaze_loss *loss, sac_span weights,
                             cl_mem lengths, cl_mem object_of_word, sac_span cover,
                             sac_span dweights, sac_span losses, sac_error *error)
{
    gaze_loss_numbers numbers = {
        .steps = (cl_uint)loss->steps,
        .batch = (cl_uint)loss->batch,
        .cells = (cl_uint)loss->cells,
        .objects = (cl_uint)loss->objects,
        .coverage_weight = loss->coverage_weight / ((float)loss->batch * (float)loss->cells),
        .gaze_weight = loss->named ? loss->gaze_weight / (float)loss->named : 0,
    };
    sac_arg args[] = {SAC_ARG(numbers),        SAC_SPAN_ARGS(weights), SAC_ARG(lengths),
                      SAC_ARG(object_of_word), SAC_SPAN_ARGS(cover),   SAC_SPAN_ARGS(dweights),
                      SAC_SPAN_ARGS(losses)};
    return sac_launch_pictures(device, "gaze_loss", "", "gaze_loss_run", args,
                               sizeof args / sizeof *args, loss->batch, error);
}
