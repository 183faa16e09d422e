/* Files in memory, mapped or read; a list of what is mapped, for the handler of SIGBUS. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrays/bytes.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/hash.h"

#define ENDLESS ((size_t)1 << 30)    /* a device or a pipe may never end */
#define MOST_WHOLE ((size_t)1 << 29) /* of a file that is not mapped, such as a picture */

static sac_status open_for_reading(const char *path, int flags, int *file, struct stat *info,
                                   sac_error *error)
{
    *file = open(path, O_RDONLY | O_CLOEXEC | flags);
    if (*file < 0 || fstat(*file, info) != 0) {
        sac_fail(error, SAC_E_FILE, path, errno == ENOENT ? "check the name" : NULL,
                 "cannot be opened: %s", strerror(errno));
    } else if (S_ISDIR(info->st_mode)) {
        sac_fail(error, SAC_E_FILE, path, "give a file", "is a folder");
    } else {
        return SAC_OK;
    }
    if (*file >= 0)
        close(*file);
    *file = -1;
    return SAC_E_FILE;
}

static sac_status open_regular(const char *path, int *file, struct stat *info, sac_error *error)
{
    sac_status status = open_for_reading(path, O_NONBLOCK | O_NOCTTY, file, info, error);
    if (status != SAC_OK || S_ISREG(info->st_mode))
        return status;
    close(*file);
    *file = -1;
    return sac_fail(error, SAC_E_FILE, path, "save it to a file first", "is not a file");
}

sac_status sac_open_regular(const char *path, int *file, size_t *size, sac_error *error)
{
    struct stat info;
    sac_status status = open_regular(path, file, &info, error);
    *size = status == SAC_OK ? (size_t)info.st_size : 0;
    return status;
}

bool sac_is_regular(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

size_t sac_file_read_start(const char *path, uint8_t *start, size_t size)
{
    size_t whole;
    int file;
    /* A pipe is not even opened: closing it again would end its writer. */
    if (!sac_is_regular(path) || sac_open_regular(path, &file, &whole, NULL) != SAC_OK)
        return 0;
    ssize_t got = read(file, start, size);
    close(file);
    return got > 0 ? (size_t)got : 0;
}

static void (*read_listener)(const char *path, bool whole);

void sac_bytes_listen(void (*listener)(const char *path, bool whole))
{
    read_listener = listener;
}

void sac_bytes_announce_read(const char *path)
{
    if (read_listener)
        read_listener(path, false);
}

/* ---------------------------------------------------------------- what is mapped */

/* A slot is written under the lock, and read by a signal handler without it: `data` comes last when
 * it is filled and goes first when it is emptied. Blocks are added as there are more files at once,
 * and never taken away. A mapping that finds no memory for a slot cannot be named later. */
enum { BLOCK = 64 };
typedef struct mapping {
    _Atomic(const uint8_t *) data;
    _Atomic size_t size;
    char path[256];
} mapping;
typedef struct mapping_block {
    mapping slot[BLOCK];
    _Atomic(struct mapping_block *) next;
} mapping_block;
static mapping_block mappings;
static pthread_mutex_t mapping_lock = PTHREAD_MUTEX_INITIALIZER;

/* The slot whose `data` that is, or NULL. */
static mapping *find_slot(const uint8_t *data)
{
    for (mapping_block *block = &mappings; block; block = block->next)
        for (int i = 0; i < BLOCK; i++)
            if (block->slot[i].data == data)
                return &block->slot[i];
    return NULL;
}

static mapping *add_block(void)
{
    mapping_block *last = &mappings, *fresh = calloc(1, sizeof *fresh);
    while (last->next)
        last = last->next;
    last->next = fresh;
    return fresh ? fresh->slot : NULL;
}

static void remember_mapping(const char *path, const sac_bytes *bytes)
{
    pthread_mutex_lock(&mapping_lock);
    mapping *slot = find_slot(NULL);
    slot = slot ? slot : add_block();
    if (slot) {
        snprintf(slot->path, sizeof slot->path, "%s", path);
        slot->size = bytes->size;
        slot->data = bytes->data;
    }
    pthread_mutex_unlock(&mapping_lock);
}

bool sac_bytes_mapped_at(const void *address, char *path, size_t size)
{
    for (mapping_block *block = &mappings; block; block = block->next)
        for (int i = 0; i < BLOCK; i++) {
            const mapping *slot = &block->slot[i];
            uintptr_t data = (uintptr_t)slot->data;
            if (!data || (uintptr_t)address < data || (uintptr_t)address - data >= slot->size)
                continue;
            snprintf(path, size, "%s", slot->path);
            return true;
        }
    return false;
}

/* Pages that lie in it whole: the others hold what is beside it. */
void sac_bytes_drop_pages(const void *data, size_t size)
{
    char path[1];
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = ((uintptr_t)data + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)data + size) / page * page;
    if (begin < end && sac_bytes_mapped_at(data, path, sizeof path))
        madvise((void *)begin, end - begin, MADV_DONTNEED);
}

/* ---------------------------------------------------------------- reading */

