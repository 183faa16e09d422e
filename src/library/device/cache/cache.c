/* The cache folder and its entries. */

#include "device/cache/cache.h"

#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "base/hash.h"
#include "base/output.h"

/* Each entry is a file: a line "saccade-cache KEYSIZE SIZE HASH", the whole key, and the data. The
 * file's name is only a hash of the key, so the key in it is compared. */
#define HEADER "saccade-cache %zu %zu %016" PRIx64 "\n"
#define MAX_ENTRY ((size_t)256 << 20)

bool sac_cache_folder(char *path, size_t size)
{
    char parent[1024];
    const char *mode = getenv("SACCADE_CACHE");
    if ((mode && strcmp(mode, "off") == 0) || !sac_cache_parent(parent, sizeof parent) ||
        snprintf(path, size, "%s/saccade", parent) >= (int)size)
        return false;
    mkdir(parent, 0700);
    mkdir(path, 0700);
    return sac_cache_is_private(path);
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    remove(path);
    return 0;
}

void sac_cache_remove_folder(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static bool entry_path(const char *kind, const char *key, char *path, size_t size)
{
    char folder[900];
    if (!sac_cache_folder(folder, sizeof folder))
        return false;
    snprintf(path, size, "%s/%s-%016" PRIx64, folder, kind,
             sac_hash(SAC_HASH_START, key, strlen(key)));
    return true;
}

/* The whole of a regular file with a NUL behind it; NULL where it cannot be read. Opening anything
 * else, such as a FIFO, does not block. */
static char *read_file(const char *path, size_t *size)
{
    char *text = NULL;
    struct stat info;
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    if (!file) {
        if (descriptor >= 0)
            close(descriptor);
        return NULL;
    }
    if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) &&
        (uint64_t)info.st_size < MAX_ENTRY && (text = calloc((size_t)info.st_size + 1, 1)))
        *size = fread(text, 1, (size_t)info.st_size, file);
    fclose(file);
    return text;
}

bool sac_cache_load(const char *kind, const char *key, char **data, size_t *size)
{
    char path[1024];
    size_t file_size = 0, key_size = 0, start;
    uint64_t hash = 0;
    *data = NULL;
    char *text = entry_path(kind, key, path, sizeof path) ? read_file(path, &file_size) : NULL;
    if (!text)
        return false;
    const char *line_end = memchr(text, '\n', file_size);
    bool whole = line_end && sscanf(text, HEADER, &key_size, size, &hash) == 3;
    start = whole ? (size_t)(line_end + 1 - text) : 0;
    whole = whole && key_size == strlen(key) && file_size - start >= key_size &&
            memcmp(text + start, key, key_size) == 0 && file_size - start - key_size == *size &&
            sac_hash(SAC_HASH_START, text + start + key_size, *size) == hash;
    if (whole) {
        memmove(text, text + start + key_size, *size + 1);
        *data = text;
    } else {
        free(text);
    }
    return whole;
}

void sac_cache_store(const char *kind, const char *key, const void *data, size_t size)
{
    char path[1024];
    sac_output output;
    if (!entry_path(kind, key, path, sizeof path))
        return;
    /* A FIFO in an entry's place would be written to, and wait for a reader. */
    struct stat info;
    if (lstat(path, &info) == 0 && !S_ISREG(info.st_mode))
        unlink(path);
    if (sac_output_open(&output, path, NULL) != SAC_OK)
        return;
    fprintf(output.file, HEADER, strlen(key), size, sac_hash(SAC_HASH_START, data, size));
    fwrite(key, 1, strlen(key), output.file);
    fwrite(data, 1, size, output.file);
    sac_output_commit(&output, NULL);
}
