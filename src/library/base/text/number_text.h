/* Numbers as people read them. */
#ifndef SAC_BASE_TEXT_NUMBER_TEXT_H
#define SAC_BASE_TEXT_NUMBER_TEXT_H

#include <stddef.h>

/* Four significant digits at most: "0.353", "−12.4", "3", "2.1e−9", "−∞", "NaN". Returns `text`. */
char *sac_number_text(double value, char *text, size_t size);
/* The same with `more` digits. Returns the value of the text. */
double sac_number_text_in(double value, int more, char *text, size_t size);

#endif
