#include "images/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

bool sac_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

char *sac_path_join(const char *folder, const char *name)
{
    size_t length = strlen(folder), size = length + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s%s", folder, length && folder[length - 1] == '/' ? "" : "/",
                 name);
    return path;
}

static int by_kind_and_name(const void *a, const void *b)
{
    const sac_folder_entry *one = a, *other = b;
    if (one->is_folder != other->is_folder)
        return one->is_folder ? -1 : 1;
    return strverscmp(one->name, other->name);
}

/* False where it is neither a folder nor a file that opens. */
static bool look_at(const char *path, sac_folder_entry *entry)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return false;
    entry->is_folder = S_ISDIR(info.st_mode);
    entry->bytes = (uint64_t)info.st_size;
    if (!entry->is_folder)
        entry->kind = sac_file_kind_of(path);
    return entry->is_folder || entry->kind == SAC_FILE_PICTURE || entry->kind == SAC_FILE_ARRAYS;
}

static sac_status add_entry(sac_folder *folder, const char *path, const char *name,
                            sac_error *error)
{
    sac_folder_entry entry = {0};
    char *whole = sac_path_join(path, name);
    bool opens = whole && look_at(whole, &entry);
    free(whole);
    if (whole && !opens)
        return SAC_OK;
    sac_folder_entry *more = realloc(folder->entries, (folder->count + 1) * sizeof *more);
    folder->entries = more ? more : folder->entries;
    entry.name = strdup(name);
    if (!whole || !more || !entry.name) {
        free(entry.name);
        return sac_no_memory(error, path);
    }
    folder->entries[folder->count++] = entry;
    return SAC_OK;
}

sac_status sac_folder_list(const char *path, sac_folder *folder, sac_error *error)
{
    *folder = (sac_folder){0};
    DIR *names = opendir(path);
    if (!names)
        return sac_fail(error, SAC_E_FILE, path, "check its permissions",
                        "the folder cannot be read: %s", strerror(errno));
    sac_status status = SAC_OK;
    for (struct dirent *found; status == SAC_OK && (found = readdir(names));)
        if (found->d_name[0] != '.')
            status = add_entry(folder, path, found->d_name, error);
    closedir(names);
    if (status != SAC_OK)
        sac_folder_free(folder);
    else if (folder->count)
        qsort(folder->entries, folder->count, sizeof *folder->entries, by_kind_and_name);
    return status;
}

void sac_folder_free(sac_folder *folder)
{
    for (size_t i = 0; i < folder->count; i++)
        free(folder->entries[i].name);
    free(folder->entries);
    *folder = (sac_folder){0};
}
