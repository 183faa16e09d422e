/* Fills the kernels' description of an attention, for arrays of any layout. */
#include "attention/prepare/problem.h"

#include <math.h>
#include <stdlib.h>

#include "attention/prepare/operands.h"
#include "attention/spec/resolve.h"

/* A window that hides nothing is none. */
static void set_window(sac_problem *problem, size_t window)
{
    size_t max_distance =
        (size_t)problem->queries + problem->key_room + (size_t)abs(problem->offset);
    if (window == 0 || window >= max_distance)
        return;
    problem->flags |= SAC_WINDOW;
    problem->window = (cl_uint)window; /* kernels count in 32 bits */
}

sac_problem sac_problem_of(const sac_attention_spec *spec, const sac_attention_shape *shape)
{
    size_t key_heads = shape->key_heads ? shape->key_heads : shape->heads;
    sac_problem problem = {
        .heads = (cl_uint)shape->heads,
        .queries = (cl_uint)shape->queries,
        .keys = (cl_uint)shape->keys,
        .value_dim = (cl_uint)shape->value_dim,
        .group = (cl_uint)(shape->heads / key_heads),
        .key_room = (cl_uint)(spec->capacity ? spec->capacity : shape->keys),
        .offset = (cl_int)sac_attention_offset(spec, shape->queries, shape->keys),
        .flags = (spec->causal ? SAC_CAUSAL : 0) | (spec->dropout > 0 ? SAC_DROPOUT : 0),
        .scale = (cl_float)(sac_raw_scale(spec, shape) * M_LOG2E),
        .cap = (cl_float)(spec->softcap * M_LOG2E),
        .uncap = spec->softcap > 0 ? 2 / spec->softcap : 0,
        .dropout = spec->dropout,
        .keep = (cl_float)(1.0 / (1.0 - spec->dropout)),
        .seed_low = (cl_uint)spec->seed,
        .seed_high = (cl_uint)(spec->seed >> 32),
    };
    set_window(&problem, spec->window);
    return problem;
}

void sac_set_masks(sac_problem *problem, const sac_attention_operands *operands)
{
    const size_t *s = operands->mask_shape;
    if (operands->sinks.buffer)
        problem->flags |= SAC_SINKS;
    if (operands->padding)
        problem->flags |= SAC_PADDING;
    if (!operands->mask)
        return;
    problem->flags |= operands->mask_is_float ? SAC_MASK_FLOAT : SAC_MASK_BOOL;
    problem->mask_key = s[3] == 1 ? 0 : 1;
    problem->mask_query = s[2] == 1 ? 0 : s[3];
    problem->mask_head = s[1] == 1 ? 0 : s[2] * s[3];
    problem->mask_batch = s[0] == 1 ? 0 : s[1] * s[2] * s[3];
}
