/* Chooses where PoCL keeps its compiled programs: below our own cache, where no other user can write,
 * since they are shared objects that the next run loads. PoCL finds no device if it cannot write
 * its cache, its LLVM ends the process if the disk is full, and it aborts where nothing may be executed:
 * in a service without a home, or in a container. There a temporary folder replaces PoCL's cache and
 * our own until the process ends. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/notice.h"
#include "device/cache/cache.h"

enum { LONGEST = 700 }; /* of a path that PoCL, which adds to it, takes */
#define ROOM (16u << 20)
#define NOT_EXECUTED "it is mounted noexec: nothing in it may be executed"

static char stand_in[256]; /* empty: there is none */
static pid_t maker;
static char of_pocl[LONGEST + 16]; /* empty: PoCL's cache is not ours */
static const char *nowhere;        /* why no folder can be found; NULL: there is one */

const char *sac_cache_stand_in(void)
{
    return stand_in[0] ? stand_in : NULL;
}

/* The cache folder is trusted only if no other user can write to it: entries hold programs that a
 * driver runs, and a hash is no signature. */
bool sac_cache_is_private(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           !(info.st_mode & (S_IWGRP | S_IWOTH));
}

/* Whether no other user can replace an entry of this folder. A sticky folder such as /tmp protects
 * each user's entries. In a sandbox the system's own folders belong to the owner of the root
 * folder. */
static bool protects_entries(const struct stat *info)
{
    struct stat root = {0};
    stat("/", &root);
    bool by_trusted = info->st_uid == geteuid() || info->st_uid == 0 || info->st_uid == root.st_uid;
    bool by_others = (info->st_mode & S_IWOTH) ||
                     ((info->st_mode & S_IWGRP) && info->st_gid != getegid() && info->st_gid != 0);
    return by_trusted && (!by_others || (info->st_mode & S_ISVTX) || S_ISLNK(info->st_mode));
}

/* Of the folder and those above it, as the path names them. */
static bool whole_path_protects_entries(const char *path)
{
    char part[PATH_MAX];
    struct stat info;
    size_t length = strlen(path);
    for (size_t end = 1; end <= length; end++) {
        if (path[end] != '/' && path[end] != '\0' && end != 1)
            continue;
        snprintf(part, sizeof part, "%.*s", (int)end, path);
        if (lstat(part, &info) == 0 && !protects_entries(&info))
            return false;
    }
    return true;
}

bool sac_cache_place_is_private(const char *path)
{
    char resolved[PATH_MAX];
    return (path[0] != '/' || whole_path_protects_entries(path)) &&
           (!realpath(path, resolved) || whole_path_protects_entries(resolved));
}

bool sac_cache_parent(char *parent, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (sac_cache_stand_in())
        length = snprintf(parent, size, "%s", sac_cache_stand_in());
    else if (cache && cache[0] == '/') /* the XDG specification: a relative one counts as unset */
        length = snprintf(parent, size, "%s", cache);
    else if (home && home[0] == '/')
        length = snprintf(parent, size, "%s/.cache", home);
    if (length < 0)
        parent[0] = '\0';
    return length >= 0 && length < (int)size;
}

const char *sac_cache_of_pocl(void)
{
    return of_pocl[0] ? of_pocl : NULL;
}

const char *sac_cache_nowhere_reason(void)
{
    return nowhere;
}

/* Returns NULL, or why nothing can be written there, or executed. */
static const char *trouble_in(const char *folder)
{
    struct stat info;
    struct statvfs disk;
    if (stat(folder, &info) != 0)
        return strerror(errno);
    if (!S_ISDIR(info.st_mode))
        return strerror(ENOTDIR);
    if (access(folder, W_OK | X_OK) != 0)
        return strerror(errno);
    if (statvfs(folder, &disk) != 0)
        return NULL;
    if ((double)disk.f_bavail * (double)disk.f_frsize < ROOM)
        return "the disk is full";
    return disk.f_flag & ST_NOEXEC ? NOT_EXECUTED : NULL;
}

/* Makes the folder and its parents, as mkdir -p does. Failures are not reported: trouble_in() finds
 * them. */
static void make_folders(const char *path)
{
    char part[LONGEST];
    for (const char *slash = path; slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        if (part[0])
            mkdir(part, 0700);
    }
    mkdir(path, 0700);
}

/* Returns NULL, or why compiled kernels cannot be kept at the usual place. `folder` becomes that
 * place, "" where no environment variable sets it; `pocl` that of PoCL's below it. */
