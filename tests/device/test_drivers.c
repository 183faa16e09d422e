/* Broken drivers beside good ones; ctest sets OCL_ICD_VENDORS to a folder that holds both. */
#include <fcntl.h>
#include <unistd.h>

#include "device/device.h"
#include "status.h"
#include "test.h"

/* The system's folders, as in a system without mounts; the linker takes this
 * from here. */
static bool lacks_folders;

int access(const char *path, int mode)
{
    bool is_system = strncmp(path, "/sys/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
    if (lacks_folders && is_system)
        return -1;
    return faccessat(AT_FDCWD, path, mode, 0);
}

TEST(a_crash_where_no_system_folders_are_shows_what_to_mount)
{
    sac_device_info *infos;
    size_t count, found = 0;
    lacks_folders = true;
    OK(sac_devices_list(&infos, &count, NULL));
    lacks_folders = false;
    for (size_t i = 0; i < count; i++)
        found += strcmp(infos[i].name, "crash.icd") == 0 && strstr(infos[i].problem, "crashed") &&
                 strstr(infos[i].problem, "/proc and /sys are not mounted");
    free(infos);
    assert_int_equal(found, 1);
}

static void assert_problem(const sac_device_info *infos, size_t count, const char *name,
                           const char *problem)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(infos[i].name, name) != 0)
            continue;
        found = true;
        assert_string_equal(infos[i].problem, problem);
        assert_int_equal(infos[i].number, 0);
    }
    assert_true(found);
}

TEST(broken_drivers_are_reported_and_take_nothing_down)
{
    sac_device_info *infos;
    size_t count;
    sac_device *device;
    OK(sac_devices_list(&infos, &count, &failure));
    assert_problem(infos, count, "crash.icd",
                   "this driver crashed when it was loaded, and is left out");
    assert_problem(infos, count, "missing.icd",
                   "cannot be loaded: libsaccade-nowhere.so.1: cannot open shared object file");
    assert_problem(infos, count, "Refusing", "clGetDeviceIDs gave CL_OUT_OF_HOST_MEMORY");
    assert_problem(infos, count, "Old Iron", "offers \"OpenCL 1.1 odd\", but 1.2 is needed");
    free(infos);
    OK(sac_device_open("pocl", &device, &failure));
    sac_device_close(device);
    assert_int_equal(sac_device_open("Old Iron", &device, &failure), SAC_E_NO_DEVICE);
}

static int make_temporary_folder(void **state)
{
    static char folder[] = "/tmp/saccade-test-XXXXXX";
    *state = mkdtemp(folder);
    return *state ? setenv("TMPDIR", folder, 1) : -1;
}

static int temporary_folder_is_empty_again(void **state)
{
    return rmdir(*state);
}

TEST(the_environment_is_left_as_it_was)
{
    const char *vendors = getenv("OCL_ICD_VENDORS");
    assert_string_equal(vendors ? vendors : "", TEST_VENDORS);
}

TEST_MAIN(make_temporary_folder, temporary_folder_is_empty_again)
