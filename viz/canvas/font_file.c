/* Finds font files with fontconfig and keeps copies of them in memory. */

#include "canvas/font_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/stat.h>

typedef struct font_file {
    struct font_file *next;
    char *path;
    void *bytes;
    size_t size;
} font_file;

static font_file *files;

/* NULL for what is empty or no file. */
static void *map(const char *path, size_t *size)
{
    struct stat info;
    void *bytes = MAP_FAILED;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
        *size = (size_t)info.st_size;
        bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    close(descriptor);
    return bytes == MAP_FAILED ? NULL : bytes;
}

static void release(font_file *file)
{
    if (file->bytes)
        munmap(file->bytes, file->size);
    free(file->path);
    free(file);
}

const void *viz_font_file_map(const char *path, size_t *size)
{
    font_file *file = files;
    while (file && strcmp(file->path, path) != 0)
        file = file->next;
    if (!file) {
        file = calloc(1, sizeof *file);
        if (!file)
            return NULL;
        file->path = strdup(path);
        file->bytes = file->path ? map(path, &file->size) : NULL;
        if (!file->bytes) {
            release(file);
            return NULL;
        }
        file->next = files;
        files = file;
    }
    *size = file->size;
    return file->bytes;
}

void viz_font_files_close(void)
{
    while (files) {
        font_file *file = files;
        files = file->next;
        release(file);
    }
}
