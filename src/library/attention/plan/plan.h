/* The plan of an attention on a device: the variant, its tile sizes and its kernels. */
#ifndef SAC_ATTENTION_PLAN_PLAN_H
#define SAC_ATTENTION_PLAN_PLAN_H

#include "attention/plan/variants.h"
#include "device/device.h"

typedef struct sac_plan {
    sac_variant variant;
    const char *source;    /* of cl/ */
    char options[256];     /* its -D options */
    size_t tile_rows;      /* queries per unit of work */
    size_t block_keys;     /* keys per pass of the online softmax, whole panels */
    size_t panel;          /* keys per panel; 1: plain rows */
    size_t dim_step;       /* queries and keys are filled up with 0 to a multiple of this */
    size_t value_stride;   /* values are cut into pieces of so many columns; 0: whole rows */
    bool value_panels;     /* values lie by columns, in panels of block_keys, as keys may */
    size_t value_chunk;    /* value columns per unit of work; 0: all */
    size_t group;          /* work-items per work-group … */
    size_t items_per_unit; /* … and per unit of work */
    size_t micro_rows;     /* tile_rows are whole register tiles of so many */
    bool halves;           /* query, key and value are float16 */
    bool shrinks;          /* tile_rows may be halved where there are few queries … */
    bool splits_keys;      /* … and a tile's keys shared out over several units */
    size_t most_keys;      /* per unit of work, where loops may not be long; 0: any number */
    size_t weight_rows;    /* kernel `weights`: a unit is this many rows of one block */
    sac_normalizer
        normalizer; /* not the softmax: kernel `weights`, then attend_sparse.cl; values are whole rows */
} sac_plan;

/* The attention that a plan is made for. */
typedef struct sac_plan_request {
    sac_variant variant;
    sac_score form;
    bool softcap; /* scores are capped */
    sac_normalizer normalizer;
    size_t matrices;       /* of queries and keys */
    size_t queries;        /* of a matrix */
    size_t dim, value_dim; /* of one prepared head */
    sac_storage storage;
    size_t loop_limit;        /* sac_quirk_loop_limit */
    const sac_tiling *tiling; /* one that fits the device; NULL: what ships for it */
} sac_plan_request;

/* A variant that cannot take these sizes, or not on this device, gives the naive plan; the matrix
 * one the GPU's. */
void sac_plan_make(const sac_device_info *info, const sac_plan_request *request, sac_plan *plan);

/* True where tiles ask for instructions for matrices, and such an attention, of float32 or bfloat16, gains by them:
 * its queries, forward and backward, are worth the cutting of keys. */
bool sac_plan_takes_squares(const sac_tiling *tiling, sac_score form, sac_normalizer normalizer,
                            size_t queries, size_t widest);

#endif
