#include "on_device.h"

sac_device *device;

int open_device(void **state)
{
    (void)state;
    sac_error error = {0};
    ok(sac_device_open(NULL, &device, &error), &error);
    return 0;
}

int close_device(void **state)
{
    (void)state;
    sac_device_close(device);
    return 0;
}

void ok(sac_status status, const sac_error *error)
{
    char line[1200];
    if (status != SAC_OK)
        fail_msg("%s", sac_error_line(error, line, sizeof line));
}
