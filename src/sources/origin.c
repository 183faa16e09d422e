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
#include "base/error.h"
#include "images/folder.h"
#include "pretrained/files/adapter.h"
#include "pretrained/files/places.h"

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

/* All that a model is read from ends so. */
static int is_of_model(const struct dirent *entry)
{
    static const char *const ends[] = {".safetensors", ".json", ".txt",   ".model",
                                       ".spm",         ".bin",  ".jinja", ".tiktoken"};
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
static sac_status for_each_model_file(const char *folder, sac_origin_each *each, void *user,
                                      sac_error *error)
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

/* How many parts a GGUF has, by the name that llama.cpp gives them; 1: it is whole. */
static unsigned gguf_part_count(const char *path)
{
    unsigned part, count;
    int end = 0;
    size_t length = strlen(path), tail = strlen("-00001-of-00003.gguf");
    const char *ending = length > tail ? path + length - tail : "";
    bool is_part = sscanf(ending, "-%5u-of-%5u.gguf%n", &part, &count, &end) == 2 &&
                   (size_t)end == tail && count > 1 && count < 100000;
    return is_part ? count : 1;
}

sac_status sac_origin_files(const char *path, sac_origin_each *each, void *user, sac_error *error)
{
    char adapter[SAC_PLACE_SIZE], base[SAC_PLACE_SIZE];
    bool adapts = sac_adapter_place(path, adapter);
    if (adapts && sac_pretrained_place(path, base) && strcmp(base, adapter) != 0) {
        sac_status status = for_each_model_file(adapter, each, user, error);
        return status == SAC_OK ? sac_origin_files(base, each, user, error) : status;
    }
    if (sac_is_folder(path))
        return for_each_model_file(path, each, user, error);
    const unsigned parts = gguf_part_count(path);
    size_t stem = strlen(path) - (parts > 1 ? strlen("-00001-of-00003.gguf") : 0);
    sac_status status = SAC_OK;
    for (unsigned i = 1; i <= parts && status == SAC_OK; i++) {
        char *part = NULL;
        if (asprintf(&part, parts > 1 ? "%.*s-%05u-of-%05u.gguf" : "%.*s", (int)stem, path, i,
                     parts) < 0)
            return sac_no_memory(error, path);
        const char *slash = strrchr(part, '/');
        status = each(user, part, slash ? slash + 1 : part, error);
        free(part);
    }
    return status;
}

static sac_status hash_part_ends(void *user, const char *path, const char *name, sac_error *error)
{
    /* A model's weights may be many gigabytes: what distinguishes two of them is at both
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

/* Of a folder with a config.json that as well, or of an adapter's its own. */
static sac_status add_model(EVP_MD_CTX *sum, const char *path, bool *known, sac_error *error)
{
    sac_status status = SAC_OK;
    *known = !sac_is_folder(path);
    for (int i = 0; i < 2 && !*known && status == SAC_OK; i++) {
        char *config = sac_path_join(path, i ? "adapter_config.json" : "config.json");
        *known = config && sac_is_regular(config);
        if (*known)
            status = add_file(sum, config, known, error);
        free(config);
    }
    return status == SAC_OK && *known ? sac_origin_files(path, hash_part_ends, sum, error) : status;
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
    sac_status status = sac_is_folder(path) || gguf_part_count(path) > 1
                            ? add_model(sum, path, &known, error)
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
    if (within)
        within = sac_origin_files(path, check_below, real, NULL) == SAC_OK;
    free(real);
    return within;
}
