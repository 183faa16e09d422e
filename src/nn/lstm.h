/* One step of a long short-term memory (Hochreiter and Schmidhuber 1997, with the forget gate of
 * Gers et al. 2000), after its matrix products. Both passes enqueue and do not wait. */
#ifndef SAC_NN_LSTM_H
#define SAC_NN_LSTM_H

#include "device/span.h"

typedef struct sac_lstm {
    size_t batch, hidden;
} sac_lstm;
/* gates [B,4H] holds the sums W x + U h + b in the order input, forget, cell, output (PyTorch's)
 * and is overwritten by the gates' values, for backward. c = f·c_before + i·g, h = o·tanh c; all
 * [B,H]. */
sac_status sac_lstm_forward(sac_device *device, const sac_lstm *layer, sac_span gates,
                            sac_span c_before, sac_span c, sac_span h, sac_error *error);
/* Takes dh and dc (of this step's c, from the step after it) [B,H]; writes dgates [B,4H], of the
 * sums, and dc_before [B,H], which may be dc itself. */
sac_status sac_lstm_backward(sac_device *device, const sac_lstm *layer, sac_span gates,
                             sac_span c_before, sac_span c, sac_span dh, sac_span dc,
                             sac_span dgates, sac_span dc_before, sac_error *error);

#endif
