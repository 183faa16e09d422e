#include "on_device.h"
#include "status.h"

sac_device *device;

int open_device(void **state)
{
    (void)state;
    OK(sac_device_open(NULL, &device, &failure));
    return 0;
}

int close_device(void **state)
{
    (void)state;
    sac_device_close(device);
    return 0;
}
