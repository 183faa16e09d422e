/* Seconds on a clock that never jumps; only differences mean something. */
#ifndef SAC_BASE_CLOCK_H
#define SAC_BASE_CLOCK_H

#include <time.h>

static inline double sac_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
