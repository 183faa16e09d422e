#include "arrays/hash.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrays/bytes.h"
#include "base/error.h"
#include "base/hash.h"

/* Of at most `most` bytes. */
static sac_status hash_file(int file, const char *path, size_t most, uint64_t *hash,
                            sac_error *error)
{
    uint8_t block[16384];
    for (;;) {
        ssize_t got = most ? read(file, block, most < sizeof block ? most : sizeof block) : 0;
        if (got == 0)
            return SAC_OK;
        if (got < 0 && errno != EINTR)
            return sac_fail(error, SAC_E_FILE, path, NULL, "cannot be read: %s", strerror(errno));
        if (got < 0)
            continue;
        *hash = sac_hash(*hash, block, (size_t)got);
        most -= (size_t)got;
    }
}

sac_status sac_file_hash(const char *path, char *text, size_t text_size, sac_error *error)
{
    uint64_t hash = SAC_HASH_START;
    struct stat info;
    size_t size;
    int file;
    text[0] = '\0';
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return SAC_OK;
    sac_status status = sac_open_regular(path, &file, &size, error);
    if (status != SAC_OK)
        return status;
    if (size <= SAC_HASH_MOST) {
        status = hash_file(file, path, SIZE_MAX, &hash, error);
        if (status == SAC_OK)
            snprintf(text, text_size, "fnv1a64:%016llx", (unsigned long long)hash);
    }
    close(file);
    return status;
}

uint64_t sac_file_number(const char *path, bool whole)
{
    enum { END = 65536 };
    size_t size;
    int file;
    if (!sac_is_regular(path) || sac_open_regular(path, &file, &size, NULL) != SAC_OK)
        return 0;
    uint64_t hash = sac_hash(SAC_HASH_START, &size, sizeof size);
    sac_status status = hash_file(file, path, whole ? SIZE_MAX : END, &hash, NULL);
    if (status == SAC_OK && !whole && size > END && lseek(file, -END, SEEK_END) >= 0)
        status = hash_file(file, path, END, &hash, NULL);
    close(file);
    return status == SAC_OK ? hash : 0;
}
