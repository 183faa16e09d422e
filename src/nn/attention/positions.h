/* Positional encoding, which gives a network the position of a word (Vaswani et al. 2017,
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
/* Writes the positions [B·T]: `first` + t for word t of every sentence, or first[b] + t if
 * `offsets` [B] is given. SAC_E_SHAPE fails the pass if one of them is beyond the table. */
void sac_positions_place(sac_pass *pass, sac_ints places, sac_tensor table, size_t steps,
                         size_t first, const int *offsets);
/* x[row] = factor · x[row] + table[places[row]]; x [B·T,d] and table [count,d]. The gradient with
 * respect to the former x is factor times that of the new one. */
void sac_positions_add(sac_pass *pass, sac_tensor x, float factor, sac_tensor table,
                       sac_ints places);
/* x ← factor · x */
void sac_scale(sac_pass *pass, sac_tensor x, float factor);

/* ---- rotary */

/* Rotary positions (Su et al. 2021), as LLaMA has them: of each head's d numbers of queries and
 * keys, i and i + d/2 are turned as a point, by an angle that grows with the place of the token:
 *
 *     x[i] ← x[i] cos a − x[i + d/2] sin a,  x[i + d/2] ← x[i + d/2] cos a + x[i] sin a
 *     a = place · frequency[i],  frequency[i] = base^(−2i/d) */

enum { SAC_ROTARY_DEPTH = 512 };

typedef struct sac_rotary {
    size_t depth; /* d, even; 0: no rotation */
    float length; /* factor on the length of a rotated vector; 0: 1 */
    float frequency[SAC_ROTARY_DEPTH / 2];
} sac_rotary;

/* Frequencies as above; d at most SAC_ROTARY_DEPTH. */
sac_rotary sac_rotary_of(size_t depth, double base);
/* Writes cosines and sines of the places from `first` on, one a row of the table [T,d]. */
void sac_rotary_place(sac_pass *pass, const sac_rotary *rotary, sac_tensor table, size_t first);
/* Turns all heads of x [B·T,H·d], row b·T + t by row t of the table [T,r]: of each head the first r
 * numbers. */
void sac_rotate(sac_pass *pass, sac_tensor x, size_t heads, sac_tensor table);
/* Backward: dy becomes dx in place. */
void sac_rotate_backward(sac_pass *pass, sac_tensor dy, size_t heads, sac_tensor table);

#endif
