/* How much a test is to try. */
#ifndef TESTS_EXTENT_H
#define TESTS_EXTENT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether to try every kernel in every specialisation, which PoCL compiles for minutes:
 * SACCADE_TEST=full, which NAME.full of a test sets, and every platform but PoCL. */
static inline bool test_is_full(void)
{
    const char *extent = getenv("SACCADE_TEST");
    return extent && strcmp(extent, "full") == 0;
}

#endif
