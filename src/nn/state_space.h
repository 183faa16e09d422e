/* A state space of Mamba-2's kind (Dao and Gu 2024, "Transformers are SSMs"), which some transformers have beside attention: of each
 * token a linear layer makes a gate z, values x, what enters a state, b, and what reads it, c, and for each head a step Δ. Behind a convolution over the
 * last K tokens each head's state [N,P] is
 *
 *     state = e^(−Δ e^decay) state + Δ b xᵀ,        y = cᵀ state + skip · x,        Δ = log(1 + e^(Δ + step))
 *
 * and y · silu(z) goes through another linear layer. It goes on from the states of earlier tokens, which a beam's rows take from those that they go on
 * from. Forward alone. */
#ifndef SAC_NN_STATE_SPACE_H
#define SAC_NN_STATE_SPACE_H

#include "nn/layers.h"
#include "nn/state_memory.h"

enum { SAC_STATE_TAPS = 8 };

typedef struct sac_state_space {
    sac_dense in, out; /* D → 2·I + 2·G·N + H, and I → D, of I = H·P */
    const sac_parameter *filter, *filter_bias; /* [I + 2·G·N,1,K], [I + 2·G·N]; NULL: no bias */
    const sac_parameter *decay, *step, *skip;  /* [H] */
    const sac_parameter
        *gain; /* [I]: y of each group is normed by its squares; NULL: it is not … */
    float epsilon;
    bool norm_first;                            /* … before it is gated, or afterwards */
    size_t heads, depth, numbers, groups, taps; /* H, P, N, G, K; to SAC_STATE_TAPS */
    float gate_times, value_times, in_times, out_times, step_times,
        given_times; /* z, x, b, c, Δ and what it gives are multiplied by these */
} sac_state_space;

/* Rows and width of tensor i of the memory of so many sentences: the last K − 1 tokens before the convolution, [B,(K − 1)·C], and of
 * the states [B,I·N]; of others 0. */
void sac_state_space_memory_size(const sac_state_space *space, int i, size_t sentences,
                                 size_t *rows, size_t *width);

typedef struct sac_state_space_tensors {
    sac_tensor projected, made, read, given; /* [B·T,·], [B·T,C], [B·T,I], [B·T,D] */
    /* Lent; sentence b goes on from parents[b] of `before`, which has none at the beginning. */
    sac_state_memory before, after;
    sac_ints parents; /* [B] */
} sac_state_space_tensors;
/* All but memories and parents. */
void sac_state_space_shape(sac_pass *pass, sac_arena *arena, const sac_state_space *space,
                           size_t rows, sac_state_space_tensors *tensors);
/* What it gives of x [B·T,D], in tensors->given. */
void sac_state_space_forward(sac_pass *pass, const sac_state_space *space, size_t sentences,
                             sac_tensor x, const sac_state_space_tensors *tensors);

#endif
