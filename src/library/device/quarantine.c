/* The marks: files in the cache folder, each locked by the process that builds. */

#include "device/quarantine.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/notice.h"
#include "base/process.h"
#include "device/cache/cache.h"
#include "device/cache/pocl_cache.h"
#include "device/internal.h"

/* A mark's file is a line "mark DEVICE BOOT SOURCE", and then a letter for each time that the
 * program was begun and not ended (small), and for each time that the driver died of it (large). */
enum {
    BY_RUN = 'r',
    BY_SELFTEST = 's',
    UNWATCHED_RUN = 'u',
    UNWATCHED_SELFTEST = 'v',
    DIED_IN_RUN = 'R',
    DIED_IN_SELFTEST = 'S',
    MOST_DEATHS = 2,
    MOST_LETTERS = 32,
    MARK_SIZE = 256,
    DAYS = 30,
};
#define HEADER "mark %16s %39s %63[^\n]\n"

typedef struct history {
    char letters[MOST_LETTERS + 1];
    int deaths;
    bool by_selftest, vanished;
} history;

/* A mark that this process holds. */
typedef struct mark {
    const sac_device *device;
    char path[1024];
    int file; /* locked while the process lives */
    char death;
    bool is_suspect, has_died;
    struct mark *next;
} mark;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mark *marks;
static pid_t maker;
static bool is_watched, counts;
static _Thread_local bool in_driver;

/* For signal handlers, which cannot take the lock: files of marks, plus 1, and their letters. */
enum { MOST_HELD = 32 };
static struct {
    volatile sig_atomic_t file;
    char death;
} held[MOST_HELD];

static void register_mark_file(const mark *m)
{
    for (int i = 0; i < MOST_HELD; i++)
        if (!held[i].file) {
            held[i].death = m->death;
            held[i].file = m->file + 1;
            return;
        }
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
        for (int i = 0; i < MOST_HELD; i++)
            if (held[i].file == m->file + 1)
                held[i].file = 0;
        if (!m->has_died)
            unlink(m->path);
        close(m->file);
        free(m);
    }
}

void sac_quarantine_remove_marks(const sac_device *device)
{
    pthread_mutex_lock(&lock);
    remove_marks(device);
    pthread_mutex_unlock(&lock);
}

/* A child that a driver forked has a copy of the list when it exits; only the process that made the
 * marks may remove them. */
void sac_quarantine_remove_all_marks(void)
{
    if (getpid() != maker || pthread_mutex_trylock(&lock) != 0)
        return;
    remove_marks(NULL);
    pthread_mutex_unlock(&lock);
}

/* ---------------------------------------------------------------- deaths in this process */

static void write_deaths(void)
{
    for (int i = 0; i < MOST_HELD; i++) {
        int file = held[i].file - 1;
        if (file >= 0 && write(file, &held[i].death, 1) == 1)
            held[i].file = 0;
    }
}

void sac_quarantine_record_death(const siginfo_t *info)
{
    bool by_itself = info->si_code > 0 || info->si_pid == getpid();
    if (!by_itself || !counts || getpid() != maker)
        return;
    write_deaths();
    if (gettid() != getpid()) /* kernels run on threads of their own */
        sac_pocl_cache_mark_death();
}

void sac_quarantine_in_driver(bool is_in)
{
    in_driver = is_in;
}

/* Drivers may exit within the call that compiles, or on a thread of their own; a program itself
 * exits on its first thread. */
static void settle_marks_at_exit(void)
{
    bool on_own_thread = !is_watched || gettid() == getpid();
    if (counts && getpid() == maker && (in_driver || !on_own_thread))
        write_deaths();
    else
        sac_quarantine_remove_all_marks();
}

static void init_death_tracking(void)
{
    struct rlimit memory;
    maker = getpid();
    counts = getrlimit(RLIMIT_AS, &memory) != 0 || memory.rlim_cur == RLIM_INFINITY;
    atexit(settle_marks_at_exit);
}

static const int watched[] = {SIGSEGV, SIGABRT, SIGILL};
enum { WATCHED = sizeof watched / sizeof *watched };
static struct sigaction before[WATCHED];

/* The previous handler does the rest. A fault occurs again without help. */
static void on_death(int number, siginfo_t *info, void *context)
{
    (void)context;
    sac_quarantine_record_death(info);
    for (int i = 0; i < WATCHED; i++)
        if (watched[i] == number)
            sigaction(number, &before[i], NULL);
    if (info->si_code <= 0)
        raise(number);
}

