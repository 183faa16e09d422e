/* The cache of the whole machine, which a package fills when it is installed, or an administrator: a user's first
 * cache begins as a copy of it. PoCL writes into its cache folder, so users cannot share one. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "device/cache/cache.h"

enum { LONGEST = 1024, DEEPEST = 8 };
#define MACHINES "/var/cache/saccade"

static bool copy_file(const char *from, const char *to)
{
    char block[16384];
    ssize_t got = -1;
    int source = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int copy = source >= 0 ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    while (copy >= 0 && (got = read(source, block, sizeof block)) > 0)
        if (write(copy, block, (size_t)got) != got)
            break;
    if (source >= 0)
        close(source);
    return copy >= 0 && close(copy) == 0 && got == 0;
}

/* Files and folders, nothing else; false after the first that cannot be copied. */
static bool copy_folder(const char *from, const char *to, int depth)
{
    char source[LONGEST], copy[LONGEST];
    struct stat info;
    DIR *entries = mkdir(to, 0700) == 0 ? opendir(from) : NULL;
    bool done = entries && depth < DEEPEST;
    for (struct dirent *e; done && (e = readdir(entries));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        done = snprintf(source, LONGEST, "%s/%s", from, e->d_name) < LONGEST &&
               snprintf(copy, LONGEST, "%s/%s", to, e->d_name) < LONGEST &&
               lstat(source, &info) == 0;
        if (done && S_ISDIR(info.st_mode))
            done = copy_folder(source, copy, depth + 1);
        else if (done && S_ISREG(info.st_mode))
            done = copy_file(source, copy);
    }
    if (entries)
        closedir(entries);
    return done;
}

void sac_cache_begin(const char *folder)
{
    char machines[LONGEST], fresh[LONGEST];
    struct stat info;
    const char *named = getenv("SACCADE_MACHINE_CACHE");
    snprintf(machines, LONGEST, "%s/saccade", named ? named : MACHINES);
    if (lstat(folder, &info) == 0 || lstat(machines, &info) != 0 || !S_ISDIR(info.st_mode) ||
        !sac_cache_place_is_private(machines) ||
        snprintf(fresh, LONGEST, "%s.new-%d", folder, (int)getpid()) >= LONGEST)
        return;
    /* Whole, or not there: another process may begin it in this moment. */
    if (!copy_folder(machines, fresh, 0) || rename(fresh, folder) != 0)
        sac_cache_remove_folder(fresh);
}
