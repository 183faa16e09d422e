/* src/library/device on a real device: buffers, kernels, the cache on disk, errors and verdicts. */
#include <glob.h>
#include <unistd.h>

#include <sys/stat.h>

#include "base/cancel.h"
#include "device/cache/cache.h"
#include "device/device.h"
#include "device/internal.h"
#include "status.h"
#include "test.h"

static char cache_home[64]; /* of this run alone */

static void assert_ok(sac_status status, const sac_error *error)
{
    if (status != SAC_OK)
        sac_error_print(error, stderr);
    assert_int_equal(status, SAC_OK);
}

static sac_device *open_device(void)
{
    sac_device *device;
    assert_ok(sac_device_open(NULL, &device, &failure), &failure);
    return device;
}

/* x · 3 + 1 on the device, in a process-fresh device handle. */
static void assert_kernel_works(void)
{
    float data[5] = {0, 1, 2, 3, 4}, y = 1;
    size_t global[] = {5};
    sac_device *device = open_device();
    cl_mem buffer;
    cl_kernel kernel;
    assert_ok(sac_buffer_create(device, sizeof data, data, &buffer, &failure), &failure);
    assert_ok(sac_kernel_get(device, "good", "-DFACTOR=3", "multiply", &kernel, &failure),
              &failure);
    sac_arg args[] = {SAC_ARG(buffer), SAC_ARG(y)};
    assert_ok(sac_kernel_launch(device, kernel, args, 2, 1, global, NULL, &failure), &failure);
    assert_ok(sac_device_finish(device, &failure), &failure);
    assert_ok(sac_buffer_read(device, buffer, 0, sizeof data, data, &failure), &failure);
    for (int i = 0; i < 5; i++)
        assert_true(data[i] == 3 * i + 1);
    sac_buffer_release(buffer);
    sac_device_close(device);
}

/* The one file of the cache that holds the program; false where there is none. */
static bool find_entry(char *path, size_t size)
{
    char pattern[128];
    glob_t files;
    snprintf(pattern, sizeof pattern, "%s/saccade/program-*", cache_home);
    bool found = glob(pattern, 0, NULL, &files) == 0;
    if (found)
        snprintf(path, size, "%s", files.gl_pathv[0]);
    globfree(&files);
    return found;
}

/* PoCL is asked for a binary only once a program was built often. */
static bool find_stored_binary(char *path, size_t size)
{
    for (int start = 0; start < 20 && !find_entry(path, size); start++)
        assert_kernel_works();
    return find_entry(path, size);
}

/* A file that is written anew gets another inode, as the old one is still held by a hard link. */
static ino_t inode_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_ino;
}

/* Drivers look up their own cache folder once, so it stands for the whole run. */
static int make_cache_home(void **state)
{
    (void)state;
    strcpy(cache_home, "/tmp/saccade-test-XXXXXX");
    if (!mkdtemp(cache_home))
        return -1;
    unsetenv("SACCADE_CACHE");
    return setenv("XDG_CACHE_HOME", cache_home, 1);
}

static int remove_cache_home(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", cache_home);
    return system(command);
}

/* PoCL's own folder stays: it keeps the path from its first use in a process. */
static int empty_cache(void **state)
{
    (void)state;
    char command[256];
    snprintf(command, sizeof command,
             "cd %s && rm -rf held* && mkdir -p saccade && chmod 700 saccade && "
             "find saccade -mindepth 1 ! -path 'saccade/pocl*' -delete",
             cache_home);
    return system(command);
}

#define WITH_EMPTY_CACHE(name) TEST_WITH(name, empty_cache, NULL)

WITH_EMPTY_CACHE(a_kernel_runs_and_its_result_is_read_back)
{
    assert_kernel_works();
}

WITH_EMPTY_CACHE(a_kernel_is_built_once_and_lent_again)
{
    sac_device *device = open_device();
    cl_kernel first, again, other;
    OK(sac_kernel_get(device, "good", "-DFACTOR=3", "multiply", &first, NULL));
    OK(sac_kernel_get(device, "good", "-DFACTOR=3", "multiply", &again, NULL));
    OK(sac_kernel_get(device, "good", "-DFACTOR=4", "multiply", &other, NULL));
    assert_ptr_equal(first, again);
    assert_ptr_not_equal(first, other);
    sac_device_close(device);
}

