/* One bad driver must not take the others down. Loading OpenCL loads every vendor's driver into
 * this process, and some crash there, alone or beside another built on the same compiler library.
 * So a child process loads them first; where it dies, drivers are tried one more at a time, and
 * those that kill it are left out. Where all of them live, the finding is cached until the drivers
 * change. The loader skips a driver whose library cannot be loaded; the child reports why it
 * cannot. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/hash.h"
#include "base/process.h"
#include "device/cache/cache.h"
#include "device/internal.h"

static pthread_mutex_t drivers_lock = PTHREAD_MUTEX_INITIALIZER;

void sac_drivers_lock(void)
{
    pthread_mutex_lock(&drivers_lock);
}

void sac_drivers_unlock(void)
{
    pthread_mutex_unlock(&drivers_lock);
}

/* PoCL 6.0, and other drivers that count processors or memory, crash without these folders, as in a
 * changed root folder (chroot). */
#define NO_SYSTEM_FOLDERS                                                                          \
    "/proc and /sys are not mounted, which drivers need: mount them here, and try again"

static bool has_system_folders(void)
{
    return access("/proc/self", F_OK) == 0 && access("/sys/devices/system", F_OK) == 0;
}

/* ---------------------------------------------------------------- the set of drivers */

#define MAX_DRIVERS 32
#define ALL_LIVE "all live\n" /* the first line of a finding */
#define PATIENCE 10           /* seconds until a driver that hangs counts as dead */

enum { FOLDER_SIZE = 512, PATH_SIZE = FOLDER_SIZE + 64, REASON_SIZE = 160 };

typedef struct driver_set {
    char folder[FOLDER_SIZE];
    char names[MAX_DRIVERS][PATH_SIZE - FOLDER_SIZE]; /* "pocl.icd" */
    bool bad[MAX_DRIVERS];                            /* crashes the process that loads it */
    char reasons[MAX_DRIVERS][REASON_SIZE]; /* why its library cannot be loaded; empty: it can */
    size_t count;
} driver_set;

/* Finds the folder in which the loader looks for drivers. False where a person chose one driver by
 * hand, or there is no folder. */
