#include "export/notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "saccade.h"

/* The folder that `path` lies in or will lie in; NULL where there is none. */
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

/* Gives a string of its own; NULL: no memory. */
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

static bool is_of_a_file(const char *key)
{
    static const char *const keys[] = {"file",  "from",        "labels",
                                       "image", "second file", "second image"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

static void put_note(void *user, const char *key, const char *value)
{
    viz_notes *notes = user;
    if (notes->count == VIZ_MAX_NOTES || !value || !value[0])
        return;
    bool moves = notes->folder && value[0] == '/' && is_of_a_file(key);
    char *own = moves ? relative(value, notes->folder) : strdup(value);
    if (!own) {
        notes->status = SAC_E_MEMORY;
        return;
    }
    notes->texts[notes->count++] = (sac_png_text){key, own};
}

/* A setting that a view leaves out of its description for want of memory counts as a gap of its
 * picture does. */
sac_status viz_notes_collect(const viz_view *view, const viz_export_size *size, const char *path,
                             viz_notes *notes, sac_error *error)
{
    bool tells = !size || !size->no_origin;
    *notes = (viz_notes){.folder = folder_of(path)};
    put_note(notes, "Software", "Saccade " SAC_VERSION);
    if (tells && view && view->class->describe)
        view->class->describe(view, put_note, notes);
    if (notes->status != SAC_OK)
        return sac_fail(error, notes->status, "picture", NULL, "no memory for its note of origin");
    return viz_drawing_check(error);
}

void viz_notes_free(viz_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        free((char *)notes->texts[i].value);
    free(notes->folder);
    *notes = (viz_notes){0};
}
