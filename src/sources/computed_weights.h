/* Weights computed from the queries and keys in a file, tile by tile, on a device. */
#ifndef SAC_SOURCES_COMPUTED_WEIGHTS_H
#define SAC_SOURCES_COMPUTED_WEIGHTS_H

#include "saccade.h"

typedef struct sac_computed_weights {
    sac_device *device;
    sac_attention *attention;
} sac_computed_weights;

/* What of `arrays` sac_attention_input has a place for, found by name: query, key, value,
 * key_padding_mask, attn_mask, score.W_q, q_proj.weight, … NULL where there is none. */
sac_attention_input sac_attention_input_find(const sac_arrays *arrays);

/* Prepares `arrays`' query and key; they are not needed afterwards. */
sac_status sac_computed_weights_open(const sac_arrays *arrays, const char *device,
                                     const sac_attention_spec *spec, sac_computed_weights *computed,
                                     sac_error *error);
void sac_computed_weights_free(sac_computed_weights *computed); /* takes zeroed ones */

#endif
