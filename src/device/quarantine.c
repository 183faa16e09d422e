/* The marks: files in the cache folder, each locked by the process that builds. */

#include "device/quarantine.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/file.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/hash.h"
#include "device/cache.h"

/* A mark's file holds a letter for every time that a program was begun and not ended. */
enum { BY_RUN = 'r', BY_SELFTEST = 's', MOST_LETTERS = 8, MOST_DEATHS = 2 };

/* A mark that this process holds. */
typedef struct mark {
    const sac_device *device;
    char path[1024];
    int file; /* holds the lock that says the process lives */
    bool is_suspect;
    struct mark *next;
} mark;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mark *marks;
static pid_t maker;

static void remove_mark(mark *m)
{
    unlink(m->path);
    close(m->file);
    free(m);
}

/* Removes the marks of one device, or all where it is NULL. The lock is held. */
static void remove_marks(const sac_device *device)
{
    for (mark **at = &marks; *at;) {
        mark *m = *at;
        if (device && m->device != device) {
            at = &m->next;
            continue;
        }
        *at = m->next;
        remove_mark(m);
    }
}

void sac_quarantine_end(const sac_device *device)
{
    pthread_mutex_lock(&lock);
    remove_marks(device);
    pthread_mutex_unlock(&lock);
}

/* A child that a driver forked has a copy of the list when it exits; only the process that made the
 * marks may remove them. */
void sac_quarantine_abandon(void)
{
    if (getpid() != maker || pthread_mutex_trylock(&lock) != 0)
        return;
    remove_marks(NULL);
    pthread_mutex_unlock(&lock);
}

static void abandon_at_exit(void)
{
    maker = getpid();
    atexit(sac_quarantine_abandon);
}

/* A driver that died with several marks about leaves all of them; where one is suspected it is to
 * be alone, so that only the guilty one gets a second letter. */
static void isolate(sac_device *device, bool is_suspect)
{
    bool crowded = is_suspect;
    pthread_mutex_lock(&lock);
    for (const mark *m = marks; m; m = m->next)
        crowded = crowded || (m->device == device && m->is_suspect);
    pthread_mutex_unlock(&lock);
    if (!crowded)
        return;
    clFinish(device->queue);
    sac_quarantine_end(device);
}

static bool mark_path(const char *key, char *path, size_t size)
{
    char folder[900];
    return sac_cache_folder(folder, sizeof folder) &&
           snprintf(path, size, "%s/building-%016" PRIx64, folder,
                    sac_hash(SAC_HASH_START, key, strlen(key))) < (int)size;
}

/* Opens the file and takes its lock; −1 where that cannot be, as when another process builds the
 * same program: it has the mark then. */
static int open_mark(const char *path)
{
    struct stat info, named;
    int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (file < 0)
        return -1;
    /* The process that held it before may have unlinked the file in the meantime. */
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
        lstat(path, &named) == 0 && named.st_ino == info.st_ino)
        return file;
    close(file);
    return -1;
}

static void add_mark(const sac_device *device, const char *path, int file, bool is_suspect)
{
    mark *m = calloc(1, sizeof *m);
    const char letter = device->is_testing ? BY_SELFTEST : BY_RUN;
    if (!m || lseek(file, 0, SEEK_END) < 0 || write(file, &letter, 1) != 1) {
        free(m);
        close(file);
        return;
    }
    *m = (mark){.device = device, .file = file, .is_suspect = is_suspect};
    snprintf(m->path, sizeof m->path, "%s", path);
    pthread_mutex_lock(&lock);
    m->next = marks;
    marks = m;
    pthread_mutex_unlock(&lock);
}

/* A self-test tries again a program that other runs died of, but none that a self-test died of. */
static bool is_quarantined(const sac_device *device, const char *letters, size_t count)
{
    bool by_selftest = memchr(letters, BY_SELFTEST, count) != NULL;
    return count >= MOST_DEATHS && (by_selftest || !device->is_testing);
}

static sac_status refuse(const sac_device *device, const char *source, const char *path,
                         const char *letters, size_t count, sac_error *error)
{
    char where[64], advice[1100] = "update the driver; `saccade selftest` tries it once more";
    if (memchr(letters, BY_SELFTEST, count))
        snprintf(advice, sizeof advice, "update the driver, or remove %s to try it again", path);
    snprintf(where, sizeof where, "%.50s.cl", source);
    return sac_fail(error, SAC_E_DEVICE, where, advice,
                    "%.80s died %zu times while it was compiled, so it is left out",
                    device->info.platform, count);
}

sac_status sac_quarantine_begin(sac_device *device, const char *source, const char *key,
                                bool *is_suspect, sac_error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char path[1024], letters[MOST_LETTERS];
    *is_suspect = false;
    pthread_once(&once, abandon_at_exit);
    int file = mark_path(key, path, sizeof path) ? open_mark(path) : -1;
    if (file < 0)
        return SAC_OK;
    ssize_t count = pread(file, letters, sizeof letters, 0);
    size_t deaths = count > 0 ? (size_t)count : 0;
    if (is_quarantined(device, letters, deaths)) {
        close(file);
        return refuse(device, source, path, letters, deaths, error);
    }
    *is_suspect = deaths > 0;
    isolate(device, *is_suspect);
    add_mark(device, path, file, *is_suspect);
    return SAC_OK;
}
