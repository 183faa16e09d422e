#include "export/notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/printable.h"
#include "saccade.h"
#include "sources/origin.h"
#include "sources/saved_name.h"
#include "view/settings.h"

/* The folder of `path`, whether the file exists or not; NULL if there is none. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup(".");
    char *absolute = folder ? realpath(folder, NULL) : NULL;
    free(folder);
    return absolute;
}

/* The rest of `file` below the first `length` bytes of `folder`; NULL where it is not below them,
 * or they are the root, in which everything is. */
static const char *below(const char *file, const char *folder, size_t length)
{
    bool inside = length > 0 && strncmp(file, folder, length) == 0 && file[length] == '/';
    return inside ? file + length + 1 : NULL;
}

/* Returns a copy; NULL: no memory. */
static char *relative(const char *file, const char *folder)
{
    const char *rest = below(file, folder, strlen(folder));
    if (rest)
        return strdup(rest);
    char *name = NULL;
    rest = below(file, folder, (size_t)(strrchr(folder, '/') - folder));
    if (!rest)
        return strdup(file);
    return asprintf(&name, "../%s", rest) < 0 ? NULL : name;
}

/* The notes that name files, and the notes of their hashes. */
static const struct {
    const char *key, *hash;
} of_files[VIZ_NAMED_FILES] = {{"file", "hash"},
                               {"from", "hash"},
                               {"labels", "labels hash"},
                               {"image", "image hash"},
                               {"second file", "second file hash"},
                               {"second image", "second image hash"}};

static int file_of(const char *key)
{
    for (int i = 0; i < VIZ_NAMED_FILES; i++)
        if (strcmp(of_files[i].key, key) == 0)
            return i;
    return -1;
}

static void add(viz_notes *notes, const char *key, char *own)
{
    if (own && notes->count < VIZ_MAX_NOTES)
        notes->texts[notes->count++] = (sac_png_text){key, own};
    else
        free(own);
    if (!own)
        notes->status = SAC_E_MEMORY;
}

/* Keeps where the file is now, for its hash, and names it relative to the picture. */
static void add_file(viz_notes *notes, int of, const char *path)
{
    char *absolute = realpath(path, NULL), *name;
    if (!absolute)
        absolute = strdup(path);
    name = !absolute ? NULL : notes->folder ? relative(absolute, notes->folder) : strdup(absolute);
    char *written = name ? sac_saved_name_write(name) : NULL;
    free(name);
    free(notes->files[of]);
    notes->files[of] = absolute;
    add(notes, of_files[of].key, written);
}

static void put_note(void *user, const char *key, const char *value)
{
    viz_notes *notes = user;
    if (!value || !value[0])
        return;
    int of = file_of(key);
    if (of >= 0)
        add_file(notes, of, value);
    else
        add(notes, key, sac_valid_copy(value));
}

static bool has_note(const viz_notes *notes, const char *key)
{
    for (size_t i = 0; i < notes->count; i++)
        if (strcmp(notes->texts[i].key, key) == 0)
            return true;
    return false;
}

/* A file that cannot be hashed, or is gone, is named without. */
static void add_hashes(viz_notes *notes)
{
    char hash[SAC_ORIGIN_HASH];
    for (int i = 0; i < VIZ_NAMED_FILES; i++)
        if (notes->files[i] && !has_note(notes, of_files[i].hash) &&
            sac_origin_hash(notes->files[i], hash, NULL) == SAC_OK && hash[0])
            add(notes, of_files[i].hash, strdup(hash));
}

/* A setting that a view leaves out of its description for want of memory counts as a gap of its
 * picture does. */
sac_status viz_notes_collect(const viz_view *view, const viz_export_size *size, const char *path,
                             viz_notes *notes, sac_error *error)
{
    bool describes = !size || !size->no_origin;
    *notes = (viz_notes){.folder = folder_of(path)};
    put_note(notes, "Software", "Saccade " SAC_VERSION);
    if (describes && view)
        viz_view_describe(view, put_note, notes);
    add_hashes(notes);
    if (notes->status != SAC_OK)
        return sac_fail(error, notes->status, "picture", NULL,
                        "out of memory for its note of origin");
    return viz_drawing_check(error);
}

void viz_notes_free(viz_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        free((char *)notes->texts[i].value);
    for (int i = 0; i < VIZ_NAMED_FILES; i++)
        free(notes->files[i]);
    free(notes->folder);
    *notes = (viz_notes){0};
}
