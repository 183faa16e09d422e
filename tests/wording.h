/* Comparing a line with what it should say, in the parts that matter. */
#ifndef TESTS_WORDING_H
#define TESTS_WORDING_H

#include <stdbool.h>
#include <string.h>

/* True where `line` is `expected`, in which each "…" stands for any text but none. So a test names
 * the parts of a message that matter (where, the value that is wrong, what to give), and another
 * library's wording, which differs from version to version, is left out. */
static inline bool test_line_is(const char *line, const char *expected)
{
    const char *any = strstr(expected, "…");
    if (!any)
        return strcmp(line, expected) == 0;
    size_t begin = (size_t)(any - expected);
    if (strncmp(line, expected, begin) != 0)
        return false;
    for (line += begin; *line; line++)
        if (test_line_is(line + 1, any + strlen("…")))
            return true;
    return false;
}

#endif
