/* What a folder holds of what this program opens: folders, pictures and files of arrays, found by
 * content. */
#ifndef SAC_IMAGES_FOLDER_H
#define SAC_IMAGES_FOLDER_H

#include "saccade.h"

/* The kind of a file, by its first bytes and not by its name. */
typedef enum sac_file_kind {
    /* it cannot be opened, is empty, or is a pipe, of which nothing is taken */
    SAC_FILE_UNREAD = 0,
    SAC_FILE_OTHER, /* no reader knows it */
    SAC_FILE_PICTURE,
    SAC_FILE_ARRAYS
} sac_file_kind;

sac_file_kind sac_file_kind_of(const char *path);

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
sac_status sac_folder_list_openable(const char *path, sac_folder *folder, sac_error *error);
/* All that is in it, in the same order, hidden or not: no file is looked into, so that a folder of many
 * thousands is listed at once. Kinds and sizes are not set. */
sac_status sac_folder_list_names(const char *path, sac_folder *folder, sac_error *error);
/* Of the files in it, not of those in folders below. */
bool sac_folder_has_pictures(const char *path);
void sac_folder_free(sac_folder *folder);

bool sac_is_folder(const char *path);
/* "FOLDER/NAME"; free it. NULL: out of memory. */
char *sac_path_join(const char *folder, const char *name);

/* True where a name ends as those of pictures do: ".jpg", ".PNG". */
bool sac_is_picture_name(const char *name, size_t size);

/* The pictures that a person means by the files and folders that they name. */
typedef struct sac_picture_files {
    char **paths; /* [count], owned */
    int count;
    /* [unread_count], owned: files of the folders that have names of pictures and are none, such as
     * empty ones */
    char **unread;
    int unread_count;
} sac_picture_files;

/* The paths as they stand, but a folder is its PNG and JPEG files (by content; no hidden ones,
 * no folders inside) in the order of their names, numbers in them by their value. SAC_E_FILE for a
 * folder that cannot be read or holds no picture; SAC_E_MEMORY. */
sac_status sac_picture_files_find(const char *const *paths, int count, sac_picture_files *files,
                                  sac_error *error);
/* One line for those that are none, with the first names: for who opens the others. */
void sac_picture_files_notice(const sac_picture_files *files);
void sac_picture_files_free(sac_picture_files *files);

#endif
