/* SHA-256 of files and of models' folders, by OpenSSL's libcrypto. */

#include "sources/origin.h"

#include <dirent.h>
#include <errno.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrays/bytes.h"
#include "arrays/hash.h"
#include "base/error.h"
#include "images/folder.h"

#define BLOCK 65536 /* bytes that are read at once, and of each end of a model's file */

/* ---------------------------------------------------------------- contents */

/* Hashes at most `most` bytes from `from` on. */
static sac_status add_bytes(EVP_MD_CTX *sum, int file, const char *path, size_t from, size_t most,
                            sac_error *error)
{
    uint8_t block[BLOCK];
    while (most > 0) {
        ssize_t got = pread(file, block, most < BLOCK ? most : BLOCK, (off_t)from);
        if (got == 0)
            return SAC_OK;
        if (got < 0 && errno != EINTR)
            return sac_fail(error, SAC_E_FILE, path, NULL, "cannot be read: %s", strerror(errno));
        if (got < 0)
            continue;
        if (EVP_DigestUpdate(sum, block, (size_t)got) != 1)
            return sac_no_memory(error, path);
        from += (size_t)got;
        most -= (size_t)got;
    }
    return SAC_OK;
}

/* *known is false for a file that is too large. */
static sac_status add_file(EVP_MD_CTX *sum, const char *path, bool *known, sac_error *error)
{
    size_t size;
    int file;
    sac_status status = sac_open_regular(path, &file, &size, error);
    if (status != SAC_OK)
        return status;
    *known = size <= SAC_ORIGIN_MOST;
    if (*known)
        status = add_bytes(sum, file, path, 0, SIZE_MAX, error);
    close(file);
    return status;
}

/* ---------------------------------------------------------------- folders */

static int is_of_model(const struct dirent *entry)
{
    static const char *const ends[] = {".safetensors", ".json", ".txt", ".model", ".spm", ".bin"};
    size_t length = strlen(entry->d_name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends && entry->d_name[0] != '.'; i++)
        if (length > strlen(ends[i]) && !strcmp(entry->d_name + length - strlen(ends[i]), ends[i]))
            return 1;
    return 0;
}

/* By bytes, whatever the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Calls `each` with every file of the model in the folder; stops where it fails. */
static sac_status each_file(const char *folder,
                            sac_status (*each)(void *user, const char *path, const char *name,
                                               sac_error *error),
                            void *user, sac_error *error)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_of_model, by_name);
    if (count < 0)
        return sac_fail(error, SAC_E_FILE, folder, NULL, "cannot be read: %s", strerror(errno));
    sac_status status = SAC_OK;
    for (int i = 0; i < count; i++) {
        char *path = status == SAC_OK ? sac_path_join(folder, entries[i]->d_name) : NULL;
        if (path && sac_is_regular(path))
            status = each(user, path, entries[i]->d_name, error);
        free(path);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static sac_status add_part(void *user, const char *path, const char *name, sac_error *error)
{
    /* A model's weights may be many gigabytes: what tells two of them apart is at both
     * ends of each file, beside its size. */
    size_t size;
    int file;
    char head[64 + NAME_MAX + 1];
    sac_status status = sac_open_regular(path, &file, &size, error);
    if (status != SAC_OK)
        return status;
    int length = snprintf(head, sizeof head, "%s %zu", name, size);
    if (EVP_DigestUpdate(user, head, (size_t)length + 1) != 1)
        status = sac_no_memory(error, path);
    if (status == SAC_OK)
        status = add_bytes(user, file, path, 0, BLOCK, error);
    if (status == SAC_OK && size > BLOCK)
        status = add_bytes(user, file, path, size - BLOCK, BLOCK, error);
    close(file);
    return status;
}

static sac_status add_folder(EVP_MD_CTX *sum, const char *folder, bool *known, sac_error *error)
{
    char *config = sac_path_join(folder, "config.json");
    *known = config && sac_is_regular(config);
    sac_status status = *known ? add_file(sum, config, known, error) : SAC_OK;
    free(config);
    return status == SAC_OK && *known ? each_file(folder, add_part, sum, error) : status;
}

/* ---------------------------------------------------------------- hashes */

static void write_digits(EVP_MD_CTX *sum, char hash[SAC_ORIGIN_HASH])
{
    uint8_t bytes[EVP_MAX_MD_SIZE];
    unsigned count = 0;
    if (EVP_DigestFinal_ex(sum, bytes, &count) != 1)
        return;
    size_t used = (size_t)snprintf(hash, SAC_ORIGIN_HASH, "sha256:");
    for (unsigned i = 0; i < count; i++)
        used += (size_t)snprintf(hash + used, SAC_ORIGIN_HASH - used, "%02x", bytes[i]);
}

sac_status sac_origin_hash(const char *path, char hash[SAC_ORIGIN_HASH], sac_error *error)
{
    struct stat info;
    bool known = false;
    hash[0] = '\0';
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return SAC_OK;
    EVP_MD_CTX *sum = EVP_MD_CTX_new();
    if (!sum || EVP_DigestInit_ex(sum, EVP_sha256(), NULL) != 1) {
        EVP_MD_CTX_free(sum);
        return sac_no_memory(error, path);
    }
    sac_status status = sac_is_folder(path) ? add_folder(sum, path, &known, error)
                                            : add_file(sum, path, &known, error);
    if (status == SAC_OK && known)
        write_digits(sum, hash);
    EVP_MD_CTX_free(sum);
    return status;
}

bool sac_origin_is(const char *path, const char *hash)
{
    char now[SAC_ORIGIN_HASH] = "";
    bool earlier = strncmp(hash, "fnv1a64:", 8) == 0;
    sac_status status =
        earlier ? sac_file_hash(path, now, sizeof now, NULL) : sac_origin_hash(path, now, NULL);
    return status == SAC_OK && now[0] && strcmp(now, hash) == 0;
}

/* ---------------------------------------------------------------- places */

/* `real` is a path without links. */
static bool is_below(const char *path, const char *real)
{
    char *found = realpath(path, NULL);
    size_t length = strlen(real);
    bool root = strcmp(real, "/") == 0;
    bool below = found && (root || (strncmp(found, real, length) == 0 && found[length] == '/'));
    free(found);
    return below;
}

static sac_status check_below(void *user, const char *path, const char *name, sac_error *error)
{
    (void)name;
    return is_below(path, user) ? SAC_OK : sac_fail(error, SAC_E_FILE, path, NULL, "is elsewhere");
}

bool sac_origin_within(const char *path, const char *folder)
{
    char *real = realpath(folder, NULL);
    bool within = real && is_below(path, real);
    if (within && sac_is_folder(path))
        within = each_file(path, check_below, real, NULL) == SAC_OK;
    free(real);
    return within;
}
