/* Masks, biases and slopes of a file as the one mask that an attention takes. */
#ifndef SAC_SOURCES_FILES_ATTENTION_MASKS_H
#define SAC_SOURCES_FILES_ATTENTION_MASKS_H

#include "saccade.h"

typedef enum sac_mask_kind {
    SAC_MASK_BLOCKS, /* bool: true = blocked; float: added */
    SAC_MASK_KEEPS,  /* 1 or true = keep; floats other than 0 and 1: added */
    SAC_MASK_PADS,   /* a number a key, [B,Tk] or [Tk]: bool and whole numbers: 1 = blocked; float:
                        added */
    SAC_MASK_ADDS,   /* numbers that are added to the score */
    SAC_MASK_SLOPES /* [H]: slope · |i + offset − j| is taken from the score; of other sizes: added
                     */
} sac_mask_kind;

typedef struct sac_mask_part {
    const char *name;       /* lent */
    const sac_array *array; /* lent; NULL: there is none */
    sac_mask_kind kind;
} sac_mask_part;

/* True of floats that are 0 and 1 alone, with a 1: such a mask is added as others are, but meant to
 * block or to keep. */
bool sac_mask_looks_boolean(const sac_array *array);

/* True of bools that block every key of a row: as they do where true was meant to keep. */
bool sac_mask_blocks_a_row(const sac_array *array);

/* All `parts` as one attn_mask for weights of `shape`: [B,H,Tq,Tk], sizes of 1 broadcast; bool
 * where nothing is added, else float. A part of three sizes is one for each item or each head, or
 * for each head of each item, [B·H,Tq,Tk]. It lends from a part that can be taken as it is, and is
 * zeroed where there is no part. `offset` says where query 0 stands among the keys. SAC_E_SHAPE and
 * SAC_E_ARGUMENT name the part that does not fit; SAC_E_MEMORY where the mask would take more than
 * 2 GiB. Free with sac_array_free. */
sac_status sac_masks_merge(const sac_mask_part *parts, size_t count,
                           const sac_attention_shape *shape, ptrdiff_t offset, sac_array *mask,
                           sac_error *error);

#endif