static sac_status grow(sac_bytes *bytes, size_t *capacity, const char *path, sac_error *error)
{
    size_t larger = *capacity > SIZE_MAX / 2 ? SIZE_MAX : *capacity * 2;
    uint8_t *data = realloc(bytes->data, larger);
    if (!data)
        return sac_fail(error, SAC_E_MEMORY, path, "close other programs or use a smaller file",
                        "out of memory for %zu bytes", larger);
    bytes->data = data;
    *capacity = larger;
    return SAC_OK;
}

/* Reads to the end, whatever size was expected; `bytes` holds what has been read so far. */
static sac_status read_all(int file, const struct stat *info, const char *path, sac_bytes *bytes,
                           sac_error *error)
{
    bool regular = S_ISREG(info->st_mode);
    size_t capacity = regular && info->st_size > 0 ? ((size_t)info->st_size + 1) / 2 + 1 : 32768;
    for (;;) {
        if (!bytes->data || bytes->size == capacity) {
            sac_status status = grow(bytes, &capacity, path, error);
            if (status != SAC_OK)
                return status;
        }
        ssize_t got = read(file, bytes->data + bytes->size, capacity - bytes->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return sac_fail(error, SAC_E_FILE, path, NULL, "cannot be read: %s", strerror(errno));
        if (got == 0)
            return SAC_OK;
        bytes->size += (size_t)got;
        if (!regular && bytes->size > ENDLESS)
            return sac_fail(error, SAC_E_FILE, path, "save it to a file first",
                            "gives more than %zu bytes and is not a file", ENDLESS);
    }
}

typedef enum way { READ, MAP, MAP_REGULAR } way;

static sac_status map_or_read_file(const char *path, way how, sac_bytes *bytes, sac_error *error)
{
    struct stat info;
    int file;
    bool map = how != READ;
    sac_status status = how == MAP_REGULAR ? open_regular(path, &file, &info, error)
                                           : open_for_reading(path, 0, &file, &info, error);
    if (status != SAC_OK)
        return status;
    if (map && S_ISREG(info.st_mode) && info.st_size > 0) {
        void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (data != MAP_FAILED)
            *bytes = (sac_bytes){.data = data, .size = (size_t)info.st_size, .mapped = true};
        if (bytes->mapped)
            remember_mapping(path, bytes);
    }
    if (!map && S_ISREG(info.st_mode) && (uintmax_t)info.st_size > MOST_WHOLE)
        status =
            sac_fail(error, SAC_E_FILE, path, "give a smaller one",
                     "has more than the %zu MB that are read of such a file", MOST_WHOLE >> 20);
    else if (!bytes->mapped)
        status = read_all(file, &info, path, bytes, error);
    close(file);
    if (status == SAC_OK && bytes->size == 0)
        status = sac_fail(error, SAC_E_FORMAT, path, "check how it was made", "is empty");
    if (status != SAC_OK)
        sac_bytes_free(bytes);
    return status;
}

/* A pipe may stay empty, and a disk may hang. */
static sac_status announce_and_load(const char *path, way how, sac_bytes *bytes, sac_error *error)
{
    *bytes = (sac_bytes){0};
    if (read_listener)
        read_listener(path, true);
    sac_status status = sac_wait_begin(path, error);
    if (status != SAC_OK)
        return status;
    status = map_or_read_file(path, how, bytes, error);
    sac_wait_end();
    return status;
}

sac_status sac_bytes_map(const char *path, sac_bytes *bytes, sac_error *error)
{
    return announce_and_load(path, MAP, bytes, error);
}

sac_status sac_bytes_map_regular(const char *path, sac_bytes *bytes, sac_error *error)
{
    return announce_and_load(path, MAP_REGULAR, bytes, error);
}

sac_status sac_bytes_read(const char *path, sac_bytes *bytes, sac_error *error)
{
    return announce_and_load(path, READ, bytes, error);
}

int64_t sac_read_pieces(sac_read_some *read, void *stream, void *out, size_t size)
{
    const size_t most = (size_t)1 << 30;
    size_t done = 0;
    for (int64_t got = 1; got > 0 && done < size; done += (size_t)got) {
        got = read(stream, (uint8_t *)out + done, size - done < most ? size - done : most);
        if (got < 0)
            return -1;
    }
    return (int64_t)done;
}

sac_status sac_fail_not_written(const char *path, int code, sac_error *error)
{
    return sac_fail(error, SAC_E_FILE, path,
                    code == ENOSPC ? "free some space or choose another disk" : NULL,
                    "cannot be written: %s", strerror(code));
}

void sac_bytes_free(sac_bytes *bytes)
{
    if (bytes->mapped) {
        pthread_mutex_lock(&mapping_lock);
        mapping *slot = find_slot(bytes->data);
        if (slot)
            slot->data = NULL;
        pthread_mutex_unlock(&mapping_lock);
        munmap(bytes->data, bytes->size);
    } else {
        free(bytes->data);
    }
    *bytes = (sac_bytes){0};
}

/* ---------------------------------------------------------------- hashes */

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

uint64_t sac_file_fingerprint(const char *path, bool whole)
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
