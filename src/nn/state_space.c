/* The kernels of a state space, and the linear layers around them. */
#include "nn/state_space.h"

#include "nn/attention/positions.h"

#include <assert.h>

typedef sac_state_space space;
typedef sac_state_space_tensors tensors;

static size_t inner(const space *s)
{
    return s->heads * s->depth;
}

static size_t channels(const space *s)
{
    return inner(s) + 2 * s->groups * s->numbers;
}

void sac_state_space_memory_size(const space *s, int i, size_t sentences, size_t *rows,
                                 size_t *width)
{
    *rows = i == 0 || i == SAC_STATE_TENSORS - 1 ? sentences : 0;
    *width = i ? inner(s) * s->numbers : (s->taps - 1) * channels(s);
}

void sac_state_space_shape(sac_pass *pass, sac_arena *arena, const space *s, size_t rows,
                           tensors *t)
{
    sac_arena_shape(arena, pass, &t->projected, rows, inner(s) + channels(s) + s->heads);
    sac_arena_shape(arena, pass, &t->made, rows, channels(s));
    sac_arena_shape(arena, pass, &t->read, rows, inner(s));
    sac_arena_shape(arena, pass, &t->given, rows, s->out.w->value.rows);
}

/* The twin of `space` in the kernels. */
typedef struct shape {
    cl_uint sentences, tokens, heads, depth, numbers, groups, taps, gated;
    float gate, value, in, out, step;
} shape;

void sac_state_space_forward(sac_pass *pass, const space *s, size_t sentences, sac_tensor x,
                             const tensors *t)
{
    const shape p = {(cl_uint)sentences,  (cl_uint)(x.rows / sentences),
                     (cl_uint)s->heads,   (cl_uint)s->depth,
                     (cl_uint)s->numbers, (cl_uint)s->groups,
                     (cl_uint)s->taps,    s->gain == NULL,
                     s->gate_times,       s->value_times,
                     s->in_times,         s->out_times,
                     s->step_times};
    const cl_uint follows = t->before.state.buffer != NULL, biased = s->filter_bias != NULL;
    /* Kernels are given some memory in place of what is not there. */
    const sac_tensor bias = biased ? s->filter_bias->value : s->filter->value;
    const sac_state_memory *before = follows ? &t->before : &t->after;
    const cl_mem parents = follows ? t->parents.buffer : t->after.state.buffer;
    const cl_uint parents_at = follows ? t->parents.at : 0;
    assert(x.rows % sentences == 0 && s->taps <= SAC_STATE_TAPS && t->after.state.buffer);
    sac_linear_forward(pass, t->projected, x, s->in.w, s->in.b);
    sac_arg convolve[] = {SAC_ARG(p),
                          SAC_ARG(follows),
                          SAC_ARG(biased),
                          SAC_ARG(parents),
                          SAC_ARG(parents_at),
                          SAC_SPAN_ARGS(t->projected),
                          SAC_SPAN_ARGS(s->filter->value),
                          SAC_SPAN_ARGS(bias),
                          SAC_SPAN_ARGS(before->last[0]),
                          SAC_SPAN_ARGS(t->made),
                          SAC_SPAN_ARGS(t->after.last[0])};
    sac_pass_items(pass, "state_space", "convolve", convolve, sizeof convolve / sizeof *convolve,
                   sentences * channels(s));
    sac_arg scan[] = {SAC_ARG(p),
                      SAC_ARG(follows),
                      SAC_ARG(parents),
                      SAC_ARG(parents_at),
                      SAC_SPAN_ARGS(t->projected),
                      SAC_SPAN_ARGS(t->made),
                      SAC_SPAN_ARGS(s->decay->value),
                      SAC_SPAN_ARGS(s->step->value),
                      SAC_SPAN_ARGS(s->skip->value),
                      SAC_SPAN_ARGS(before->state),
                      SAC_SPAN_ARGS(t->read),
                      SAC_SPAN_ARGS(t->after.state)};
    sac_pass_items(pass, "state_space", "scan", scan, sizeof scan / sizeof *scan,
                   sentences * inner(s));
    if (s->gain) {
        const cl_uint first = s->norm_first;
        sac_arg norm[] = {SAC_ARG(p),
                          SAC_ARG(first),
                          SAC_ARG(s->epsilon),
                          SAC_SPAN_ARGS(t->projected),
                          SAC_SPAN_ARGS(s->gain->value),
                          SAC_SPAN_ARGS(t->read)};
        sac_pass_items(pass, "state_space", "norm_and_gate", norm, sizeof norm / sizeof *norm,
                       x.rows * s->groups);
    }
    sac_linear_forward(pass, t->given, t->read, s->out.w, s->out.b);
    if (s->given_times != 1)
        sac_scale(pass, t->given, s->given_times);
}
