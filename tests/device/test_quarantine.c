/* A driver that dies while it compiles: the second time is the last. The driver is this program's
 * own clBuildProgram, which the linker takes from here; each run is a process of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/wait.h>

#include "device/device.h"

static bool dies;

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                      const char *options, void (*notify)(cl_program, void *), void *user)
{
    static cl_int (*real)(cl_program, cl_uint, const cl_device_id *, const char *,
                          void (*)(cl_program, void *), void *);
    if (dies) {
        signal(SIGABRT, SIG_DFL); /* cmocka catches it */
        abort();
    }
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "clBuildProgram");
    return real(program, count, devices, options, notify, user);
}

/* How a process ends that asks for a kernel. */
typedef struct run {
    bool dies, is_selftest, leaves_early;
} run;
enum { DIED = -1, BUILT = SAC_OK, LEFT_OUT = SAC_E_DEVICE };

static int build_once(run how)
{
    sac_device *device;
    cl_kernel kernel;
    sac_error error = {0};
    if (sac_device_open(NULL, &device, &error) != SAC_OK)
        return 99;
    device->is_testing = how.is_selftest;
    dies = how.dies;
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
    return WIFSIGNALED(status) ? DIED : WEXITSTATUS(status);
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

static void the_second_death_is_the_last(void **state)
{
    (void)state;
    assert_int_equal(ending_of((run){.dies = true}), DIED);
    assert_int_equal(ending_of((run){.dies = true}), DIED);
    assert_int_equal(ending_of((run){.dies = true}), LEFT_OUT);
    assert_int_equal(ending_of((run){.dies = false}), LEFT_OUT);
}

static void one_death_alone_is_forgiven(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ending_of((run){.dies = true}), DIED);
        assert_int_equal(count_marks(), 1);
        assert_int_equal(ending_of((run){.dies = false}), BUILT);
        assert_int_equal(count_marks(), 0);
        assert_int_equal(empty_cache(NULL), 0); /* or the binary would be taken */
    }
}

static void a_self_test_tries_once_more_and_then_goes_on(void **state)
{
    (void)state;
    assert_int_equal(ending_of((run){.dies = true}), DIED);
    assert_int_equal(ending_of((run){.dies = true}), DIED);
    assert_int_equal(ending_of((run){.dies = true, .is_selftest = true}), DIED);
    assert_int_equal(ending_of((run){.dies = true, .is_selftest = true}), LEFT_OUT);
    assert_int_equal(ending_of((run){.dies = true, .is_selftest = true}), LEFT_OUT);
}

static void one_death_in_a_self_test_is_forgiven_as_well(void **state)
{
    (void)state;
    assert_int_equal(ending_of((run){.dies = true, .is_selftest = true}), DIED);
    assert_int_equal(ending_of((run){.dies = false}), BUILT);
    assert_int_equal(empty_cache(NULL), 0);
    assert_int_equal(ending_of((run){.dies = true, .is_selftest = true}), DIED);
    assert_int_equal(ending_of((run){.is_selftest = true}), BUILT);
    assert_int_equal(count_marks(), 0);
}

static void a_self_test_frees_what_compiles_again(void **state)
{
    (void)state;
    assert_int_equal(ending_of((run){.dies = true}), DIED);
    assert_int_equal(ending_of((run){.dies = true}), DIED);
    assert_int_equal(ending_of((run){.is_selftest = true}), BUILT);
    assert_int_equal(ending_of((run){.dies = false}), BUILT);
}

static void a_process_that_ends_by_itself_leaves_no_mark(void **state)
{
    (void)state;
    assert_int_equal(ending_of((run){.leaves_early = true}), BUILT);
    assert_int_equal(count_marks(), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, empty_cache)
    const struct CMUnitTest tests[] = {
        TEST(the_second_death_is_the_last),
        TEST(one_death_alone_is_forgiven),
        TEST(a_self_test_tries_once_more_and_then_goes_on),
        TEST(one_death_in_a_self_test_is_forgiven_as_well),
        TEST(a_self_test_frees_what_compiles_again),
        TEST(a_process_that_ends_by_itself_leaves_no_mark),
    };
    return cmocka_run_group_tests(tests, make_cache, remove_cache);
}
