#include "device/pocl_cache.h"

#include <elf.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "base/boot.h"
#include "base/notice.h"
#include "device/cache.h"

enum { AGAIN_AFTER_S = 600, PATH_SIZE = 1024 };
#define CHECKED                                                                                    \
    "checked" /* beside PoCL's own files: the last check, and the boot that it was of              \
               */
#define EMPTIED "emptied"

/* ---------------------------------------------------------------- damaged files */

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

/* Files already checked get a permission bit that has no meaning for files, and a time before PoCL
 * existed. A later write changes that time, and PoCL itself writes to none of them. */
#define SEEN S_ISVTX
static const struct timespec seen_time = {1, 0};

/* ---------------------------------------------------------------- the walk */

/* Of the walk that is under way; the drivers are locked. */
static struct {
    size_t prefix;           /* of the folder's path, with its slash */
    bool is_new_boot;        /* the machine may have gone down before a file was on the disk */
    char program[PATH_SIZE]; /* a damaged one: "AK/HASH" */
} walk;

static bool is_good(const char *path, const struct stat *info)
{
    bool was_seen = info->st_mode & SEEN, is_as_then = info->st_mtim.tv_sec == seen_time.tv_sec;
    if (info->st_size == 0 || (was_seen && !is_as_then))
        return false;
    if (was_seen && !walk.is_new_boot)
        return true;
    if (is_damaged(path, info->st_size))
        return false;
    if (!was_seen) {
        const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, seen_time};
        if (utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0)
            chmod(path, (info->st_mode & 07777) | SEEN);
    }
    return true;
}

/* A file "AK/HASH/…" that is damaged ends the walk. */
static int look_at(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)where;
    if (kind != FTW_F || !S_ISREG(info->st_mode) ||
        !(has_end(path, ".so") || has_end(path, ".bc")) || is_good(path, info))
        return 0;
    const char *hash = strchr(path + walk.prefix, '/');
    const char *end = hash ? strchr(hash + 1, '/') : NULL;
    if (!end)
        return 0;
    snprintf(walk.program, sizeof walk.program, "%.*s", (int)(end - path), path);
    return 1;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    remove(path);
    return 0;
}

static void remove_all(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static bool path_in(const char *folder, const char *name, char *path)
{
    return snprintf(path, PATH_SIZE, "%s/%s", folder, name) < PATH_SIZE;
}

/* True where the last check was of this boot of the machine. */
static bool was_checked(const char *path)
{
    char boot[SAC_BOOT_SIZE], known[SAC_BOOT_SIZE] = "";
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return false;
    bool is_read = read(file, known, sizeof known - 1) > 0;
    close(file);
    return is_read && strcmp(known, sac_boot_id(boot)) == 0;
}

static void write_check(const char *path)
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

void sac_pocl_cache_check(void)
{
    static bool checked;
    char path[PATH_SIZE];
    size_t damaged = 0;
    const char *folder = sac_cache_of_pocl();
    if (checked || !folder || !path_in(folder, CHECKED, path))
        return;
    checked = true;
    walk.is_new_boot = !was_checked(path);
    walk.prefix = strlen(folder) + 1;
    /* Each round removes a program, and there is an end of them. */
    while (damaged < 10000 && nftw(folder, look_at, 16, FTW_PHYS) > 0) {
        remove_all(walk.program);
        damaged++;
    }
    if (damaged)
        sac_notice("%.600s: %zu compiled program%s damaged, and %s compiled again", folder, damaged,
                   damaged == 1 ? " was" : "s were", damaged == 1 ? "is" : "are");
    if (walk.is_new_boot)
        write_check(path);
}

void sac_pocl_cache_see(void)
{
    const char *folder = sac_cache_of_pocl();
    if (!folder)
        return;
    walk.prefix = strlen(folder) + 1;
    walk.is_new_boot = false;
    nftw(folder, look_at, 16, FTW_PHYS);
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
    remove_all(aside);
    sac_notice("%.600s: was emptied, and kernels are compiled again, as %s", folder, why);
    return true;
}
