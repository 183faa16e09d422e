/* What training needs beside layers: losses, dropout and Adam. */
#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "base/random/random.h"
#include "base/round.h"
#include "nn/parameters.h"
#include "nn/training.h"

/* ---------------------------------------------------------------- losses */

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

void sac_policy_loss(sac_pass *pass, const sac_policy *policy, sac_tensor losses, sac_tensor logits,
                     sac_ints targets, sac_tensor factors)
{
    cl_uint vocabulary = (cl_uint)logits.width, barred = policy->barred;
    cl_float coolness = 1 / policy->temperature;
    sac_arg args[] = {SAC_ARG(vocabulary),     SAC_ARG(coolness),      SAC_ARG(barred),
                      SAC_ARG(targets.buffer), SAC_SPAN_ARGS(factors), SAC_SPAN_ARGS(logits),
                      SAC_SPAN_ARGS(losses)};
    assert(targets.at == 0);
    sac_pass_groups(pass, "word_loss", "", "policy_loss", args, sizeof args / sizeof *args,
                    logits.rows);
}

void sac_draw_words(sac_pass *pass, const sac_word_draw *draw, size_t step, sac_tensor logits,
                    sac_ints before, sac_ints words)
{
    cl_uint vocabulary = (cl_uint)logits.width, barred = draw->policy.barred, key = draw->key;
    cl_uint greedy = (cl_uint)draw->sampled, at = (cl_uint)step;
    cl_uint end = (cl_uint)draw->end, pad = (cl_uint)draw->pad;
    cl_float coolness = 1 / draw->policy.temperature;
    sac_arg args[] = {SAC_ARG(vocabulary),   SAC_ARG(coolness),   SAC_ARG(barred),
                      SAC_ARG(greedy),       SAC_ARG(key),        SAC_ARG(at),
                      SAC_ARG(end),          SAC_ARG(pad),        SAC_SPAN_ARGS(logits),
                      SAC_SPAN_ARGS(before), SAC_SPAN_ARGS(words)};
    sac_pass_groups(pass, "word_loss", "", "draw_words", args, sizeof args / sizeof *args,
                    logits.rows);
}

/* The twin of cl/layers/attention_loss.cl's `attention_loss`. */
typedef struct attention_loss_numbers {
    cl_uint steps, batch, cells, objects;
    cl_float doubly_stochastic_weight, supervision_weight;
} attention_loss_numbers;

void sac_attention_loss_run(sac_pass *pass, const sac_attention_loss *loss,
                            const sac_attention_loss_tensors *t, const sac_attention_truth *truth)
{
    static const char *const options[] = {[SAC_NORMALIZER_SOFTMAX] = " -DNORMALIZER=0",
                                          [SAC_NORMALIZER_ENTMAX15] = " -DNORMALIZER=1",
                                          [SAC_NORMALIZER_SPARSEMAX] = " -DNORMALIZER=2"};
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
                      SAC_SPAN_ARGS(t->weights),
                      SAC_SPAN_ARGS(t->scores),
                      SAC_ARG(truth->lengths.buffer),
                      SAC_ARG(truth->object_of_word.buffer),
                      SAC_SPAN_ARGS(truth->cover),
                      SAC_SPAN_ARGS(t->dweights),
                      SAC_SPAN_ARGS(t->dscores),
                      SAC_SPAN_ARGS(t->losses)};
    sac_pass_groups(pass, "attention_loss", options[loss->normalizer], "attention_loss_run", args,
                    sizeof args / sizeof *args, loss->batch);
}

float sac_loss_sum(const float *losses, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += losses[i];
    return (float)sum;
}

/* ---------------------------------------------------------------- dropout */

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

/* ---------------------------------------------------------------- Adam */

#define WIDTH 8 /* floats per work-item; SAC_PARAMETER_FLOATS is a multiple */
#define GROUP 32
#define OPTIONS "-DWIDTH=8 -DFAST_FMA=0"

