/* What a process meets that starts anew: a home that cannot be written, a driver that cannot be
 * loaded. Each case runs in a child; ctest sets OCL_ICD_VENDORS to PoCL and a driver that is not
 * there. */
#include <sched.h>
#include <unistd.h>

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/notice.h"
#include "device/cache/cache.h"
#include "saccade.h"
#include "status.h"
#include "test.h"

static char folder[64]; /* TMPDIR of the children */
static char notices[2048];
static int notice_count;

static void keep_notice(void *user, const char *text)
{
    (void)user;
    snprintf(notices, sizeof notices, "%s", text);
    notice_count++;
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/saccade-test-XXXXXX");
    return mkdtemp(folder) ? setenv("TMPDIR", folder, 1) : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* In a child: its number is what went wrong there, 0 for nothing. */
static void expect_child(int (*work)(void))
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        exit(work());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static bool pocl_opens(void)
{
    sac_device *device;
    bool opens = sac_device_open("pocl", &device, &failure) == SAC_OK;
    if (opens)
        sac_device_close(device);
    else
        sac_error_print(&failure, stderr);
    return opens;
}

static bool cache_works(void)
{
    char *data;
    size_t size;
    sac_cache_store("thing", "key", "data", 4);
    bool found = sac_cache_load("thing", "key", &data, &size);
    free(data);
    return found;
}

/* PoCL and our cache work in a private folder, with one notice. */
static int use_stand_in(void)
{
    struct stat info;
    sac_notice_listen(keep_notice, NULL);
    if (!pocl_opens())
        return 1;
    pocl_opens();
    if (notice_count != 1 || !strstr(notices, "cannot hold compiled kernels"))
        return 2;
    const char *stand_in = sac_cache_stand_in();
    if (!stand_in || strncmp(stand_in, folder, strlen(folder)) != 0)
        return 3;
    if (stat(stand_in, &info) != 0 || (info.st_mode & 0777) != 0700)
        return 4;
    if (strncmp(getenv("POCL_CACHE_DIR"), stand_in, strlen(stand_in)) != 0)
        return 5;
    return cache_works() ? 0 : 6;
}

static int use_own_cache(void);

static void expect_stand_in(void)
{
    unsetenv("POCL_CACHE_DIR");
    unsetenv("SACCADE_CACHE");
    expect_child(use_stand_in);
    assert_int_equal(rmdir(folder), 0); /* nothing is left there */
    assert_int_equal(mkdir(folder, 0700), 0);
}

#define IN_FOLDER(name) TEST_WITH(name, make_folder, remove_folder)

/* ---------------------------------------------------------------- the machine's cache */

/* Whether the cache began with the machine's entry. */
static bool begins_with_machines(void)
{
    char *data;
    size_t size;
    sac_cache_prepare();
    bool found = sac_cache_load("thing", "key", &data, &size);
    free(data);
    return found;
}

static int use_machines_cache(void)
{
    char path[128];
    struct stat info;
    if (!begins_with_machines())
        return 1;
    snprintf(path, sizeof path, "%s/own/saccade/pocl/AB", folder);
    return stat(path, &info) == 0 && (info.st_mode & 0777) == 0700 ? 0 : 2;
}

static int leave_machines_cache(void)
{
    return begins_with_machines();
}

static void remove_own_cache(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s/own/*", folder);
    assert_int_equal(system(command), 0);
}

/* An entry, and a folder of PoCL's, in a folder named after the machine. */
static int make_machines_cache(void)
{
    char path[128];
    sac_cache_prepare();
    snprintf(path, sizeof path, "%s/machine/saccade/pocl/AB", folder);
    return mkdir(path, 0755) != 0 || !cache_works();
}

IN_FOLDER(a_new_cache_begins_as_a_copy_of_the_machines)
{
    char machine[128], own[128];
    unsetenv("POCL_CACHE_DIR");
    unsetenv("SACCADE_CACHE");
    snprintf(machine, sizeof machine, "%s/machine", folder);
    snprintf(own, sizeof own, "%s/own", folder);
    setenv("XDG_CACHE_HOME", machine, 1);
    expect_child(make_machines_cache);
    setenv("XDG_CACHE_HOME", own, 1);
    setenv("SACCADE_MACHINE_CACHE", machine, 1);
    expect_child(use_machines_cache);
    /* One that is there stays as it is. */
    remove_own_cache();
    setenv("SACCADE_MACHINE_CACHE", "/nonexistent", 1);
    expect_child(leave_machines_cache);
    setenv("SACCADE_MACHINE_CACHE", machine, 1);
    expect_child(leave_machines_cache);
    /* What others can write to is not trusted. */
    remove_own_cache();
    assert_int_equal(chmod(machine, 0777), 0);
    expect_child(leave_machines_cache);
    unsetenv("SACCADE_MACHINE_CACHE");
}

IN_FOLDER(without_a_home_a_temporary_folder_stands_in)
{
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "/nonexistent", 1);
    expect_stand_in();
    assert_int_not_equal(access("/nonexistent", F_OK), 0);
    unsetenv("HOME");
    expect_stand_in();
}

IN_FOLDER(where_the_cache_is_a_file_a_temporary_folder_stands_in)
{
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    expect_stand_in();
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    expect_stand_in();
}

IN_FOLDER(where_the_caches_path_is_too_long_a_temporary_folder_stands_in)
{
    char path[2000] = "/tmp/";
    memset(path + 5, 'x', 300);
    setenv("XDG_CACHE_HOME", path, 1);
    expect_stand_in();
    for (size_t i = 5; i < sizeof path - 1; i++)
        path[i] = i % 100 ? 'x' : '/';
    setenv("XDG_CACHE_HOME", path, 1);
    expect_stand_in();
}

/* In a name space of its own; false where that may not be. */
static bool mount_noexec(const char *path)
{
    bool is_root = geteuid() == 0;
    return unshare(CLONE_NEWNS | (is_root ? 0 : CLONE_NEWUSER)) == 0 &&
           mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("tmpfs", path, "tmpfs", MS_NOEXEC, "size=64m") == 0;
}

static int use_stand_in_for_noexec(void)
{
    char cache[96];
    snprintf(cache, sizeof cache, "%s/cache", folder);
    if (!mount_noexec(cache))
        return 0;
    setenv("XDG_CACHE_HOME", cache, 1);
    return use_stand_in() ? 1 : !strstr(notices, "noexec");
}

/* Neither the cache nor any temporary folder: PoCL, which would abort, is refused. */
static int refuse_pocl(void)
{
    sac_device *device;
    sac_error error = {0};
    static const char *const places[] = {"/tmp", "/var/tmp", "/dev/shm"};
    if (!mount_noexec(folder))
        return 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (mount("tmpfs", places[i], "tmpfs", MS_NOEXEC, "size=64m") != 0)
            return 0;
    setenv("HOME", "/tmp", 1);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("XDG_RUNTIME_DIR");
    setenv("TMPDIR", "/var/tmp", 1);
    if (sac_device_open("pocl", &device, &error) != SAC_E_NO_DEVICE)
        return 1;
    return strstr(error.what, "noexec") ? 0 : 2;
}

static int leave_chosen_noexec(void)
{
    char chosen[96];
    snprintf(chosen, sizeof chosen, "%s/cache", folder);
    if (!mount_noexec(chosen))
        return 0;
    setenv("POCL_CACHE_DIR", strcat(chosen, "/not/yet"), 1);
    setenv("XDG_CACHE_HOME", folder, 1);
    sac_notice_listen(keep_notice, NULL);
    if (!pocl_opens() || !strstr(notices, "is mounted noexec, so it is not used"))
        return 1;
    return strncmp(getenv("POCL_CACHE_DIR"), chosen, strlen(chosen)) == 0;
}

IN_FOLDER(where_nothing_may_be_executed_a_temporary_folder_stands_in)
{
    char cache[96];
    unsetenv("POCL_CACHE_DIR");
    unsetenv("SACCADE_CACHE");
    snprintf(cache, sizeof cache, "%s/cache", folder);
    assert_int_equal(mkdir(cache, 0700), 0);
    expect_child(use_stand_in_for_noexec);
    expect_child(leave_chosen_noexec);
    expect_child(refuse_pocl);
}

/* 16 threads, the first of which alone has a core: PoCL aborts, which a process is tried for that was not
 * when its variables were others. */
static int survive_affinity(void)
{
    sac_device *device;
    setenv("POCL_AFFINITY", "1", 1);
    setenv("POCL_MAX_PTHREAD_COUNT", "16", 1);
    sac_status status = sac_device_open("pocl", &device, NULL);
    return status != SAC_OK && status != SAC_E_NO_DEVICE;
}

static int refuse_small_stack(void)
{
    sac_device *device;
    sac_error error = {0};
    struct rlimit stack;
    getrlimit(RLIMIT_STACK, &stack);
    stack.rlim_cur = 256 << 10;
    setrlimit(RLIMIT_STACK, &stack);
    return sac_device_open("pocl", &device, &error) != SAC_E_NO_DEVICE ||
           strcmp(error.where, "stack") != 0;
}

IN_FOLDER(limits_that_drivers_die_of_end_in_an_error)
{
    setenv("XDG_CACHE_HOME", folder, 1);
    unsetenv("POCL_CACHE_DIR");
    unsetenv("SACCADE_CACHE");
    expect_child(use_own_cache);
    expect_child(survive_affinity);
    expect_child(refuse_small_stack);
}

/* Its own user, as root writes in any folder; one that may not look into the folder that the tests
 * are built in. */
static int use_stand_in_unprivileged(void)
{
    setenv("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/pocl.icd", 1);
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        return 0;
    return use_stand_in();
}

IN_FOLDER(where_the_cache_cannot_be_written_a_temporary_folder_stands_in)
{
    char cache[80];
    assert_int_equal(chmod(folder, 0777), 0);
    snprintf(cache, sizeof cache, "%s/cache", folder);
    assert_int_equal(mkdir(cache, 0555), 0);
    setenv("XDG_CACHE_HOME", cache, 1);
    unsetenv("POCL_CACHE_DIR");
    expect_child(use_stand_in_unprivileged);
    assert_int_equal(rmdir(cache), 0);
    assert_int_equal(rmdir(folder), 0);
}

static int use_own_cache(void)
{
    sac_notice_listen(keep_notice, NULL);
    return !pocl_opens() ? 1 : notice_count ? 2 : sac_cache_stand_in() ? 3 : !cache_works();
}

IN_FOLDER(a_cache_that_can_be_written_is_used_without_a_word)
{
    char cache[80];
    snprintf(cache, sizeof cache, "%s/not/there/yet", folder);
    setenv("XDG_CACHE_HOME", cache, 1);
    unsetenv("POCL_CACHE_DIR");
    expect_child(use_own_cache);
}

/* PoCL's cache lies in ours, which no other user may read. */
static int use_folder_below_ours(void)
{
    struct stat info;
    char expected[128];
    snprintf(expected, sizeof expected, "%s/cache/saccade/pocl", folder);
    if (use_own_cache() != 0)
        return 1;
    if (!sac_cache_of_pocl() || strcmp(sac_cache_of_pocl(), expected) != 0 ||
        strcmp(getenv("POCL_CACHE_DIR"), expected) != 0)
        return 2;
    return stat(expected, &info) == 0 && (info.st_mode & 0777) == 0700 ? 0 : 3;
}

static void choose_cache_in_folder(void)
{
    char cache[80];
    snprintf(cache, sizeof cache, "%s/cache", folder);
    mkdir(cache, 0755);
    setenv("XDG_CACHE_HOME", cache, 1);
    unsetenv("POCL_CACHE_DIR");
    unsetenv("SACCADE_CACHE");
}

IN_FOLDER(pocl_has_a_folder_of_its_own_below_ours)
{
    choose_cache_in_folder();
    expect_child(use_folder_below_ours);
    setenv("SACCADE_CACHE", "off", 1); /* turns ours off, not PoCL's */
    char below[128];
    snprintf(below, sizeof below, "%s/cache/saccade/pocl", folder);
    assert_int_equal(access(below, F_OK), 0);
    unsetenv("SACCADE_CACHE");
}

/* In a folder of its own below the process's working folder nothing appears. */
static int use_no_relative_folder(void)
{
    char home[80];
    snprintf(home, sizeof home, "%s/home", folder);
    mkdir(home, 0700);
    setenv("HOME", home, 1);
    setenv("XDG_CACHE_HOME", "relative", 1);
    if (chdir(folder) != 0 || use_own_cache() != 0)
        return 1;
    return access("relative", F_OK) != 0 && access("home/.cache/saccade/pocl", F_OK) == 0 ? 0 : 2;
}

IN_FOLDER(a_relative_cache_counts_as_none)
{
    unsetenv("POCL_CACHE_DIR");
    unsetenv("SACCADE_CACHE");
    expect_child(use_no_relative_folder);
}

/* Any user could put a shared object in the place of one of ours. */
IN_FOLDER(a_cache_that_others_can_write_to_is_not_used)
{
    static const char *const places[] = {"cache", "cache/saccade", "cache/saccade/pocl"};
    char path[128];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        choose_cache_in_folder();
        expect_child(use_own_cache);
        snprintf(path, sizeof path, "%s/%s", folder, places[i]);
        assert_int_equal(chmod(path, 0777), 0);
        expect_child(use_stand_in);
        assert_int_equal(chmod(path, 01777), 0); /* where each one's entries are his own … */
        expect_child(i == 0 ? use_own_cache : use_stand_in); /* … as those above ours may be */
        assert_int_equal(chmod(path, 0700), 0);
        if (chown(path, 65534, 65534) == 0)
            expect_child(use_stand_in);
        assert_int_equal(remove_folder(NULL) | mkdir(folder, 0700), 0);
    }
}