static const char *prepare_usual_folder(char *folder, char *pocl)
{
    static const char *const below[] = {"/saccade", "/saccade/pocl"};
    const char *cache = getenv("XDG_CACHE_HOME");
    if (!sac_cache_parent(folder, LONGEST))
        return folder[0] ? strerror(ENAMETOOLONG) : "HOME is not set";
    if (cache && cache[0] == '/')
        make_folders(folder);
    else
        mkdir(folder, 0700); /* but no home */
    const char *trouble = trouble_in(folder);
    if (!trouble && !sac_cache_place_is_private(folder))
        trouble = "other users can write to it";
    if (!trouble) {
        snprintf(pocl, LONGEST + 16, "%s%s", folder, below[0]);
        sac_cache_begin(pocl);
    }
    for (int i = 0; i < 2 && !trouble; i++) {
        snprintf(pocl, LONGEST + 16, "%s%s", folder, below[i]);
        mkdir(pocl, 0700);
        trouble = trouble_in(pocl);
        if (!trouble && !sac_cache_is_private(pocl))
            trouble = "saccade in it belongs to another user, is a link, or others can write to it";
    }
    return trouble;
}

static bool make_stand_in_folder(void)
{
    const char *places[] = {getenv("TMPDIR"),          "/tmp",        "/var/tmp", "/dev/shm",
                            getenv("XDG_RUNTIME_DIR"), getenv("HOME")};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!places[i] || places[i][0] != '/' || strlen(places[i]) > 200 || trouble_in(places[i]))
            continue;
        snprintf(stand_in, sizeof stand_in, "%s/saccade-cache-XXXXXX", places[i]);
        if (mkdtemp(stand_in)) /* 0700 */
            return true;
    }
    stand_in[0] = '\0';
    return false;
}

/* Does nothing in a child that was forked. */
static void remove_folder(void)
{
    if (stand_in[0] && getpid() == maker)
        sac_cache_remove_folder(stand_in);
}

/* The folder may not be there yet: PoCL makes it then, on the disk of the one above. */
static bool allows_execution(const char *folder)
{
    char path[LONGEST];
    struct statvfs disk;
    snprintf(path, sizeof path, "%s", folder);
    for (char *slash; statvfs(path, &disk) != 0 && (slash = strrchr(path, '/')) && slash > path;)
        *slash = '\0';
    return statvfs(path, &disk) != 0 || !(disk.f_flag & ST_NOEXEC);
}

/* Whether the user chose a folder for PoCL's cache that no other user can write to. */
static bool is_pocl_folder_chosen(void)
{
    const char *chosen = getenv("POCL_CACHE_DIR");
    struct stat info;
    if (!chosen || !chosen[0])
        return false;
    if (!allows_execution(chosen)) {
        sac_notice(
            "POCL_CACHE_DIR: %.600s is mounted noexec, so it is not used; choose a folder in "
            "which files may be executed",
            chosen);
        return false;
    }
    if (sac_cache_place_is_private(chosen) &&
        (stat(chosen, &info) != 0 || info.st_uid == geteuid()))
        return true;
    sac_notice(
        "POCL_CACHE_DIR: %.600s belongs to another user, or others can write to it, so it is "
        "not used; choose a folder of your own",
        chosen);
    return false;
}

static void use_stand_in(const char *folder, const char *trouble)
{
    if (!make_stand_in_folder()) {
        nowhere = trouble;
        sac_notice("%.200s: cannot hold compiled kernels (%s), and neither can a temporary folder; "
                   "XDG_CACHE_HOME names another place",
                   folder[0] ? folder : "cache", trouble);
        return;
    }
    maker = getpid();
    atexit(remove_folder);
    snprintf(of_pocl, sizeof of_pocl, "%s/pocl", stand_in);
    mkdir(of_pocl, 0700);
    sac_notice("%.200s: cannot hold compiled kernels (%s), so each start compiles anew; "
               "XDG_CACHE_HOME names another place",
               folder[0] ? folder : "cache", trouble);
}

static bool prepared;

void sac_cache_skip_preparing(void)
{
    prepared = true;
}

void sac_cache_prepare(void)
{
    char folder[LONGEST], pocl[LONGEST + 16];
    if (prepared)
        return;
    prepared = true;
    if (is_pocl_folder_chosen())
        return;
    const char *trouble = prepare_usual_folder(folder, pocl);
    if (trouble)
        use_stand_in(folder, trouble);
    else
        strcpy(of_pocl, pocl);
    if (of_pocl[0])
        setenv("POCL_CACHE_DIR", of_pocl, 1);
}
