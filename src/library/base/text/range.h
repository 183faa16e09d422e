/* Ranges as a person writes them. */
#ifndef SAC_BASE_TEXT_RANGE_H
#define SAC_BASE_TEXT_RANGE_H

#include <stdbool.h>
#include <stddef.h>

/* Reads "100:200", which begins at 100 and ends before 200, of `count` things: the end may be missing on
 * either side. *size is at least 1. *end is what follows; NULL: nothing may. False: it is no such
 * range. */
bool sac_range_read(const char *text, size_t count, size_t *from, size_t *size, const char **end);

#endif
