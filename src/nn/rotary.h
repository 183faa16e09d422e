/* Rotary positions (Su et al. 2021), as LLaMA has them: of each head's d numbers of queries and
 * keys, i and i + d/2 are turned as a point, by an angle that grows with the place of the token:
 *
 *     x[i] ← x[i] cos a − x[i + d/2] sin a,  x[i + d/2] ← x[i + d/2] cos a + x[i] sin a
 *     a = place · frequency[i],  frequency[i] = base^(−2i/d) */
#ifndef SAC_NN_ROTARY_H
#define SAC_NN_ROTARY_H

#include "nn/pass.h"

enum { SAC_ROTARY_DEPTH = 512 };

typedef struct sac_rotary {
    size_t depth; /* d, even; 0: nothing is turned */
    float length; /* of what was turned, times its length before; 0: 1 */
    float frequency[SAC_ROTARY_DEPTH / 2];
} sac_rotary;

/* Frequencies as above; d at most SAC_ROTARY_DEPTH. */
sac_rotary sac_rotary_of(size_t depth, double base);
/* Writes cosines and sines of the places from `first` on, one a row of the table [T,d]. */
void sac_rotary_place(sac_pass *pass, const sac_rotary *rotary, sac_tensor table, size_t first);
/* Turns all heads of x [B·T,H·d], row b·T + t by row t of the table [T,d]. */
void sac_rotate(sac_pass *pass, sac_tensor x, sac_tensor table);

#endif