static bool find_folder(driver_set *drivers)
{
    const char *chosen = getenv("OCL_ICD_VENDORS"), *path = getenv("OPENCL_VENDOR_PATH");
    const char *wanted = chosen && chosen[0] ? chosen
                         : path && path[0]   ? path
                                             : "/etc/OpenCL/vendors";
    struct stat info;
    char *folder = realpath(wanted, NULL);
    bool found = folder && strlen(folder) < sizeof drivers->folder && stat(folder, &info) == 0 &&
                 S_ISDIR(info.st_mode);
    if (found)
        strcpy(drivers->folder, folder);
    free(folder);
    return found;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void list_drivers(driver_set *drivers)
{
    DIR *folder = opendir(drivers->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        size_t length = strlen(entry->d_name);
        if (length > 4 && length < sizeof *drivers->names && drivers->count < MAX_DRIVERS &&
            strcmp(entry->d_name + length - 4, ".icd") == 0)
            strcpy(drivers->names[drivers->count++], entry->d_name);
    }
    if (folder)
        closedir(folder);
    qsort(drivers->names, drivers->count, sizeof *drivers->names, compare_names);
}

static void join(const char *folder, const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", folder, name);
}

static void remove_links(const driver_set *drivers, const char *folder)
{
    char link[PATH_SIZE];
    for (size_t i = 0; i < drivers->count; i++) {
        join(folder, drivers->names[i], link, sizeof link);
        unlink(link);
    }
    rmdir(folder);
}

/* Makes a temporary folder, named in `folder`, with links to the drivers that are not bad. */
static bool make_links(const driver_set *drivers, char *folder, size_t size)
{
    char link[PATH_SIZE], target[PATH_SIZE];
    const char *temporary = getenv("TMPDIR");
    join(temporary && temporary[0] ? temporary : "/tmp", "saccade-drivers-XXXXXX", folder, size);
    if (!mkdtemp(folder))
        return false;
    for (size_t i = 0; i < drivers->count; i++) {
        join(folder, drivers->names[i], link, sizeof link);
        join(drivers->folder, drivers->names[i], target, sizeof target);
        if (!drivers->bad[i] && symlink(target, link) != 0) {
            remove_links(drivers, folder);
            return false;
        }
    }
    return true;
}

/* Why the library that the .icd file names cannot be loaded; empty where it can. */
static void find_load_failure_reason(const char *path, char *reason, size_t size)
{
    static const char known[] = ": No such file or directory";
    char library[PATH_SIZE] = "";
    FILE *file = fopen(path, "r");
    reason[0] = '\0';
    if (file && fgets(library, sizeof library, file))
        library[strcspn(library, "\r\n")] = '\0';
    if (file)
        fclose(file);
    if (library[0] && dlopen(library, RTLD_LAZY | RTLD_LOCAL))
        return;
    const char *reason_given = library[0] ? dlerror() : "the file names no library";
    snprintf(reason, size, "%s", reason_given ? reason_given : "unknown reason");
    reason[strcspn(reason, "\n")] = '\0';
    char *end = strstr(reason, known);
    if (end)
        *end = '\0';
}

/* Is called by the child, which has loaded the drivers: writes an array of reasons, one for each.
 */
static void report_reasons(const driver_set *drivers, int to)
{
    for (size_t i = 0; i < drivers->count; i++) {
        char path[PATH_SIZE], reason[REASON_SIZE] = "";
        join(drivers->folder, drivers->names[i], path, sizeof path);
        if (!drivers->bad[i])
            find_load_failure_reason(path, reason, sizeof reason);
        if (write(to, reason, sizeof reason) != (ssize_t)sizeof reason)
            return;
    }
}

/* All that the child does: it loads the drivers and asks for their devices, as the parent is about
 * to. */
static void load_and_query_devices(const driver_set *drivers, const char *folder, int to)
{
    const struct rlimit no_core = {0, 0};
    cl_platform_id platforms[MAX_DRIVERS];
    cl_uint count = 0, devices;
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGALRM, SIG_DFL);
    alarm(PATIENCE);
    /* A driver that dies prints much. Its output is closed by descriptor, as stdio holds text that
     * the parent has yet to write. */
    int nothing = open("/dev/null", O_WRONLY);
    if (nothing < 0 || dup2(nothing, 1) < 0 || dup2(nothing, 2) < 0)
        _exit(0);
    setenv("OCL_ICD_VENDORS", folder, 1);
    if (clGetPlatformIDs(MAX_DRIVERS, platforms, &count) == CL_SUCCESS)
        for (cl_uint i = 0; i < count && i < MAX_DRIVERS; i++)
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 0, NULL, &devices);
    report_reasons(drivers, to);
    _exit(0);
}

/* Reads until the child has written all, or is dead. */
static void read_reasons(driver_set *drivers, int from)
{
    size_t wanted = drivers->count * REASON_SIZE, used = 0;
    char *reasons = calloc(wanted, 1);
    ssize_t got = reasons ? 1 : 0;
    while (used < wanted && (got > 0 || (got < 0 && errno == EINTR))) {
        got = read(from, reasons + used, wanted - used);
        used += got > 0 ? (size_t)got : 0;
    }
    if (reasons && used == wanted)
        memcpy(drivers->reasons, reasons, wanted);
    free(reasons);
}

/* True where a child lives through loading the drivers that are not bad, and where that cannot be
 * known. */