/* LLVM, in drivers, replaces these handlers with its own, so they are set again. */
static void install_signal_handlers(void)
{
    struct sigaction action = {.sa_sigaction = on_death, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction now;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < WATCHED; i++)
        if (sigaction(watched[i], NULL, &now) == 0 && now.sa_sigaction != on_death) {
            before[i] = now;
            sigaction(watched[i], &action, NULL);
        }
}

void sac_quarantine_watch(void)
{
    is_watched = true;
    install_signal_handlers();
}

/* ---------------------------------------------------------------- a mark's file */

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

static void format_device_hash(const sac_device_info *info, char name[17])
{
    char key[1024];
    sac_device_key(info, key, sizeof key);
    snprintf(name, 17, "%016" PRIx64, sac_hash(SAC_HASH_START, key, strlen(key)));
}

/* The deaths that still count, as letters; and the source, unless it is NULL. False where the file
 * is no mark, or an old one. */
static bool read_mark(int file, char device[17], char source[64], history *known)
{
    char text[MARK_SIZE + 1] = "", boot[SAC_BOOT_SIZE], now[SAC_BOOT_SIZE];
    struct stat info;
    int used = 0;
    ssize_t size = pread(file, text, MARK_SIZE, 0);
    const char *end = strchr(text, '\n');
    *known = (history){0};
    if (size <= 0 || fstat(file, &info) != 0 || time(NULL) - info.st_mtime > DAYS * 86400L ||
        !end || sscanf(text, HEADER, device, boot, source) != 3)
        return false;
    bool same_boot = strcmp(boot, sac_boot_id(now)) == 0;
    for (const char *at = end + 1; *at && used < MOST_LETTERS; at++) {
        bool unwatched = *at == UNWATCHED_RUN || *at == UNWATCHED_SELFTEST;
        known->vanished = known->vanished || (same_boot && (*at == BY_RUN || *at == BY_SELFTEST));
        if (*at != DIED_IN_RUN && *at != DIED_IN_SELFTEST && !(unwatched && same_boot))
            continue;
        known->letters[used++] = *at;
        known->by_selftest =
            known->by_selftest || *at == DIED_IN_SELFTEST || *at == UNWATCHED_SELFTEST;
    }
    known->deaths = used;
    return true;
}

/* Deaths so far, and that it is begun once more. The time of the file stays that of the last death.
 */
static bool write_mark(int file, const sac_device *device, const char *source, const history *known)
{
    char text[MARK_SIZE], name[17], boot[SAC_BOOT_SIZE];
    char begun = is_watched || !counts ? (device->is_testing ? BY_SELFTEST : BY_RUN)
                                       : (device->is_testing ? UNWATCHED_SELFTEST : UNWATCHED_RUN);
    struct stat info;
    format_device_hash(&device->info, name);
    int length = snprintf(text, sizeof text, "mark %s %s %.60s\n%s%s%c", name, sac_boot_id(boot),
                          source, known->letters, known->vanished ? "r" : "", begun);
    bool had = fstat(file, &info) == 0 && known->deaths > 0;
    bool written = ftruncate(file, 0) == 0 && pwrite(file, text, (size_t)length, 0) == length &&
                   lseek(file, 0, SEEK_END) == length;
    if (written && had)
        futimens(file, (struct timespec[]){{.tv_nsec = UTIME_OMIT}, info.st_mtim});
    return written;
}

/* ---------------------------------------------------------------- building */

/* A driver that died with several marks about leaves all of them; where one is suspected it is to
 * be alone, so that only the guilty one gets a second letter. */
static void end_marks_before_suspect(sac_device *device, bool is_suspect)
{
    bool crowded = is_suspect;
    pthread_mutex_lock(&lock);
    for (const mark *m = marks; m; m = m->next)
        crowded = crowded || (m->device == device && m->is_suspect);
    pthread_mutex_unlock(&lock);
    if (!crowded)
        return;
    clFinish(device->queue);
    sac_quarantine_remove_marks(device);
}