static int use_ours_in_place_of_the_chosen_one(void)
{
    sac_notice_listen(keep_notice, NULL);
    if (!pocl_opens() || notice_count != 1 || strncmp(notices, "POCL_CACHE_DIR: ", 16) != 0)
        return 1;
    return sac_cache_of_pocl() && strcmp(getenv("POCL_CACHE_DIR"), sac_cache_of_pocl()) == 0 ? 0
                                                                                             : 2;
}

static int use_the_chosen_one(void)
{
    char chosen[128];
    snprintf(chosen, sizeof chosen, "%s", getenv("POCL_CACHE_DIR"));
    if (use_own_cache() != 0)
        return 1;
    return sac_cache_of_pocl() == NULL && strcmp(getenv("POCL_CACHE_DIR"), chosen) == 0 ? 0 : 2;
}

IN_FOLDER(a_folder_that_a_person_chose_for_pocl_is_used_unless_others_can_write_to_it)
{
    char chosen[96];
    choose_cache_in_folder();
    snprintf(chosen, sizeof chosen, "%s/chosen", folder);
    setenv("POCL_CACHE_DIR", chosen, 1);
    expect_child(use_the_chosen_one); /* which PoCL makes */
    mkdir(chosen, 0700);
    assert_int_equal(chmod(chosen, 0777), 0);
    expect_child(use_ours_in_place_of_the_chosen_one);
    assert_int_equal(chmod(chosen, 0700), 0);
    expect_child(use_the_chosen_one);
    if (chown(chosen, 65534, 65534) == 0)
        expect_child(use_ours_in_place_of_the_chosen_one);
    unsetenv("POCL_CACHE_DIR");
}

