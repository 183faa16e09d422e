/* Files that are written whole: a temporary beside the file, which is renamed at the end. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/output.h"

enum {
    TRIES = 100, /* names that may be taken already */
    PATIENCE_MS =
        500 /* of waiting for the lock: a thread that hangs in a dead file system may hold it */
};

/* All temporaries that exist are in the list: files are made, renamed and removed under the lock.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sac_output *opened;
static bool abandoned;

/* ---------------------------------------------------------------- the list */

static void unlist(const sac_output *output)
{
    for (sac_output **at = &opened; *at; at = &(*at)->next)
        if (*at == output) {
            *at = output->next;
            return;
        }
}

void sac_outputs_abandon(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PATIENCE_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    bool locked = pthread_mutex_timedlock(&lock, &until) == 0;
    abandoned = true;
    for (sac_output *output = opened; output; output = output->next)
        unlink(output->temporary);
    if (locked)
        pthread_mutex_unlock(&lock);
}

/* ---------------------------------------------------------------- opening */

/* The number of this process's own descriptor that the path names, or −1. Nothing can be renamed
 * over such a name, even where it leads to a plain file. */
static int descriptor_named_by_path(const char *path)
{
    int number = -1, end = 0;
    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    if (sscanf(path, "/dev/fd/%d%n", &number, &end) < 1 &&
        sscanf(path, "/proc/self/fd/%d%n", &number, &end) < 1)
        return -1;
    return path[end] ? -1 : number;
}

/* The name is random, so that it cannot be predicted. mkostemp would give the file mode 0600 instead
 * of the umask's. */
static void name_temporary(sac_output *output)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    unsigned char random[12];
    char ending[sizeof random + 1] = "";
    if (getrandom(random, sizeof random, 0) != sizeof random)
        for (size_t i = 0; i < sizeof random; i++) /* O_EXCL still keeps every other file safe */
            random[i] = (unsigned char)(clock() >> i);
    for (size_t i = 0; i < sizeof random; i++)
        ending[i] = letters[random[i] % 32];
    snprintf(output->temporary, sizeof output->temporary, "%s.part-%s", output->path, ending);
}

static int create_temporary(sac_output *output)
{
    int file = -1;
    pthread_mutex_lock(&lock);
    errno = ECANCELED;
    for (int i = 0; i < TRIES && !abandoned; i++) {
        name_temporary(output);
        file = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST)
            break;
    }
    if (file >= 0) {
        output->next = opened;
        opened = output;
    } else {
        output->temporary[0] = '\0';
    }
    pthread_mutex_unlock(&lock);
    return file;
}

/* A device or a pipe (/dev/full) is written in place: nothing can be renamed over it. A path that
 * has become a plain file since the check is left alone. */
static int open_in_place(const char *path)
{
    struct stat info;
    int number = descriptor_named_by_path(path);
    if (number >= 0)
        return fcntl(number, F_DUPFD_CLOEXEC, 0);
    int file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode)) {
        close(file);
        errno = EEXIST;
        return -1;
    }
    return file;
}

static sac_status fail_not_opened(const char *path, sac_error *error)
{
    return sac_fail(error, SAC_E_FILE, path, "choose a folder that exists and can be written",
                    "cannot be written: %s", strerror(errno));
}

static sac_status open_file(sac_output *output, bool in_place, sac_error *error)
{
    if (in_place) {
        sac_status status = sac_wait_begin(output->path, error);
        if (status != SAC_OK)
            return status;
        output->waits = true;
    }
    int file = in_place ? open_in_place(output->path) : create_temporary(output);
    output->file = file < 0 ? NULL : fdopen(file, "wb");
    if (output->file)
        return SAC_OK;
    sac_status status = fail_not_opened(output->path, error);
    if (file >= 0)
        close(file);
    return status;
}

