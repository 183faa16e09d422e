/* What is computed of a prepared attention: its rows, and any rectangle of its weights. */
#ifndef SAC_ATTENTION_RUN_RUN_H
#define SAC_ATTENTION_RUN_RUN_H

#include "attention/prepare/prepared.h"

/* ---- run_all.c */
/* Numbers of the output. */
size_t sac_output_count(const sac_attention *self);
/* All rows: their statistics, which are kept, and where `output` is not NULL what comes of the
 * heads and what is behind them, into that buffer; then the last steps are only enqueued. */
sac_status sac_run_into(sac_attention *self, cl_mem output, const sac_progress *progress,
                        sac_error *error);

/* sac_attention_run for the rows `first` … first + count − 1 of every head: their places in `output`,
 * which has room for all rows, are filled. Not for heads that are split by view, whose rows are no
 * queries. */
sac_status sac_attention_run_rows(sac_attention *attention, size_t first, size_t count,
                                  const sac_attention_output *output, const sac_progress *progress,
                                  sac_error *error);

/* ---- attend.c */
/* Units of work that keep the device busy: where tiles are fewer, their keys are cut into pieces.
 */
size_t sac_units_wanted(const sac_device *device);
/* Rows row_begin … row_end − 1 of `matrices` matrices from `matrix` on: their statistics, and with
 * `with_output` their outputs. Waits until done. */
sac_status sac_attend_matrices(sac_attention *self, size_t matrix, size_t matrices,
                               size_t row_begin, size_t row_end, bool with_output,
                               const sac_progress *progress, sac_error *error);

/* ---- sparse.c: the same for the normalisers whose weights may be exactly 0 */
sac_status sac_attend_sparse(sac_attention *self, size_t matrix, size_t matrices, size_t row_begin,
                             size_t row_end, bool with_output, const sac_progress *progress,
                             sac_error *error);
/* `output`, laid out as the operands' output is: Σ s D v / Σ s of each row, of the slopes s of its weights and
 * what dropout makes of a weight, D; by the kernels of that variant. Enqueues. */
sac_status sac_compute_slope_output(sac_device *device, const sac_attention_operands *operands,
                                    sac_variant variant, const sac_tiling *tiling, cl_mem output,
                                    sac_error *error);

/* Grows the scratch buffer to at least `bytes`. */
sac_status sac_scratch_reserve(sac_attention *self, size_t bytes, sac_error *error);

/* The log-sum-exp of a row, or its threshold, by its statistics. */
float sac_row_lse(const sac_attention *self, const float stats[2]);

/* ---- weights.c: any rectangle of them */
/* The kernel `weights` for the rectangle of the job, in so many matrices from its own on, into the scratch
 * buffer; of more than one matrix not for the softmax. */
sac_status sac_weights_launch(sac_attention *self, const sac_job *job, size_t matrices,
                              sac_error *error);
/* The statistics of these rows are there, in every matrix; or none are. */
void sac_stats_mark_known(sac_attention *self, size_t row, size_t rows);
void sac_stats_forget(sac_attention *self);
/* Makes sure that the statistics of these rows are there. */
sac_status sac_stats_ensure(sac_attention *self, size_t matrix, size_t row, size_t rows,
                            sac_error *error);
/* SAC_E_ARGUMENT where the rectangle is not inside the matrix. */
sac_status sac_tile_check(const sac_attention *self, const sac_tile *tile, sac_error *error);
/* Rows of `tile` from `row` (counted within it) into the scratch buffer as [rows, tile->cols]. */
sac_status sac_tile_launch(sac_attention *self, const sac_tile *tile, size_t row, size_t rows,
                           sac_error *error);
/* The number of rows of a tile that fit the scratch buffer at a time: at least 1, at most all. */
size_t sac_tile_slab_rows(const sac_attention *self, const sac_tile *tile);

#endif
