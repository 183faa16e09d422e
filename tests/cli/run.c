#include "run.h"

#include "wording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/wait.h>

enum { MAX_ARGUMENTS = 64, PATH_SIZE = 512 };

static void limit(int resource, size_t bytes)
{
    struct rlimit both = {bytes, bytes};
    if (bytes)
        setrlimit(resource, &both);
}

static bool is_interrupted(const program_run *run)
{
    return run->interrupt_after_ms || run->interrupt_reader_of || run->interrupt_compiler;
}

/* In the child: never returns. */
static void become_program(const program_run *run, char *const *arguments, const char *folder)
{
    if (is_interrupted(run))
        setpgid(0, 0);
    int out = open(in_folder(folder, "out"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int err = open(in_folder(folder, "err"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    for (int i = 0; i < 8 && run->environment[i]; i++)
        putenv((char *)run->environment[i]); /* without "=" it takes the name away */
    if (run->folder && chdir(run->folder) != 0)
        _exit(126);
    if (run->ignored_signal)
        signal(run->ignored_signal, SIG_IGN);
    limit(RLIMIT_FSIZE, run->file_limit);
    limit(RLIMIT_AS, run->memory_limit);
    execv(SACCADE_PROGRAM, arguments);
    _exit(127);
}

static void sleep_ms(int ms)
{
    struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};
    nanosleep(&time, NULL);
}

/* Is the process the program, and has its main thread blocked SIGINT, since another thread waits
 * for it? Both are in /proc/PID/status. A child that has not yet called execve has all signals
 * blocked too, by fork itself, and would die of one. */
static bool listens(pid_t child)
{
    char path[64], line[256], name[64] = "";
    unsigned long long blocked = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)child);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    while (fgets(line, sizeof line, file)) {
        sscanf(line, "Name: %63s", name);
        sscanf(line, "SigBlk: %llx", &blocked);
    }
    fclose(file);
    return strcmp(name, "saccade") == 0 && (blocked >> (SIGINT - 1) & 1);
}

/* Is that process of the group, and another program than ours? */
static bool is_compiler(const char *pid, pid_t group)
{
    char path[300], name[64] = "";
    long of = 0;
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    int read = fscanf(file, "%*d (%63[^)]) %*c %*d %ld", name, &of);
    fclose(file);
    return read == 2 && of == group && strcmp(name, "saccade") != 0;
}

static bool is_compiling(pid_t group)
{
    bool found = false;
    DIR *folder = opendir("/proc");
    assert_non_null(folder);
    for (struct dirent *entry; !found && (entry = readdir(folder));)
        found =
            entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && is_compiler(entry->d_name, group);
    closedir(folder);
    return found;
}

/* Has the process opened that file? */
static bool has_open(pid_t child, const char *path)
{
    char folder[64], link[400], target[512];
    bool found = false;
    snprintf(folder, sizeof folder, "/proc/%ld/fd", (long)child);
    DIR *files = opendir(folder);
    for (struct dirent *file; files && !found && (file = readdir(files));) {
        snprintf(link, sizeof link, "%s/%s", folder, file->d_name);
        ssize_t length = readlink(link, target, sizeof target);
        found = length == (ssize_t)strlen(path) && memcmp(target, path, (size_t)length) == 0;
    }
    if (files)
        closedir(files);
    return found;
}

/* A driver that starts no compiler is interrupted after some seconds all the same. */
static void interrupt(pid_t child, const program_run *run)
{
    for (int waited = 0; waited < 300000 && !listens(child); waited += 5)
        sleep_ms(5);
    for (int waited = 0; run->interrupt_reader_of && waited < 60000; waited += 5) {
        if (has_open(child, run->interrupt_reader_of))
            break;
        sleep_ms(5);
    }
    sleep_ms(run->interrupt_after_ms);
    for (int waited = 0; run->interrupt_compiler && waited < 5000 && !is_compiling(child); waited++)
        sleep_ms(1);
    for (int i = 0; i < (run->interrupt_times ? run->interrupt_times : 1); i++) {
        kill(-child, run->interrupt_signal ? run->interrupt_signal : SIGINT);
        sleep_ms(20); /* of equal signals only one can be pending */
    }
}

static void read_text(const char *folder, const char *name, char *text, size_t size)
{
    size_t length;
    char *content = file_read(in_folder(folder, name), &length);
    if (length >= size)
        fail_msg("the program said more than %zu bytes", size);
    memcpy(text, content, length);
    text[length] = '\0';
    free(content);
}

void run_saccade(program_run *run, ...)
{
    char *arguments[MAX_ARGUMENTS] = {"saccade"};
    va_list list;
    va_start(list, run);
    for (int i = 1; i < MAX_ARGUMENTS - 1; i++)
        if (!(arguments[i] = va_arg(list, char *)))
            break;
    va_end(list);
    char folder[64];
    folder_create(folder);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        become_program(run, arguments, folder);
    if (is_interrupted(run))
        interrupt(child, run);
    int state;
    assert_int_equal(waitpid(child, &state, 0), child);
    run->status = WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
    read_text(folder, "out", run->out, sizeof run->out);
    read_text(folder, "err", run->err, sizeof run->err);
    folder_remove(folder);
}

static void assert_one_error_line(const program_run *run, int status)
{
    if (run->status != status)
        fail_msg("exit status %d, not %d; stderr: %s", run->status, status, run->err);
    assert_string_equal(run->out, "");
    const char *end = strchr(run->err, '\n');
    if (strncmp(run->err, "saccade: ", 9) != 0 || !end || end[1])
        fail_msg("not one line that begins with \"saccade: \": %s", run->err);
}

void assert_fails(const program_run *run, int status, const char *line)
{
    char whole[2048];
    assert_one_error_line(run, status);
    snprintf(whole, sizeof whole, "saccade: %s\n", line);
    if (!test_line_is(run->err, whole))
        fail_msg("\"%s\" is not \"%s\"", run->err, whole);
}

void assert_fails_saying(const program_run *run, int status, const char *part)
{
    assert_one_error_line(run, status);
    if (!strstr(run->err, part))
        fail_msg("\"%s\" is not in: %s", part, run->err);
}

void assert_done(const program_run *run)
{
    assert_string_equal(run->err, "");
    assert_int_equal(run->status, 0);
}

void folder_create(char *path)
{
    strcpy(path, "/tmp/saccade-test-XXXXXX");
    assert_non_null(mkdtemp(path));
}

/* Calls `act` with each file's path; gives their number. */
static int each_file(const char *path, int (*act)(const char *))
{
    int count = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            count++;
            if (act)
                assert_int_equal(act(in_folder(path, entry->d_name)), 0);
        }
    closedir(folder);
    return count;
}

void folder_remove(const char *path)
{
    each_file(path, unlink);
    assert_int_equal(rmdir(path), 0);
}

int folder_count(const char *path)
{
    return each_file(path, NULL);
}

const char *in_folder(const char *folder, const char *name)
{
    static char buffers[8][PATH_SIZE];
    static int turn;
    char *path = buffers[turn++ % 8];
    snprintf(path, PATH_SIZE, "%s/%s", folder, name);
    return path;
}

void file_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

char *file_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}
