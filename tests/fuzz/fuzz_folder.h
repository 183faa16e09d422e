/* A folder of its own for a target whose reader opens files; it goes when the program ends. */
#ifndef TESTS_FUZZ_FUZZ_FOLDER_H
#define TESTS_FUZZ_FUZZ_FOLDER_H

#include <stdio.h>
#include <unistd.h>

#include "fuzz.h"

static char fuzz_folder[] = "/tmp/saccade-fuzz-XXXXXX";
static const char *const *fuzz_names; /* of the files that may lie in it; ends with NULL */

static inline const char *fuzz_path(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", fuzz_folder, name);
    return path;
}

static inline void fuzz_remove_folder(void)
{
    for (int i = 0; fuzz_names[i]; i++)
        unlink(fuzz_path(fuzz_names[i]));
    rmdir(fuzz_folder);
}

/* Makes the folder the first time. */
static inline void fuzz_open_folder(const char *const *names)
{
    if (fuzz_names)
        return;
    fuzz_names = names;
    if (!mkdtemp(fuzz_folder) || atexit(fuzz_remove_folder) != 0)
        abort();
}

static inline void fuzz_write(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(fuzz_path(name), "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
}

#endif
