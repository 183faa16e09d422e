/* A file of arrays that another program cuts while saccade reads it. */
#include "run.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <sys/wait.h>

#include "sparse_npz.h"

/* query and key [2^20,64] of zeros that take no room on the disk. */
static void make_sparse(const char *path)
{
    static const char header[] =
        "\xa8\0\0\0\0\0\0\0"
        "{\"query\":{\"dtype\":\"F32\",\"shape\":[1048576,64],\"data_offsets\":[0,268435456]},"
        "\"key\":{\"dtype\":\"F32\",\"shape\":[64,64],\"data_offsets\":[268435456,268451840]}}";
    char padded[8 + 0xa8];
    memset(padded, ' ', sizeof padded);
    memcpy(padded, header, sizeof header - 1);
    file_write(path, padded, sizeof padded);
    assert_int_equal(truncate(path, (off_t)sizeof padded + 268451840), 0);
}

/* The same in an .npz, whose keys are too many to be read as a whole. */
static void make_sparse_npz(const char *path)
{
    sparse_array arrays[] = {{"query", "<f4", "(64, 64)", 64 * 64 * 4, 0},
                             {"key", "<f4", "(1048576, 64)", 1 << 28, 0}};
    sparse_npz(path, arrays, 2);
}

static pid_t start(const char *path)
{
    const char *out = here("out.npz"), *generated = here("output");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0)
        return child;
    dup2(open(generated, O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
    execl(SACCADE_PROGRAM, "saccade", "attend", path, out, "--no-weights", (char *)NULL);
    _exit(127);
}

static bool has_mapped(pid_t child, const char *path)
{
    char maps[64], line[4096];
    bool found = false;
    snprintf(maps, sizeof maps, "/proc/%ld/maps", (long)child);
    FILE *file = fopen(maps, "r");
    while (file && !found && fgets(line, sizeof line, file))
        found = strstr(line, path) != NULL;
    if (file)
        fclose(file);
    return found;
}

/* The file is cut as soon as it is mapped and its arrays are known, while the device is yet to be opened. */
static void cut_while_it_is_read(const char *name, void (*make)(const char *path),
                                 long milliseconds)
{
    int status = 0;
    size_t size;
    const char *path = here(name);
    make(path);
    pid_t child = start(path);
    while (!has_mapped(child, path)) {
        assert_int_equal(waitpid(child, &status, WNOHANG), 0);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    nanosleep(&(struct timespec){0, milliseconds * 1000000}, NULL);
    assert_int_equal(truncate(path, 5000), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    char *generated = file_read(here("output"), &size), expected[256];
    generated[size] = '\0';
    snprintf(expected, sizeof expected,
             "saccade: %s: was cut by another program while it was read; get the file again\n",
             path);
    assert_string_equal(generated, expected);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    assert_int_equal(folder_count(folder), 2);
    free(generated);
}

TEST_WITH(a_file_that_is_cut_while_it_is_read_is_named_and_leaves_no_output, make_folder,
          remove_folder)
{
    cut_while_it_is_read("in.safetensors", make_sparse, 0);
}

TEST_WITH(so_is_an_npz_that_is_mapped, make_folder, remove_folder)
{
    cut_while_it_is_read("in.npz", make_sparse_npz, 0);
}

TEST_MAIN(NULL, NULL)
