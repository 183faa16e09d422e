/* What PoCL kept is cut short or written over: the next run detects it, prints one line and
 * computes. Each run is a process of its own, as PoCL keeps what it has loaded. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/wait.h>

#include "base/notice.h"
#include "device/device.h"
#include "device/quarantine.h"
#include "extent.h"
#include "test.h"

static char home[64], line[1024];
static int notices;

static void keep_notice(void *user, const char *text)
{
    (void)user;
    snprintf(line, sizeof line, "%s", text);
    notices++;
}

enum { RIGHT, WRONG, FAILED, SIGNAL = 100 };

/* RIGHT plus 10 for each notice, and 20 where one reports that the folder was emptied. */
static int compute(void)
{
    float x[4] = {1, 2, 3, 4}, y = 0.5f;
    sac_device *device;
    cl_kernel kernel;
    cl_mem buffer;
    sac_error error = {0};
    sac_notice_listen(keep_notice, NULL);
    signal(SIGABRT, SIG_DFL); /* cmocka catches it */
    sac_status status = sac_device_open("pocl", &device, &error);
    if (status == SAC_OK)
        status = sac_kernel_get(device, "good", "-DFACTOR=5", "multiply", &kernel, &error);
    if (status == SAC_OK)
        status = sac_buffer_create(device, sizeof x, x, &buffer, &error);
    if (status == SAC_OK)
        status = sac_kernel_launch(device, kernel, (sac_arg[]){SAC_ARG(buffer), SAC_ARG(y)}, 2, 1,
                                   (size_t[]){4}, NULL, &error);
    if (status == SAC_OK)
        status = sac_buffer_read(device, buffer, 0, sizeof x, x, &error);
    if (status != SAC_OK)
        return sac_error_print(&error, stderr), FAILED;
    sac_buffer_release(buffer);
    sac_device_close(device);
    bool emptied = strstr(line, "was emptied") != NULL;
    return x[0] != 5.5f || x[3] != 20.5f ? WRONG : RIGHT + 10 * notices + 20 * emptied;
}

static int in_a_process(void)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(compute());
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? SIGNAL : WEXITSTATUS(status);
}

static int make_home(void **state)
{
    (void)state;
    strcpy(home, "/tmp/saccade-pocl-XXXXXX");
    unsetenv("SACCADE_CACHE");
    unsetenv("POCL_CACHE_DIR");
    return mkdtemp(home) ? setenv("XDG_CACHE_HOME", home, 1) : -1;
}

static int remove_home(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", home);
    return system(command);
}

/* Runs "COMMAND FILE" for each of PoCL's files of that pattern. */
static void damage(const char *pattern, const char *command)
{
    char text[512];
    snprintf(text, sizeof text,
             "cd %s/saccade/pocl && test -n \"$(find . -name '%s')\" && "
             "find . -name '%s' -exec sh -c '%s' sh {} ';'",
             home, pattern, pattern, command);
    assert_int_equal(system(text), 0);
}

#define AT_HOME(name) TEST_WITH(name, make_home, remove_home)

AT_HOME(damaged_files_are_found_out_before_they_are_loaded)
{
    enum { COMMANDS = 8 };
    static const char *const commands[COMMANDS] = {
        "truncate -s 0 \"$1\"",
        "truncate -s 1000 \"$1\"",
        "truncate -s 1001 \"$1\"",
        "head -c 5000 /dev/urandom > \"$1\"",
        "head -c 5000 /dev/zero > \"$1\"",
        "head -c 500 /dev/urandom | dd of=\"$1\" bs=1 seek=600 conv=notrunc 2>/dev/null",
        "printf x >> \"$1\"",
        /* one letter, and the times of before */
        "cp -p \"$1\" \"$1.old\"; printf \"\\252\" | dd of=\"$1\" bs=1 "
        "seek=$(($(stat -c %s \"$1\") / 2)) conv=notrunc 2>/dev/null; touch -r \"$1.old\" "
        "\"$1\"; rm \"$1.old\"",
    };
    for (size_t i = test_is_thorough() ? 0 : 1; i < COMMANDS; i += test_is_thorough() ? 1 : 3)
        for (int bitcode = 0; bitcode < 2; bitcode++) {
            assert_int_equal(in_a_process() % 10, RIGHT);
            damage(bitcode ? "*.bc" : "*.so", commands[i]);
            assert_int_equal(in_a_process(), RIGHT + 10);
            assert_int_equal(in_a_process(), RIGHT); /* and is reported once */
        }
}

