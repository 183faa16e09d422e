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

/* Whether to try all there is, of the host's code too, for seconds: SACCADE_TEST=thorough, which NAME.thorough of a test
 * sets, or full. Else a few of each kind are tried, so that a person who tests a machine does not wait. */
static inline bool test_is_thorough(void)
{
    const char *extent = getenv("SACCADE_TEST");
    return test_is_full() || (extent && strcmp(extent, "thorough") == 0);
}

/* In a test: it runs only where all is tried. */
#define TEST_ONLY_IF(extent)                                                                       \
    do {                                                                                           \
        if (!(extent))                                                                             \
            skip();                                                                                \
    } while (0)
#define THOROUGH_ONLY TEST_ONLY_IF(test_is_thorough())
#define FULL_ONLY TEST_ONLY_IF(test_is_full())

#endif
