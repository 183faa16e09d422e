#include "run.h"

#include "wording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/wait.h>

enum { MAX_ARGUMENTS = 64, PATH_SIZE = 512 };

program_run ran;
char folder[64];

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

#ifndef SACCADE_MPIEXEC
#define SACCADE_MPIEXEC "" /* the build found none */
#endif

bool has_mpi(void)
{
    return SACCADE_MPIEXEC[0] != '\0';
}

/* In the child: never returns. Open MPI starts more processes than there are cores, and for root, only
 * where it is allowed to. */
static void become_launcher(int processes, char *const *arguments)
{
    char count[16], *words[MAX_ARGUMENTS + 4] = {"mpirun", "-n", count, SACCADE_PROGRAM};
    snprintf(count, sizeof count, "%d", processes);
    for (int i = 1; arguments[i]; i++)
        words[i + 3] = arguments[i];
    putenv("OMPI_ALLOW_RUN_AS_ROOT=1");
    putenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
    putenv("OMPI_MCA_rmaps_base_oversubscribe=1");
    putenv("PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe");
    alarm(120); /* at times a launcher hangs where a process died: it ends then */
    execv(SACCADE_MPIEXEC, words);
    _exit(127);
}

/* In the child: never returns. */
static void become_program(const program_run *run, char *const *arguments, const char *output)
{
    if (is_interrupted(run))
        setpgid(0, 0);
    int out = open(in_folder(output, "out"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int err = open(in_folder(output, "err"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
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
    if (run->processes)
        become_launcher(run->processes, arguments);
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
    DIR *processes = opendir("/proc");
    assert_non_null(processes);
    for (struct dirent *entry; !found && (entry = readdir(processes));)
        found =
            entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && is_compiler(entry->d_name, group);
    closedir(processes);
    return found;
}

/* Has the process opened that file? */
static bool has_open(pid_t child, const char *path)
{
    char all[64], link[400], target[512];
    bool found = false;
    snprintf(all, sizeof all, "/proc/%ld/fd", (long)child);
    DIR *files = opendir(all);
    for (struct dirent *file; files && !found && (file = readdir(files));) {
        snprintf(link, sizeof link, "%s/%s", all, file->d_name);
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

static void read_text(const char *path, char *text, size_t size)
{
    size_t length;
    char *content = file_read(path, &length);
    if (length >= size)
        fail_msg("the program printed more than %zu bytes", size);
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
    char output[64];
    folder_create(output);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        become_program(run, arguments, output);
    if (is_interrupted(run))
        interrupt(child, run);
    int state;
    assert_int_equal(waitpid(child, &state, 0), child);
    run->status = WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
    read_text(in_folder(output, "out"), run->out, sizeof run->out);
    read_text(in_folder(output, "err"), run->err, sizeof run->err);
    folder_remove(output);
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

void assert_fails_with(const program_run *run, int status, const char *part)
{
    assert_one_error_line(run, status);
    if (!strstr(run->err, part))
        fail_msg("\"%s\" is not in: %s", part, run->err);
}

void assert_refused(const char *first, const refusal *rows, size_t count)
{
    char text[256], *f[8] = {text};
    int before = folder_count(folder), begun = 0;
    snprintf(text, sizeof text, "%s", first);
    for (char *word = strtok(text, " "); word && begun < 8; word = strtok(NULL, " "))
        f[begun++] = word;
    for (const refusal *r = rows; r < rows + count; r++) {
        const char *w[16] = {0};
        memcpy(w, f, (size_t)begun * sizeof *w);
        memcpy(w + begun, r->words, sizeof r->words);
        FAILS(r->status, r->line, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10],
              w[11], w[12], w[13], w[14], w[15]);
        assert_int_equal(folder_count(folder), before);
    }
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

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

void folder_remove(const char *path)
{
    assert_int_equal(nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

int folder_count(const char *path)
{
    int count = -2; /* "." and ".." */
    DIR *files = opendir(path);
    assert_non_null(files);
    while (readdir(files))
        count++;
    closedir(files);
    return count;
}

int make_folder(void **state)
{
    (void)state;
    folder_create(folder);
    ran.folder = folder;
    return 0;
}

int remove_folder(void **state)
{
    (void)state;
    folder_remove(folder);
    ran.folder = NULL;
    return 0;
}

const char *here(const char *name)
{
    return in_folder(folder, name);
}

const char *in_folder(const char *parent, const char *name)
{
    static char buffers[8][PATH_SIZE];
    static int turn;
    char *path = buffers[turn++ % 8];
    snprintf(path, PATH_SIZE, "%s/%s", parent, name);
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