static void add_mark(const sac_device *device, const char *path, const char *source, int file,
                     const history *known)
{
    mark *m = calloc(1, sizeof *m);
    if (!m || !write_mark(file, device, source, known)) {
        free(m);
        close(file);
        return;
    }
    *m = (mark){.device = device,
                .file = file,
                .death = device->is_testing ? DIED_IN_SELFTEST : DIED_IN_RUN,
                .is_suspect = known->deaths > 0};
    snprintf(m->path, sizeof m->path, "%s", path);
    pthread_mutex_lock(&lock);
    m->next = marks;
    marks = m;
    register_mark_file(m);
    pthread_mutex_unlock(&lock);
}

static sac_status refuse(const sac_device *device, const char *source, const char *path,
                         const history *known, sac_error *error)
{
    static bool reported;
    char where[64], model[160],
        advice[1100] = "update the driver; `saccade selftest` tries it once more";
    if (known->by_selftest)
        snprintf(advice, sizeof advice, "update the driver, or remove %s to try it again", path);
    snprintf(where, sizeof where, "%.50s.cl", source);
    sac_device_model(&device->info, model, sizeof model);
    if (!reported)
        sac_notice(
            "%s: %s is left out, as the driver died %d times while it compiled it, and simpler "
            "kernels take its place; %s",
            model, where, known->deaths, advice);
    reported = true;
    return sac_fail(error, SAC_E_DEVICE, where, advice,
                    "%.80s died %d times while it was compiled, so it is left out",
                    device->info.platform, known->deaths);
}

sac_status sac_quarantine_begin(sac_device *device, const char *source, const char *key,
                                sac_suspicion *suspicion, sac_error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char path[1024], of_device[17], of_source[64];
    history known;
    *suspicion = (sac_suspicion){0};
    pthread_once(&once, init_death_tracking);
    if (is_watched)
        install_signal_handlers();
    int file = mark_path(key, path, sizeof path) ? open_mark(path) : -1;
    if (file < 0)
        return SAC_OK;
    read_mark(file, of_device, of_source, &known);
    /* A self-test tries again a program that other runs died of, but none that a self-test died of. */
    if (known.deaths >= MOST_DEATHS && (known.by_selftest || !device->is_testing)) {
        close(file);
        return refuse(device, source, path, &known, error);
    }
    *suspicion = (sac_suspicion){.died = known.deaths > 0, .vanished = known.vanished};
    end_marks_before_suspect(device, known.deaths > 0);
    add_mark(device, path, source, file, &known);
    return SAC_OK;
}

sac_status sac_quarantine_count_death(sac_device *device, const char *source, const char *key,
                                      const char *how, sac_error *error)
{
    static char reported[64]; /* the source; the drivers are locked */
    char path[1024], model[160];
    bool has_path = mark_path(key, path, sizeof path);
    pthread_mutex_lock(&lock);
    for (mark *m = marks; m && has_path && counts; m = m->next)
        if (strcmp(m->path, path) == 0 && !m->has_died)
            m->has_died = write(m->file, &m->death, 1) == 1;
    pthread_mutex_unlock(&lock);
    const char *advice =
        counts ? "update the driver" : "its memory is limited: raise the limit (ulimit -v)";
    sac_device_model(&device->info, model, sizeof model);
    if (strcmp(reported, source) != 0)
        sac_notice(
            "%s: the driver %s while it compiled %.50s.cl, and simpler kernels take its place "
            "where there are any; %s",
            model, how, source, advice);
    snprintf(reported, sizeof reported, "%s", source);
    return sac_fail(error, SAC_E_DEVICE, source, advice, "%.80s %s while it compiled it",
                    device->info.platform, how);
}

void sac_quarantine_list(const sac_device_info *info,
                         void (*report)(void *user, const char *source, int deaths,
                                        const char *file),
                         void *user)
{
    char folder[900], path[1024], wanted[17], of_device[17], of_source[64], name[72];
    history known;
    if (!sac_cache_folder(folder, sizeof folder))
        return;
    format_device_hash(info, wanted);
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (strncmp(entry->d_name, "building-", 9) != 0 ||
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path)
            continue;
        int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (file >= 0 && read_mark(file, of_device, of_source, &known) &&
            known.deaths >= MOST_DEATHS && strcmp(of_device, wanted) == 0) {
            snprintf(name, sizeof name, "%s.cl", of_source);
            report(user, name, known.deaths, known.by_selftest ? path : NULL);
        }
        if (file >= 0)
            close(file);
    }
    if (entries)
        closedir(entries);
}
