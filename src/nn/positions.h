/* Positional encoding, which tells a network the place of a word (Vaswani et al. 2017,
 * section 3.5):
 *
 *     PE[n,2i] = sin(n / 10000^(2i/d)),   PE[n,2i+1] = cos(n / 10000^(2i/d))
 *
 * Sine and cosine take turns; where d is odd the last column is a sine without its cosine. */
#ifndef SAC_NN_POSITIONS_H
#define SAC_NN_POSITIONS_H

#include "nn/pass.h"

/* table [count,depth] in host memory */
void sac_positions_fill(float *table, size_t count, size_t depth);
/* Writes places [B·T]: `first` + t for word t of every sentence, or first[b] + t where `offsets`
 * [B] is given. SAC_E_SHAPE fails the pass where one of them lies beyond the table. */
void sac_positions_place(sac_pass *pass, sac_ints places, sac_tensor table, size_t steps,
                         size_t first, const int *offsets);
/* x[row] = factor · x[row] + table[places[row]]; x [B·T,d] and table [count,d]. The gradient with
 * respect to the former x is factor times that of the new one. */
void sac_positions_add(sac_pass *pass, sac_tensor x, float factor, sac_tensor table,
                       sac_ints places);
/* x ← factor · x */
void sac_scale(sac_pass *pass, sac_tensor x, float factor);

#endif
