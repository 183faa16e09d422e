#include "parts/figures/plot.h"

#include <math.h>
#include <stdio.h>

#define MOST_PARTS 7.0f /* of an axis, about */

static float axis_share(const viz_axis *a, float value)
{
    if (a->by_ratio)
        return (logf(fmaxf(value, 1e-30f)) - logf(a->low)) / (logf(a->high) - logf(a->low));
    return (value - a->low) / (a->high - a->low);
}

float viz_axis_x(const viz_axis *axis, viz_rect frame, float value)
{
    return frame.x + frame.w * axis_share(axis, value);
}

float viz_axis_y(const viz_axis *axis, viz_rect frame, float value)
{
    return frame.y + frame.h * (1 - axis_share(axis, value));
}

float viz_axis_value(const viz_axis *a, float part)
{
    part = fminf(fmaxf(part, 0), 1);
    return a->by_ratio ? expf(logf(a->low) + part * (logf(a->high) - logf(a->low)))
                       : a->low + part * (a->high - a->low);
}

float viz_round_step(float range, float parts)
{
    float power = powf(10, floorf(log10f(range / parts))), times = range / parts / power;
    return power * (times > 5 ? 10.0f : times > 2 ? 5.0f : times > 1 ? 2.0f : 1.0f);
}

/* 1, 2 and 5 times powers of ten. "10⁻³" is written as 1e−3: a font may have no raised digits. */
static void add_ratio_ticks(viz_ticks *t, const viz_axis *a, float length, float each, float parts)
{
    float tens = log10f(a->high / a->low), step = fmaxf(ceilf(tens / parts - 1e-3f), 1);
    bool all = tens <= 2 && length / tens >= 3 * each;
    float power = all ? floorf(log10f(a->low)) : ceilf(log10f(a->low) - 1e-3f);
    for (; power <= log10f(a->high) + 1e-3f; power += step)
        for (int i = 0; i < (all ? 3 : 1) && t->count < VIZ_TICKS; i++) {
            static const float times[] = {1, 2, 5};
            float value = times[i] * powf(10, power);
            char *text = t->text[t->count];
            if (value < 0.999f * a->low || value > 1.001f * a->high)
                continue;
            if (power >= -2 && power <= 4)
                snprintf(text, sizeof *t->text, "%.*f", (int)fmaxf(-power, 0), (double)value);
            else
                snprintf(text, sizeof *t->text, "%.0fe%s%.0f", (double)times[i],
                         power < 0 ? "−" : "", fabs((double)power));
            t->at[t->count++] = value;
        }
}

viz_ticks viz_axis_ticks(const viz_axis *a, float length, float each)
{
    viz_ticks ticks = {.count = 0};
    float parts = fmaxf(fminf(MOST_PARTS, length / each), 1);
    if (a->by_ratio) {
        add_ratio_ticks(&ticks, a, length, each, parts);
        return ticks;
    }
    float step = viz_round_step(a->high - a->low, parts), at = ceilf(a->low / step - 1e-3f) * step;
    int decimals = step < 1 ? (int)ceilf(-log10f(step) - 1e-3f) : 0;
    for (; at <= a->high + 1e-3f * step && ticks.count < VIZ_TICKS; at += step) {
        bool none = fabsf(at) < 1e-3f * step;
        snprintf(ticks.text[ticks.count], sizeof *ticks.text, "%s%.*f", at < 0 && !none ? "−" : "",
                 decimals, none ? 0.0 : fabs((double)at));
        ticks.at[ticks.count++] = at;
    }
    return ticks;
}
