/* The losses of the attention over a sentence, and their gradients, a work-group per picture: see
 * nn/losses.h. */
#include "common/vector.clh"
#include "common/group.clh"

#define EPSILON 1e-6f

typedef struct attention_loss {
    uint steps, batch, cells, objects; /* T, B, N */
    float coverage_weight;             /* per cell of the batch */
    float gaze_weight;                 /* per step that names an object */
} attention_loss;

/* This item's part of a picture's doubly stochastic loss; its gradient is written to every step.
 * weights and dweights: the picture's cells of step 0. */
inline float coverage_loss(const attention_loss *p, uint length, __global const float *weights,
                           __global float *dweights)
{
    ulong step = (ulong)p->batch * p->cells;
    float loss = 0.0f;
    for (uint n = ITEM; n < p->cells; n += GROUP_ITEMS) {
        float missing = 1.0f;
        for (uint t = 0; t < length; t++)
            missing -= weights[t * step + n];
        for (uint t = 0; t < p->steps; t++)
            dweights[t * step + n] = t < length ? -2.0f * p->coverage_weight * missing : 0.0f;
        loss += p->coverage_weight * missing * missing;
    }
    return loss;
}

/* The loss of one step that names an object; its gradient is added. All [N]; every item gets the
 * whole loss. */
inline float supervised_loss(const attention_loss *p, __global const float *weights,
                             __global const float *cover, __global float *dweights,
                             __local float *scratch)
{
    float inside = 0.0f;
    for (uint n = ITEM; n < p->cells; n += GROUP_ITEMS)
        inside += weights[n] * cover[n];
    inside = EPSILON + group_sum(inside, scratch);
    for (uint n = ITEM; n < p->cells; n += GROUP_ITEMS)
        dweights[n] -= p->gaze_weight / inside * cover[n];
    return -p->gaze_weight * log(inside);
}

/* weights and dweights [T,B,N], lengths [B], object_of_word [T,B], cover [B,objects,N], losses
 * [2,B]. */
REQD_GROUP(GROUP_ITEMS)
__kernel void attention_loss_run(attention_loss p, __global const float *weights, uint weights_at,
                                 __global const int *lengths, __global const int *object_of_word,
                                 __global const float *cover, uint cover_at,
                                 __global float *dweights, uint dweights_at, __global float *losses,
                                 uint losses_at, __local float *scratch)
{
    uint b = get_group_id(0), length = min((uint)max(lengths[b], 0), p.steps);
    float pointing = 0.0f;
    weights += weights_at + b * p.cells;
    dweights += dweights_at + b * p.cells;
    cover += cover_at + (ulong)b * p.objects * p.cells;
    float spread = group_sum(coverage_loss(&p, length, weights, dweights), scratch);
    for (uint t = 0; t < length; t++) {
        uint object = (uint)object_of_word[t * p.batch + b]; /* one below 0 is far above */
        ulong step = (ulong)t * p.batch * p.cells;
        if (object < p.objects)
            pointing += supervised_loss(&p, weights + step, cover + (ulong)object * p.cells,
                                        dweights + step, scratch);
    }
    if (ITEM == 0) {
        losses[losses_at + b] = spread;
        losses[losses_at + p.batch + b] = pointing;
    }
}
