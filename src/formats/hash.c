#include "formats/hash.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

/* FNV-1a, 64 bits: Fowler, Noll and Vo. Tells files apart; no defence against forgery. */
sac_status sac_file_hash(const char *path, char *text, size_t size, sac_error *error)
{
    text[0] = '\0';
    FILE *file = fopen(path, "rb");
    if (!file)
        return sac_fail(error, SAC_E_FILE, path, errno == ENOENT ? "check the name" : NULL,
                        "cannot be opened: %s", strerror(errno));
    uint64_t hash = 0xcbf29ce484222325u;
    uint8_t block[16384];
    for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0;)
        for (size_t i = 0; i < got; i++)
            hash = (hash ^ block[i]) * 0x100000001b3u;
    bool failed = ferror(file);
    int code = errno;
    fclose(file);
    if (failed)
        return sac_fail(error, SAC_E_FILE, path, NULL, "cannot be read: %s", strerror(code));
    snprintf(text, size, "fnv1a64:%016llx", (unsigned long long)hash);
    return SAC_OK;
}
