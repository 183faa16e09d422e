/* Linear layers of the same few rows in one launch, with the norm before them and what is done to
 * their results: for generation token by token, most of whose time would pass between launches.
 * Forward alone. */
#ifndef SAC_NN_JOINT_H
#define SAC_NN_JOINT_H

#include "gemm/fused_linear.h"
#include "nn/layer_norm.h"
#include "nn/layers.h"

/* y_i = activation(norm(x) W_iᵀ + b_i) + residual; or `gated`, of two layers of one size:
 * y_0 = activation(norm(x) W_0ᵀ + b_0) · (norm(x) W_1ᵀ + b_1) + residual. */
typedef struct sac_fused_layers {
    sac_tensor x;
    const sac_layer_norm *norm; /* NULL: none */
    int count;                  /* up to 3 */
    struct {
        sac_tensor y;
        const sac_dense *dense;
    } layer[3];
    bool gated;
    sac_activation activation; /* SAC_LINEAR: none */
    sac_tensor residual;       /* empty: none */
} sac_fused_layers;

/* False, and nothing is done, where they are to be computed one by one: for many rows, on other
 * devices, by weights that train, and by those that are not stored alike. */
bool sac_fused_forward(sac_pass *pass, const sac_fused_layers *joint);
/* The product that it is; false where none is: by weights that train, or are not stored alike, and with an activation
 * that joint products do not know. */
bool sac_fused_describe(const sac_fused_layers *layers, sac_fused *joint);

#endif
