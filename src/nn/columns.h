/* Layers that go over columns, forward alone: models that were trained elsewhere have them. */
#ifndef SAC_NN_COLUMNS_H
#define SAC_NN_COLUMNS_H

#include "nn/parameters.h"
#include "nn/pass.h"

/* x[rows,D] ← x · factors[D], column by column: LayerScale (Touvron et al. 2021). */
void sac_scale_columns(sac_pass *pass, sac_tensor x, const sac_parameter *factors);

#endif
