/* Comparing a line with what it should say, where a part of it is another library's wording. */
#ifndef TESTS_WORDING_H
#define TESTS_WORDING_H

#include <stdbool.h>
#include <string.h>

/* True where `line` is `expected`. One "…" in `expected` stands for any text but none: what libzip,
 * libpng or libjpeg say of a file differs from version to version. */
static inline bool test_line_is(const char *line, const char *expected)
{
    const char *any = strstr(expected, "…");
    if (!any)
        return strcmp(line, expected) == 0;
    const char *after = any + strlen("…");
    size_t begin = (size_t)(any - expected), end = strlen(after), length = strlen(line);
    return length > begin + end && strncmp(line, expected, begin) == 0 &&
           strcmp(line + length - end, after) == 0;
}

#endif