static int find_missing_driver(void)
{
    sac_device_info *infos;
    size_t count, found = 0;
    if (sac_devices_list(&infos, &count, NULL) != SAC_OK)
        return 1;
    for (size_t i = 0; i < count; i++)
        found += strcmp(infos[i].name, "missing.icd") == 0 && infos[i].number == 0 &&
                 strcmp(infos[i].problem, "cannot be loaded: libsaccade-nowhere.so.1: cannot open "
                                          "shared object file") == 0;
    free(infos);
    return found == 1 ? 0 : 2;
}

/* The second process takes it from the cache. */
IN_FOLDER(a_driver_that_cannot_be_loaded_is_named_each_time)
{
    setenv("XDG_CACHE_HOME", folder, 1);
    expect_child(find_missing_driver);
    expect_child(find_missing_driver);
}

/* ---------------------------------------------------------------- sac_device_open_with */

/* The variables that the library sets by default; drivers set others of their own. free() it. */
static char *environment(void)
{
    static const char *const names[] = {"POCL_CACHE_DIR", "OCL_ICD_VENDORS", "PATH"};
    char *text = calloc(1, 8192);
    for (size_t i = 0; text && i < sizeof names / sizeof *names; i++)
        snprintf(text + strlen(text), 8192 - strlen(text), "%s=%s\n", names[i],
                 getenv(names[i]) ? getenv(names[i]) : "");
    return text;
}

