/* What a folder holds, what kind a file is, and the pictures that paths name. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arrays/arrays.h"
#include "base/error.h"
#include "base/notice.h"
#include "images/folder.h"
#include "images/image_read.h"

sac_file_kind sac_file_kind_of(const char *path)
{
    uint8_t start[32], *text;
    size_t size = sac_file_read_start(path, start, sizeof start);
    if (size == 0)
        return SAC_FILE_UNREAD;
    if (sac_image_is(start, size))
        return SAC_FILE_PICTURE;
    bool are_arrays = sac_arrays_is_known_format(start, size);
    /* text may be a table of numbers, of which more is read */
    if (!are_arrays && !memchr(start, 0, size) && (text = malloc(SAC_TEXT_START))) {
        are_arrays =
            sac_arrays_is_known_format(text, sac_file_read_start(path, text, SAC_TEXT_START));
        free(text);
    }
    return are_arrays ? SAC_FILE_ARRAYS : SAC_FILE_OTHER;
}

bool sac_is_picture_name(const char *name, size_t size)
{
    static const char *const endings[] = {".jpg",  ".jpeg", ".png",  ".webp", ".gif",
                                          ".bmp",  ".avif", ".heic", ".heif", ".tif",
                                          ".tiff", ".ppm",  ".pgm",  ".pbm",  ".pnm"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t tail = strlen(endings[i]);
        if (size > tail && strncasecmp(name + size - tail, endings[i], tail) == 0)
            return true;
    }
    return false;
}

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
static bool read_entry_kind(const char *path, sac_folder_entry *entry)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return false;
    entry->bytes = (uint64_t)info.st_size;
    if (!entry->is_folder)
        entry->kind = sac_file_kind_of(path);
    return entry->is_folder || entry->kind == SAC_FILE_PICTURE || entry->kind == SAC_FILE_ARRAYS;
}

/* Of a link the target is checked; for all else most file systems give the type with the name. */
static sac_status find_is_folder(const char *path, const struct dirent *found, bool *is_folder,
                                 sac_error *error)
{
    *is_folder = found->d_type == DT_DIR;
    if (found->d_type != DT_LNK && found->d_type != DT_UNKNOWN)
        return SAC_OK;
    char *whole = sac_path_join(path, found->d_name);
    *is_folder = whole && sac_is_folder(whole);
    free(whole);
    return whole ? SAC_OK : sac_no_memory(error, path);
}

static sac_status add_entry(sac_folder *folder, size_t *room, const char *path,
                            const struct dirent *found, sac_error *error)
{
    sac_folder_entry entry = {0};
    if (folder->count == *room) {
        size_t more = *room ? 2 * *room : 64;
        sac_folder_entry *entries = realloc(folder->entries, more * sizeof *entries);
        if (!entries)
            return sac_no_memory(error, path);
        folder->entries = entries;
        *room = more;
    }
    sac_status status = find_is_folder(path, found, &entry.is_folder, error);
    if (status != SAC_OK)
        return status;
    entry.name = strdup(found->d_name);
    if (!entry.name)
        return sac_no_memory(error, path);
    folder->entries[folder->count++] = entry;
    return SAC_OK;
}

sac_status sac_folder_list_names(const char *path, sac_folder *folder, sac_error *error)
{
    *folder = (sac_folder){0};
    DIR *names = opendir(path);
    if (!names)
        return sac_fail(error, SAC_E_FILE, path,
                        errno == ENOENT ? "check the path" : "check its permissions",
                        "the folder cannot be read: %s", strerror(errno));
    sac_status status = SAC_OK;
    size_t room = 0;
    for (struct dirent *found; status == SAC_OK && (found = readdir(names));)
        if (strcmp(found->d_name, ".") != 0 && strcmp(found->d_name, "..") != 0)
            status = add_entry(folder, &room, path, found, error);
    closedir(names);
    if (status != SAC_OK)
        sac_folder_free(folder);
    else if (folder->count)
        qsort(folder->entries, folder->count, sizeof *folder->entries, by_kind_and_name);
    return status;
}

