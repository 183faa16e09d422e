/* Pictures in files and folders, in order. */

#include "captioner/picture_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "formats/readers.h"

bool sac_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Takes `path` over, also where there is no memory for it. */
static sac_status add(sac_picture_files *files, char *path, sac_error *error)
{
    char **more = realloc(files->paths, ((size_t)files->count + 1) * sizeof *more);
    if (more)
        files->paths = more;
    if (!more || !path) {
        free(path);
        return sac_fail(error, SAC_E_MEMORY, "pictures", NULL, "no memory for their names");
    }
    files->paths[files->count++] = path;
    return SAC_OK;
}

static char *join(const char *folder, const char *name)
{
    size_t length = strlen(folder), size = length + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s%s", folder, length && folder[length - 1] == '/' ? "" : "/",
                 name);
    return path;
}

static int by_name(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

static sac_status add_entries(sac_picture_files *files, const char *folder, DIR *entries,
                              sac_error *error)
{
    sac_status status = SAC_OK;
    for (struct dirent *entry; status == SAC_OK && (entry = readdir(entries));) {
        if (entry->d_name[0] == '.')
            continue;
        char *path = join(folder, entry->d_name);
        if (path && (sac_is_folder(path) || sac_file_kind_of(path) != SAC_FILE_PICTURE))
            free(path);
        else
            status = add(files, path, error);
    }
    return status;
}

static sac_status add_folder(sac_picture_files *files, const char *folder, sac_error *error)
{
    char names[64];
    int before = files->count;
    DIR *entries = opendir(folder);
    if (!entries)
        return sac_fail(error, SAC_E_FILE, folder, "check its permissions",
                        "the folder cannot be read: %s", strerror(errno));
    sac_status status = add_entries(files, folder, entries, error);
    closedir(entries);
    if (status == SAC_OK && files->count == before)
        return sac_fail(error, SAC_E_FILE, folder, "give a folder of pictures",
                        "there is no picture (%s) in this folder",
                        sac_reader_names(SAC_FILE_PICTURE, ", ", names, sizeof names));
    if (status == SAC_OK)
        qsort(files->paths + before, (size_t)(files->count - before), sizeof *files->paths,
              by_name);
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
