/* The kind of a file, by its first bytes and not by its name. */
#ifndef SAC_IMAGES_FILE_KIND_H
#define SAC_IMAGES_FILE_KIND_H

typedef enum sac_file_kind {
    SAC_FILE_UNREAD =
        0,          /* it cannot be opened, is empty, or is a pipe, of which nothing is taken */
    SAC_FILE_OTHER, /* no reader knows it */
    SAC_FILE_PICTURE,
    SAC_FILE_ARRAYS
} sac_file_kind;

sac_file_kind sac_file_kind_of(const char *path);

#endif
