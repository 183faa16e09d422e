/* Resampling by filters of a width, in fixed point. */
#include "pretrained/files/resample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Bits behind the point of a weight: a byte and the sum's overshoot fit above them. */
enum { POINT = 32 - 8 - 2 };
#define PI 3.14159265358979323846

/* ---------------------------------------------------------------- filters, by distance in pixels
 */

static double sinc(double x)
{
    return x == 0 ? 1 : sin(PI * x) / (PI * x);
}

static double box(double x)
{
    return x > -0.5 && x <= 0.5 ? 1 : 0;
}

static double triangle(double x)
{
    return fabs(x) < 1 ? 1 - fabs(x) : 0;
}

static double hamming(double x)
{
    x = fabs(x);
    return x >= 1 ? 0 : sinc(x) * (0.54 + 0.46 * cos(PI * x));
}

static double cubic(double x)
{
    const double a = -0.5;
    x = fabs(x);
    if (x < 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

static double lanczos(double x)
{
    return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0;
}

static const struct {
    double (*weight)(double x);
    double reach;
} filters[SAC_RESAMPLINGS] = {
    [SAC_RESAMPLE_LANCZOS] = {lanczos, 3}, [SAC_RESAMPLE_BILINEAR] = {triangle, 1},
    [SAC_RESAMPLE_BICUBIC] = {cubic, 2},   [SAC_RESAMPLE_BOX] = {box, 0.5},
    [SAC_RESAMPLE_HAMMING] = {hamming, 1},
};

/* ---------------------------------------------------------------- weights along one side */

typedef struct side_weights {
    int *first, *count; /* of the pixels that go into result i */
    int32_t *weight;    /* [to,most], in fixed point */
    int most;
} side_weights;

static void free_weights(side_weights *w)
{
    free(w->first);
    free(w->count);
    free(w->weight);
}

/* Weights of result i, brought to the sum 1. */
static void weigh(side_weights *w, double *exact, int from, int to, sac_resampling resampling,
                  int i)
{
    double scale = (double)from / to, stretch = fmax(scale, 1), sum = 0;
    double reach = filters[resampling].reach * stretch, centre = (i + 0.5) * scale;
    int begin = (int)fmax(centre - reach + 0.5, 0), end = (int)fmin(centre + reach + 0.5, from);
    for (int k = begin; k < end; k++) {
        exact[k - begin] = filters[resampling].weight((k - centre + 0.5) * (1 / stretch));
        sum += exact[k - begin];
    }
    w->first[i] = begin;
    w->count[i] = end - begin;
    for (int k = 0; k < end - begin; k++) {
        double share = (sum != 0 ? exact[k] / sum : exact[k]) * (1 << POINT);
        w->weight[(size_t)i * (size_t)w->most + (size_t)k] =
            (int32_t)(share < 0 ? share - 0.5 : share + 0.5);
    }
}

static bool make_weights(side_weights *w, int from, int to, sac_resampling resampling)
{
    double stretch = fmax((double)from / to, 1);
    *w = (side_weights){.most = (int)ceil(filters[resampling].reach * stretch) * 2 + 1};
    double *exact = malloc((size_t)w->most * sizeof *exact);
    w->first = malloc((size_t)to * sizeof *w->first);
    w->count = malloc((size_t)to * sizeof *w->count);
    w->weight = malloc((size_t)to * (size_t)w->most * sizeof *w->weight);
    bool made = exact && w->first && w->count && w->weight;
    for (int i = 0; i < to && made; i++)
        weigh(w, exact, from, to, resampling, i);
    free(exact);
    return made;
}

/* ---------------------------------------------------------------- pixels */

static uint8_t to_byte(int64_t sum)
{
    int64_t value = sum >> POINT;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* One pixel of the result: `count` pixels, `step` bytes apart. */
static void mix(const uint8_t *from, size_t step, const int32_t *weight, int count, uint8_t *to)
{
    for (int channel = 0; channel < 3; channel++) {
        int64_t sum = (int64_t)1 << (POINT - 1);
        for (int k = 0; k < count; k++)
            sum += (int64_t)from[(size_t)k * step + (size_t)channel] * weight[k];
        to[channel] = to_byte(sum);
    }
    to[3] = 255;
}

static void mix_rows(const sac_image *from, const side_weights *w, sac_image *to)
{
    size_t row = 4 * (size_t)from->width;
    for (int y = 0; y < to->height; y++)
        for (int x = 0; x < to->width; x++)
            mix(from->rgba + (size_t)y * row + 4 * (size_t)w->first[x], 4,
                w->weight + (size_t)x * (size_t)w->most, w->count[x],
                to->rgba + 4 * ((size_t)y * (size_t)to->width + (size_t)x));
}

static void mix_columns(const sac_image *from, const side_weights *w, sac_image *to)
{
    size_t row = 4 * (size_t)from->width;
    for (int y = 0; y < to->height; y++)
        for (int x = 0; x < to->width; x++)
            mix(from->rgba + (size_t)w->first[y] * row + 4 * (size_t)x, row,
                w->weight + (size_t)y * (size_t)w->most, w->count[y],
                to->rgba + 4 * ((size_t)y * (size_t)to->width + (size_t)x));
}

static void take_nearest(const sac_image *from, sac_image *to)
{
    double right = (double)from->width / to->width, down = (double)from->height / to->height;
    for (int y = 0; y < to->height; y++)
        for (int x = 0; x < to->width; x++) {
            size_t at = (size_t)((y + 0.5) * down) * (size_t)from->width;
            uint8_t *pixel = to->rgba + 4 * ((size_t)y * (size_t)to->width + (size_t)x);
            memcpy(pixel, from->rgba + 4 * (at + (size_t)((x + 0.5) * right)), 3);
            pixel[3] = 255;
        }
}

static sac_status mix_both(const sac_image *from, sac_resampling resampling, sac_image *to,
                           sac_error *error)
{
    sac_image half = {0};
    side_weights across = {0}, down = {0};
    sac_status status = sac_image_create(to->width, from->height, &half, error);
    if (status == SAC_OK && (!make_weights(&across, from->width, to->width, resampling) ||
                             !make_weights(&down, from->height, to->height, resampling)))
        status = sac_no_memory(error, "picture");
    if (status == SAC_OK) {
        mix_rows(from, &across, &half);
        mix_columns(&half, &down, to);
    }
    free_weights(&across);
    free_weights(&down);
    sac_image_free(&half);
    return status;
}

sac_status sac_resample(const sac_image *from, int width, int height, sac_resampling resampling,
                        sac_image *to, sac_error *error)
{
    sac_status status = sac_image_create(width, height, to, error);
    if (status != SAC_OK)
        return status;
    if (resampling == SAC_RESAMPLE_NEAREST)
        take_nearest(from, to);
    else
        status = mix_both(from, resampling, to, error);
    if (status != SAC_OK)
        sac_image_free(to);
    return status;
}
