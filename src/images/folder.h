/* What a folder holds of what this program opens: folders, pictures and files of arrays, found by
 * content. */
#ifndef SAC_IMAGES_FOLDER_H
#define SAC_IMAGES_FOLDER_H

#include "images/file_kind.h"
#include "saccade.h"

typedef struct sac_folder_entry {
    char *name; /* owned */
    bool is_folder;
    sac_file_kind kind; /* of a file: pictures and arrays alone are listed */
    uint64_t bytes;
} sac_folder_entry;

typedef struct sac_folder {
    sac_folder_entry *entries; /* [count], owned */
    size_t count;
} sac_folder;

/* Folders first, then files, each in the order of their names, numbers in them by their value.
 * Nothing hidden. SAC_E_FILE for a folder that cannot be read; SAC_E_MEMORY. */
sac_status sac_folder_list(const char *path, sac_folder *folder, sac_error *error);
/* All that is in it, in the same order, hidden or not: no file is looked into, so that a folder of many
 * thousands is listed at once. Kinds and sizes are not set. */
sac_status sac_folder_names(const char *path, sac_folder *folder, sac_error *error);
void sac_folder_free(sac_folder *folder);

bool sac_is_folder(const char *path);
/* "FOLDER/NAME"; free it. NULL: out of memory. */
char *sac_path_join(const char *folder, const char *name);

#endif
