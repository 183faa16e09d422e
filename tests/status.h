/* Calls that give a sac_status, and take `&failure` for their error. */
#ifndef TESTS_STATUS_H
#define TESTS_STATUS_H

#include "saccade.h"
#include "test.h"
#include "wording.h"

/* Of the latest OK or REFUSES. */
static sac_error failure TEST_UNUSED;

TEST_UNUSED static void status_check(sac_status status, sac_status wanted, const char *expected,
                                     const char *call, const char *file, int at)
{
    char line[1500];
    sac_error_line(&failure, line, sizeof line);
    if (status == wanted && (!expected || test_line_is(line, expected)))
        return;
    print_error("%s: %s, \"%s\"\n", call, sac_status_name(status), line);
    if (expected)
        print_error("but wanted is %s, \"%s\"\n", sac_status_name(wanted), expected);
    _fail(file, at);
}

/* The call succeeds. */
#define OK(call)                                                                                   \
    (failure = (sac_error){0}, status_check((call), SAC_OK, NULL, #call, __FILE__, (int)__LINE__))

/* The call fails with that status and line, in which "…" is as in wording.h. */
#define REFUSES(status, expected, call)                                                            \
    (failure = (sac_error){0},                                                                     \
     status_check((call), status, expected, #call, __FILE__, (int)__LINE__))

#endif
