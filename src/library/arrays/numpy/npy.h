/* NumPy's .npy: a magic number, the header (a Python dict literal), the elements. Versions 1 to 3.
 * Format: numpy/lib/format.py, "Format Version 1.0". */
#ifndef SAC_ARRAYS_NUMPY_NPY_H
#define SAC_ARRAYS_NUMPY_NPY_H

#include "saccade.h"

#define SAC_NPY_PREAMBLE 12        /* magic, version and length of the header, at most */
#define SAC_NPY_TEXTS_MAX 16777216 /* strings in one array */

/* A file's first 6 bytes; two of the version follow. */
#define SAC_NPY_MAGIC "\x93NUMPY"
enum { SAC_NPY_MAGIC_SIZE = 6 };

typedef enum sac_npy_kind {
    SAC_NPY_NUMBERS = 0,
    SAC_NPY_UNICODE,
    SAC_NPY_BYTES,
    SAC_NPY_OBJECTS
} sac_npy_kind;

typedef struct sac_npy_header {
    sac_npy_kind kind;
    sac_dtype dtype;
    size_t item_bytes; /* of one element in the file */
    bool big_endian, fortran;
    int rank;
    size_t shape[SAC_MAX_RANK];
    size_t count, bytes; /* elements, and what they take in the file, but for objects, of which the
                            latter is not known; neither overflows */
} sac_npy_header;

/* Finds where the header's text starts and how long it is, from the file's first bytes. */
sac_status sac_npy_parse_preamble(const uint8_t *bytes, size_t size, size_t *text_start,
                                  size_t *text_size, sac_error *error);
/* SAC_E_FORMAT where the literal is damaged or the dtype is not read, SAC_E_SHAPE where the
 * dimensions overflow. */
sac_status sac_npy_parse(const char *text, size_t size, sac_npy_header *header, sac_error *error);
/* The type of the elements by its code, "<f4": SAC_E_FORMAT where it is not read. */
sac_status sac_npy_parse_dtype(const char *code, size_t size, sac_npy_header *header,
                               sac_error *error);
/* Sets count and bytes by type and shape. */
sac_status sac_npy_measure(sac_npy_header *header, sac_error *error);
/* Takes what decoding takes beside the elements out of *room. */
sac_status sac_npy_take_room(const sac_npy_header *header, size_t *room, sac_error *error);
/* Turns the file's elements (header->bytes of them, from malloc; taken over in any case) into a
 * row-major array in this machine's byte order. */
sac_status sac_npy_decode(const sac_npy_header *header, void *raw, sac_array *array,
                          sac_error *error);

/* The preamble and header that `array` gets in a file, padded so that the elements start at a
 * multiple of 64. `width`: characters of the longest text. Free *bytes. */
sac_status sac_npy_create_header(const sac_array *array, size_t width, char **bytes, size_t *size,
                                 sac_error *error);

#endif
