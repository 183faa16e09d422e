/* src/library/device/compiler: what PoCL compiles for the first time, another process compiles.
 * Each run is a process of its own with caches of its own, as PoCL keeps what it has loaded. */
#include <fcntl.h>
#include <unistd.h>

#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cancel.h"
#include "base/clock.h"
#include "device/compiler.h"
#include "device/internal.h"
#include "status.h"
#include "test.h"

static char homes[512], home[560], served[600];

/* A new folder for each test: the process that compiled for the one before may still write to its own. */
static int empty_home(void **state)
{
    static int count;
    (void)state;
    snprintf(home, sizeof home, "%s/%d", homes, count++);
    snprintf(served, sizeof served, "%s/served", home);
    setenv("SERVED", served, 1);
    setenv("POCL_CACHE_DIR", home, 1);
    setenv("XDG_CACHE_HOME", home, 1);
    return mkdir(home, 0700);
}

static int make_homes(void **state)
{
    strcpy(homes, "/tmp/saccade-compiler-XXXXXX");
    unsetenv("SACCADE_CACHE");
    return mkdtemp(homes) ? empty_home(state) : -1;
}

static int remove_homes(void **state)
{
    char command[1200];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s 2> /dev/null || { sleep 2; rm -rf %s; }", homes,
             homes);
    return system(command);
}

/* Megabytes of this process's own. */
static int own_memory(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    int kilobytes = 0;
    while (status && fgets(line, sizeof line, status))
        sscanf(line, "RssAnon: %d", &kilobytes);
    if (status)
        fclose(status);
    return kilobytes / 1024;
}

static bool is_wrong(sac_device *device, cl_kernel kernel)
{
    float x[4] = {1, 2, 3, 4}, y = 0.5f;
    cl_mem buffer;
    bool wrong = sac_buffer_create(device, sizeof x, x, &buffer, NULL) != SAC_OK ||
                 sac_kernel_launch(device, kernel, (sac_arg[]){SAC_ARG(buffer), SAC_ARG(y)}, 2, 1,
                                   (size_t[]){4}, NULL, NULL) != SAC_OK ||
                 sac_buffer_read(device, buffer, 0, sizeof x, x, NULL) != SAC_OK;
    sac_buffer_release(buffer);
    return wrong || x[0] != 3.5f || x[3] != 12.5f;
}

enum { OPENS_NOTHING = 250, IS_WRONG, HAS_STATUS = 200 };

/* The megabytes that a first kernel takes, or what went wrong. */
static int first_kernel(void)
{
    sac_device *device;
    cl_kernel kernel;
    if (sac_device_open(NULL, &device, NULL) != SAC_OK)
        return OPENS_NOTHING;
    int before = own_memory();
    sac_status status = sac_kernel_get(device, "good", "-DFACTOR=3", "multiply", &kernel, NULL);
    if (status != SAC_OK)
        return HAS_STATUS + (int)status;
    if (is_wrong(device, kernel))
        return IS_WRONG;
    int taken = own_memory() - before;
    sac_device_close(device);
    return taken < 0 ? 0 : taken < HAS_STATUS ? taken : HAS_STATUS - 1;
}

/* What `body` returns in a process of its own, which that command compiles for. */
static int result_of(int body(void), char *const command[])
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        sac_compiler_set(command);
        _exit(body());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int in_a_process(char *const command[])
{
    return result_of(first_kernel, command);
}

static char *const itself[] = {"/proc/self/exe", "serve", NULL};

/* And what was built before is not. */
TEST_WITH(what_was_never_built_is_compiled_by_another_process, empty_home, NULL)
{
    int within = in_a_process(NULL);
    assert_int_not_equal(access(served, F_OK), 0);
    empty_home(state);
    int elsewhere = in_a_process(itself);
    assert_int_equal(remove(served), 0);
    assert_true(within < HAS_STATUS && elsewhere < within / 2);
    assert_true(in_a_process(itself) < HAS_STATUS);
    assert_int_not_equal(access(served, F_OK), 0);
}

