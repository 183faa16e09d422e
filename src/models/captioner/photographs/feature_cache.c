/* The file of features: a header, and records that are found by their keys. */
#include "captioner/photographs/feature_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"

enum { VERSION = 1 };

typedef struct header {
    char magic[8];
    uint32_t version, numbers;
} header;

/* A slot of a hash table with open addressing. */
typedef struct slot {
    uint64_t key;
    size_t record; /* its place + 1; 0: the slot is free */
} slot;

struct sac_feature_cache {
    char path[1024];
    int file;
    size_t numbers, records;
    slot *slots; /* [slot_count], a power of two */
    size_t slot_count;
    uint8_t *scratch; /* of a record that is added */
};

static size_t record_bytes(const sac_feature_cache *c)
{
    return sizeof(uint64_t) + c->numbers * sizeof(uint16_t);
}

uint64_t sac_feature_cache_bytes(const sac_feature_cache *c, size_t more)
{
    return sizeof(header) + (uint64_t)(c->records + more) * record_bytes(c);
}

/* ---------------------------------------------------------------- keys */

static slot *slot_of(const sac_feature_cache *c, uint64_t key)
{
    size_t i = (size_t)sac_table_hash(&key, sizeof key) & (c->slot_count - 1);
    while (c->slots[i].record && c->slots[i].key != key)
        i = (i + 1) & (c->slot_count - 1);
    return &c->slots[i];
}

bool sac_feature_cache_has(const sac_feature_cache *c, uint64_t key)
{
    return slot_of(c, key)->record;
}

/* Notes the next record. False: no memory. */
static bool add_key(sac_feature_cache *c, uint64_t key)
{
    if (2 * (c->records + 1) > c->slot_count) {
        sac_feature_cache grown = *c;
        grown.slot_count = 2 * c->slot_count;
        grown.slots = calloc(grown.slot_count, sizeof *grown.slots);
        if (!grown.slots)
            return false;
        for (size_t i = 0; i < c->slot_count; i++)
            if (c->slots[i].record)
                *slot_of(&grown, c->slots[i].key) = c->slots[i];
        free(c->slots);
        *c = grown;
    }
    *slot_of(c, key) = (slot){key, ++c->records};
    return true;
}

/* ---------------------------------------------------------------- the file */

static sac_status fail(const sac_feature_cache *c, sac_error *error)
{
    return sac_fail(error, SAC_E_FILE, c->path, "give another --cache",
                    "cannot be read or written: %s", strerror(errno));
}

/* All bytes; false with errno. */
static bool read_at(int file, void *bytes, size_t size, uint64_t at)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(file, (char *)bytes + done, size - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got ? errno : EIO; /* it was cut */
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

static bool write_at(int file, const void *bytes, size_t size, uint64_t at)
{
    for (size_t done = 0; done < size;) {
        ssize_t put = pwrite(file, (const char *)bytes + done, size - done, (off_t)(at + done));
        if (put < 0 && errno != EINTR)
            return false;
        done += put > 0 ? (size_t)put : 0;
    }
    return true;
}

static sac_status read_keys(sac_feature_cache *c, uint64_t size, sac_error *error)
{
    uint64_t key;
    while (sac_feature_cache_bytes(c, 1) <= size) {
        if (!read_at(c->file, &key, sizeof key, sac_feature_cache_bytes(c, 0)))
            return fail(c, error);
        if (!add_key(c, key))
            return sac_no_memory(error, c->path);
    }
    return SAC_OK;
}

static sac_status open_file(sac_feature_cache *c, sac_error *error)
{
    header own = {"saccfeat", VERSION, (uint32_t)c->numbers}, there;
    struct stat facts;
    c->file = open(c->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (c->file < 0 || fstat(c->file, &facts) != 0)
        return fail(c, error);
    if (!S_ISREG(facts.st_mode))
        return sac_fail(error, SAC_E_FILE, c->path, "give another --cache",
                        "is not a regular file");
    if (flock(c->file, LOCK_EX | LOCK_NB) != 0)
        return sac_fail(error, SAC_E_FILE, c->path, "give another --cache, or wait for it to end",
                        "is used by another training");
    if (facts.st_size == 0)
        return write_at(c->file, &own, sizeof own, 0) ? SAC_OK : fail(c, error);
    if ((size_t)facts.st_size < sizeof there || !read_at(c->file, &there, sizeof there, 0) ||
        memcmp(&there, &own, sizeof own) != 0)
        return sac_fail(error, SAC_E_FORMAT, c->path, "give another --cache, or remove the file",
                        "does not hold features of this network");
    return read_keys(c, (uint64_t)facts.st_size, error);
}

sac_status sac_feature_cache_open(const char *path, size_t numbers, sac_feature_cache **cache,
                                  sac_error *error)
{
    *cache = NULL;
    sac_feature_cache *c = calloc(1, sizeof *c);
    if (!c)
        return sac_no_memory(error, path);
    snprintf(c->path, sizeof c->path, "%s", path);
    c->file = -1;
    c->numbers = numbers;
    c->slot_count = 1024;
    c->slots = calloc(c->slot_count, sizeof *c->slots);
    c->scratch = malloc(record_bytes(c));
    sac_status status = c->slots && c->scratch ? open_file(c, error) : sac_no_memory(error, path);
    if (status == SAC_OK)
        *cache = c;
    else
        sac_feature_cache_close(c);
    return status;
}

void sac_feature_cache_close(sac_feature_cache *c)
{
    if (!c)
        return;
    if (c->file >= 0)
        close(c->file);
    free(c->slots);
    free(c->scratch);
    free(c);
}

/* ---------------------------------------------------------------- records */

sac_status sac_feature_cache_add(sac_feature_cache *c, uint64_t key, const float *numbers,
                                 sac_error *error)
{
    memcpy(c->scratch, &key, sizeof key);
    for (size_t i = 0; i < c->numbers; i++) {
        uint16_t half = sac_float_to_half(numbers[i]);
        memcpy(c->scratch + sizeof key + i * sizeof half, &half, sizeof half);
    }
    if (!write_at(c->file, c->scratch, record_bytes(c), sac_feature_cache_bytes(c, 0)))
        return fail(c, error);
    return add_key(c, key) ? SAC_OK : sac_no_memory(error, c->path);
}

sac_status sac_feature_cache_read(const sac_feature_cache *c, uint64_t key, float *numbers,
                                  sac_error *error)
{
    size_t record = slot_of(c, key)->record, size = c->numbers * sizeof(uint16_t);
    uint64_t at = sizeof(header) + (uint64_t)(record - 1) * record_bytes(c) + sizeof key;
    /* Halves are read into the back of the numbers, which they become from the front. */
    uint8_t *halves = (uint8_t *)numbers + size;
    if (!record || !read_at(c->file, halves, size, at)) {
        errno = record ? errno : ENOENT;
        return fail(c, error);
    }
    for (size_t i = 0; i < c->numbers; i++) {
        uint16_t half;
        memcpy(&half, halves + i * sizeof half, sizeof half);
        numbers[i] = sac_half_to_float(half);
        if (!isfinite(numbers[i]))
            return sac_fail(error, SAC_E_FORMAT, c->path, "remove the file",
                            "is damaged: a feature is not finite");
    }
    return SAC_OK;
}