sac_status sac_folder_list_openable(const char *path, sac_folder *folder, sac_error *error)
{
    sac_status status = sac_folder_list_names(path, folder, error);
    size_t left = 0;
    for (size_t i = 0; i < folder->count; i++) {
        sac_folder_entry entry = folder->entries[i];
        char *whole = sac_path_join(path, entry.name);
        bool opens = whole && entry.name[0] != '.' && read_entry_kind(whole, &entry);
        status = whole ? status : sac_no_memory(error, path);
        free(whole);
        if (opens)
            folder->entries[left++] = entry;
        else
            free(entry.name);
    }
    folder->count = left;
    if (status != SAC_OK)
        sac_folder_free(folder);
    return status;
}

bool sac_folder_has_pictures(const char *path)
{
    sac_folder names;
    bool has = false;
    if (sac_folder_list_names(path, &names, NULL) != SAC_OK)
        return false;
    for (size_t i = 0; !has && i < names.count; i++) {
        char *whole = sac_path_join(path, names.entries[i].name);
        has =
            whole && names.entries[i].name[0] != '.' && sac_file_kind_of(whole) == SAC_FILE_PICTURE;
        free(whole);
    }
    sac_folder_free(&names);
    return has;
}

void sac_folder_free(sac_folder *folder)
{
    for (size_t i = 0; i < folder->count; i++)
        free(folder->entries[i].name);
    free(folder->entries);
    *folder = (sac_folder){0};
}

/* ---------------------------------------------------------------- pictures of files and folders */

/* Takes `path` over, also where memory runs out for it. */
static sac_status add(char ***paths, int *count, char *path, sac_error *error)
{
    char **more = realloc(*paths, ((size_t)*count + 1) * sizeof *more);
    if (more)
        *paths = more;
    if (!more || !path) {
        free(path);
        return sac_no_memory(error, "pictures");
    }
    (*paths)[(*count)++] = path;
    return SAC_OK;
}

static sac_status add_folder(sac_picture_files *files, const char *path, sac_error *error)
{
    const int before = files->count, unread = files->unread_count;
    sac_folder folder;
    sac_status status = sac_folder_list_names(path, &folder, error);
    for (size_t i = 0; status == SAC_OK && i < folder.count; i++) {
        const char *name = folder.entries[i].name;
        char *whole = sac_path_join(path, name);
        const bool is_file = whole && name[0] != '.' && !folder.entries[i].is_folder;
        if (!whole)
            status = sac_no_memory(error, path);
        else if (is_file && sac_file_kind_of(whole) == SAC_FILE_PICTURE)
            status = add(&files->paths, &files->count, whole, error);
        else if (is_file && sac_is_picture_name(name, strlen(name)))
            status = add(&files->unread, &files->unread_count, whole, error);
        else
            free(whole);
    }
    sac_folder_free(&folder);
    if (status == SAC_OK && files->count == before)
        return sac_fail(error, SAC_E_FILE, path, "give a folder of pictures",
                        "there is no picture (" SAC_IMAGE_FORMATS ") in this folder%s%s",
                        files->unread_count > unread ? ", and none can be read, such as " : "",
                        files->unread_count > unread ? files->unread[unread] : "");
    return status;
}

sac_status sac_picture_files_find(const char *const *paths, int count, sac_picture_files *files,
                                  sac_error *error)
{
    sac_status status = SAC_OK;
    *files = (sac_picture_files){0};
    for (int i = 0; status == SAC_OK && i < count; i++)
        status = sac_is_folder(paths[i])
                     ? add_folder(files, paths[i], error)
                     : add(&files->paths, &files->count, strdup(paths[i]), error);
    if (status != SAC_OK)
        sac_picture_files_free(files);
    return status;
}

void sac_picture_files_notice(const sac_picture_files *files)
{
    enum { NAMED = 3 };
    char names[400] = "";
    size_t used = 0;
    for (int i = 0; i < files->unread_count && i < NAMED && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%.100s", i ? ", " : "",
                                 files->unread[i]);
    if (files->unread_count)
        sac_notice("left out: %d files that cannot be read as pictures: %s%s", files->unread_count,
                   names, files->unread_count > NAMED ? ", …" : "");
}

void sac_picture_files_free(sac_picture_files *files)
{
    for (int i = 0; i < files->count; i++)
        free(files->paths[i]);
    for (int i = 0; i < files->unread_count; i++)
        free(files->unread[i]);
    free(files->paths);
    free(files->unread);
    *files = (sac_picture_files){0};
}