TEST_WITH(where_it_cannot_the_caller_compiles, empty_home, NULL)
{
    static char *const none[] = {"/nonexistent/compiler", NULL}, *const ends[] = {"/bin/false",
                                                                                  NULL};
    assert_true(in_a_process(ends) < HAS_STATUS);
    assert_true(in_a_process(none) < HAS_STATUS);
}

/* The driver's own end, while it compiles: the caller does not compile in its place, and after two
 * such ends the program is left out. */
TEST_WITH(what_ends_the_other_process_is_not_done_by_the_caller, empty_home, NULL)
{
    static char *const aborts[] = {"/proc/self/exe", "abort", NULL};
    static char *const exits[] = {"/proc/self/exe", "exit", NULL};
    static char *const hangs[] = {"/proc/self/exe", "hang", NULL};
    static char *const *const commands[] = {aborts, exits, hangs};
    sac_compiler_set_limit(1);
    for (size_t i = 0; i < 3; i++) {
        empty_home(state);
        for (int n = 0; n < 3; n++)
            assert_int_equal(in_a_process(commands[i]), HAS_STATUS + SAC_E_DEVICE);
        assert_int_equal(in_a_process(itself), HAS_STATUS + SAC_E_DEVICE); /* left out */
    }
    sac_compiler_set_limit(300);
}

TEST_WITH(where_it_is_killed_the_caller_compiles, empty_home, NULL)
{
    static char *const is_killed[] = {"/proc/self/exe", "kill", NULL};
    for (int n = 0; n < 3; n++) {
        assert_true(in_a_process(is_killed) < HAS_STATUS);
        empty_home(state);
    }
}

/* Its message, and how it ends. */
static int end_badly(const char *how)
{
    char request[4096];
    if (recv(STDIN_FILENO, request, sizeof request, 0) <= 0 || write(STDIN_FILENO, ">", 1) != 1)
        return 0;
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "hang") == 0)
        pause();
    return 1;
}

/* The kernels that PoCL has made code of. */
static int made_kernels(void)
{
    char command[600];
    int count = -1;
    snprintf(command, sizeof command, "find %s -name 'multiply.so' | wc -l", home);
    FILE *found = popen(command, "r");
    if (found && fscanf(found, "%d", &count) != 1)
        count = -1;
    if (found)
        pclose(found);
    return count;
}

/* What is expected is compiled while the caller does something else, in the order of the calls, and
 * an answer is known without a wait. */
static int expected_kernels(void)
{
    sac_device *device;
    cl_kernel kernel;
    char how[80];
    if (sac_device_open(NULL, &device, NULL) != SAC_OK)
        return OPENS_NOTHING;
    sac_kernel_expect(device, "good", "-DFACTOR=4", false);
    sac_kernel_expect(device, "good", "-DFACTOR=3", false);
    sac_kernel_expect(device, "bad", "", false);
    for (int ms = 0; ms < 60000 && access(served, F_OK) != 0; ms += 50)
        usleep(50000);
    if (access(served, F_OK) != 0)
        return 1;
    if (sac_compiler_run(device, "bad", "", false, how, NULL) != SAC_OK || how[0])
        return 2;
    remove(served); /* and no other process is started */
    if (sac_kernel_get(device, "good", "-DFACTOR=3", "multiply", &kernel, NULL) != SAC_OK ||
        is_wrong(device, kernel) || access(served, F_OK) == 0)
        return 3;
    sac_device_close(device);
    return 0;
}

