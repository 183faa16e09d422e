/* The files of a folder and of the folders in it, found by the names that captions use for them. */
#ifndef SAC_PICTURES_PICTURE_FOLDER_H
#define SAC_PICTURES_PICTURE_FOLDER_H

#include "pictures/text_table.h"
#include "saccade.h"

typedef struct sac_picture_folder {
    sac_text_table files; /* paths within the folder: "train/a.jpg" */
    sac_text_table names; /* what a file may be called beside its path: "a.jpg", "a" */
    int *file_of;         /* [names.count]; or SAC_SEVERAL_FILES */
    int capacity;
    sac_text_table
        other_case; /* names that were found, and that differ from their files' by the case of letters alone */
} sac_picture_folder;

enum { SAC_NO_FILE = -1, SAC_SEVERAL_FILES = -2 /* are called so */ };

/* Everything that is not hidden, in the order of names, down to folders in folders in it. SAC_E_FILE, SAC_E_MEMORY,
 * SAC_E_CANCELLED. Free it in any case. */
sac_status sac_picture_folder_open(const char *path, sac_picture_folder *folder, sac_error *error);
void sac_picture_folder_free(sac_picture_folder *folder);

/* The number of the file that is called `name`, with or without folders before it and with or
 * without its ending; its path within the folder comes first. A name may be in another form of Unicode,
 * and its ending in other letters; where there is no such file all of it may be, A.JPG of a.jpg. SAC_NO_FILE,
 * SAC_SEVERAL_FILES. */
int sac_picture_folder_find(sac_picture_folder *folder, const char *name);
/* The same of what may be a number that a name ends in: 391895 of COCO_val2014_000000391895.jpg. */
int sac_picture_folder_find_id(sac_picture_folder *folder, const char *id);
/* "2 names are in other letters than their files: A.JPG is a.jpg"; false: none was found so. */
bool sac_picture_folder_case_note(sac_picture_folder *folder, char *text, size_t size);
/* Adds a file to a folder that is filled by hand. False: no memory. */
bool sac_picture_folder_add(sac_picture_folder *folder, const char *path);

/* A path's last part. */
const char *sac_path_name(const char *path);

#endif