WITH_EMPTY_CACHE(a_build_error_names_call_code_device_and_the_line)
{
    char line[1200];
    sac_device *device = open_device();
    cl_kernel kernel;
    assert_int_equal(sac_kernel_get(device, "bad", NULL, "broken", &kernel, &failure),
                     SAC_E_DEVICE);
    assert_string_equal(failure.call, "clBuildProgram");
    assert_true(strncmp(failure.code, "CL_", 3) == 0);
    assert_string_equal(failure.device, device->info.name);
    assert_non_null(strstr(failure.build_log, "not_declared_anywhere"));
    sac_error_line(&failure, line, sizeof line);
    assert_non_null(strstr(line, device->info.name));
    assert_non_null(strstr(line, "clBuildProgram of bad.cl gave CL_"));
    assert_int_equal(sac_kernel_get(device, "good", "", "multiply", &kernel, &failure),
                     SAC_E_DEVICE);
    assert_non_null(strstr(failure.build_log, "FACTOR is missing"));
    sac_device_close(device);
}

WITH_EMPTY_CACHE(a_kernel_or_source_that_is_not_there_is_named)
{
    sac_device *device = open_device();
    cl_kernel kernel;
    REFUSES(SAC_E_DEVICE, "…clCreateKernel divide of good.cl…",
            sac_kernel_get(device, "good", "-DFACTOR=3", "divide", &kernel, &failure));
    REFUSES(SAC_E_ARGUMENT, "ugly: …",
            sac_kernel_get(device, "ugly", "", "multiply", &kernel, &failure));
    sac_device_close(device);
}

WITH_EMPTY_CACHE(a_wrong_argument_is_named_by_number_and_kernel)
{
    sac_device *device = open_device();
    cl_kernel kernel;
    double wide = 1;
    size_t global[] = {1};
    OK(sac_kernel_get(device, "good", "-DFACTOR=3", "multiply", &kernel, NULL));
    sac_arg args[] = {{sizeof(cl_mem), NULL}, SAC_ARG(wide)};
    REFUSES(SAC_E_DEVICE, "…clSetKernelArg 1 of multiply gave CL_INVALID_ARG_SIZE…",
            sac_kernel_launch(device, kernel, args, 2, 1, global, NULL, &failure));
    sac_device_close(device);
}

/* It compiles all of a program once more to give its binary. */
WITH_EMPTY_CACHE(pocl_is_asked_for_no_binary_at_the_first_start)
{
    char path[256];
    sac_device *device = open_device();
    bool compiles_again = device->info.is_cpu && sac_device_is_pocl(&device->info);
    sac_device_close(device);
    if (!compiles_again)
        skip();
    assert_kernel_works();
    assert_false(find_entry(path, sizeof path));
    assert_true(find_stored_binary(path, sizeof path));
}

WITH_EMPTY_CACHE(a_second_process_takes_the_binary_from_the_cache)
{
    char path[256], held[256];
    if (!find_stored_binary(path, sizeof path))
        skip(); /* a driver that gives no binaries */
    ino_t before = inode_of(path);
    snprintf(held, sizeof held, "%s/held", cache_home);
    assert_int_equal(link(path, held), 0);
    assert_kernel_works();
    assert_true(inode_of(path) == before); /* building would have written it anew */
}

/* Cuts the entry to `length` bytes, or flips the byte there. */
static void damage(const char *path, long length, bool flip)
{
    if (!flip) {
        assert_int_equal(truncate(path, length), 0);
        return;
    }
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, length, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, length, SEEK_SET);
    fputc(byte ^ 0x40, file);
    fclose(file);
}

WITH_EMPTY_CACHE(a_damaged_entry_is_built_again_and_replaced)
{
    char path[256], held[256];
    struct stat info;
    if (!find_stored_binary(path, sizeof path))
        skip();
    assert_int_equal(stat(path, &info), 0);
    const long places[] = {0, 1, 20, 200, info.st_size / 2, info.st_size - 1};
    for (int flip = 0; flip < 2; flip++)
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            damage(path, places[i], flip);
            snprintf(held, sizeof held, "%s/held-%d-%zu", cache_home, flip, i);
            assert_int_equal(link(path, held), 0);
            ino_t before = inode_of(path);
            assert_kernel_works();
            assert_true(inode_of(path) != before);
        }
}

/* Puts data that no driver takes for a program under the entry's own key. */
static void replace_binary(const char *path)
{
    size_t key_size, size;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "saccade-cache %zu %zu %*16s", &key_size, &size), 2);
    char *key = calloc(key_size + 1, 1);
    assert_non_null(key);
    assert_int_equal(fgetc(file), '\n');
    assert_int_equal(fread(key, 1, key_size, file), key_size);
    fclose(file);
    sac_cache_store("program", key, "not a program", 13);
    free(key);
}