/* The other process goes on to code, which a launch here takes as it is. */
static int made_ahead(void)
{
    sac_device *device;
    cl_kernel kernel;
    if (sac_device_open(NULL, &device, NULL) != SAC_OK)
        return OPENS_NOTHING;
    sac_device_set_any_group(device);
    sac_kernel_expect(device, "good", "-DFACTOR=3", true);
    for (int ms = 0; ms < 60000 && made_kernels() == 0; ms += 50)
        usleep(50000);
    if (made_kernels() != 1)
        return 1;
    if (sac_kernel_get(device, "good", "-DFACTOR=3", "multiply", &kernel, NULL) != SAC_OK ||
        is_wrong(device, kernel))
        return 2;
    return made_kernels() == 1 ? 0 : 3;
}

TEST_WITH(what_is_expected_is_code_before_it_is_launched, empty_home, NULL)
{
    assert_int_equal(result_of(made_ahead, itself), 0);
}

TEST_WITH(what_is_expected_is_compiled_before_it_is_asked_for, empty_home, NULL)
{
    assert_int_equal(result_of(expected_kernels, itself), 0);
}

/* The process ends over what was expected first: what is requested is tried again, alone. */
static int after_a_bad_one(void)
{
    sac_device *device;
    cl_kernel kernel;
    if (sac_device_open(NULL, &device, NULL) != SAC_OK)
        return OPENS_NOTHING;
    sac_kernel_expect(device, "good", "-DFACTOR=4", false);
    sac_status status = sac_kernel_get(device, "good", "-DFACTOR=3", "multiply", &kernel, NULL);
    return status != SAC_OK ? HAS_STATUS + (int)status : access(served, F_OK) == 0 ? 0 : 1;
}

TEST_WITH(what_ends_the_process_unasked_is_not_held_against_others, empty_home, NULL)
{
    static char *const once[] = {"/proc/self/exe", "abort-once", NULL};
    assert_int_equal(result_of(after_a_bad_one, once), 0);
}

static double asked_from;

static bool is_asked(void)
{
    return asked_from > 0 && sac_now() > asked_from;
}

/* It never answers, and is gone with the work. */
static int stopped_kernel(void)
{
    sac_device *device;
    cl_kernel kernel;
    sac_cancel_when(is_asked);
    if (sac_device_open(NULL, &device, NULL) != SAC_OK)
        return OPENS_NOTHING;
    double begin = sac_now();
    asked_from = begin + 0.2;
    sac_status status = sac_kernel_get(device, "good", "-DFACTOR=3", "multiply", &kernel, &failure);
    bool gone = waitpid(-1, NULL, WNOHANG) < 0; /* no child is left */
    return status == SAC_E_CANCELLED && gone && sac_now() - begin < 30 ? 0 : 1;
}

TEST_WITH(it_is_stopped_with_the_work, empty_home, NULL)
{
    static char *const sleeper[] = {"/bin/sleep", "600", NULL};
    assert_int_equal(result_of(stopped_kernel, sleeper), 0);
}

TEST_WITH(what_cannot_be_compiled_is_refused, empty_home, NULL)
{
    sac_device *device;
    OK(sac_device_open(NULL, &device, NULL));
    assert_int_equal(sac_program_compile(device, "none", "", false, NULL), SAC_E_ARGUMENT);
    assert_int_not_equal(sac_program_compile(device, "bad", "", false, NULL), SAC_OK);
    sac_device_close(device);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "serve") == 0) {
        close(open(getenv("SERVED"), O_CREAT | O_WRONLY, 0600));
        return sac_compiler_serve();
    }
    if (argc == 2 && strcmp(argv[1], "abort-once") == 0) {
        char begun[700];
        snprintf(begun, sizeof begun, "%s.begun", getenv("SERVED"));
        if (access(begun, F_OK) == 0) {
            close(open(getenv("SERVED"), O_CREAT | O_WRONLY, 0600));
            return sac_compiler_serve();
        }
        close(open(begun, O_CREAT | O_WRONLY, 0600));
        return end_badly("abort");
    }
    if (argc == 2)
        return end_badly(argv[1]);
    return test_run(make_homes, remove_homes);
}
