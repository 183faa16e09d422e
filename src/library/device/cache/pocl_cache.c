#include "device/cache/pocl_cache.h"

#include <elf.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/file.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/notice.h"
#include "base/process.h"
#include "device/cache/cache.h"

enum { PATH_SIZE = 1024 };
#define CHECKED                                                                                    \
    "checked" /* beside PoCL's own files: the last check, and the boot that it was of              \
               */
#define SEEN "seen"
#define DIED "died" /* a run died in what PoCL compiled */

/* ---------------------------------------------------------------- damaged files */

static bool join_path(const char *folder, const char *name, char *path)
{
    return snprintf(path, PATH_SIZE, "%s/%s", folder, name) < PATH_SIZE;
}

static bool has_end(const char *path, const char *end)
{
    size_t length = strlen(path), wanted = strlen(end);
    return length > wanted && strcmp(path + length - wanted, end) == 0;
}

/* A linker writes the table of sections last. */
static bool is_whole_object(const unsigned char *head, size_t size, off_t file_size)
{
    Elf64_Ehdr wide;
    Elf32_Ehdr narrow;
    if (size < sizeof wide || memcmp(head, ELFMAG, SELFMAG) != 0)
        return false;
    memcpy(&wide, head, sizeof wide);
    memcpy(&narrow, head, sizeof narrow);
    uint64_t end = head[EI_CLASS] == ELFCLASS64
                       ? wide.e_shoff + (uint64_t)wide.e_shentsize * wide.e_shnum
                       : narrow.e_shoff + (uint64_t)narrow.e_shentsize * narrow.e_shnum;
    return (uint64_t)file_size >= end;
}

/* LLVM's bitcode: after the magic number blocks, each with a word of its kind and one of its length
 * in words. Other forms, such as a wrapper around it, are taken as they are. */
static bool is_whole_bitcode(int file, const unsigned char *head, size_t size, off_t file_size)
{
    uint32_t block[2];
    off_t at = 4;
    if (size < 4 || memcmp(head, "BC\xc0\xde", 4) != 0)
        return size >= 4 && memcmp(head, "\xde\xc0\x17\x0b", 4) == 0;
    while (at < file_size) {
        if (pread(file, block, sizeof block, at) != (ssize_t)sizeof block)
            return false;
        at += (off_t)sizeof block + (off_t)block[1] * 4;
    }
    return at == file_size;
}

static bool is_damaged(const char *path, off_t file_size)
{
    unsigned char head[sizeof(Elf64_Ehdr)];
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t got = pread(file, head, sizeof head, 0);
    size_t size = got > 0 ? (size_t)got : 0;
    bool whole = has_end(path, ".so") ? is_whole_object(head, size, file_size)
                                      : is_whole_bitcode(file, head, size, file_size);
    close(file);
    return !whole;
}

/* ---------------------------------------------------------------- the files that were seen */

/* What a file was when it was first seen whole, kept in the file SEEN beside PoCL's own: a line each. The
 * time of its last change (ctime), which no program can set, proves that nothing was written to it since;
 * else, and after the machine was restarted, its content is compared. */
#define LINE "%016" PRIx64 " %lld %lld.%09ld %s\n"
typedef struct seen {
    char *path; /* within the folder; owned */
    uint64_t hash;
    long long size, changed_s;
    long changed_ns;
    bool is_there;
} seen;

/* Of the walk that is under way; the drivers are locked. */
static struct {
    size_t prefix;           /* of the folder's path, with its slash */
    bool is_new_boot;        /* the machine may have gone down before a file was on the disk */
    char program[PATH_SIZE]; /* a damaged one: "AK/HASH" */
    seen *files;             /* [count]; the first `sorted` by their paths */
    size_t count, sorted, room;
    bool changed; /* since they were read */
} walk;

static int by_path(const void *a, const void *b)
{
    return strcmp(((const seen *)a)->path, ((const seen *)b)->path);
}

static seen *add_known_file(const char *path)
{
    if (walk.count == walk.room) {
        size_t room = walk.room ? 2 * walk.room : 64;
        seen *larger = realloc(walk.files, room * sizeof *larger);
        if (!larger)
            return NULL;
        walk.files = larger;
        walk.room = room;
    }
    char *copy = strdup(path);
    if (!copy)
        return NULL;
    walk.files[walk.count] = (seen){.path = copy};
    return &walk.files[walk.count++];
}