static sac_status check_output_path(const char *path, bool *in_place, sac_error *error)
{
    struct stat info;
    bool exists = stat(path, &info) == 0;
    *in_place = descriptor_named_by_path(path) >= 0 || (exists && !S_ISREG(info.st_mode));
    if (strlen(path) >= sizeof((sac_output *)NULL)->path)
        return sac_fail(error, SAC_E_FILE, path, NULL, "the file name is too long");
    if (exists && S_ISDIR(info.st_mode))
        return sac_fail(error, SAC_E_FILE, path, "give the name of a file", "is a folder");
    return SAC_OK;
}

sac_status sac_output_open(sac_output *output, const char *path, sac_error *error)
{
    bool in_place;
    *output = (sac_output){0};
    sac_status status = check_output_path(path, &in_place, error);
    if (status != SAC_OK)
        return status;
    snprintf(output->path, sizeof output->path, "%s", path);
    status = open_file(output, in_place, error);
    if (status != SAC_OK)
        sac_output_discard(output);
    return status;
}

/* A pipe is not opened here: its reader would take a writer that comes and goes for the end. */
sac_status sac_output_check(const char *path, sac_error *error)
{
    bool in_place;
    sac_output output;
    sac_status status = check_output_path(path, &in_place, error);
    if (status == SAC_OK && in_place && access(path, W_OK) != 0)
        return fail_not_opened(path, error);
    if (status != SAC_OK || in_place)
        return status;
    status = sac_output_open(&output, path, error);
    sac_output_discard(&output);
    return status;
}

/* ---------------------------------------------------------------- the end */

/* Gives the temporary its name, or removes it. Returns 0 or an errno. */
static int rename_or_remove(sac_output *output, bool whole)
{
    int code = 0;
    if (!output->temporary[0])
        return 0;
    pthread_mutex_lock(&lock);
    if (whole && rename(output->temporary, output->path) != 0)
        code = errno;
    if (!whole || code)
        unlink(output->temporary);
    unlist(output);
    pthread_mutex_unlock(&lock);
    output->temporary[0] = '\0';
    return code;
}

/* Closes the file. Returns 0, or the errno of the first write that failed. */
static int close_file(sac_output *output, bool sync)
{
    int code = 0;
    if (fflush(output->file) != 0)
        code = errno;
    else if (ferror(output->file))
        code = EIO;
    else if (sync && fsync(fileno(output->file)) != 0)
        code = errno;
    if (fclose(output->file) != 0 && !code)
        code = errno;
    output->file = NULL;
    return code;
}

static void end_wait(sac_output *output)
{
    if (output->waits)
        sac_wait_end();
    output->waits = false;
}

sac_status sac_output_commit(sac_output *output, sac_error *error)
{
    int code = close_file(output, output->temporary[0]);
    int settled = rename_or_remove(output, code == 0);
    code = code ? code : settled;
    end_wait(output);
    return code ? sac_output_fail(output, code, error) : SAC_OK;
}

sac_status sac_output_fail(const sac_output *output, int code, sac_error *error)
{
    return sac_fail(error, SAC_E_FILE, output->path,
                    code == ENOSPC ? "free some space or choose another disk" : NULL,
                    "cannot be written: %s", strerror(code));
}

void sac_output_discard(sac_output *output)
{
    if (output->file)
        close_file(output, false);
    rename_or_remove(output, false);
    end_wait(output);
}

/* ---------------------------------------------------------------- base64 */

void sac_base64_put(FILE *file, const void *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *in = bytes;
    char line[4096];
    size_t used = 0;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t group = (uint32_t)in[i] << 16;
        group |= i + 1 < size ? (uint32_t)in[i + 1] << 8 : 0;
        group |= i + 2 < size ? in[i + 2] : 0;
        line[used++] = digits[group >> 18];
        line[used++] = digits[group >> 12 & 63];
        line[used++] = i + 1 < size ? digits[group >> 6 & 63] : '=';
        line[used++] = i + 2 < size ? digits[group & 63] : '=';
        if (used == sizeof line) {
            fwrite(line, 1, used, file);
            used = 0;
        }
    }
    fwrite(line, 1, used, file);
}
