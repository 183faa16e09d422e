/* The pictures that a person means by the files and folders that they name. */
#ifndef SAC_IMAGES_PICTURE_FILES_H
#define SAC_IMAGES_PICTURE_FILES_H

#include "saccade.h"

typedef struct sac_picture_files {
    char **paths; /* [count], owned */
    int count;
} sac_picture_files;

/* The paths as they stand, but a folder is its PNG and JPEG files (by content; no hidden ones,
 * no folders inside) in the order of their names, numbers in them by their value. SAC_E_FILE for a
 * folder that cannot be read or holds no picture; SAC_E_MEMORY. */
sac_status sac_picture_files_find(const char *const *paths, int count, sac_picture_files *files,
                                  sac_error *error);
void sac_picture_files_free(sac_picture_files *files);

#endif
