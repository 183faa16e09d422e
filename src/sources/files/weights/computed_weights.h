/* Weights computed from the queries and keys in a file, tile by tile, on one device or several. */
#ifndef SAC_SOURCES_FILES_WEIGHTS_COMPUTED_WEIGHTS_H
#define SAC_SOURCES_FILES_WEIGHTS_COMPUTED_WEIGHTS_H

#include "saccade_arrays.h"
#include "sharing/attention/device_set.h"
#include "sources/explanation.h"
#include "sources/files/queries/attention_file.h"
#include "sources/files/weights/kept.h"

/* The keys that are hidden from a query by the masks of a file. */

/* A mask that broadcasts over [B,H,Tq,Tk]; no data: it blocks nothing. */
typedef struct sac_blocked {
    uint8_t *data;    /* 1: blocked; owned */
    size_t stride[4]; /* 0 where the size is 1 */
} sac_blocked;

typedef struct sac_masked_keys {
    bool causal;
    size_t window;
    ptrdiff_t offset; /* query i stands where key i + offset does */
    sac_blocked padding, attention;
} sac_masked_keys;

/* Copies the masks of `file`. Free with sac_masked_keys_free, which takes zeroed ones. */
sac_status sac_masked_keys_read(const sac_attention_file *file, sac_masked_keys *masked,
                                sac_error *error);
/* 1 in `out` [rows,cols] for keys of the tile that are masked, else 0. */
void sac_masked_keys_tile(const sac_masked_keys *masked, const sac_tile *tile, uint8_t *out);
void sac_masked_keys_free(sac_masked_keys *masked);

typedef struct sac_computed_weights {
    const sac_arrays *arrays; /* lent */
    sac_named_array *layers;  /* [count]: the queries of each; owned, what it names is lent */
    size_t count;
    sac_attention_request request;
    sac_device_set devices;
    sac_crew *crew;             /* NULL: one device */
    sac_attention **attention;  /* [count,devices.count]; NULL: not prepared yet */
    sac_attention_shape shape;  /* of every layer */
    char masks[128], note[240]; /* of the first; and whether … */
    bool has_sinks;             /* … heads have sinks */
    sac_masked_keys masked;     /* of layer masked_layer − 1, the last one read; 0: none */
    size_t masked_layer;
    const sac_kept *kept; /* [batch]: tiles count only these rows and columns; lent; NULL: all */
    bool keeps_all;       /* there is room for all layers on the device */
} sac_computed_weights;

/* Prepares the first layer of the group of queries; the others are prepared when they are read, so
 * `arrays` must stay open. The request's query and extent are ignored. `device` may name several, as
 * sac_device_set_open takes them: they share rows of large tiles. */
sac_status sac_computed_weights_open(const sac_arrays *arrays, const sac_array_group *queries,
                                     const sac_attention_request *request, const char *device,
                                     sac_computed_weights *computed, sac_error *error);
/* The functions of a source of the same names. */
sac_status sac_computed_weights_tile(sac_computed_weights *computed, size_t layer,
                                     const sac_tile *tile, float *weights, sac_error *error);
sac_status sac_computed_weights_pool(sac_computed_weights *computed, size_t layer,
                                     const sac_tile *tile, sac_pool pool, size_t out_rows,
                                     size_t out_cols, float *pooled, sac_error *error);
sac_status sac_computed_weights_explain(sac_computed_weights *computed,
                                        const sac_explanation_request *request,
                                        sac_explanation *explanation, sac_error *error);
sac_status sac_computed_weights_masked(sac_computed_weights *computed, size_t layer,
                                       const sac_tile *tile, uint8_t *masked, sac_error *error);
void sac_computed_weights_free(sac_computed_weights *computed); /* takes zeroed ones */

#endif
