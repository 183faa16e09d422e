/* How differently two colours look: CIEDE2000 (Sharma, Wu, Dalal 2005), with the weights at 1. */
#ifndef TESTS_VIZ_COLOR_DIFFERENCE_H
#define TESTS_VIZ_COLOR_DIFFERENCE_H

#include <math.h>

#define RADIANS (3.14159265358979323846 / 180)

static inline double hue_of(double b, double a)
{
    double degrees = a == 0 && b == 0 ? 0 : atan2(b, a) / RADIANS;
    return degrees < 0 ? degrees + 360 : degrees;
}

static inline double hue_difference(double h1, double h2, double chroma)
{
    double d = h2 - h1;
    if (chroma == 0)
        return 0;
    return d > 180 ? d - 360 : d < -180 ? d + 360 : d;
}

static inline double hue_mean(double h1, double h2, double chroma)
{
    if (chroma == 0)
        return h1 + h2;
    if (fabs(h1 - h2) <= 180)
        return (h1 + h2) / 2;
    return h1 + h2 < 360 ? (h1 + h2 + 360) / 2 : (h1 + h2 - 360) / 2;
}

/* √(C⁷ / (C⁷ + 25⁷)) */
static inline double chroma_weight(double chroma)
{
    double c7 = pow(chroma, 7);
    return sqrt(c7 / (c7 + 6103515625.0));
}

static inline double color_difference(const double one[3], const double other[3])
{
    double mean = (hypot(one[1], one[2]) + hypot(other[1], other[2])) / 2;
    double g = 0.5 * (1 - chroma_weight(mean));
    double a1 = (1 + g) * one[1], a2 = (1 + g) * other[1];
    double c1 = hypot(a1, one[2]), c2 = hypot(a2, other[2]), c = (c1 + c2) / 2;
    double h1 = hue_of(one[2], a1), h2 = hue_of(other[2], a2);
    double dl = other[0] - one[0], dc = c2 - c1;
    double dh = 2 * sqrt(c1 * c2) * sin(hue_difference(h1, h2, c1 * c2) / 2 * RADIANS);
    double h = hue_mean(h1, h2, c1 * c2), l = (one[0] + other[0]) / 2 - 50;
    double t = 1 - 0.17 * cos((h - 30) * RADIANS) + 0.24 * cos(2 * h * RADIANS) +
               0.32 * cos((3 * h + 6) * RADIANS) - 0.20 * cos((4 * h - 63) * RADIANS);
    double turn = 30 * exp(-((h - 275) / 25) * ((h - 275) / 25));
    double sl = 1 + 0.015 * l * l / sqrt(20 + l * l), sc = 1 + 0.045 * c, sh = 1 + 0.015 * c * t;
    double rt = -sin(2 * turn * RADIANS) * 2 * chroma_weight(c);
    double u = dl / sl, v = dc / sc, w = dh / sh;
    return sqrt(u * u + v * v + w * w + rt * v * w);
}

#endif
