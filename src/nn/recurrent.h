/* One step of a gated recurrent unit (Cho et al. 2014), as torch.nn.GRU defines it, after its
 * matrix products. Both passes enqueue and do not wait. */
#ifndef SAC_NN_RECURRENT_H
#define SAC_NN_RECURRENT_H

#include "nn/layers.h"
#include "nn/parameters.h"
#include "nn/pass.h"
#include "nn/training.h"

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

/* ---- LSTM */

/* One step of a long short-term memory (Hochreiter and Schmidhuber 1997, with the forget gate of
 * Gers et al. 2000), after its matrix products. Both passes enqueue and do not wait. */

/* gates [B,4H] holds the sums W x + U h + b in the order input, forget, cell, output (PyTorch's)
 * and is overwritten by the gates' values, for backward. c = f·c_before + i·g, h = o·tanh c; all
 * [B,H]. */
void sac_lstm_forward(sac_pass *pass, sac_tensor h, sac_tensor c, sac_tensor gates,
                      sac_tensor c_before);
/* Takes dh and dc (of this step's c, from the step after it) [B,H]; writes dgates [B,4H], of the
 * sums, and dc_before [B,H], which may be dc itself. */
void sac_lstm_backward(sac_pass *pass, sac_tensor dgates, sac_tensor dc_before, sac_tensor dh,
                       sac_tensor dc, sac_tensor gates, sac_tensor c, sac_tensor c_before);

/* ---- GRU over sentences */

/* A gated recurrent unit over sentences of several lengths, as torch.nn.GRU does for a packed
 * sequence: the longest sentences first, so that step t works on the first n_t rows alone. Tensors
 * are by step: row t·B + b is word t of sentence b.
 *
 *     g[t] = W x[t] + b,   u[t] = U h[t] + c,   h[t+1] = step(g[t], u[t], h[t]) as above
 *
 * Two of them, one over each sentence's words and one over the same from the last to the first,
 * joined word by word are a bidirectional one. */

typedef struct sac_gru_layer {
    const sac_parameter *w, *b; /* [3H,E], [3H]: weight_ih, bias_ih */
    const sac_parameter *u, *c; /* [3H,H], [3H]: weight_hh, bias_hh */
} sac_gru_layer;

/* Host's lengths [B], falling, each from 1 to T. */
typedef struct sac_sequence_lengths {
    size_t steps, batch; /* T, B */
    const int *lengths;
} sac_sequence_lengths;
/* n_t: sentences that have a word t. */
size_t sac_sequence_rows(const sac_sequence_lengths *sequence, size_t step);

/* The tensors that forward reads and writes. Rows of a sentence that has ended keep what they hold,
 * which has to be finite. */
typedef struct sac_gru_sequence {
    sac_tensor x;                /* [T,B,E], read */
    sac_tensor h;                /* [T+1,B,H]: h[0] read, the rest written */
    sac_tensor gates, recurrent; /* [T,B,3H], written, for backward */
} sac_gru_sequence;
void sac_gru_sequence_forward(sac_pass *pass, const sac_gru_layer *layer,
                              const sac_sequence_lengths *lengths, const sac_gru_sequence *s);

typedef struct sac_gru_sequence_gradients {
    sac_tensor dh; /* [T+1,B,H]: of every state; read, and its memory used: then dh[0] is the whole
                      gradient of the first state */
    sac_tensor dgates, drecurrent; /* [T,B,3H], written */
    sac_tensor dx;                 /* [T,B,E], written */
} sac_gru_sequence_gradients;
/* `s` as forward left it. Adds to the gradients of the layer's parameters. */
void sac_gru_sequence_backward(sac_pass *pass, const sac_gru_layer *layer,
                               const sac_sequence_lengths *lengths, const sac_gru_sequence *s,
                               const sac_gru_sequence_gradients *gradients);

/* Joins both directions of a sequence: y[b,n] = (there[n+1,b]; back[len−n,b]), 0 where n ≥ len, the
 * length of sentence b; and last[b] = (there[len,b]; back[len,b]), the state after the last word of
 * either. there and back [T+1,B,H], y [B,T,2H], last [B,2H]. */
void sac_join_directions_forward(sac_pass *pass, sac_tensor y, sac_tensor last, sac_tensor there,
                                 sac_tensor back, sac_ints lengths);
/* Writes dthere and dback, of all states; those that are in neither y nor last get 0. */
void sac_join_directions_backward(sac_pass *pass, sac_tensor dthere, sac_tensor dback,
                                  sac_tensor dy, sac_tensor dlast, sac_ints lengths);

/* The deep output layer of a decoder with attention (Pascanu et al. 2014; Xu et al. 2015, eq. 7):
 *
 *     logits [rows,V] = W_o mixed + b_o,   mixed [rows,E] = embedded + W_s state + W_z context
 *
 * E of embeddings, H of states, Z of contexts, V words. */
typedef struct sac_deep_output {
    const sac_parameter *state, *context; /* [E,H], [E,Z] */
    const sac_parameter *out, *bias;      /* [V,E], [V] */
} sac_deep_output;

/* "NAME.state.weight", "NAME.context.weight", "NAME.out.weight" and "NAME.out.bias". */
sac_deep_output sac_deep_output_declare(sac_parameters *parameters, const char *name,
                                        size_t embedding, size_t state, size_t context,
                                        size_t words);

/* Inputs and results of the layer, [rows,·]; in the backward pass their gradients. */
typedef struct sac_deep_output_tensors {
    sac_tensor logits, mixed;
    sac_tensor embedded, state, context;
    sac_dropout dropout; /* of `mixed`; the same forward and backward */
} sac_deep_output_tensors;

void sac_deep_output_forward(sac_pass *pass, const sac_deep_output *layer,
                             const sac_deep_output_tensors *x);
/* From dx->logits, writes dx->mixed (which is the gradient of what was embedded too: dx->embedded
 * is not used), dx->state and dx->context; adds to the gradients of the parameters. */
void sac_deep_output_backward(sac_pass *pass, const sac_deep_output *layer,
                              const sac_deep_output_tensors *x, const sac_deep_output_tensors *dx);

#endif