/* As after a power cut: the file was not seen before, or not since. */
AT_HOME(what_a_machine_that_went_down_left_is_looked_at)
{
    char command[128];
    assert_int_equal(in_a_process(), RIGHT);
    damage("*.so", "truncate -s 1000 \"$1\"; touch -d @1 \"$1\"");
    snprintf(command, sizeof command, "echo another > %s/saccade/pocl/checked", home);
    assert_int_equal(system(command), 0);
    assert_int_equal(in_a_process(), RIGHT + 10);
}

/* Files that look whole, and have never been seen. */
AT_HOME(what_pocl_died_of_is_set_aside)
{
    char command[128];
    assert_int_equal(in_a_process(), RIGHT);
    snprintf(command, sizeof command, "rm %s/saccade/pocl/seen", home);
    assert_int_equal(system(command), 0);
    damage("*.so", "cp \"$1\" \"$1.new\" && mv \"$1.new\" \"$1\" && head -c 3000 /dev/zero | "
                   "dd of=\"$1\" bs=1 seek=64 conv=notrunc 2>/dev/null");
    assert_int_equal(in_a_process(), SIGNAL);
    assert_int_equal(in_a_process(), RIGHT + 10 + 20);
    assert_int_equal(in_a_process(), RIGHT);
}

static void *fall(void *unused)
{
    volatile char *nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)unused;
    *nothing = 1;
    return NULL;
}

/* As a kernel does whose code was damaged, on a thread of PoCL's and after it was known to be built. */
AT_HOME(where_a_thread_died_the_folder_is_emptied_once)
{
    int status = 0;
    pthread_t thread;
    assert_int_equal(in_a_process(), RIGHT);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* cmocka catches it */
        if (compute() != RIGHT)
            _exit(2);
        sac_quarantine_watch();
        if (pthread_create(&thread, NULL, fall, NULL) == 0)
            pthread_join(thread, NULL);
        _exit(2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) > 2); /* a sanitizer exits */
    assert_int_equal(in_a_process(), RIGHT + 10 + 20);
    assert_int_equal(in_a_process(), RIGHT);
}

/* Another process may be writing there, or have loaded what would be taken away. */
AT_HOME(nothing_is_removed_while_another_process_uses_the_folder)
{
    int ready[2], ends[2], status;
    char letter;
    assert_int_equal(in_a_process(), RIGHT);
    assert_int_equal(pipe(ready) | pipe(ends), 0);
    fflush(NULL);
    pid_t user = fork();
    if (user == 0) {
        close(ends[1]);
        bool works = compute() == RIGHT && write(ready[1], "x", 1) == 1;
        _exit(works && read(ends[0], &letter, 1) == 0 ? 0 : 1); /* until the other end is closed */
    }
    close(ends[0]);
    assert_int_equal(read(ready[0], &letter, 1), 1);
    damage("*.so", "touch \"$(dirname \"$1\")/half.so\"; touch ./died");
    assert_int_equal(in_a_process(), RIGHT);
    close(ends[1]);
    assert_int_equal(waitpid(user, &status, 0), user);
    assert_int_equal(status, 0);
    assert_int_equal(in_a_process(), RIGHT + 10 + 20); /* now it is */
    close(ready[0]);
    close(ready[1]);
}

TEST_MAIN(NULL, NULL)
