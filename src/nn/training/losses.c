/* Losses of words and of attention, and their gradients. */

#include "nn/training/losses.h"

void sac_word_loss(sac_pass *pass, sac_tensor losses, sac_tensor logits, sac_ints targets,
                   float scale)
{
    sac_smoothed_word_loss(pass, losses, logits, targets, scale, 0);
}

void sac_smoothed_word_loss(sac_pass *pass, sac_tensor losses, sac_tensor logits, sac_ints targets,
                            float scale, float smoothing)
{
    cl_uint vocabulary = (cl_uint)logits.width;
    sac_arg args[] = {SAC_ARG(vocabulary),     SAC_ARG(scale),        SAC_ARG(smoothing),
                      SAC_ARG(targets.buffer), SAC_SPAN_ARGS(logits), SAC_SPAN_ARGS(losses)};
    sac_pass_groups(pass, "word_loss", "", "word_loss", args, sizeof args / sizeof *args,
                    logits.rows);
}

/* The twin of cl/layers/attention_loss.cl's `attention_loss`. */
typedef struct attention_loss_numbers {
    cl_uint steps, batch, cells, objects;
    cl_float doubly_stochastic_weight, supervision_weight;
} attention_loss_numbers;

void sac_attention_loss_run(sac_pass *pass, const sac_attention_loss *loss, sac_tensor losses,
                            sac_tensor dweights, sac_tensor weights,
                            const sac_attention_truth *truth)
{
    attention_loss_numbers numbers = {
        .steps = (cl_uint)loss->steps,
        .batch = (cl_uint)loss->batch,
        .cells = (cl_uint)loss->cells,
        .objects = (cl_uint)loss->objects,
        .doubly_stochastic_weight =
            loss->doubly_stochastic_weight / ((float)loss->batch * (float)loss->cells),
        .supervision_weight = loss->named ? loss->supervision_weight / (float)loss->named : 0,
    };
    sac_arg args[] = {SAC_ARG(numbers),
                      SAC_SPAN_ARGS(weights),
                      SAC_ARG(truth->lengths.buffer),
                      SAC_ARG(truth->object_of_word.buffer),
                      SAC_SPAN_ARGS(truth->cover),
                      SAC_SPAN_ARGS(dweights),
                      SAC_SPAN_ARGS(losses)};
    sac_pass_groups(pass, "attention_loss", "", "attention_loss_run", args,
                    sizeof args / sizeof *args, loss->batch);
}

float sac_loss_sum(const float *losses, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += losses[i];
    return (float)sum;
}
