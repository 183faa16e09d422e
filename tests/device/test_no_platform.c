/* A machine without any OpenCL driver; ctest sets OCL_ICD_VENDORS to a folder that is not there. */

#include "saccade.h"
#include "status.h"
#include "test.h"

TEST(without_any_platform_the_error_shows_what_to_install)
{
    sac_device_info *infos;
    size_t count = 1;
    sac_device *device;
    OK(sac_devices_list(&infos, &count, &failure));
    assert_int_equal(count, 0);
    free(infos);
    assert_int_equal(sac_device_open(NULL, &device, &failure), SAC_E_NO_DEVICE);
    assert_null(device);
    assert_non_null(strstr(failure.what, "no platform at all"));
    assert_non_null(strstr(failure.remedy, "pocl-opencl-icd"));
}

TEST_MAIN(NULL, NULL)
