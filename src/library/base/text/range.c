#include "base/text/range.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>

/* A whole number without a sign; *end stays at `text` where there is none. */
static size_t read_whole(const char *text, const char **end)
{
    char *after = (char *)text;
    unsigned long long number = isdigit((unsigned char)*text) ? strtoull(text, &after, 10) : 0;
    *end = after;
    return number > SIZE_MAX ? SIZE_MAX : (size_t)number;
}

bool sac_range_read(const char *text, size_t count, size_t *from, size_t *size, const char **end)
{
    const char *colon, *after;
    *from = read_whole(text, &colon);
    if (*colon != ':')
        return false;
    size_t last = read_whole(colon + 1, &after);
    last = after == colon + 1 ? count : last;
    if (end)
        *end = after;
    *size = last > *from ? last - *from : 0;
    return *size && last <= count && (end || !*after);
}
