/* A layer for the one token that a model generates next, in one launch, on CPUs: the fused products before its
 * attention, the attention, and the three fused products behind it (cl/layers/token_layer.clh). */
#ifndef SAC_ATTENTION_TOKEN_LAYER_H
#define SAC_ATTENTION_TOKEN_LAYER_H

#include "attention/token/token.h"
#include "gemm/fused_linear.h"

/* Of one row; weights are all stored alike. What one of them gives is what the next reads:
 * y of `project` are the query, the key and the last row of the values; `out` is of the attention's output, onto
 * what `project` reads; `hidden` is of what `out` gives; `down` of what that gives, onto what `out` gives. */
typedef struct sac_token_layer {
    sac_fused project;
    sac_token_attention attention;
    sac_fused out, hidden, down;
} sac_token_layer;

/* What a self-test of it is for: how weights are stored, the width of a head, and whether products are by
 * integer dot products. */
typedef struct sac_token_kind {
    sac_stored stored;
    size_t depth;
    bool by_dots;
} sac_token_kind;

/* The self-test of that kind, which is lent; false where the device has no such kernel. */
bool sac_token_layer_tested(sac_device *device, const sac_token_kind *kind, sac_tested *tested);
/* Whether this device computes it so, and right: its self-test runs when it is first asked. */
bool sac_token_layer_takes(sac_device *device, const sac_token_layer *layer);
/* Enqueues and does not wait. */
sac_status sac_token_layer_run(sac_device *device, const sac_token_layer *layer, sac_error *error);

#endif