/* Whether opening waited for a child process, and whether it changed the environment. */
static int open_with(bool no_side_effects, bool *forked, bool *changed)
{
    struct rusage children;
    sac_device *device;
    sac_device_options options = {.selector = "pocl"};
    options.no_side_effects = no_side_effects;
    setenv("SACCADE_CACHE", "off", 1); /* nothing is known of the drivers */
    unsetenv("POCL_CACHE_DIR");
    char *before = environment();
    if (sac_device_open_with(&options, &device, NULL) != SAC_OK)
        return 1;
    sac_device_close(device);
    char *after = environment();
    getrusage(RUSAGE_CHILDREN, &children);
    *forked = children.ru_maxrss > 0;
    *changed = strcmp(before, after) != 0;
    free(before);
    free(after);
    return 0;
}

static int default_tries_drivers(void)
{
    bool forked, changed;
    return open_with(false, &forked, &changed) || !forked || !changed;
}

static int opens_alone(void)
{
    bool forked, changed;
    return open_with(true, &forked, &changed) || forked || changed;
}

IN_FOLDER(sac_device_open_with_no_side_effects_forks_and_sets_nothing)
{
    expect_child(default_tries_drivers);
    expect_child(opens_alone);
}

static void copy_line(void *user, const char *line)
{
    snprintf(user, 256, "%s", line);
}

static int log_receives(void)
{
    static char line[256];
    sac_device *device;
    sac_device_options options = {.selector = "pocl"};
    options.log = copy_line;
    options.log_user = line;
    unsetenv("POCL_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "/proc", 1); /* where nothing can be written */
    bool opens = sac_device_open_with(&options, &device, NULL) == SAC_OK;
    if (opens)
        sac_device_close(device);
    return !opens || !strstr(line, "/proc/.cache");
}

IN_FOLDER(sac_device_open_with_calls_the_log)
{
    expect_child(log_receives);
}

TEST(sac_device_open_with_wants_options)
{
    sac_device *device;
    assert_int_equal(sac_device_open_with(NULL, &device, NULL), SAC_E_ARGUMENT);
    assert_null(device);
}

TEST_MAIN(NULL, NULL)
