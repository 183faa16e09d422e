/* The parts of reading an attention out of a file, for attention_file.c. */
#ifndef SAC_SOURCES_FILES_QUERIES_ATTENTION_FILE_PARTS_H
#define SAC_SOURCES_FILES_QUERIES_ATTENTION_FILE_PARTS_H

#include "saccade_arrays.h"
#include "sources/files/names.h"
#include "sources/files/queries/attention_file.h"

/* ---- names behind a prefix */

typedef struct sac_file_finder {
    const sac_arrays *arrays;
    const sac_attention_request *request;
    size_t prefix;      /* bytes of the query's name before its last word … */
    const char *suffix; /* … and the number behind that, "" where there is none */
    bool *used;         /* [sac_arrays_size]: what was found is marked; may be NULL */
    /* Where it is not NULL, takes the first name that was looked for and is one of those that the
     * file holds and are not read: what is there and not read might change the weights. */
    const char **unread;
} sac_file_finder;

sac_file_finder sac_file_finder_begin(const sac_arrays *arrays,
                                      const sac_attention_request *request, bool *used);
/* The layer's own array of that name, or that of all layers; NULL: there is none. */
const sac_array *sac_file_find(const sac_file_finder *finder, const char *name);
/* The first of several names, which NULL ends, and which it was. */
const sac_array *sac_file_find_any(const sac_file_finder *finder, sac_names list,
                                   const char **name);
/* True where the request leaves out an array of that name, in the file or behind the prefix. */
bool sac_file_is_left_out(const sac_file_finder *finder, const char *whole, const char *name);
/* Adds a sentence to the file's note. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void sac_file_note(sac_attention_file *file, const char *format, ...);

/* ---- settings */

/* Puts into file->spec what the file sets and the caller does not; where both do and differ, the
 * caller's stands with a note in file->note. SAC_E_VALUE names what is no such number. With a `used`
 * in the finder all are marked, also after a failure. */
sac_status sac_file_settings_read(const sac_file_finder *finder, sac_attention_file *file,
                                  sac_error *error);

/* ---- layers */

/* Fills file->input with them; the heads of file->spec define how in_proj_weight (qkv.weight, Wqkv.weight)
 * is split where key and value have fewer. Arrays beyond the request's extent count as used all the
 * same, as they do not affect the weights. */
sac_status sac_file_parameters_read(const sac_file_finder *finder, sac_attention_file *file,
                                    sac_error *error);

/* ---- queries, keys and values */

/* The arrays of the file, and the orders that they may be in. */
typedef struct sac_file_vectors {
    const sac_array *part[3]; /* query, key, value; NULL: there is none; lent */
    sac_packing packing;
    bool asked;                               /* the caller gives the order */
    sac_vector_axes order[SAC_VECTOR_ORDERS]; /* [count], the usual first; none where the arrays are
                                                 no vectors at all */
    int count;
} sac_file_vectors;

/* SAC_E_ARGUMENT where the request's axes cannot be read. */
sac_status sac_file_vectors_find(const sac_file_finder *finder, sac_file_vectors *vectors,
                                 sac_error *error);
/* Puts query, key and value, read in that order ("" for arrays that are none), into file->input and
 * file->own. */
sac_status sac_file_vectors_take(const sac_file_vectors *vectors, const char *order,
                                 sac_attention_file *file, sac_error *error);
/* The order that is likelier to be meant than order `chosen`, by the sizes of queries and keys; −1:
 * there is none. */
int sac_file_vectors_likelier(const sac_file_vectors *vectors, int chosen);
/* Notes that `chosen` was read, and how to have `other`. */
void sac_file_vectors_note_doubt(const sac_file_vectors *vectors, int chosen, int other,
                                 sac_attention_file *file);

/* ---- masks */

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
 * zeroed where there is no part. `offset` is where query 0 stands among the keys. SAC_E_SHAPE and
 * SAC_E_ARGUMENT name the part that does not fit; SAC_E_MEMORY where the mask would take more than
 * 2 GiB. Free with sac_array_free. */
sac_status sac_masks_merge(const sac_mask_part *parts, size_t count,
                           const sac_attention_shape *shape, ptrdiff_t offset, sac_array *mask,
                           sac_error *error);

/* ---- what is refused */

/* SAC_E_ARGUMENT, naming the array and what to do, where the file holds one that would give other
 * numbers. What is harmless but easily thought to be used is noted, and marked in the finder's
 * `used`. `file` has been read. */
sac_status sac_file_unsupported_check(const sac_file_finder *finder, sac_attention_file *file,
                                      sac_error *error);
/* The same of a mask or a bias that is not in `used` [sac_arrays_size]: its name is not known. A
 * mask of queries changes no weights. */
sac_status sac_file_unknown_check(const sac_file_finder *finder, const sac_attention_file *file,
                                  const bool *used, sac_error *error);

#endif
