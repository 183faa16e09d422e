/* Pictures in files and folders, in order. */

#include "images/picture_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "images/folder.h"
#include "images/image_read.h"

/* Takes `path` over, also where memory runs out for it. */
static sac_status add(sac_picture_files *files, char *path, sac_error *error)
{
    char **more = realloc(files->paths, ((size_t)files->count + 1) * sizeof *more);
    if (more)
        files->paths = more;
    if (!more || !path) {
        free(path);
        return sac_no_memory(error, "pictures");
    }
    files->paths[files->count++] = path;
    return SAC_OK;
}

static sac_status add_folder(sac_picture_files *files, const char *path, sac_error *error)
{
    int before = files->count;
    sac_folder folder;
    sac_status status = sac_folder_list(path, &folder, error);
    for (size_t i = 0; status == SAC_OK && i < folder.count; i++)
        if (folder.entries[i].kind == SAC_FILE_PICTURE)
            status = add(files, sac_path_join(path, folder.entries[i].name), error);
    sac_folder_free(&folder);
    if (status == SAC_OK && files->count == before)
        return sac_fail(error, SAC_E_FILE, path, "give a folder of pictures",
                        "there is no picture (" SAC_IMAGE_FORMATS ") in this folder");
    return status;
}

sac_status sac_picture_files_find(const char *const *paths, int count, sac_picture_files *files,
                                  sac_error *error)
{
    sac_status status = SAC_OK;
    *files = (sac_picture_files){0};
    for (int i = 0; status == SAC_OK && i < count; i++)
        status = sac_is_folder(paths[i]) ? add_folder(files, paths[i], error)
                                         : add(files, strdup(paths[i]), error);
    if (status != SAC_OK)
        sac_picture_files_free(files);
    return status;
}

void sac_picture_files_free(sac_picture_files *files)
{
    for (int i = 0; i < files->count; i++)
        free(files->paths[i]);
    free(files->paths);
    *files = (sac_picture_files){0};
}
