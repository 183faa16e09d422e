/* One step of a gated recurrent unit (Cho et al. 2014), as torch.nn.GRU defines it, after its
 * matrix products. Both passes enqueue and do not wait. */
#ifndef SAC_NN_GRU_H
#define SAC_NN_GRU_H

#include "nn/pass.h"

/* gates [B,3H] holds W x + b and recurrent [B,3H] U h_before + c, both in the order reset, update,
 * new. h = (1 − z)·n + z·h_before with n = tanh(W_n x + b_n + r·(U_n h_before + c_n)), r and z the
 * sigmoids of their sums; h and h_before [B,H]. gates is overwritten by r, z and n, for backward.
 */
void sac_gru_forward(sac_pass *pass, sac_tensor h, sac_tensor gates, sac_tensor recurrent,
                     sac_tensor h_before);
/* Takes dh [B,H]; writes dgates and drecurrent [B,3H], of the sums, and into dh_before [B,H], which
 * may be dh itself, what reaches h_before past the products: Uᵀ drecurrent is yet to be added. */
void sac_gru_backward(sac_pass *pass, sac_tensor dgates, sac_tensor drecurrent,
                      sac_tensor dh_before, sac_tensor dh, sac_tensor gates, sac_tensor recurrent,
                      sac_tensor h_before);

#endif
