/* What developers measure of a device beside `saccade bench`: single kernels, and a large map. */
#ifndef TESTS_BENCH_MEASURE_H
#define TESTS_BENCH_MEASURE_H

#include "cli/bench/measuring.h"

/* Each prints its tables, or adds them to `json` where that is not NULL. */
/* Linear layers of a pretrained model: on few rows, as one token or a beam takes them, or on many. */
sac_status measure_few_rows(sac_device *device, cJSON *json, sac_error *error);
sac_status measure_many_rows(sac_device *device, cJSON *json, sac_error *error);
/* The encoder of photographs. */
sac_status measure_encoder(sac_device *device, cJSON *json, sac_error *error);
/* The window on a map of 32768 queries and keys. */
sac_status measure_map(const char *device_selector, cJSON *json, sac_error *error);

#endif
