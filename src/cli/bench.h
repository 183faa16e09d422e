/* What the files of `saccade bench` share: times, limits, and how they are printed. */
#ifndef SAC_CLI_BENCH_H
#define SAC_CLI_BENCH_H

#include <cjson/cJSON.h>

#include "cli/cli.h"

/* Seconds of one thing measured again and again. */
enum { BENCH_MAX_TIMES = 512 };
typedef struct bench_times {
    int count;
    double seconds[BENCH_MAX_TIMES]; /* in no order */
} bench_times;

void bench_add(bench_times *times, double seconds); /* beyond the maximum: dropped */
/* The time that `share` of the runs stay below: 0.5 gives the median. */
double bench_quantile(const bench_times *times, double share);

/* What the device can do at best. */
typedef struct bench_limits {
    double peak_gflops; /* multiply-adds, counted as two */
    double copy_gbs;    /* bytes read and written */
} bench_limits;
/* Raises `limits` to what is reached now: measured before and after what is held against them. */
sac_status bench_measure_limits(sac_device *device, bench_limits *limits, sac_error *error);

/* Each measures, prints a table (or adds its findings to `json` where that is not NULL). */
sac_status bench_attention(sac_device *device, cJSON *json, sac_error *error);
sac_status bench_view(const char *device_selector, cJSON *json, sac_error *error);

#endif