static bool child_survives(driver_set *drivers)
{
    char folder[FOLDER_SIZE];
    int status = 0, ends[2];
    if (!make_links(drivers, folder, sizeof folder))
        return true;
    bool piped = pipe2(ends, O_CLOEXEC) == 0;
    pid_t child = piped ? fork() : -1;
    if (child == 0)
        load_and_query_devices(drivers, folder, ends[1]);
    if (piped)
        close(ends[1]);
    if (child > 0)
        read_reasons(drivers, ends[0]);
    if (piped)
        close(ends[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    remove_links(drivers, folder);
    return status == 0;
}

/* The loader reads its folder once, at the first call of OpenCL. */
static void load_good(const driver_set *drivers)
{
    char folder[FOLDER_SIZE];
    const char *variable = getenv("OCL_ICD_VENDORS");
    char *before = variable ? strdup(variable) : NULL;
    cl_uint count;
    if (make_links(drivers, folder, sizeof folder)) {
        setenv("OCL_ICD_VENDORS", folder, 1);
        clGetPlatformIDs(0, NULL, &count);
        before ? setenv("OCL_ICD_VENDORS", before, 1) : unsetenv("OCL_ICD_VENDORS");
        remove_links(drivers, folder);
    }
    free(before);
}

static void find_bad(driver_set *drivers)
{
    if (drivers->count == 0 || child_survives(drivers))
        return;
    for (size_t i = 0; i < drivers->count; i++)
        drivers->bad[i] = true;
    for (size_t i = 0; i < drivers->count; i++) {
        drivers->bad[i] = false;
        drivers->bad[i] = !child_survives(drivers);
    }
}

/* PoCL's variables, which its driver may die of, but for where it keeps its files. */
static uint64_t hash_pocl_variables(void)
{
    uint64_t hash = 0; /* in any order */
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, "POCL_", 5) == 0 && strncmp(*variable, "POCL_CACHE_DIR=", 15) != 0)
            hash += sac_hash(SAC_HASH_START, *variable, strlen(*variable));
    return hash;
}

/* Writes all that the finding depends on: the drivers' files, the installed libraries (ld.so.cache
 * is made anew whenever one changes), the variables that choose among them, and limits of this process. */
static void build_drivers_key(const driver_set *drivers, char *key, size_t size)
{
    static const char *const variables[] = {"LD_LIBRARY_PATH", "LD_PRELOAD", "RUSTICL_ENABLE"};
    static const int limits[] = {RLIMIT_AS, RLIMIT_DATA, RLIMIT_NPROC, RLIMIT_STACK};
    struct stat info = {0};
    char path[PATH_SIZE];
    stat("/etc/ld.so.cache", &info);
    size_t used =
        (size_t)snprintf(key, size, "%s\n%lld\n", drivers->folder, (long long)info.st_mtime);
    for (size_t i = 0; i < drivers->count && used < size; i++) {
        join(drivers->folder, drivers->names[i], path, sizeof path);
        info.st_mtime = 0;
        stat(path, &info);
        used += (size_t)snprintf(key + used, size - used, "%s %lld\n", drivers->names[i],
                                 (long long)info.st_mtime);
    }
    for (size_t i = 0; i < sizeof variables / sizeof *variables && used < size; i++) {
        const char *value = getenv(variables[i]);
        used +=
            (size_t)snprintf(key + used, size - used, "%s=%s\n", variables[i], value ? value : "");
    }
    for (size_t i = 0; i < sizeof limits / sizeof *limits && used < size; i++) {
        struct rlimit limit = {0};
        getrlimit(limits[i], &limit);
        used +=
            (size_t)snprintf(key + used, size - used, "%llu ", (unsigned long long)limit.rlim_cur);
    }
    if (used < size)
        snprintf(key + used, size - used, "%016" PRIx64 "\n", hash_pocl_variables());
}

/* "all live", then a line "pocl.icd REASON" for each that cannot be loaded. */
static char *create_finding_text(const driver_set *drivers)
{
    size_t size = 64 + drivers->count * sizeof(char[PATH_SIZE + REASON_SIZE]);
    char *text = malloc(size);
    size_t used = text ? (size_t)snprintf(text, size, ALL_LIVE) : 0;
    for (size_t i = 0; text && i < drivers->count; i++)
        if (drivers->reasons[i][0])
            used += (size_t)snprintf(text + used, size - used, "%s %s\n", drivers->names[i],
                                     drivers->reasons[i]);
    return text;
}

