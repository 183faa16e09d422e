/* The files that are read, told by their first bytes and not by their names. A new format is a file
 * of its own and one line of the table in readers.c; image_read.h says what every reader keeps to.
 */
#ifndef SAC_FORMATS_READERS_H
#define SAC_FORMATS_READERS_H

#include "formats/image_read.h"

typedef enum sac_file_kind {
    SAC_FILE_UNREAD =
        0,          /* it cannot be opened, is empty, or is a pipe, of which nothing is taken */
    SAC_FILE_OTHER, /* no reader knows it */
    SAC_FILE_PICTURE,
    SAC_FILE_ARRAYS
} sac_file_kind;

typedef struct sac_reader {
    const char *name; /* "PNG", ".npz" */
    sac_file_kind kind;
    bool (*is)(const uint8_t *bytes,
               size_t size); /* of the file's first SAC_READER_START, or all */
    /* Reads a picture; see sac_png_decode. */
    sac_status (*decode)(const uint8_t *bytes, size_t size, sac_image *image,
                         sac_picture_facts *facts, sac_error *error);
    /* Reads arrays; see sac_npy_open. */
    sac_status (*open)(sac_arrays *arrays, sac_error *error);
} sac_reader;
enum { SAC_READER_START = 16 };

/* The reader of that kind for a file that begins with these bytes, or NULL. */
const sac_reader *sac_reader_find(sac_file_kind kind, const uint8_t *bytes, size_t size);
/* "PNG, JPEG" with the last comma as `last`, such as " or ", into `text`, which is returned. */
char *sac_reader_names(sac_file_kind kind, const char *last, char *text, size_t size);
sac_file_kind sac_file_kind_of(const char *path);

#endif
