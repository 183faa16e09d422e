/* Layers that go over columns, forward alone: models that were trained elsewhere have them. */
#ifndef SAC_NN_COLUMNS_H
#define SAC_NN_COLUMNS_H

#include "nn/parameters.h"
#include "nn/pass.h"

/* x[rows,D] ← x · factors[D], column by column: LayerScale (Touvron et al. 2021). */
void sac_scale_columns(sac_pass *pass, sac_tensor x, const sac_parameter *factors);
/* y[rows,F] = silu(gate) · up of x[rows,2F], whose rows are a gate and what it lets through: SwiGLU
 * (Shazeer 2020). */
void sac_gate_columns(sac_pass *pass, sac_tensor y, sac_tensor x);
/* The same of gates and what they let through in tensors of their own: x ← silu(x) · y. */
void sac_gate(sac_pass *pass, sac_tensor x, sac_tensor y);

#endif
