/* A mixture of experts (Shazeer et al. 2017) in place of a feed-forward network: a linear layer
 * gives each token a logit for each expert, the token goes through the k experts of the largest,
 * and what they give is added, each times its share. They are not trained; backward leads to what enters them.
 *
 *     y = Σ_e share[e] · out_e(gated_e(x)),        gated = activation(gate(x)) · in(x)
 *
 * Beside them there may be an expert that all tokens go through, each with a share σ(shared_gate(x)),
 * whose F may be another (Qwen 1.5), or with all of it. Shares are of a softmax, or each the sigmoid of its logit. In Llama 4
 * a token enters its experts times its share:
 *
 *     y = Σ_e out_e(gated_e(share[e] · x))
 *
 * Their layers have no bias, so that it is the gate that is multiplied, and what the expert gives. In DeepSeek-V2 and V3
 * experts are in groups, and those of a token are of its best groups; in V3 they are chosen by their sigmoids and a
 * number that each has for that alone. Gates are as above,
 *
 * or where there is a limit c, as in gpt-oss, with g = min(gate(x), c) and u = in(x) between −c and c:
 *
 *     gated = g σ(steepness · g) (u + 1)
 *
 * In Gemma 4 what enters experts is normed, what chooses them by another norm, and what they give by a third; an expert's
 * shares are multiplied by a number of its own. */
#ifndef SAC_NN_EXPERTS_H
#define SAC_NN_EXPERTS_H

#include "nn/layers.h"

typedef struct sac_expert {
    sac_dense gate, in, out; /* D → F, D → F, F → D */
} sac_expert;

typedef struct sac_experts {
    size_t count, chosen; /* E, k */
    sac_dense router;     /* D → E */
    bool of_all;          /* shares are those of a softmax over all experts; else over the chosen */
    bool by_sigmoid;      /* … or sigmoids; else these divided by the sum of the chosen */
    bool scales_input;    /* tokens enter times their shares */
    float times;          /* shares are multiplied by it */
    size_t groups, groups_chosen; /* of so many experts each, E / groups; 0: all are of one */
    const sac_parameter
        *correction;        /* [E]: by these and sigmoids experts are chosen; NULL: by logits */
    float limit, steepness; /* limit 0: none */
    /* Of sac_experts_add_normed: x as it enters the router, whose logits are multiplied by `sharpness`, and the experts, and
     * what these give. */
    sac_layer_norm router_norm, entry_norm, exit_norm;
    float sharpness;
    const sac_parameter *each; /* [E]: shares are multiplied by these too; NULL: not */
    bool has_shared;           /* an expert is of all tokens */
    sac_dense shared_gate;     /* D → 1; no w: its share is 1 */
    sac_expert *list;          /* [E], and behind them that one */
} sac_experts;

typedef struct sac_experts_tensors {
    sac_tensor logits;               /* [T,E] */
    sac_tensor shared;               /* [T,1], of the shared gate */
    sac_tensor shares;               /* [T·k,1], by expert; with a shared one [T·(k + 1),1] */
    sac_ints rows;                   /* the tokens of these */
    sac_tensor in, gate, up, given;  /* of one expert: [T,D], [T,F], [T,F], [T,D] */
    sac_tensor routed, entered, sum; /* [T,D]: with norms */
} sac_experts_tensors;
void sac_experts_shape(sac_pass *pass, sac_arena *arena, const sac_experts *experts, size_t rows,
                       sac_experts_tensors *tensors);
/* y [T,D] of x [T,D]. Blocks, as the host chooses. */
void sac_experts_forward(sac_pass *pass, const sac_experts *experts, sac_activation activation,
                         sac_tensor y, sac_tensor x, const sac_experts_tensors *tensors);
/* y += exit_norm(what that is of entry_norm(x)), whose experts are those that router_norm(x) has. Forward alone. */
void sac_experts_add_normed(sac_pass *pass, const sac_experts *experts, sac_activation activation,
                            sac_tensor y, sac_tensor x, const sac_experts_tensors *tensors);

typedef struct sac_experts_gradients {
    sac_tensor dgiven, din;     /* of one expert: [T,D] */
    sac_tensor dhidden, before; /* [T,F]; its gates before they were activated */
} sac_experts_gradients;
void sac_experts_shape_gradients(sac_pass *pass, sac_arena *arena, const sac_experts *experts,
                                 size_t rows, sac_experts_gradients *gradients);
/* dx [T,D] += what dy [T,D] is of x, after a forward of it: each expert's part times its share, and what the
 * shares themselves are of x. Which experts are chosen has no gradient. Blocks. */
void sac_experts_backward(sac_pass *pass, const sac_experts *experts, sac_activation activation,
                          sac_tensor dx, sac_tensor dy, sac_tensor x,
                          const sac_experts_tensors *tensors,
                          const sac_experts_gradients *gradients);

#endif
