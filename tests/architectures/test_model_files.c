/* Whatever file a model of any kind is read from is one of those that a saved picture's hash is made of: the linker
 * counts what is opened. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sources/origin.h"
#include "status.h"
#include "trial.h"

enum { MOST = 400 };
static struct {
    char path[MOST][PATH_MAX];
    int count;
} opened, hashed;
static bool is_recording;

static bool is_hashed(const char *path)
{
    for (int i = 0; i < hashed.count; i++)
        if (strcmp(hashed.path[i], path) == 0)
            return true;
    return false;
}

/* Folders are opened to look for files; /proc, drivers and the cache belong to no model. */
static void record(const char *path)
{
    char real[PATH_MAX];
    if (!is_recording || !strstr(path, "reference/data/") || !realpath(path, real) ||
        opened.count == MOST)
        return;
    memcpy(opened.path[opened.count++], real, sizeof real);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap___open_2(const char *path, int flags);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);

int __wrap_open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0;
    va_end(rest);
    record(path);
    return __real_open(path, flags, mode);
}

int __wrap___open_2(const char *path, int flags)
{
    record(path);
    return __real_open(path, flags);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    record(path);
    return __real_fopen(path, mode);
}

static sac_status take(void *user, const char *path, const char *name, sac_error *error)
{
    (void)user;
    (void)name;
    (void)error;
    assert_true(hashed.count < MOST);
    assert_non_null(realpath(path, hashed.path[hashed.count++]));
    return SAC_OK;
}

/* The number of files that were opened, if it is a model; whether or not, what was opened is hashed. */
static int check(const char *path)
{
    sac_pretrained_model *model;
    opened.count = hashed.count = 0;
    is_recording = true;
    sac_status status =
        sac_pretrained_model_open_stored(path, NULL, SAC_STORAGE_F32, &model, &failure);
    is_recording = false;
    sac_pretrained_model_close(model);
    OK(sac_origin_files(path, take, NULL, &failure));
    for (int i = 0; i < opened.count; i++)
        if (!is_hashed(opened.path[i]))
            fail_msg("%s: %s is read, and not hashed", path, opened.path[i]);
    return status == SAC_OK ? opened.count : 0;
}

static int check_all(const char *folder, const char *ending, int *files)
{
    DIR *listed = opendir(folder);
    const struct dirent *entry;
    int count = 0;
    assert_non_null(listed);
    while ((entry = readdir(listed))) {
        char path[1200];
        size_t length = strlen(entry->d_name), tail = strlen(ending);
        if (entry->d_name[0] == '.' || length < tail ||
            strcmp(entry->d_name + length - tail, ending) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        int found = check(path);
        count += found > 0;
        *files += found;
    }
    closedir(listed);
    return count;
}

TEST(every_file_that_a_model_is_read_from_is_hashed)
{
    int files = 0;
    assert_true(check_all(REFERENCES, "", &files) >= 90);
    assert_true(check_all(REFERENCES "/gguf", ".gguf", &files) >= 20);
    assert_true(files > 350);
}

/* The index of a folder names its shards, as it likes. */
TEST(a_shard_of_any_name_is_hashed)
{
    static const char *const names[] = {"plain.safetensors", ".hidden.safetensors",
                                        "sub/below.safetensors", "other.weights"};
    char folder[] = "/tmp/saccade-reference-XXXXXX", place[200], command[1200];
    assert_non_null(mkdtemp(folder));
    snprintf(place, sizeof place, "%s/reference/data/m", folder); /* as `record` looks for it */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(command, sizeof command,
                 "rm -rf %s && mkdir -p %s/sub && cp " REFERENCES "/gpt2/*.* %s && cd %s && "
                 "mv model.safetensors %s && printf '{\"weight_map\": {\"transformer.wte.weight\": "
                 "\"%s\"}}' > model.safetensors.index.json",
                 place, place, place, place, names[i], names[i]);
        assert_int_equal(system(command), 0);
        check(place); /* of its tensors the index has one alone */
        bool is_opened = false;
        for (int k = 0; k < opened.count; k++)
            is_opened |= strstr(opened.path[k], names[i]) != NULL;
        assert_int_equal(is_opened, i < 1); /* others are refused */
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

TEST_MAIN(open_device, close_device)
