/* Rows of weights summarised by a few numbers each, on the device. */
#ifndef SAC_ATTENTION_RUN_FIGURES_H
#define SAC_ATTENTION_RUN_FIGURES_H

#include "saccade.h"
#include "scores/figures.h"

/* Rows row … row + rows − 1 of a matrix into `figures` [rows], over all of its keys, whatever their
 * number: at most a slab of weights is in memory. `received` [keys] (may be NULL) gets the sum
 * of these rows. SAC_E_ARGUMENT where the rows are not inside the matrix. */
sac_status sac_attention_figures(sac_attention *attention, size_t batch, size_t head, size_t row,
                                 size_t rows, sac_row_figures *figures, float *received,
                                 sac_error *error);

/* The log-sum-exp of the tile's rows, over all keys, into `lse` [rows]. */
sac_status sac_attention_lse(sac_attention *attention, const sac_tile *tile, float *lse,
                             sac_error *error);

#endif
