/* A driver that dies while it compiles: the second time is the last. The driver is this program's
 * own clBuildProgram, which the linker takes from here; each run is a process of its own. What
 * other processes did to a process that compiles does not count against the driver. */
#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/wait.h>

#include "device/device.h"
#include "device/quarantine.h"
#include "test.h"

static bool is_watching; /* as a program does, and not a library */
static enum death { LIVES, ABORTS, FAULTS, EXITS, IS_KILLED, IS_SENT_A_FAULT } ending;

static void die(void)
{
    char *forbidden = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    signal(SIGABRT, SIG_DFL); /* cmocka catches them */
    signal(SIGSEGV, SIG_DFL);
    if (is_watching)
        sac_quarantine_watch();
    if (ending == ABORTS)
        abort();
    if (ending == FAULTS)
        *(volatile char *)forbidden = 0;
    if (ending == EXITS)
        exit(1);
    if (ending == IS_KILLED)
        raise(SIGKILL);
    if (fork() == 0) {
        kill(getppid(), SIGSEGV);
        _exit(0);
    }
    for (;;)
        pause();
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                      const char *options, void (*notify)(cl_program, void *), void *user)
{
    static cl_int (*real)(cl_program, cl_uint, const cl_device_id *, const char *,
                          void (*)(cl_program, void *), void *);
    if (ending != LIVES)
        die();
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "clBuildProgram");
    return real(program, count, devices, options, notify, user);
}

/* How a process ends that asks for a kernel. */
typedef struct run {
    enum death death;
    bool is_watching, is_selftest, leaves_early;
} run;
enum { DIED = -1, BUILT = SAC_OK, LEFT_OUT = SAC_E_DEVICE };

static int build_once(run how)
{
    sac_device *device;
    cl_kernel kernel;
    sac_error error = {0};
    is_watching = how.is_watching;
    if (is_watching)
        sac_quarantine_watch();
    if (sac_device_open(NULL, &device, &error) != SAC_OK)
        return 99;
    device->is_testing = how.is_selftest;
    ending = how.death;
    sac_status status = sac_kernel_get(device, "good", "-DFACTOR=2", "multiply", &kernel, &error);
    if (status != SAC_OK && !strstr(error.what, "died 2 times") && !how.is_selftest)
        return 98;
    if (how.leaves_early)
        exit((int)status);
    sac_device_close(device);
    return (int)status;
}

static int ending_of(run how)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(build_once(how));
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) || (how.death == EXITS && WEXITSTATUS(status) == 1)
               ? DIED
               : WEXITSTATUS(status);
}

/* ---------------------------------------------------------------- a cache of the test's own */

static char home[512];

static size_t count_marks(void)
{
    char folder[600];
    size_t count = 0;
    snprintf(folder, sizeof folder, "%s/saccade", home);
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        count += strncmp(entry->d_name, "building-", 9) == 0;
    if (entries)
        closedir(entries);
    return count;
}

static int make_cache(void **state)
{
    const char *shared = getenv("XDG_CACHE_HOME");
    char pocl[600];
    (void)state;
    if (!shared ||
        snprintf(home, sizeof home, "%s/quarantine-XXXXXX", shared) >= (int)sizeof home ||
        !mkdtemp(home))
        return -1;
    snprintf(pocl, sizeof pocl, "%s/saccade/pocl", shared);
    setenv("POCL_CACHE_DIR", pocl, 0);
    setenv("XDG_CACHE_HOME", home, 1);
    return 0;
}

static int remove_cache(void **state)
{
    char command[600];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    return system(command);
}

static int empty_cache(void **state)
{
    char command[600];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s/saccade'", home);
    return system(command);
}

/* ---------------------------------------------------------------- the promises */

#define WITH_EMPTY_CACHE(name) TEST_WITH(name, empty_cache, NULL)

WITH_EMPTY_CACHE(the_second_death_is_the_last)
{
    assert_int_equal(ending_of((run){.death = ABORTS}), DIED);
    assert_int_equal(ending_of((run){.death = ABORTS}), DIED);
    assert_int_equal(ending_of((run){.death = ABORTS}), LEFT_OUT);
    assert_int_equal(ending_of((run){.death = LIVES}), LEFT_OUT);
}

WITH_EMPTY_CACHE(one_death_alone_is_forgiven)
{
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ending_of((run){.death = ABORTS}), DIED);
        assert_int_equal(count_marks(), 1);
        assert_int_equal(ending_of((run){.death = LIVES}), BUILT);
        assert_int_equal(count_marks(), 0);
        assert_int_equal(empty_cache(NULL), 0); /* or the binary would be taken */
    }
}

