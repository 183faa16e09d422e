/* Weights that lie in arrays of a file, whatever their type and the order of their axes. */
#ifndef SAC_SOURCES_STORED_WEIGHTS_H
#define SAC_SOURCES_STORED_WEIGHTS_H

#include "trace/trace.h"

enum { SAC_AXIS_L = 0, SAC_AXIS_B, SAC_AXIS_H, SAC_AXIS_Q, SAC_AXIS_K, SAC_AXES };

typedef struct sac_stored_weights {
    const sac_array **arrays; /* [count]: one that holds all layers, or one a layer; lent */
    const char **names;       /* [count]; lent */
    size_t count;
    int axis[SAC_AXES];      /* which axis of an array is L, B, H, Q, K; −1: it has none */
    size_t size[SAC_AXES];   /* L, B, H, Tq, Tk */
    size_t stride[SAC_AXES]; /* in elements; 0: no such axis */
    float *band;             /* scratch of the pooling */
    size_t band_size;
} sac_stored_weights;

/* Finds the weights' arrays in a file: see sac_matrix_open. SAC_OK with stored->count 0 where the
 * file has query and key instead. Free with sac_stored_weights_free, which takes zeroed structs. */
sac_status sac_stored_weights_find(const sac_arrays *arrays, const char *wanted, const char *axes,
                                   sac_stored_weights *stored, sac_error *error);
void sac_stored_weights_free(sac_stored_weights *stored);

/* As in sac_trace. SAC_E_VALUE names array and index of what is no weight. */
sac_status sac_stored_weights_tile(sac_stored_weights *stored, size_t layer, const sac_tile *tile,
                                   float *weights, sac_error *error);
sac_status sac_stored_weights_pool(sac_stored_weights *stored, size_t layer, const sac_tile *tile,
                                   sac_pool pool, size_t out_rows, size_t out_cols, float *pooled,
                                   sac_error *error);

/* Reads all of a small file, some rows of a large one, and writes into `note` what is odd about
 * the sums of the rows, if anything is. */
sac_status sac_stored_weights_check(sac_stored_weights *stored, char *note, size_t size,
                                    sac_error *error);

#endif
