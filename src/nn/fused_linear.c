/* Joint linear layers, on tensors and parameters. */
#include "nn/fused_linear.h"

#include <assert.h>

/* False for an activation that joint products do not know. */
static bool find_activation(sac_activation activation, sac_fused_activation *found)
{
    static const struct {
        sac_activation here;
        sac_fused_activation there;
    } known[] = {{SAC_LINEAR, SAC_JOINT_LINEAR},
                 {SAC_SILU, SAC_JOINT_SILU},
                 {SAC_GELU, SAC_JOINT_GELU},
                 {SAC_GELU_TANH, SAC_JOINT_GELU_TANH}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].here == activation) {
            *found = known[i].there;
            return true;
        }
    return false;
}

static void take_norm(const sac_layer_norm *norm, sac_fused *joint)
{
    joint->norm = norm->bias ? SAC_JOINT_LAYER : SAC_JOINT_RMS;
    joint->gain = sac_tensor_span(norm->gain->value);
    joint->epsilon = norm->epsilon;
    if (!norm->bias)
        return;
    joint->shift = sac_tensor_span(norm->bias->value);
    joint->epsilon = norm->epsilon > 0 ? norm->epsilon : 1e-5f;
}

bool sac_fused_describe(const sac_fused_layers *j, sac_fused *joint)
{
    *joint = (sac_fused){.rows = j->x.rows,
                         .in = j->x.width,
                         .stored = j->layer[0].dense->w->value.stored,
                         .x = sac_tensor_span(j->x),
                         .count = j->count,
                         .gated = j->gated};
    if (!find_activation(j->activation, &joint->activation) || (j->norm && j->norm->position))
        return false;
    if (j->norm)
        take_norm(j->norm, joint);
    if (j->residual.buffer)
        joint->residual = sac_tensor_span(j->residual);
    for (int i = 0; i < j->count; i++) {
        const sac_parameter *w = j->layer[i].dense->w, *b = j->layer[i].dense->b;
        if (w->gradient.buffer || w->value.stored != joint->stored)
            return false;
        assert(w->value.width == j->x.width);
        joint->part[i].weight = sac_tensor_stored(w->value);
        joint->part[i].out = w->value.rows;
        if (b)
            joint->part[i].bias = sac_tensor_span(b->value);
        if (i == 0 || !j->gated)
            joint->part[i].y = sac_tensor_span(j->layer[i].y);
    }
    return true;
}

bool sac_fused_forward(sac_pass *pass, const sac_fused_layers *j)
{
    sac_fused joint;
    if (!sac_pass_runs(pass) || !sac_fused_describe(j, &joint) ||
        !sac_fused_takes(pass->device, &joint))
        return false;
    SAC_PASS_CALL(pass, sac_fused_run(pass->device, &joint, &pass->error));
    return true;
}