WITH_EMPTY_CACHE(a_binary_that_the_driver_refuses_is_built_again)
{
    char path[256], held[256];
    sac_device *device = open_device();
    bool dies_of_it = strcmp(device->info.platform, "rusticl") == 0; /* Mesa 22.3 aborts */
    sac_device_close(device);
    if (dies_of_it || !find_stored_binary(path, sizeof path))
        skip();
    replace_binary(path);
    snprintf(held, sizeof held, "%s/held", cache_home);
    assert_int_equal(link(path, held), 0);
    ino_t before = inode_of(path);
    assert_kernel_works();
    assert_true(inode_of(path) != before);
}

WITH_EMPTY_CACHE(without_a_cache_everything_works_and_nothing_is_written)
{
    char path[256];
    setenv("SACCADE_CACHE", "off", 1);
    assert_kernel_works();
    assert_false(find_entry(path, sizeof path));
    unsetenv("SACCADE_CACHE");
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    assert_kernel_works();
    setenv("XDG_CACHE_HOME", cache_home, 1);
}

WITH_EMPTY_CACHE(a_buffer_beyond_the_device_is_refused_with_both_sizes)
{
    char asked[64], there[64];
    sac_device *device = open_device();
    cl_mem buffer;
    size_t bytes = (size_t)device->info.max_alloc_bytes + 1;
    assert_int_equal(sac_buffer_create(device, bytes, NULL, &buffer, &failure), SAC_E_MEMORY);
    assert_null(buffer);
    snprintf(asked, sizeof asked, "needs %.1f MiB", (double)bytes / 0x1p20);
    snprintf(there, sizeof there, "allows %.1f MiB", (double)device->info.max_alloc_bytes / 0x1p20);
    assert_non_null(strstr(failure.what, asked));
    assert_non_null(strstr(failure.what, there));
    sac_device_close(device);
}

WITH_EMPTY_CACHE(an_empty_buffer_is_fine)
{
    sac_device *device = open_device();
    cl_mem buffer;
    assert_ok(sac_buffer_create(device, 0, "", &buffer, &failure), &failure);
    assert_ok(sac_buffer_write(device, buffer, 0, 0, NULL, &failure), &failure);
    assert_ok(sac_buffer_read(device, buffer, 0, 0, NULL, &failure), &failure);
    sac_buffer_release(buffer);
    sac_buffer_release(NULL);
    sac_device_close(device);
}

WITH_EMPTY_CACHE(a_verdict_is_remembered_for_the_next_run)
{
    sac_device *device = open_device();
    assert_int_equal(sac_verdict_recall(device, "cpu"), SAC_UNTESTED);
    sac_verdict_remember(device, "cpu", SAC_REFUSED);
    sac_verdict_remember(device, "naive", SAC_PASSED);
    sac_verdict_remember(device, "cpu", SAC_REDUCED);
    sac_verdict_remember(device, SAC_VERDICT_DEVICE, SAC_REDUCED);
    sac_device_close(device);
    device = open_device();
    assert_int_equal(sac_verdict_recall(device, "cpu"), SAC_REDUCED);
    assert_int_equal(sac_verdict_recall(device, "naive"), SAC_PASSED);
    assert_int_equal(sac_verdict_recall(device, "na"), SAC_UNTESTED);
    assert_int_equal(device->info.verdict, SAC_REDUCED);
    sac_device_close(device);
}

static bool always(void)
{
    return true;
}

/* What is built already is still lent. */
WITH_EMPTY_CACHE(when_work_should_stop_nothing_is_built_and_nothing_held_against_a_device)
{
    cl_kernel built, kernel;
    sac_device *device = open_device();
    assert_ok(sac_kernel_get(device, "good", "-DFACTOR=3", "multiply", &built, &failure), &failure);
    sac_cancel_when(always);
    assert_int_equal(sac_kernel_get(device, "good", "-DFACTOR=4", "multiply", &kernel, &failure),
                     SAC_E_CANCELLED);
    assert_ok(sac_kernel_get(device, "good", "-DFACTOR=3", "multiply", &kernel, &failure),
              &failure);
    assert_ptr_equal(kernel, built);
    sac_verdict_remember(device, "cpu", SAC_REFUSED);
    sac_verdict_remember(device, SAC_VERDICT_DEVICE, SAC_REFUSED);
    sac_cancel_when(NULL);
    assert_int_equal(sac_verdict_recall(device, "cpu"), SAC_UNTESTED);
    assert_int_equal(device->info.verdict, SAC_UNTESTED);
    assert_ok(sac_kernel_get(device, "good", "-DFACTOR=4", "multiply", &kernel, &failure),
              &failure);
    sac_device_close(device);
}

WITH_EMPTY_CACHE(a_verdict_holds_for_the_handle_where_the_cache_is_off)
{
    setenv("SACCADE_CACHE", "off", 1);
    sac_device *device = open_device();
    sac_verdict_remember(device, "cpu", SAC_PASSED);
    assert_int_equal(sac_verdict_recall(device, "cpu"), SAC_PASSED);
    sac_device_close(device);
    unsetenv("SACCADE_CACHE");
}