WITH_EMPTY_CACHE(a_self_test_tries_once_more_and_then_goes_on)
{
    assert_int_equal(ending_of((run){.death = ABORTS}), DIED);
    assert_int_equal(ending_of((run){.death = ABORTS}), DIED);
    assert_int_equal(ending_of((run){.death = ABORTS, .is_selftest = true}), DIED);
    assert_int_equal(ending_of((run){.death = ABORTS, .is_selftest = true}), LEFT_OUT);
    assert_int_equal(ending_of((run){.death = ABORTS, .is_selftest = true}), LEFT_OUT);
}

WITH_EMPTY_CACHE(one_death_in_a_self_test_is_forgiven_as_well)
{
    assert_int_equal(ending_of((run){.death = ABORTS, .is_selftest = true}), DIED);
    assert_int_equal(ending_of((run){.death = LIVES}), BUILT);
    assert_int_equal(empty_cache(NULL), 0);
    assert_int_equal(ending_of((run){.death = ABORTS, .is_selftest = true}), DIED);
    assert_int_equal(ending_of((run){.is_selftest = true}), BUILT);
    assert_int_equal(count_marks(), 0);
}

WITH_EMPTY_CACHE(a_self_test_frees_what_compiles_again)
{
    assert_int_equal(ending_of((run){.death = ABORTS}), DIED);
    assert_int_equal(ending_of((run){.death = ABORTS}), DIED);
    assert_int_equal(ending_of((run){.is_selftest = true}), BUILT);
    assert_int_equal(ending_of((run){.death = LIVES}), BUILT);
}

WITH_EMPTY_CACHE(a_process_that_ends_by_itself_leaves_no_mark)
{
    assert_int_equal(ending_of((run){.leaves_early = true}), BUILT);
    assert_int_equal(count_marks(), 0);
}

/* Two deaths, and then it is left out, without a word of a run that could build it. */
WITH_EMPTY_CACHE(what_a_driver_does_in_a_program_is_counted)
{
    static const enum death deaths[] = {ABORTS, FAULTS, EXITS};
    for (size_t i = 0; i < sizeof deaths / sizeof *deaths; i++) {
        for (int n = 0; n < 2; n++)
            assert_int_equal(ending_of((run){.death = deaths[i], .is_watching = true}), DIED);
        assert_int_equal(ending_of((run){.is_watching = true}), LEFT_OUT);
        assert_int_equal(empty_cache(state), 0);
    }
}

WITH_EMPTY_CACHE(what_others_do_to_a_program_is_not)
{
    for (int i = 0; i < 6; i++)
        assert_int_equal(
            ending_of((run){.death = i % 2 ? IS_KILLED : IS_SENT_A_FAULT, .is_watching = true}),
            DIED);
    assert_int_equal(ending_of((run){.is_watching = true}), BUILT);
    assert_int_equal(count_marks(), 0);
}

static void in_mark(const char *command)
{
    char text[900];
    snprintf(text, sizeof text, "cd '%s/saccade' && %s building-*", home, command);
    assert_int_equal(system(text), 0);
}

WITH_EMPTY_CACHE(without_a_signal_handler_a_death_is_counted_but_not_that_of_a_machine)
{
    for (int i = 0; i < 2; i++)
        assert_int_equal(ending_of((run){.death = IS_KILLED}), DIED);
    assert_int_equal(ending_of((run){0}), LEFT_OUT);
    in_mark("sed -i '1s/[^ ]* good/another-boot good/'");
    assert_int_equal(ending_of((run){0}), BUILT);
}

WITH_EMPTY_CACHE(deaths_are_forgotten_after_a_month)
{
    for (int i = 0; i < 2; i++)
        assert_int_equal(ending_of((run){.death = FAULTS, .is_watching = true}), DIED);
    in_mark("touch -d '29 days ago'");
    assert_int_equal(ending_of((run){.is_watching = true}), LEFT_OUT);
    in_mark("touch -d '31 days ago'");
    assert_int_equal(ending_of((run){.is_watching = true}), BUILT);
}

static char listed[128];

static void note(void *user, const char *source, int deaths, const char *file)
{
    (void)user;
    snprintf(listed, sizeof listed, "%s %d %s", source, deaths, file ? "by hand" : "by selftest");
}

static int list(void)
{
    sac_device *device;
    if (sac_device_open(NULL, &device, NULL) != SAC_OK)
        return 1;
    sac_quarantine_list(sac_device_get_info(device), note, NULL);
    sac_device_close(device);
    return strcmp(listed, "good.cl 2 by selftest") == 0 ? 0 : listed[0] ? 2 : 3;
}

static int list_in_a_process(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(list());
    assert_int_equal(waitpid(child, &status, 0), child);
    return WEXITSTATUS(status);
}

WITH_EMPTY_CACHE(what_is_left_out_is_listed)
{
    assert_int_equal(ending_of((run){.death = ABORTS, .is_watching = true}), DIED);
    assert_int_equal(list_in_a_process(), 3);
    assert_int_equal(ending_of((run){.death = ABORTS, .is_watching = true}), DIED);
    assert_int_equal(list_in_a_process(), 0);
}

TEST_MAIN(make_cache, remove_cache)
