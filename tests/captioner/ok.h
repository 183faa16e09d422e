/* A status that has to be SAC_OK: a test that fails tells the error as a person would read it. */
#ifndef TESTS_CAPTIONER_OK_H
#define TESTS_CAPTIONER_OK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "saccade.h"

static inline void ok(sac_status status, const sac_error *error)
{
    char line[1200];
    if (status != SAC_OK)
        fail_msg("%s", sac_error_line(error, line, sizeof line));
}

#endif