/* Reads what create_finding_text() wrote; false where the text is no finding. */
static bool parse_finding(const char *text, driver_set *drivers)
{
    if (strncmp(text, ALL_LIVE, strlen(ALL_LIVE)) != 0)
        return false;
    const char *line = text + strlen(ALL_LIVE);
    for (size_t i = 0; i < drivers->count; i++) { /* lines stand in the drivers' order */
        size_t name = strlen(drivers->names[i]), end = strcspn(line, "\n");
        if (strncmp(line, drivers->names[i], name) != 0 || line[name] != ' ')
            continue;
        snprintf(drivers->reasons[i], REASON_SIZE, "%.*s", (int)(end - name - 1), line + name + 1);
        line += end + (line[end] == '\n');
    }
    return true;
}

/* A cause that passes: what comes of it is not remembered. */
static bool lacks_memory(const char *reason)
{
    return strstr(reason, "failed to map segment") || strstr(reason, strerror(ENOMEM));
}

/* Only a finding that all of them live is cached. A crash may have had a passing cause (no memory,
 * no /sys, a machine too busy to load in time), so drivers that died are tried again at every
 * start. */
static void recall_or_find_bad(driver_set *drivers)
{
    char key[8192], *finding;
    size_t size;
    build_drivers_key(drivers, key, sizeof key);
    bool known = sac_cache_load("drivers", key, &finding, &size) && parse_finding(finding, drivers);
    free(finding);
    if (known)
        return;
    find_bad(drivers);
    for (size_t i = 0; i < drivers->count; i++)
        if (drivers->bad[i] || lacks_memory(drivers->reasons[i]))
            return;
    finding = create_finding_text(drivers);
    if (finding)
        sac_cache_store("drivers", key, finding, strlen(finding));
    free(finding);
}

static driver_set all_drivers;

/* A limit of the address space, as ulimit -v and batch systems set it. */
static bool is_memory_limited(void)
{
    struct rlimit memory;
    return getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur != RLIM_INFINITY;
}

const char *sac_drivers_advice(void)
{
    bool any_fails = false, any_crashed = false, no_memory = is_memory_limited();
    for (size_t i = 0; i < all_drivers.count; i++) {
        any_fails = any_fails || all_drivers.bad[i] || all_drivers.reasons[i][0];
        any_crashed = any_crashed || all_drivers.bad[i];
        no_memory = no_memory || lacks_memory(all_drivers.reasons[i]);
    }
    if (no_memory && all_drivers.count > 0)
        return "drivers could not be loaded for want of memory: raise its limit (ulimit -v), or "
               "free some";
    if (any_crashed && !has_system_folders())
        return NO_SYSTEM_FOLDERS;
    return NULL;
}

static void check_and_load_drivers(void)
{
    if (!find_folder(&all_drivers))
        return;
    list_drivers(&all_drivers);
    recall_or_find_bad(&all_drivers);
    for (size_t i = 0; i < all_drivers.count; i++)
        if (all_drivers.bad[i]) {
            load_good(&all_drivers);
            return;
        }
}

static void describe_problem(const driver_set *drivers, size_t index, char *problem, size_t size)
{
    if (drivers->bad[index])
        snprintf(problem, size, "this driver crashed when it was loaded, and is left out%s%s",
                 has_system_folders() ? "" : "; ", has_system_folders() ? "" : NO_SYSTEM_FOLDERS);
    else
        snprintf(problem, size, "cannot be loaded%s: %s",
                 lacks_memory(drivers->reasons[index]) ? " for want of memory" : "",
                 drivers->reasons[index]);
}

static bool loaded;

void sac_drivers_skip_check(void)
{
    if (!loaded)
        sac_cache_skip_preparing();
    loaded = true;
}

const char *sac_drivers_bad_name(size_t index, const char **problem)
{
    static char text[REASON_SIZE + 160];
    if (!loaded) {
        sac_cache_prepare();
        sac_path_drop_relative();
        check_and_load_drivers();
    }
    loaded = true;
    for (size_t i = 0; i < all_drivers.count; i++)
        if ((all_drivers.bad[i] || all_drivers.reasons[i][0]) && index-- == 0) {
            describe_problem(&all_drivers, i, text, sizeof text);
            *problem = text;
            return all_drivers.names[i];
        }
    return NULL;
}
