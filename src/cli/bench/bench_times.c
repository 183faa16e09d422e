/* Times of a benchmark, and their quantiles. */

#include "cli/bench/bench_times.h"

#include <stdlib.h>

void bench_add(bench_times *times, double seconds)
{
    if (times->count < BENCH_MAX_TIMES)
        times->seconds[times->count++] = seconds;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_quantile(const bench_times *times, double share)
{
    bench_times sorted = *times;
    if (sorted.count == 0)
        return 0;
    qsort(sorted.seconds, (size_t)sorted.count, sizeof *sorted.seconds, compare);
    double place = share * (sorted.count - 1);
    int below = (int)place, above = below + 1 < sorted.count ? below + 1 : below;
    return sorted.seconds[below] +
           (place - below) * (sorted.seconds[above] - sorted.seconds[below]);
}
