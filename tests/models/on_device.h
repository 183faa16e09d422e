/* What the tests of models have: a device, opened before the first test of a program and closed
 * after the last, and ok(), by which a test that fails tells the error as a person would read it.
 */
#ifndef TESTS_MODELS_ON_DEVICE_H
#define TESTS_MODELS_ON_DEVICE_H

#include "saccade.h"
#include "test.h"

extern sac_device *device;
int open_device(void **state);
int close_device(void **state);

void ok(sac_status status, const sac_error *error);

#endif
