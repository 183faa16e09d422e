/* Numbers and ranges as people read and write them. */
#ifndef SAC_BASE_TEXT_NUMBERS_H
#define SAC_BASE_TEXT_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

/* Four significant digits at most: "0.353", "−12.4", "3", "2.1e−9", "−∞", "NaN". Returns `text`. */
char *sac_number_text(double value, char *text, size_t size);
/* The same with `more` digits. Returns the value of the text. */
double sac_number_text_with_digits(double value, int more, char *text, size_t size);

/* Reads "100:200", which begins at 100 and ends before 200, of `count` things: the end may be missing on
 * either side. *size is at least 1. *end is what follows; NULL: nothing may. False: it is no such
 * range. */
bool sac_range_read(const char *text, size_t count, size_t *from, size_t *size, const char **end);

#endif
