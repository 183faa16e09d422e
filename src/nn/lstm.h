/* One step of a long short-term memory (Hochreiter and Schmidhuber 1997, with the forget gate of
 * Gers et al. 2000), after its matrix products. Both passes enqueue and do not wait. */
#ifndef SAC_NN_LSTM_H
#define SAC_NN_LSTM_H

#include "nn/pass.h"

/* gates [B,4H] holds the sums W x + U h + b in the order input, forget, cell, output (PyTorch's)
 * and is overwritten by the gates' values, for backward. c = f·c_before + i·g, h = o·tanh c; all
 * [B,H]. */
void sac_lstm_forward(sac_pass *pass, sac_tensor h, sac_tensor c, sac_tensor gates,
                      sac_tensor c_before);
/* Takes dh and dc (of this step's c, from the step after it) [B,H]; writes dgates [B,4H], of the
 * sums, and dc_before [B,H], which may be dc itself. */
void sac_lstm_backward(sac_pass *pass, sac_tensor dgates, sac_tensor dc_before, sac_tensor dh,
                       sac_tensor dc, sac_tensor gates, sac_tensor c, sac_tensor c_before);

#endif
