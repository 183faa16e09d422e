/* Queries, keys and values of a file, in whatever order it has their axes. */
#ifndef SAC_SOURCES_FILES_FILE_VECTORS_H
#define SAC_SOURCES_FILES_FILE_VECTORS_H

#include "sources/files/file_finder.h"

/* The arrays of the file, and the orders that they may be in. */
typedef struct sac_file_vectors {
    const sac_array *part[3]; /* query, key, value; NULL: there is none; lent */
    sac_packing packing;
    bool asked;                               /* the caller says the order */
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
void sac_file_vectors_doubt(const sac_file_vectors *vectors, int chosen, int other,
                            sac_attention_file *file);

#endif
