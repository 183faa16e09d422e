/* Comparing a line with the expected one, in the parts that matter. */
#ifndef TESTS_WORDING_H
#define TESTS_WORDING_H

#include <stdbool.h>
#include <string.h>

/* True where `line` is `expected`, in which each "…" stands for any text or none, at its end after
 * "; " for some. So a test names the parts of a message that matter (where, the value that is
 * wrong, what to give), and another library's wording, which differs from version to version, is
 * left out. */
static inline bool test_line_is(const char *line, const char *expected)
{
    static const char any[] = "…";
    const char *at = strstr(expected, any);
    if (!at)
        return strcmp(line, expected) == 0;
    size_t before = (size_t)(at - expected);
    const char *rest = at + strlen(any);
    if (strncmp(line, expected, before) != 0)
        return false;
    line += before;
    if (!*rest)
        return *line || before < 2 || strncmp(at - 2, "; ", 2) != 0;
    for (; *line; line++)
        if (test_line_is(line, rest))
            return true;
    return false;
}

#endif
