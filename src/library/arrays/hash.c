#include "arrays/hash.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrays/bytes.h"
#include "base/error.h"
#include "base/hash.h"

static sac_status hash_file(int file, const char *path, uint64_t *hash, sac_error *error)
{
    uint8_t block[16384];
    for (;;) {
        ssize_t got = read(file, block, sizeof block);
        if (got == 0)
            return SAC_OK;
        if (got < 0 && errno != EINTR)
            return sac_fail(error, SAC_E_FILE, path, NULL, "cannot be read: %s", strerror(errno));
        if (got > 0)
            *hash = sac_hash(*hash, block, (size_t)got);
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
        status = hash_file(file, path, &hash, error);
        if (status == SAC_OK)
            snprintf(text, text_size, "fnv1a64:%016llx", (unsigned long long)hash);
    }
    close(file);
    return status;
}
