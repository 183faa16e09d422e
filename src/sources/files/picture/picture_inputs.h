/* The attention that the picture view's settings mean: spec and arrays, for a device or for the
 * reference. */
#ifndef SAC_SOURCES_FILES_PICTURE_PICTURE_INPUTS_H
#define SAC_SOURCES_FILES_PICTURE_PICTURE_INPUTS_H

#include "sources/files/picture/features.h"
#include "sources/source.h"

/* Every array is owned. Only the weights of the chosen score are there. */
typedef struct sac_picture_inputs {
    sac_attention_spec spec;
    sac_array tokens;        /* [N,SAC_FEATURES]: query and key */
    sac_array colors;        /* [N,3]: value */
    sac_array hidden;        /* [1,N] bool; rank 0: nothing is hidden */
    sac_array W_q, W_k, w_v; /* additive */
    sac_array W_qk;          /* bilinear */
} sac_picture_inputs;

/* `hidden` [grid_h,grid_w] or NULL. SAC_E_ARGUMENT as in sac_picture_open, SAC_E_MEMORY. Free
 * with sac_picture_inputs_free. */
sac_status sac_picture_inputs_create(const sac_picture_settings *settings, const sac_cells *cells,
                                     const uint8_t *hidden, sac_picture_inputs *inputs,
                                     sac_error *error);
void sac_picture_inputs_free(sac_picture_inputs *inputs);

/* Lends them in the shape that sac_attention_create takes; `inputs` must stay where it is. */
sac_attention_input sac_picture_inputs_view(const sac_picture_inputs *inputs);

/* SAC_E_ARGUMENT, naming the setting, where one makes no sense. */
sac_status sac_picture_settings_check(const sac_picture_settings *settings, sac_error *error);

#endif
