#include "pictures/picture_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cancel.h"
#include "base/error.h"
#include "images/folder.h"
#include "pictures/rows.h"

enum { DEEPEST = 4 }; /* folders in one another, so that a link to a folder above ends */

/* Either kind of slash: tables from other systems have the other one. */
const char *sac_path_name(const char *path)
{
    for (const char *c = path; *c; c++)
        if (*c == '/' || *c == '\\')
            path = c + 1;
    return path;
}

static bool add_name(sac_picture_folder *folder, const char *name, size_t size, int file)
{
    int known = folder->names.count;
    int number = sac_text_table_add(&folder->names, name, size);
    if (number < 0)
        return false;
    if (folder->names.capacity > folder->capacity) {
        int *more = realloc(folder->file_of, (size_t)folder->names.capacity * sizeof *more);
        if (!more)
            return false;
        folder->file_of = more;
        folder->capacity = folder->names.capacity;
    }
    if (number == known)
        folder->file_of[number] = file;
    else if (folder->file_of[number] != file)
        folder->file_of[number] = SAC_SEVERAL_FILES;
    return true;
}

static bool add_file(sac_picture_folder *folder, const char *path)
{
    const char *name = sac_path_name(path);
    int file = sac_text_table_add(&folder->files, path, strlen(path));
    return file >= 0 && add_name(folder, name, strlen(name), file) &&
           (!sac_is_picture_name(name, strlen(name)) ||
            add_name(folder, name, (size_t)(strrchr(name, '.') - name), file));
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* `within`: the path of this folder in the outer one; "" for that itself. */
static sac_status scan(sac_picture_folder *folder, const char *outer, const char *within, int depth,
                       sac_error *error)
{
    struct dirent **entries = NULL;
    char *path = within[0] ? sac_path_join(outer, within) : strdup(outer);
    int count = path ? scandir(path, &entries, is_shown, by_name) : 0;
    sac_status status = sac_cancel_check("pictures", error);
    if (status == SAC_OK && !path)
        status = sac_no_memory(error, outer);
    else if (status == SAC_OK && count < 0)
        status = sac_fail(error, SAC_E_FILE, path, "give a folder of pictures",
                          "the folder cannot be read: %s", strerror(errno));
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char *inner = within[0] ? sac_path_join(within, name) : strdup(name);
        char *whole = inner ? sac_path_join(outer, inner) : NULL;
        bool is_folder = entries[i]->d_type == DT_DIR;
        if (whole && (entries[i]->d_type == DT_LNK || entries[i]->d_type == DT_UNKNOWN))
            is_folder = sac_is_folder(whole);
        if (status == SAC_OK && (!whole || (!is_folder && !add_file(folder, inner))))
            status = sac_no_memory(error, outer);
        else if (status == SAC_OK && is_folder && depth < DEEPEST)
            status = scan(folder, outer, inner, depth + 1, error);
        free(inner);
        free(whole);
        free(entries[i]);
    }
    free(entries);
    free(path);
    return status;
}

sac_status sac_picture_folder_open(const char *path, sac_picture_folder *folder, sac_error *error)
{
    *folder = (sac_picture_folder){0};
    return scan(folder, path, "", 1, error);
}

void sac_picture_folder_free(sac_picture_folder *folder)
{
    sac_text_table_free(&folder->files);
    sac_text_table_free(&folder->names);
    free(folder->file_of);
    *folder = (sac_picture_folder){0};
}

int sac_picture_folder_find(const sac_picture_folder *folder, const char *name)
{
    int file = sac_text_table_find(&folder->files, name, strlen(name));
    const char *last = sac_path_name(name), *dot = strrchr(last, '.');
    if (file >= 0)
        return file;
    int number = sac_text_table_find(&folder->names, last, strlen(last));
    if (number < 0 && dot)
        number = sac_text_table_find(&folder->names, last, (size_t)(dot - last));
    return number >= 0 ? folder->file_of[number] : SAC_NO_FILE;
}
