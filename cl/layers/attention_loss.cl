/* The losses of the attention over a sentence, and their gradients, a work-group per picture: see
 * nn/training.h. */
#include "layers/normalize.clh"

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

/* This item's part of Σ_n α[n] (score[n] − highest) + H(α), of the entropy H of which the weights α are the largest sum:
 * Shannon's of a softmax, Tsallis' of the others (Blondel, Martins and Niculae 2020). */
inline float conjugate_term(float weight, float score, float highest)
{
    if (weight == 0.0f)
        return 0.0f;
#if IS_SOFTMAX
    float entropy = -log(weight);
#elif NORMALIZER == ENTMAX15_WEIGHTS
    float entropy = (1.0f - sqrt(weight)) / 0.75f;
#else
    float entropy = (1.0f - weight) / 2.0f;
#endif
    return weight * (score - highest + entropy);
}

/* The loss of one step that names an object, and the gradient of its scores. All [N]; every item gets the whole loss. */
inline float supervised_loss(const attention_loss *p, __global const float *weights,
                             __global const float *scores, __global const float *cover,
                             __global float *dscores, __local float *scratch)
{
    float highest = FLOOR, highest_inside = FLOOR;
    for (uint n = ITEM; n < p->cells; n += GROUP_ITEMS) {
        float score = scores[n] * LOGIT_OF_SCORE;
        float inside = cover[n] > 0.0f ? score + log(cover[n]) * LOGIT_OF_SCORE : BLOCKED;
        dscores[n] = max(inside, BLOCKED); /* what attention ignores is of no box */
        highest = max(highest, score);
        highest_inside = max(highest_inside, inside);
    }
    highest = group_max(highest, scratch);
    highest_inside = group_max(highest_inside, scratch);
    weigh_logits(p->cells, highest_inside, dscores, scratch);
    SYNC();
    float loss = 0.0f, weight = highest_inside > FLOOR ? p->gaze_weight : 0.0f;
    highest *= SCORE_OF_LOGIT;
    for (uint n = ITEM; n < p->cells; n += GROUP_ITEMS) {
        float inside = dscores[n];
        loss += conjugate_term(weights[n], scores[n], highest);
        if (inside > 0.0f)
            loss -= conjugate_term(inside, scores[n] + log(cover[n]), highest);
        dscores[n] = weight * (weights[n] - inside);
    }
    return weight * group_sum(loss, scratch);
}

/* weights, dweights, scores and dscores [T,B,N], lengths [B], object_of_word [T,B], cover [B,objects,N], losses [2,B]. */
REQD_GROUP(GROUP_ITEMS)
__kernel void attention_loss_run(attention_loss p, __global const float *weights, uint weights_at,
                                 __global const float *scores, uint scores_at,
                                 __global const int *lengths, __global const int *object_of_word,
                                 __global const float *cover, uint cover_at,
                                 __global float *dweights, uint dweights_at,
                                 __global float *dscores, uint dscores_at, __global float *losses,
                                 uint losses_at, __local float *scratch)
{
    uint b = get_group_id(0), length = min((uint)max(lengths[b], 0), p.steps);
    float pointing = 0.0f;
    ulong step = (ulong)p.batch * p.cells;
    weights += weights_at + b * p.cells;
    scores += scores_at + b * p.cells;
    dweights += dweights_at + b * p.cells;
    dscores += dscores_at + b * p.cells;
    cover += cover_at + (ulong)b * p.objects * p.cells;
    float spread = group_sum(coverage_loss(&p, length, weights, dweights), scratch);
    for (uint t = 0; t < p.steps; t++) {
        uint object = t < length ? (uint)object_of_word[t * p.batch + b] : p.objects;
        if (object < p.objects) /* one below 0 is far above */
            pointing +=
                supervised_loss(&p, weights + t * step, scores + t * step,
                                cover + (ulong)object * p.cells, dscores + t * step, scratch);
        else
            for (uint n = ITEM; n < p.cells; n += GROUP_ITEMS)
                dscores[t * step + n] = 0.0f;
    }
    if (ITEM == 0) {
        losses[losses_at + b] = spread;
        losses[losses_at + p.batch + b] = pointing;
    }
}
