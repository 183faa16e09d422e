#include "pictures/picture_folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <utf8proc.h>

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

/* A name in the form in which those of different systems meet, behind a mark, as no name has: composed
 * characters (macOS writes them taken apart), one kind of slash, an ending of small letters, or with `folds` all
 * of it, behind another mark. free() it; NULL: no memory. */
static char *normalize_name(const char *name, size_t size, bool folds)
{
    utf8proc_uint8_t *composed = NULL;
    char *text = strndup(name, size), *plain = NULL;
    if (text && utf8proc_map((const utf8proc_uint8_t *)text, 0, &composed,
                             UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_COMPOSE |
                                 (folds ? UTF8PROC_CASEFOLD : 0)) < 0)
        composed = NULL; /* no UTF-8: as it is */
    if (text &&
        asprintf(&plain, "%c%s", folds ? '\3' : '\1', composed ? (char *)composed : text) < 0)
        plain = NULL;
    free(composed);
    free(text);
    for (char *c = plain; c && *c; c++)
        *c = *c == '\\' ? '/' : *c;
    char *dot = plain && sac_is_picture_name(plain, strlen(plain)) ? strrchr(plain, '.') : NULL;
    for (; dot && *dot; dot++)
        *dot = (char)tolower((unsigned char)*dot);
    return plain;
}

/* "\2391895" of COCO_val2014_000000391895: the number that its name ends in; "": it ends in none. */
static void write_trailing_number_key(const char *name, size_t size, char text[32])
{
    size_t begin = size;
    while (begin && isdigit((unsigned char)name[begin - 1]))
        begin--;
    while (begin < size && name[begin] == '0' && begin + 1 < size)
        begin++;
    text[0] = '\0';
    if (begin < size && size - begin < 30)
        snprintf(text, 32, "\2%.*s", (int)(size - begin), name + begin);
}

static bool add_normalized_names(sac_picture_folder *folder, const char *name, size_t size,
                                 int file)
{
    char *plain = normalize_name(name, size, false), *folded = normalize_name(name, size, true);
    bool done = plain && folded && add_name(folder, plain, strlen(plain), file) &&
                add_name(folder, folded, strlen(folded), file);
    free(plain);
    free(folded);
    return done;
}

bool sac_picture_folder_add(sac_picture_folder *folder, const char *path)
{
    const char *name = sac_path_name(path);
    int file = sac_text_table_add(&folder->files, path, strlen(path));
    bool done = file >= 0 && add_name(folder, name, strlen(name), file) &&
                add_normalized_names(folder, path, strlen(path), file) &&
                (name == path || add_normalized_names(folder, name, strlen(name), file));
    if (!done || !sac_is_picture_name(name, strlen(name)))
        return done;
    char number[32];
    size_t stem = (size_t)(strrchr(name, '.') - name);
    write_trailing_number_key(name, stem, number);
    return add_name(folder, name, stem, file) && add_normalized_names(folder, name, stem, file) &&
           (!number[0] || add_name(folder, number, strlen(number), file));
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
        if (status == SAC_OK && i % 1024 == 1023)
            status = sac_cancel_check("pictures", error);
        if (whole && (entries[i]->d_type == DT_LNK || entries[i]->d_type == DT_UNKNOWN))
            is_folder = sac_is_folder(whole);
        if (status == SAC_OK && (!whole || (!is_folder && !sac_picture_folder_add(folder, inner))))
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
    sac_text_table_free(&folder->other_case);
    free(folder->file_of);
    *folder = (sac_picture_folder){0};
}

static int find_normalized_name(const sac_picture_folder *folder, const char *name, size_t size,
                                bool folds)
{
    char *plain = normalize_name(name, size, folds);
    int number = plain ? sac_text_table_find(&folder->names, plain, strlen(plain)) : -1;
    free(plain);
    return number;
}

/* The path, the name, or the name without its ending. */
static int find_any_normalized_name(const sac_picture_folder *folder, const char *name, bool folds)
{
    const char *last = sac_path_name(name), *dot = strrchr(last, '.');
    int number = find_normalized_name(folder, name, strlen(name), folds);
    if (number < 0)
        number = find_normalized_name(folder, last, strlen(last), folds);
    if (number < 0 && dot)
        number = find_normalized_name(folder, last, (size_t)(dot - last), folds);
    return number;
}

int sac_picture_folder_find(sac_picture_folder *folder, const char *name)
{
    int file = sac_text_table_find(&folder->files, name, strlen(name));
    const char *last = sac_path_name(name), *dot = strrchr(last, '.');
    if (file >= 0)
        return file;
    int number = sac_text_table_find(&folder->names, last, strlen(last));
    if (number < 0 && dot)
        number = sac_text_table_find(&folder->names, last, (size_t)(dot - last));
    if (number < 0)
        number = find_any_normalized_name(folder, name, false);
    if (number >= 0)
        return folder->file_of[number];
    number = find_any_normalized_name(folder, name, true);
    if (number >= 0 && folder->file_of[number] >= 0)
        sac_text_table_add(&folder->other_case, name,
                           strlen(name)); /* without memory none the less */
    return number >= 0 ? folder->file_of[number] : SAC_NO_FILE;
}

bool sac_picture_folder_case_note(sac_picture_folder *folder, char *text, size_t size)
{
    const int count = folder->other_case.count;
    if (!count)
        return false;
    char *name = strdup(folder->other_case.texts[0]);
    const int file = name ? sac_picture_folder_find(folder, name) : SAC_NO_FILE;
    if (file >= 0)
        snprintf(text, size, "%d %s in other letters than %s: %.100s is %.100s", count,
                 count == 1 ? "name is" : "names are", count == 1 ? "its file" : "their files",
                 name, folder->files.texts[file]);
    free(name);
    return file >= 0;
}

int sac_picture_folder_find_id(sac_picture_folder *folder, const char *id)
{
    char text[32];
    int file = sac_picture_folder_find(folder, id);
    if (file != SAC_NO_FILE || id[strspn(id, "0123456789")])
        return file;
    write_trailing_number_key(id, strlen(id), text);
    int number = text[0] ? sac_text_table_find(&folder->names, text, strlen(text)) : -1;
    return number >= 0 ? folder->file_of[number] : SAC_NO_FILE;
}
