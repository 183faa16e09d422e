/* Another rate: each new sample is a sum of old ones, weighed by a sine cardinal in a Kaiser window
 * that lets through what both rates hold. */
#include <math.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "sounds/sound.h"

#define PI 3.14159265358979323846
enum { CROSSINGS = 16, STEPS = 512 }; /* zeros of the sine on each side; points between two */

/* The modified Bessel function of order 0. */
static double bessel(double x)
{
    double sum = 1, term = 1;
    for (int i = 1; i < 60; i++) {
        term *= x * x / (4.0 * i * i);
        sum += term;
    }
    return sum;
}

/* The window's right half at each point, from the middle on. */
static void fill(double table[CROSSINGS * STEPS + 2])
{
    const double beta = 9;
    for (int i = 0; i < CROSSINGS * STEPS + 2; i++) {
        double x = (double)i / STEPS, inside = 1 - (x / CROSSINGS) * (x / CROSSINGS);
        double sine = x > 0 ? sin(PI * x) / (PI * x) : 1;
        table[i] = inside > 0 ? sine * bessel(beta * sqrt(inside)) / bessel(beta) : 0;
    }
}

static double weight_at(const double *table, double x)
{
    double place = fabs(x) * STEPS;
    size_t at = (size_t)place;
    if (at >= CROSSINGS * STEPS)
        return 0;
    return table[at] + (place - (double)at) * (table[at + 1] - table[at]);
}

sac_status sac_sound_resample(sac_sound *s, int rate, sac_error *error)
{
    if (s->rate == rate || s->count == 0)
        return SAC_OK;
    double step = (double)s->rate / rate, cut = step > 1 ? 1 / step : 1;
    double reach = CROSSINGS / cut;
    double wanted = ceil((double)s->count / step);
    size_t count = wanted < 1 ? 1 : (size_t)wanted;
    double *table = malloc((CROSSINGS * STEPS + 2) * sizeof *table);
    float *samples = wanted < 1e9 ? malloc(count * sizeof *samples) : NULL;
    if (!table || !samples) {
        free(table);
        free(samples);
        return sac_no_memory(error, "sound");
    }
    fill(table);
    sac_status status = SAC_OK;
    for (size_t i = 0; i < count && status == SAC_OK; i++) {
        double middle = (double)i * step, sum = 0;
        if (i % 16384 == 0)
            status = sac_cancel_check("sound", error);
        double first = ceil(middle - reach), last = floor(middle + reach);
        size_t from = first > 0 ? (size_t)first : 0;
        for (size_t k = from; k < s->count && (double)k <= last; k++)
            sum += s->samples[k] * weight_at(table, ((double)k - middle) * cut);
        samples[i] = (float)(sum * cut);
    }
    free(table);
    if (status != SAC_OK) {
        free(samples);
        return status;
    }
    free(s->samples);
    *s = (sac_sound){samples, count, rate};
    return SAC_OK;
}