static void forget_known_files(void)
{
    while (walk.count)
        free(walk.files[--walk.count].path);
    free(walk.files);
    walk.files = NULL;
    walk.sorted = walk.room = 0;
    walk.changed = false;
}

static void read_seen_record(const char *folder)
{
    char path[PATH_SIZE], name[PATH_SIZE], line[PATH_SIZE + 96];
    forget_known_files();
    int file = join_path(folder, SEEN, path)
                   ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                   : -1;
    FILE *lines = file >= 0 ? fdopen(file, "r") : NULL;
    while (lines && fgets(line, sizeof line, lines)) {
        seen one = {0};
        if (sscanf(line, "%16" SCNx64 " %lld %lld.%9ld %1023[^\n]", &one.hash, &one.size,
                   &one.changed_s, &one.changed_ns, name) != 5)
            continue;
        seen *added = add_known_file(name);
        if (!added)
            break;
        one.path = added->path;
        *added = one;
    }
    if (lines)
        fclose(lines);
    else if (file >= 0)
        close(file);
    if (walk.count)
        qsort(walk.files, walk.count, sizeof *walk.files, by_path);
    walk.sorted = walk.count;
}

/* Those that the walk has met: what was removed is forgotten. */
static void write_known_files(const char *folder)
{
    char path[PATH_SIZE], fresh[PATH_SIZE + 16];
    if (!join_path(folder, SEEN, path))
        return;
    snprintf(fresh, sizeof fresh, "%s.%d", path, (int)getpid());
    int file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *lines = file >= 0 ? fdopen(file, "w") : NULL;
    for (size_t i = 0; lines && i < walk.count; i++) {
        const seen *s = &walk.files[i];
        if (s->is_there)
            fprintf(lines, LINE, s->hash, s->size, s->changed_s, s->changed_ns, s->path);
    }
    if (!lines && file >= 0)
        close(file);
    if (!lines || fclose(lines) != 0 || rename(fresh, path) != 0)
        unlink(fresh);
}

static bool hash_file(const char *path, uint64_t *hash)
{
    char block[16384];
    ssize_t got;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return false;
    *hash = SAC_HASH_START;
    while ((got = read(file, block, sizeof block)) > 0)
        *hash = sac_hash(*hash, block, (size_t)got);
    close(file);
    return got == 0;
}

/* ---------------------------------------------------------------- the walk */

/* A file that cannot be read, or remembered, is taken as it is. */
static bool is_whole_or_unreadable(const char *path, const struct stat *info)
{
    uint64_t hash;
    seen key = {.path = (char *)path + walk.prefix};
    seen *known =
        walk.sorted ? bsearch(&key, walk.files, walk.sorted, sizeof *walk.files, by_path) : NULL;
    bool is_as_then = known && known->size == info->st_size &&
                      known->changed_s == info->st_ctim.tv_sec &&
                      known->changed_ns == info->st_ctim.tv_nsec;
    if (known)
        known->is_there = true;
    if (is_as_then && !walk.is_new_boot)
        return true;
    if (info->st_size == 0 || (!known && is_damaged(path, info->st_size)))
        return false;
    if (!hash_file(path, &hash))
        return true;
    if (known && (known->hash != hash || known->size != info->st_size))
        return false;
    seen *now = known ? known : add_known_file(key.path);
    if (!now)
        return true;
    *now = (seen){now->path,       hash, info->st_size, info->st_ctim.tv_sec, info->st_ctim.tv_nsec,
                  .is_there = true};
    walk.changed = true;
    return true;
}

/* A file "AK/HASH/…" that is damaged ends the walk. */
static int stop_at_damaged_file(const char *path, const struct stat *info, int kind,
                                struct FTW *where)
{
    (void)where;
    if (kind != FTW_F || !S_ISREG(info->st_mode) ||
        !(has_end(path, ".so") || has_end(path, ".bc")) || is_whole_or_unreadable(path, info))
        return 0;
    const char *hash = strchr(path + walk.prefix, '/');
    const char *end = hash ? strchr(hash + 1, '/') : NULL;
    if (!end)
        return 0;
    snprintf(walk.program, sizeof walk.program, "%.*s", (int)(end - path), path);
    return 1;
}

