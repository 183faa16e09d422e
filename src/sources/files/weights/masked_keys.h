/* The keys that are hidden from a query by the masks of a file. */
#ifndef SAC_SOURCES_FILES_WEIGHTS_MASKED_KEYS_H
#define SAC_SOURCES_FILES_WEIGHTS_MASKED_KEYS_H

#include "sources/files/queries/attention_file.h"

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

#endif
