#include "base/text/number_text.h"

#include <math.h>
#include <stdio.h>

char *sac_number_text(double value, char *text, size_t size)
{
    double a = fabs(value);
    const char *sign = value < 0 ? "−" : "";
    if (isinf(value))
        snprintf(text, size, "%s∞", sign);
    else if (isnan(value))
        snprintf(text, size, "NaN");
    else if (a == 0 || (a < 1e4 && a >= 1 && a == floor(a)))
        snprintf(text, size, "%s%.0f", sign, a);
    else if (a < 1e-4 || a >= 1e5)
        snprintf(text, size, "%s%.1e", sign, a);
    else
        snprintf(text, size, "%s%.*f", sign, a < 0.1 ? 4 : a < 10 ? 3 : a < 100 ? 2 : 1, a);
    return text;
}
