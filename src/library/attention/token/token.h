/* Attention of one query, the last token's, over the keys and values before it and its own, as rows
 * [keys,key_heads·depth]: with its rotation and the appending of its key in one launch, on CPUs. */
#ifndef SAC_ATTENTION_TOKEN_H
#define SAC_ATTENTION_TOKEN_H

#include "device/device.h"
#include "device/tested.h"
#include "gemm/fused_linear.h"

typedef struct sac_token_attention {
    size_t heads, key_heads, depth; /* depth: of keys and of values */
    size_t keys, first;             /* with its own; the first that it sees */
    float scale;                    /* of the scores */
    size_t turned;                  /* numbers of a head that are turned; 0: none */
    sac_span table;                 /* [turned]: cosines and sines, as nn/positions.h has them */
    sac_span query;                 /* [heads·depth], which is turned in place */
    sac_span key;                   /* [key_heads·depth], not turned */
    sac_span keys_before, values;   /* of which the last row of the first is written */
    sac_span output;                /* [heads·depth] */
} sac_token_attention;

/* The self-test for heads of that width, which is lent; false where the device has no such kernel. */
bool sac_token_attention_fill_test(sac_device *device, const size_t *depth, sac_tested *tested);
/* Whether this device computes it so, and right: its self-test runs when it is first asked. */
bool sac_token_attention_takes(sac_device *device, const sac_token_attention *token);
/* Enqueues and does not wait. */
sac_status sac_token_attention_run(sac_device *device, const sac_token_attention *token,
                                   sac_error *error);

/* The arguments of its kernel: the twin of `token` in cl/attention/cpu/attend_token.clh. */
typedef struct sac_token_numbers {
    cl_uint heads, key_heads, keys, first, half_turned;
    cl_float scale;
} sac_token_numbers;

/* A layer for the one token that a model generates next, in one launch, on CPUs: the fused products before its
 * attention, the attention, and the three fused products behind it (cl/layers/token_layer.clh). */

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
bool sac_token_layer_fill_test(sac_device *device, const sac_token_kind *kind, sac_tested *tested);
/* Whether this device computes it so, and right: its self-test runs when it is first asked. */
bool sac_token_layer_takes(sac_device *device, const sac_token_layer *layer);
/* Enqueues and does not wait. */
sac_status sac_token_layer_run(sac_device *device, const sac_token_layer *layer, sac_error *error);

#endif
