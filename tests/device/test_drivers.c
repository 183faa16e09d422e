/* Broken drivers beside good ones; ctest sets OCL_ICD_VENDORS to a folder that holds both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"

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

static void broken_drivers_are_reported_and_take_nothing_down(void **state)
{
    (void)state;
    sac_device_info *infos;
    size_t count;
    sac_error error = {0};
    sac_device *device;
    assert_int_equal(sac_devices_list(&infos, &count, &error), SAC_OK);
    assert_problem(infos, count, "crash.icd",
                   "this driver crashed when it was loaded, and is left out");
    assert_problem(infos, count, "missing.icd",
                   "cannot be loaded: libsaccade-nowhere.so.1: cannot open shared object file");
    assert_problem(infos, count, "Refusing", "clGetDeviceIDs gave CL_OUT_OF_HOST_MEMORY");
    assert_problem(infos, count, "Old Iron", "offers \"OpenCL 1.1 odd\", but 1.2 is needed");
    free(infos);
    assert_int_equal(sac_device_open("pocl", &device, &error), SAC_OK);
    sac_device_close(device);
    assert_int_equal(sac_device_open("Old Iron", &device, &error), SAC_E_NO_DEVICE);
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

static void the_environment_is_left_as_it_was(void **state)
{
    (void)state;
    const char *vendors = getenv("OCL_ICD_VENDORS");
    assert_string_equal(vendors ? vendors : "", TEST_VENDORS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_drivers_are_reported_and_take_nothing_down),
        cmocka_unit_test(the_environment_is_left_as_it_was),
    };
    return cmocka_run_group_tests(tests, make_temporary_folder, temporary_folder_is_empty_again);
}
