/* One bad driver must not take the others down. Loading OpenCL loads every vendor's driver into
 * this process, and some crash there, alone or beside another built on the same compiler library.
 * So a child process loads them first; where it dies, drivers are tried one more at a time, and
 * those that kill it are left out. That all of them live is kept until the drivers change. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "device/cache.h"
#include "device/internal.h"

#define MAX_DRIVERS 32
#define PATIENCE 10 /* seconds until a driver that hangs counts as dead */

enum { FOLDER_SIZE = 512, PATH_SIZE = FOLDER_SIZE + 64 };

typedef struct driver_set {
    char folder[FOLDER_SIZE];
    char names[MAX_DRIVERS][PATH_SIZE - FOLDER_SIZE]; /* "pocl.icd" */
    bool bad[MAX_DRIVERS];
    size_t count;
} driver_set;

/* Where the loader looks. False where a person chose one driver by hand, or there is no folder. */
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

/* The child's life: what the process itself is about to do. */
static void load_and_ask(const char *folder)
{
    const struct rlimit no_core = {0, 0};
    cl_platform_id platforms[MAX_DRIVERS];
    cl_uint count = 0, devices;
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGALRM, SIG_DFL);
    alarm(PATIENCE);
    /* A dying driver says much. By descriptor, as stdio holds what the parent has yet to write. */
    int nothing = open("/dev/null", O_WRONLY);
    if (nothing < 0 || dup2(nothing, 1) < 0 || dup2(nothing, 2) < 0)
        _exit(0);
    setenv("OCL_ICD_VENDORS", folder, 1);
    if (clGetPlatformIDs(MAX_DRIVERS, platforms, &count) == CL_SUCCESS)
        for (cl_uint i = 0; i < count && i < MAX_DRIVERS; i++)
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 0, NULL, &devices);
    _exit(0);
}

/* Whether a child lives through loading the drivers that are not bad; true where there is no
 * telling. */
static bool child_survives(const driver_set *drivers)
{
    char folder[FOLDER_SIZE];
    int status = 0;
    if (!make_links(drivers, folder, sizeof folder))
        return true;
    pid_t child = fork();
    if (child == 0)
        load_and_ask(folder);
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

/* What the finding depends on: the drivers' files, the installed libraries (ld.so.cache is made
 * anew whenever one changes) and the variables that choose among them. */
static void drivers_key(const driver_set *drivers, char *key, size_t size)
{
    static const char *const variables[] = {"LD_LIBRARY_PATH", "LD_PRELOAD", "RUSTICL_ENABLE",
                                            "POCL_DEVICES"};
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
}

/* Only that all of them live is kept. A crash may have had a passing cause (no memory, no /sys, a
 * machine too busy to load in time), so drivers that died are tried again at every start. */
static void recall_bad(driver_set *drivers)
{
    static const char all_live[] = "all live";
    char key[8192], *finding;
    size_t size;
    drivers_key(drivers, key, sizeof key);
    bool known = sac_cache_load("drivers", key, &finding, &size) && size == sizeof all_live;
    free(finding);
    if (known)
        return;
    find_bad(drivers);
    for (size_t i = 0; i < drivers->count; i++)
        if (drivers->bad[i])
            return;
    sac_cache_store("drivers", key, all_live, sizeof all_live);
}

static driver_set all_drivers;

static void load_once(void)
{
    if (!find_folder(&all_drivers))
        return;
    list_drivers(&all_drivers);
    recall_bad(&all_drivers);
    for (size_t i = 0; i < all_drivers.count; i++)
        if (all_drivers.bad[i]) {
            load_good(&all_drivers);
            return;
        }
}

const char *sac_drivers_bad(size_t index)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_once);
    for (size_t i = 0; i < all_drivers.count; i++)
        if (all_drivers.bad[i] && index-- == 0)
            return all_drivers.names[i];
    return NULL;
}