/* True where the last check was of this boot of the machine. */
static bool was_checked_this_boot(const char *path)
{
    char boot[SAC_BOOT_SIZE], known[SAC_BOOT_SIZE] = "";
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return false;
    bool is_read = read(file, known, sizeof known - 1) > 0;
    close(file);
    return is_read && strcmp(known, sac_boot_id(boot)) == 0;
}

static void write_checked_boot(const char *path)
{
    char boot[SAC_BOOT_SIZE];
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    sac_boot_id(boot);
    if (write(file, boot, strlen(boot)) != (ssize_t)strlen(boot))
        unlink(path);
    close(file);
}

static int find_damaged_file(const char *folder)
{
    for (size_t i = 0; i < walk.count; i++)
        walk.files[i].is_there = false;
    return nftw(folder, stop_at_damaged_file, 16, FTW_PHYS);
}

static bool is_known_file_missing(void)
{
    for (size_t i = 0; i < walk.count; i++)
        if (!walk.files[i].is_there)
            return true;
    return false;
}

static char death[PATH_SIZE]; /* the path of DIED; empty: the folder is not ours */

void sac_pocl_cache_mark_death(void)
{
    int file =
        death[0] ? open(death, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600) : -1;
    if (file >= 0)
        close(file);
}

static int users = -1; /* "pocl.users" beside the folder: a lock that all who use it share */

/* True where no other process uses the folder, which waits then until it is shared: what another one
 * is writing looks damaged, and a process from which files are taken away ends. */
static bool try_exclusive_lock(const char *folder)
{
    char path[PATH_SIZE];
    if (users < 0 && snprintf(path, sizeof path, "%s.users", folder) < (int)sizeof path)
        users = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    return users < 0 || flock(users, LOCK_EX | LOCK_NB) == 0;
}

static void take_shared_lock(void)
{
    if (users >= 0)
        flock(users, LOCK_SH);
}

void sac_pocl_cache_remove_damaged(void)
{
    static bool checked;
    char path[PATH_SIZE];
    size_t damaged = 0;
    const char *folder = sac_cache_of_pocl();
    if (checked || !folder || !join_path(folder, CHECKED, path))
        return;
    checked = true;
    if (!join_path(folder, DIED, death))
        death[0] = '\0';
    if (!try_exclusive_lock(folder)) {
        take_shared_lock();
        return;
    }
    if (death[0] && unlink(death) == 0)
        sac_pocl_cache_empty("a run died of what PoCL had kept there");
    walk.is_new_boot = !was_checked_this_boot(path);
    walk.prefix = strlen(folder) + 1;
    read_seen_record(folder);
    /* Each round removes a program, and there is an end of them. */
    while (damaged < 10000 && find_damaged_file(folder) > 0) {
        sac_cache_remove_folder(walk.program);
        damaged++;
    }
    if (walk.changed || is_known_file_missing())
        write_known_files(folder);
    forget_known_files();
    if (damaged)
        sac_notice("%.600s: %zu compiled program%s damaged, and %s compiled again", folder, damaged,
                   damaged == 1 ? " was" : "s were", damaged == 1 ? "is" : "are");
    if (walk.is_new_boot)
        write_checked_boot(path);
    take_shared_lock();
}

void sac_pocl_cache_record_files(void)
{
    const char *folder = sac_cache_of_pocl();
    if (!folder)
        return;
    walk.prefix = strlen(folder) + 1;
    walk.is_new_boot = false;
    read_seen_record(folder);
    bool is_whole = find_damaged_file(folder) == 0;
    if (is_whole && (walk.changed || is_known_file_missing()))
        write_known_files(folder);
    forget_known_files();
}

bool sac_pocl_cache_empty(const char *why)
{
    static bool emptied;
    char aside[PATH_SIZE];
    const char *folder = sac_cache_of_pocl();
    if (emptied || !folder ||
        snprintf(aside, sizeof aside, "%s.old-%d", folder, (int)getpid()) >= (int)sizeof aside)
        return false;
    if (rename(folder, aside) != 0 || mkdir(folder, 0700) != 0)
        return false;
    emptied = true;
    sac_cache_remove_folder(aside);
    sac_notice("%.600s: was emptied, and kernels are compiled again, as %s", folder, why);
    return true;
}