static sac_status launch(sac_device *device, const char *kernel, const sac_arg *args, int count,
                         size_t items, sac_error *error)
{
    cl_kernel handle;
    sac_status status = sac_kernel_get(device, "adam", OPTIONS, kernel, &handle, error);
    if (status != SAC_OK)
        return status;
    size_t local = device->info.max_work_group < GROUP ? 1 : GROUP;
    size_t global = sac_round_up(items, local);
    return sac_kernel_launch(device, handle, args, count, 1, &global, &local, error);
}

/* Sums by lanes and work-items on the device, and those by the host: one order, one result. */
static sac_status measure_norm(const sac_parameters *parameters, double *norm, sac_error *error)
{
    float sums[SAC_NORM_SUMS];
    double total = 0;
    cl_ulong vectors = parameters->floats / WIDTH;
    sac_device *device = parameters->device;
    sac_arg args[] = {SAC_ARG(vectors), SAC_ARG(parameters->gradients.buffer),
                      SAC_ARG(parameters->norms.buffer)};
    sac_status status = launch(device, "squares", args, 3, SAC_NORM_SUMS, error);
    if (status == SAC_OK)
        status = sac_span_read(device, parameters->norms, SAC_NORM_SUMS, sums, error);
    for (int i = 0; i < SAC_NORM_SUMS && status == SAC_OK; i++)
        total += sums[i];
    *norm = sqrt(total);
    return status;
}

sac_status sac_adam_step(sac_parameters *parameters, const sac_adam *adam, size_t step, float *norm,
                         sac_error *error)
{
    double length;
    sac_status status = measure_norm(parameters, &length, error);
    if (status != SAC_OK)
        return status;
    if (norm)
        *norm = (float)length;
    if (!isfinite(length))
        return sac_fail(error, SAC_E_VALUE, NULL, "lower the learning rate",
                        "the gradient of step %zu is not finite", step);
    cl_ulong vectors = parameters->floats / WIDTH, slow = vectors, decaying = 0;
    if (adam->decay > 0 && parameters->decaying)
        decaying = parameters->decaying < parameters->count
                       ? parameters->list[parameters->decaying]->at / WIDTH
                       : vectors;
    if (parameters->slow)
        slow = parameters->list[parameters->slow]->at / WIDTH;
    float clip = adam->clip > 0 && length > adam->clip ? (float)(adam->clip / length) : 1;
    double started = 1 - pow(adam->beta1, (double)step);
    float rate = (float)(adam->rate / started), slow_rate = (float)(adam->slow_rate / started);
    float kept = 1 - adam->rate * adam->decay;
    float unbias = (float)(1 / sqrt(1 - pow(adam->beta2, (double)step)));
    sac_arg args[] = {SAC_ARG(vectors),
                      SAC_ARG(slow),
                      SAC_ARG(decaying),
                      SAC_ARG(kept),
                      SAC_ARG(clip),
                      SAC_ARG(adam->beta1),
                      SAC_ARG(adam->beta2),
                      SAC_ARG(rate),
                      SAC_ARG(slow_rate),
                      SAC_ARG(unbias),
                      SAC_ARG(adam->epsilon),
                      SAC_ARG(parameters->values.buffer),
                      SAC_ARG(parameters->gradients.buffer),
                      SAC_ARG(parameters->first.buffer),
                      SAC_ARG(parameters->second.buffer)};
    parameters->changes++;
    return launch(parameters->device, "update", args, sizeof args / sizeof *args, (size_t)vectors,
                  error);
}

sac_status sac_parameters_average_step(sac_parameters *parameters, float decay, sac_error *error)
{
    cl_ulong vectors = parameters->floats / WIDTH;
    cl_float share = 1 - decay;
    sac_arg args[] = {SAC_ARG(vectors), SAC_ARG(share), SAC_ARG(parameters->values.buffer),
                      SAC_ARG(parameters->average.buffer)};
    return launch(parameters->device, "average", args, sizeof args / sizeof *args, (size_t)vectors,
                  error);
}
