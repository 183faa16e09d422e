/* The order of the axes that queries, keys and values have in a file, and the same vectors in the
 * order in which attention takes them.
 *
 * An order is a word with a letter for each axis: B items of a batch, H heads, T positions, D
 * features, and the axis along which arrays are packed: 3 for query, key and value, 2 for key and
 * value. "BTHD" is the order of flash-attention and JAX, "BT3HD" a packed one. */
#ifndef SAC_SOURCES_FILES_QUERIES_VECTOR_AXES_H
#define SAC_SOURCES_FILES_QUERIES_VECTOR_AXES_H

#include "saccade.h"

/* How an array holds vectors. */
typedef enum sac_packing {
    SAC_PACK_NONE = 0, /* of one kind */
    SAC_PACK_KV = 2,   /* keys and values */
    SAC_PACK_QKV = 3   /* queries, keys and values */
} sac_packing;

enum { SAC_VECTOR_AXES_SIZE = 8 };
typedef char sac_vector_axes[SAC_VECTOR_AXES_SIZE];

/* Reads what a person wrote, in any case, with or without commas and brackets. Other letters of the
 * field are taken too: Q, S, L, N and M for T; C and E for D; K for D beside one of positions, else
 * for T; and without a D, as JAX writes them, N for H and H for D. The axes of weights, "BHQK", are
 * those of their queries, "BHTD". SAC_E_ARGUMENT where an axis is missing or named twice. */
sac_status sac_vector_axes_read(const char *text, sac_vector_axes axes, sac_error *error);

/* The orders that an array of that shape may have, the usual first; returns how many. `asked`, NULL
 * or "" by default, leaves out the others: the packed axis may be missing in it. */
enum { SAC_VECTOR_ORDERS = 16 };
int sac_vector_axes_list(const sac_array *array, sac_packing packing, const char *asked,
                         sac_vector_axes orders[SAC_VECTOR_ORDERS]);

/* Where the packed axis is; −1: there is none. */
int sac_vector_axes_packed_index(const char *axes);
/* The order without the packed axis: "BTHD" of "BT3HD". */
void sac_vector_axes_unpack(const char *axes, sac_vector_axes unpacked);
/* "[B,T,3,H,D]" */
char *sac_vector_axes_text(const char *axes, char *text, size_t size);

/* A part of an array: which one along the packed axis, or a piece of the heads or the features. */
typedef struct sac_vector_part {
    size_t packed; /* index along the axis 3 or 2 */
    char cut;      /* 'H' or 'D': only `width` of that axis from `from` on; 0: all of it */
    size_t from, width;
} sac_vector_part;

/* Vectors [B,H,T,D] where the order has heads, else [B,T,D] or [T,D]: lent from `array` where they
 * lie so, else copied. SAC_E_SHAPE where the order is not of that rank. Free `vectors`. */
sac_status sac_vectors_take(const sac_array *array, const char *axes, const sac_vector_part *part,
                            sac_array *vectors, sac_error *error);
/* Puts an array that is in the order of sac_vectors_take into that of the file, without its packed
 * axis. */
sac_status sac_vectors_restore(sac_array *vectors, const char *axes, sac_error *error);

#endif
