/* Folders and files of models that are not opened as they are given: what each is, and what to give
 * in its place. */
#ifndef SAC_PRETRAINED_FILES_FOREIGN_FOLDER_H
#define SAC_PRETRAINED_FILES_FOREIGN_FOLDER_H

#include <stdbool.h>

#include "saccade.h"

/* SAC_E_FORMAT, with what it is and what to give, for a folder that holds a model in another form
 * (a cache of huggingface_hub, an adapter, a pipeline, …), for one file of a model's folder, and
 * for a file of a kind that foreign.h knows. SAC_OK for anything else. */
sac_status sac_foreign_path_check(const char *path, sac_error *error);
/* True where the path is one file of a model's folder, and that folder. */
bool sac_model_folder_of_file(const char *path, char *folder, size_t size);

#endif
