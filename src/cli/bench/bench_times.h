/* Times of a benchmark, and their quantiles. */
#ifndef SAC_CLI_BENCH_BENCH_TIMES_H
#define SAC_CLI_BENCH_BENCH_TIMES_H

/* Seconds of one thing measured again and again. */
enum { BENCH_MAX_TIMES = 512 };
typedef struct bench_times {
    int count;
    double seconds[BENCH_MAX_TIMES]; /* in no order */
} bench_times;

void bench_add(bench_times *times, double seconds); /* beyond the maximum: dropped */
/* The time that `share` of the runs stay below: 0.5 gives the median. */
double bench_quantile(const bench_times *times, double share);

#endif
