/* What the tests of models have: a device, opened before the first test of a program and closed
 * after the last. */
#ifndef TESTS_MODELS_ON_DEVICE_H
#define TESTS_MODELS_ON_DEVICE_H

#include "status.h"

extern sac_device *device;
int open_device(void **state);
int close_device(void **state);

#endif