WITH_EMPTY_CACHE(a_refused_device_is_not_opened_but_can_be_tested_again)
{
    sac_device *device = open_device(), *again;
    sac_verdict_remember(device, SAC_VERDICT_DEVICE, SAC_REFUSED);
    sac_device_close(device);
    assert_int_equal(sac_device_open(NULL, &device, &failure),
                     SAC_E_NO_DEVICE); /* SACCADE_DEVICE */
    assert_null(device);
    assert_non_null(strstr(failure.what, "failed its self-test"));
    assert_non_null(strstr(failure.remedy, "`saccade selftest` tries again"));
    assert_ok(sac_device_open_untrusted(NULL, &again, &failure), &failure);
    assert_int_equal(again->info.verdict, SAC_REFUSED);
    sac_verdict_remember(again, SAC_VERDICT_DEVICE, SAC_PASSED);
    sac_device_close(again);
    sac_device_close(open_device());
}

WITH_EMPTY_CACHE(a_device_is_opened_by_number_and_by_any_part_of_its_name)
{
    sac_device *device = open_device(), *again;
    char number[16], part[128];
    snprintf(number, sizeof number, "%d", device->info.number);
    snprintf(part, sizeof part, "%s", device->info.name + 1);
    for (char *c = part; *c; c++)
        *c ^= (*c >= 'a' && *c <= 'z') ? 0x20 : 0;
    const char *kind = device->info.is_cpu ? "cpu" : "gpu";
    const char *const selectors[] = {number, part, kind};
    for (int i = 0; i < 3; i++) {
        assert_ok(sac_device_open(selectors[i], &again, &failure), &failure);
        if (i < 2)
            assert_string_equal(again->info.name, device->info.name);
        sac_device_close(again);
    }
    sac_device_close(device);
}

/* One in large pages where it is a CPU's, and another in the memory of the first. */
WITH_EMPTY_CACHE(large_buffers_have_what_was_written_and_computed)
{
    enum { COUNT = (5 << 20) / sizeof(float) + 7 };
    sac_device *device = open_device();
    float *data = calloc(COUNT, sizeof *data), y = 1;
    assert_non_null(data);
    cl_kernel kernel;
    OK(sac_kernel_get(device, "good", "-DFACTOR=3", "multiply", &kernel, &failure));
    for (int turn = 0; turn < 3; turn++) {
        cl_mem buffer;
        size_t global = COUNT;
        for (size_t i = 0; i < COUNT; i++)
            data[i] = (float)((i + (size_t)turn) % 1000);
        OK(sac_buffer_create(device, COUNT * sizeof *data, data, &buffer, &failure));
        sac_arg args[] = {SAC_ARG(buffer), SAC_ARG(y)};
        OK(sac_kernel_launch(device, kernel, args, 2, 1, &global, NULL, &failure));
        OK(sac_buffer_read(device, buffer, 0, COUNT * sizeof *data, data, &failure));
        for (size_t i = 0; i < COUNT; i++)
            assert_true(data[i] == (float)(3 * ((i + (size_t)turn) % 1000) + 1));
        sac_buffer_release(buffer);
    }
    free(data);
    sac_device_close(device);
}

WITH_EMPTY_CACHE(an_unknown_device_is_answered_with_what_there_is)
{
    char name[128];
    sac_device *device = open_device(), *other;
    sac_device_short_name(&device->info, name, sizeof name);
    assert_int_equal(sac_device_open("no such thing", &other, &failure), SAC_E_NO_DEVICE);
    assert_null(other);
    assert_non_null(strstr(failure.what, "\"no such thing\""));
    assert_non_null(strstr(failure.what, name));
    sac_device_close(device);
}

WITH_EMPTY_CACHE(the_list_marks_the_device_that_would_be_opened)
{
    sac_device *device = open_device();
    sac_device_info *infos;
    size_t count, chosen = 0;
    OK(sac_devices_list(&infos, &count, NULL));
    for (size_t i = 0; i < count; i++) {
        if (infos[i].chosen) {
            chosen++;
            assert_int_equal(infos[i].number, device->info.number);
            assert_true(infos[i].reason[0]);
            assert_true(infos[i].global_bytes > 0 && infos[i].compute_units > 0);
        }
        assert_true((infos[i].number > 0) == !infos[i].problem[0]);
    }
    assert_int_equal(chosen, 1);
    free(infos);
    sac_device_close(device);
}

TEST_MAIN(make_cache_home, remove_cache_home)
