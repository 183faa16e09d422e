#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/numbers.h"

double sac_number_text_with_digits(double value, int more, char *text, size_t size)
{
    double a = fabs(value);
    const char *sign = value < 0 ? "−" : "";
    char digits[32];
    if (!isfinite(value)) {
        snprintf(text, size, "%s%s", sign, isnan(value) ? "NaN" : "∞");
        return value;
    }
    if (a == 0 || (a < 1e4 && a >= 1 && a == floor(a)))
        snprintf(digits, sizeof digits, "%.0f", a);
    else if (a < 1e-4 || a >= 1e5)
        snprintf(digits, sizeof digits, "%.*e", 1 + more, a);
    else
        snprintf(digits, sizeof digits, "%.*f",
                 (a < 0.1   ? 4
                  : a < 10  ? 3
                  : a < 100 ? 2
                            : 1) +
                     more,
                 a);
    double value_shown = strtod(digits, NULL);
    if (strchr(digits, 'e')) {
        /* "2.1e−9" of printf's "2.1e-09". */
        char *e = strchr(digits, 'e');
        int power = (int)strtol(e + 1, NULL, 10);
        *e = '\0';
        snprintf(text, size, "%s%se%s%d", sign, digits, power < 0 ? "−" : "", abs(power));
    } else
        snprintf(text, size, "%s%s", sign, digits);
    return value < 0 ? -value_shown : value_shown;
}

char *sac_number_text(double value, char *text, size_t size)
{
    sac_number_text_with_digits(value, 0, text, size);
    return text;
}

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
