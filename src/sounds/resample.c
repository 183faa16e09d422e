/* Another rate: each new sample is a sum of old ones, weighed by a sine cardinal in a Kaiser window
 * that lets through what both rates hold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "sounds/resample.h"

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

static double weight_at(const double *table, double x)
{
    double place = fabs(x) * STEPS;
    size_t at = (size_t)place;
    if (at >= CROSSINGS * STEPS)
        return 0;
    return table[at] + (place - (double)at) * (table[at + 1] - table[at]);
}

struct sac_resampler {
    double step, cut, reach; /* old samples a new one; what passes; old samples on each side */
    bool is_same;
    float *old; /* [held] of [room]: the samples from number `base` on; owned */
    size_t base, held, room;
    size_t room_of_sound;
    double table[CROSSINGS * STEPS + 2];
};

sac_resampler *sac_resampler_create(int from, int to)
{
    sac_resampler *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->step = (double)from / to;
    r->cut = r->step > 1 ? 1 / r->step : 1;
    r->reach = CROSSINGS / r->cut;
    r->is_same = from == to;
    /* The window's right half at each point, from the middle on. */
    const double beta = 9;
    for (int i = 0; i < CROSSINGS * STEPS + 2; i++) {
        double x = (double)i / STEPS, inside = 1 - (x / CROSSINGS) * (x / CROSSINGS);
        double sine = x > 0 ? sin(PI * x) / (PI * x) : 1;
        r->table[i] = inside > 0 ? sine * bessel(beta * sqrt(inside)) / bessel(beta) : 0;
    }
    return r;
}

/* Room for `count` floats more in *at [used]. */
static bool ensure_room(float **at, size_t *room, size_t used, size_t count)
{
    if (used + count <= *room)
        return true;
    size_t more = used + count + *room / 2;
    float *wider = realloc(*at, more * sizeof **at);
    if (wider) {
        *at = wider;
        *room = more;
    }
    return wider != NULL;
}

/* New sample number `i`, of the old ones before `end`. */
static float sample_at(const sac_resampler *r, size_t i, size_t end)
{
    double middle = (double)i * r->step, sum = 0;
    double first = ceil(middle - r->reach), last = floor(middle + r->reach);
    for (size_t k = first > 0 ? (size_t)first : 0; k < end && (double)k <= last; k++)
        sum += r->old[k - r->base] * weight_at(r->table, ((double)k - middle) * r->cut);
    return (float)(sum * r->cut);
}

/* Forgets old samples that no new one from number `next` on reaches. */
static void drop_old_samples(sac_resampler *r, size_t next)
{
    double first = ceil((double)next * r->step - r->reach);
    size_t from = first > 0 ? (size_t)first : 0;
    size_t gone = from > r->base ? from - r->base : 0;
    gone = gone < r->held ? gone : r->held;
    memmove(r->old, r->old + gone, (r->held - gone) * sizeof *r->old);
    r->base += gone;
    r->held -= gone;
}

sac_status sac_resampler_push(sac_resampler *r, const float *samples, size_t count, bool ends,
                              sac_sound *s, sac_error *error)
{
    if (!ensure_room(&r->old, &r->room, r->held, count + 1))
        return sac_no_memory(error, "sound");
    memcpy(r->old + r->held, samples, count * sizeof *samples);
    r->held += count;
    const size_t end = r->base + r->held;
    const double settled =
        ends ? ceil((double)end / r->step) : floor(((double)end - 1 - r->reach) / r->step);
    const size_t most = r->is_same ? end : settled > 0 ? (size_t)settled : 0;
    const size_t more = most > s->count ? most - s->count : 0;
    if (!ensure_room(&s->samples, &r->room_of_sound, s->count, more))
        return sac_no_memory(error, "sound");
    for (; s->count < most; s->count++) {
        if (s->count % 16384 == 0 && sac_cancel_asked())
            return sac_cancel_check("sound", error);
        s->samples[s->count] =
            r->is_same ? r->old[s->count - r->base] : sample_at(r, s->count, end);
    }
    if (!r->is_same)
        drop_old_samples(r, s->count);
    else
        r->base = end, r->held = 0;
    return SAC_OK;
}

void sac_resampler_destroy(sac_resampler *r)
{
    if (r)
        free(r->old);
    free(r);
}
