/* A machine without any OpenCL driver; ctest sets OCL_ICD_VENDORS to a folder that is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "saccade.h"

static void without_any_platform_the_error_says_what_to_install(void **state)
{
    (void)state;
    sac_device_info *infos;
    size_t count = 1;
    sac_error error = {0};
    sac_device *device;
    assert_int_equal(sac_devices_list(&infos, &count, &error), SAC_OK);
    assert_int_equal(count, 0);
    free(infos);
    assert_int_equal(sac_device_open(NULL, &device, &error), SAC_E_NO_DEVICE);
    assert_null(device);
    assert_non_null(strstr(error.what, "no platform at all"));
    assert_non_null(strstr(error.todo, "pocl-opencl-icd"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_any_platform_the_error_says_what_to_install),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
