/* What all benchmarks share: times and their quantiles, the limits of a device, and tables for people or as
 * JSON. */
#ifndef SAC_CLI_BENCH_MEASURING_H
#define SAC_CLI_BENCH_MEASURING_H

#include <cjson/cJSON.h>

#include "saccade.h"

/* Seconds of one thing measured again and again. */
enum { BENCH_MAX_TIMES = 512 };
typedef struct bench_times {
    int count;
    double seconds[BENCH_MAX_TIMES]; /* in no order */
} bench_times;

void bench_add(bench_times *times, double seconds); /* beyond the maximum: dropped */
/* The time that `share` of the runs stay below: 0.5 gives the median. */
double bench_quantile(const bench_times *times, double share);
double bench_median_ms(const bench_times *times);
double bench_processor_seconds(void); /* of this process, on all processors */

/* The best that the device can do. */
typedef struct bench_limits {
    double opencl_gflops; /* multiply-adds, counted as two, by a kernel of ours … */
    double c_gflops;      /* … and by plain C on as many threads; 0 where it is no CPU */
    double copy_gbs;      /* bytes read and written */
} bench_limits;
/* Raises `limits` to what is reached now: measured before and after what is compared with them. */
sac_status bench_measure_limits(sac_device *device, bench_limits *limits, sac_error *error);
/* The larger of the two: a compiler that makes little of a kernel must not lower the limit. */
double bench_peak(const bench_limits *limits);

/* A column of a table; a list of them ends with a zeroed one. */
typedef struct bench_column {
    const char *key;     /* in JSON; NULL: for people alone */
    const char *heading; /* for people; NULL: in JSON alone */
    int width;           /* negative: aligned to the left */
    int decimals;        /* of a number, for people */
    bool is_bool;        /* in JSON */
} bench_column;
/* A cell: a text, or a number where that is NULL. NaN is a dash for people, and null in JSON. */
typedef struct bench_cell {
    const char *text;
    double number;
} bench_cell;
void bench_print_heading(const bench_column *columns);
/* Prints a cell for each column, or adds them as an object to `list` where that is not NULL. */
void bench_print_row(cJSON *list, const bench_column *columns, const bench_cell *cells);

#endif
