/* Pictures in other sizes. Each side has a list of taps: which pixels make one of the result, and how
 * much of each. */
#include "images/resample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/checked.h"
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

/* ---------------------------------------------------------------- taps of one side */

typedef struct taps {
    int results, most;  /* at most so many taps for each */
    int *first, *count; /* [results] */
    union {
        float real; /* their sum is 1 */
        int32_t fixed;
    } * weight; /* [results,most] */
} taps;

static void free_taps(taps *t)
{
    free(t->first);
    free(t->count);
    free(t->weight);
}

static bool allocate_taps(taps *t, int results, int most)
{
    size_t weights;
    *t = (taps){.results = results, .most = most};
    if (!sac_checked_mul((size_t)results, (size_t)most, &weights))
        return false;
    t->first = malloc((size_t)results * sizeof *t->first);
    t->count = malloc((size_t)results * sizeof *t->count);
    t->weight = calloc(weights, sizeof *t->weight);
    return t->first && t->count && t->weight;
}

/* ---------------------------------------------------------------- as Pillow does it */

/* Weights of result i, brought to the sum 1. */
static void compute_result_weights(taps *w, double *exact, int from, sac_resampling resampling,
                                   int i)
{
    double scale = (double)from / w->results, stretch = fmax(scale, 1), sum = 0;
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
        w->weight[(size_t)i * (size_t)w->most + (size_t)k].fixed =
            (int32_t)(share < 0 ? share - 0.5 : share + 0.5);
    }
}

static bool create_resampling_taps(taps *w, int from, int to, sac_resampling resampling)
{
    double reach = filters[resampling].reach * fmax((double)from / to, 1);
    bool made = allocate_taps(w, to, (int)ceil(reach) * 2 + 1);
    double *exact = malloc((size_t)w->most * sizeof *exact);
    for (int i = 0; i < to && made && exact; i++)
        compute_result_weights(w, exact, from, resampling, i);
    made = made && exact;
    free(exact);
    return made;
}

static uint8_t to_byte(int64_t sum)
{
    int64_t value = sum >> POINT;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* Pixel i of the result, out of pixels that are `step` bytes apart, the first at `from`. */
static void resample_pixel(const uint8_t *from, size_t step, const taps *w, int i, uint8_t *to)
{
    from += step * (size_t)w->first[i];
    for (int channel = 0; channel < 3; channel++) {
        int64_t sum = (int64_t)1 << (POINT - 1);
        for (int k = 0; k < w->count[i]; k++)
            sum += (int64_t)from[(size_t)k * step + (size_t)channel] *
                   w->weight[(size_t)i * (size_t)w->most + (size_t)k].fixed;
        to[channel] = to_byte(sum);
    }
    to[3] = 255;
}

static void resample_nearest(const sac_image *from, sac_image *to)
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

static sac_status resample_both_axes(const sac_image *from, sac_resampling resampling,
                                     sac_image *to, sac_error *error)
{
    sac_image half = {0};
    taps across = {0}, down = {0};
    size_t row = 4 * (size_t)from->width, to_row = 4 * (size_t)to->width;
    sac_status status = sac_image_create(to->width, from->height, &half, error);
    if (status == SAC_OK && (!create_resampling_taps(&across, from->width, to->width, resampling) ||
                             !create_resampling_taps(&down, from->height, to->height, resampling)))
        status = sac_no_memory(error, "picture");
    if (status == SAC_OK) {
        for (int y = 0; y < half.height; y++)
            for (int x = 0; x < half.width; x++)
                resample_pixel(from->rgba + (size_t)y * row, 4, &across, x,
                               half.rgba + (size_t)y * to_row + 4 * (size_t)x);
        for (int y = 0; y < to->height; y++)
            for (int x = 0; x < to->width; x++)
                resample_pixel(half.rgba + 4 * (size_t)x, to_row, &down, y,
                               to->rgba + (size_t)y * to_row + 4 * (size_t)x);
    }
    free_taps(&across);
    free_taps(&down);
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
        resample_nearest(from, to);
    else
        status = resample_both_axes(from, resampling, to, error);
    if (status != SAC_OK)
        sac_image_free(to);
    return status;
}

/* ---------------------------------------------------------------- behind a Gaussian filter */

/* Of one pixel of the result its weighted pixels along an axis; owned: free(weight). */
typedef struct gaussian_axis {
    int radius;    /* taps are 2 · radius + 2, from the pixel left of the place less radius on */
    float *weight; /* [to,taps] */
    int *first;    /* [to] */
} gaussian_axis;

static int mirrored(int at, int count)
{
    const int period = 2 * (count - 1);
    if (period == 0)
        return 0;
    at = abs(at) % period;
    return at < count ? at : period - at;
}

static bool fill_gaussian_axis(int from, int to, gaussian_axis *axis)
{
    const double factor = (double)from / to, sigma = factor > 1 ? (factor - 1) / 2 : 0;
    const int radius = (int)(4 * sigma + 0.5), each = 2 * radius + 2;
    double sum = 0;
    *axis = (gaussian_axis){radius, calloc((size_t)to * (size_t)each, sizeof(float)),
                            calloc((size_t)to, sizeof(int))};
    if (!axis->weight || !axis->first)
        return false;
    for (int k = -radius; k <= radius; k++)
        sum += sigma > 0 ? exp(-0.5 * k * k / (sigma * sigma)) : 1;
    for (int i = 0; i < to; i++) {
        const double place = (i + 0.5) * factor - 0.5, left = floor(place), part = place - left;
        float *w = axis->weight + (size_t)i * (size_t)each;
        axis->first[i] = (int)left - radius;
        for (int k = -radius; k <= radius; k++) {
            const double share = (sigma > 0 ? exp(-0.5 * k * k / (sigma * sigma)) : 1) / sum;
            w[k + radius] += (float)(share * (1 - part));
            w[k + radius + 1] += (float)(share * part);
        }
    }
    return true;
}

sac_status sac_resample_smooth(const sac_image *from, int width, int height, sac_image *to,
                               sac_error *error)
{
    gaussian_axis across = {0}, down = {0};
    sac_status status = sac_image_create(width, height, to, error);
    if (status != SAC_OK)
        return status;
    /* [from->height,width,3] */
    const size_t row = 3 * (size_t)width;
    float *rows = calloc((size_t)from->height * row, sizeof *rows);
    if (!rows || !fill_gaussian_axis(from->width, width, &across) ||
        !fill_gaussian_axis(from->height, height, &down))
        status = sac_no_memory(error, "picture");
    for (int y = 0; status == SAC_OK && y < from->height; y++)
        for (int x = 0; x < width; x++)
            for (int k = 0; k < 2 * across.radius + 2; k++) {
                const float w = across.weight[x * (2 * across.radius + 2) + k];
                const uint8_t *pixel =
                    from->rgba + 4 * ((size_t)y * (size_t)from->width +
                                      (size_t)mirrored(across.first[x] + k, from->width));
                for (int c = 0; c < 3; c++)
                    rows[(size_t)y * row + 3 * (size_t)x + (size_t)c] += w * (float)pixel[c];
            }
    for (int y = 0; status == SAC_OK && y < height; y++)
        for (size_t x = 0; x < row; x++) {
            float sum = 0;
            for (int k = 0; k < 2 * down.radius + 2; k++)
                sum += down.weight[y * (2 * down.radius + 2) + k] *
                       rows[(size_t)mirrored(down.first[y] + k, from->height) * row + x];
            uint8_t *pixel = to->rgba + 4 * ((size_t)y * (size_t)width + x / 3);
            pixel[x % 3] = (uint8_t)lrintf(fminf(fmaxf(sum, 0), 255));
            pixel[3] = 255;
        }
    free(rows);
    free(across.weight);
    free(across.first);
    free(down.weight);
    free(down.first);
    if (status != SAC_OK)
        sac_image_free(to);
    return status;
}

/* ---------------------------------------------------------------- for display, and into a square:
 * an output row is summed over input rows first, then along x. Pixels beyond an edge are the edge's. */

/* The filters of larger pictures. Up to SHARP times larger a bicubic picture stays sharp (Catmull and
 * Rom's filter passes through its samples); beyond, its pixels are cells, and Mitchell and
 * Netravali's shows no grid. */
typedef enum enlarging { BY_NEAREST, BY_LINES, BY_CUBICS } enlarging;
#define SHARP 4

/* The pixels of one side, which lie in the middle of a wider one. */
typedef struct side {
    int pixels;
    double before; /* pixels of the wider side before these */
    double scale;  /* pixels of the wider side per pixel of the result */
} side;

static float scaling_cubic_weight(float x, bool sharp)
{
    x = fabsf(x);
    if (!sharp && x < 1)
        return ((7 * x - 12) * x * x + 16.0f / 3) / 6;
    if (!sharp)
        return x < 2 ? (((-7.0f / 3 * x + 12) * x - 20) * x + 32.0f / 3) / 6 : 0;
    if (x < 1)
        return (1.5f * x - 2.5f) * x * x + 1;
    return x < 2 ? ((-0.5f * x + 2.5f) * x - 4) * x + 2 : 0;
}

static int clamp_pixel_index(double pixel, int pixels)
{
    return pixel < 0 ? 0 : pixel > pixels - 1 ? pixels - 1 : (int)pixel;
}

/* The taps of result i. Shrunk, a pixel is the mean of the area below it; enlarged, it lies between
 * its neighbours. */
static void compute_result_taps(taps *t, const side *s, enlarging filter, int i)
{
    double from = i * s->scale - s->before, end = from + s->scale, middle = (from + end - 1) / 2;
    float centre = ((float)i + 0.5f) * (float)s->pixels / (float)t->results - 0.5f; /* of cubics */
    bool shrinks = s->scale >= 1, sharp = t->results <= SHARP * s->pixels;
    double low = floor(from), high = end;
    if (!shrinks && filter == BY_NEAREST) {
        low = (double)((2 * (int64_t)i + 1) * s->pixels / (2 * (int64_t)t->results));
        high = low + 1;
    } else if (!shrinks) {
        low = filter == BY_CUBICS ? floorf(centre) - 1 : floor(middle);
        high = low + (filter == BY_CUBICS ? 4 : 2);
    }
    float *weights = &t->weight[(size_t)i * (size_t)t->most].real;
    t->first[i] = clamp_pixel_index(low, s->pixels);
    t->count[i] = clamp_pixel_index(ceil(high) - 1, s->pixels) - t->first[i] + 1;
    weights[0] = t->count[i] == 1;
    for (double p = low; p < high && t->count[i] > 1; p++) {
        double share = shrinks               ? (fmin(p + 1, end) - fmax(p, from)) / s->scale
                       : filter == BY_CUBICS ? scaling_cubic_weight(centre - (float)p, sharp)
                                             : 1 - fabs(p - middle);
        weights[clamp_pixel_index(p, s->pixels) - t->first[i]] += (float)share;
    }
}

static bool create_scaling_taps(taps *t, const side *s, enlarging filter, int results)
{
    int most = s->scale < s->pixels ? (int)s->scale + 4 : s->pixels;
    bool made = allocate_taps(t, results, most);
    for (int i = 0; i < results && made; i++)
        compute_result_taps(t, s, filter, i);
    return made;
}

bool sac_is_opaque(const uint8_t *rgba, size_t pixels)
{
    const uint8_t opaque[4] = {0, 0, 0, 255};
    uint32_t all = UINT32_MAX, pixel, alpha; /* whole words, so that the loop is vectorised */
    for (size_t i = 0; i < pixels; i++) {
        memcpy(&pixel, rgba + 4 * i, sizeof pixel);
        all &= pixel;
    }
    memcpy(&alpha, opaque, sizeof alpha);
    return (all & alpha) == alpha;
}

/* Adds `weight` times a row [width,4] to sums; colour counts by its alpha. */
static void add_row(const uint8_t *restrict row, int width, float weight, float *restrict sums)
{
    if (sac_is_opaque(row, (size_t)width)) { /* nearly always; this loop is vectorised */
        for (int i = 0; i < 4 * width; i++)
            sums[i] += weight * row[i];
        return;
    }
    for (int x = 0; x < width; x++) {
        float a = row[4 * x + 3] * weight, c = a * (1.0f / 255);
        sums[4 * x + 0] += c * row[4 * x + 0];
        sums[4 * x + 1] += c * row[4 * x + 1];
        sums[4 * x + 2] += c * row[4 * x + 2];
        sums[4 * x + 3] += a;
    }
}

/* The same of the row over white; the fourth of each sum is of no use. */
static void add_row_over_white(const uint8_t *row, int width, float weight, float *sums)
{
    float share = weight / 255;
    for (int x = 0; x < width; x++, row += 4, sums += 4) {
        float alpha = row[3] * share, white = weight * 255 - alpha * 255;
        for (int c = 0; c < 4; c++)
            sums[c] += row[c] * alpha + white;
    }
}

typedef float pixel4 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));

/* One output row out of the summed input row. */
static void write_row(const taps *across, const float *sums, bool over_white, uint8_t *out)
{
    for (int x = 0; x < across->results; x++) {
        const float *weights = &across->weight[(size_t)x * (size_t)across->most].real;
        const float *from = sums + 4 * (size_t)across->first[x];
        pixel4 sum = {0}, one;
        for (int k = 0; k < across->count[x]; k++) {
            memcpy(&one, from + 4 * k, sizeof one);
            sum += weights[k] * one;
        }
        float alpha = sum[3];
        if (!over_white)
            sum *= alpha > 0.5f ? 255.0f / alpha : 0;
        sum[3] = over_white ? 255 : alpha;
        /* rounded to bytes, clamped */
        const pixel4 most = {255, 255, 255, 255};
        int4 positive = sum > 0, above = sum > most;
        sum = (pixel4)(((int4)sum & ~above & positive) | ((int4)most & above));
        int4 rounded = __builtin_convertvector(sum + 0.5f, int4);
        for (int c = 0; c < 4; c++)
            out[4 * x + c] = (uint8_t)rounded[c];
    }
}

/* Rows that are all of one row of the picture, as beside a wide one and where its pixels are cells,
 * are made once. */
static sac_status scale_image_by_taps(const sac_image *from, side across, side down,
                                      enlarging filter, bool over_white, sac_image *to,
                                      sac_error *error)
{
    taps along = {0}, below = {0};
    size_t row = 4 * (size_t)from->width, to_row = 4 * (size_t)to->width;
    float *sums = malloc(row * sizeof *sums);
    sac_status status = SAC_OK;
    if (!sums || !create_scaling_taps(&along, &across, filter, to->width) ||
        !create_scaling_taps(&below, &down, filter, to->height))
        status = sac_no_memory(error, "picture");
    for (int y = 0, last = -1; y < to->height && status == SAC_OK; y++) {
        int first = below.first[y], only = below.count[y] == 1 ? first : -1;
        uint8_t *out = to->rgba + to_row * (size_t)y;
        if (over_white) /* models may be interrupted; a window goes on drawing */
            status = sac_cancel_check("picture", error);
        if (only >= 0 && only == last) {
            memcpy(out, out - to_row, to_row);
            continue;
        }
        last = only;
        memset(sums, 0, row * sizeof *sums);
        for (int k = 0; k < below.count[y]; k++)
            (over_white ? add_row_over_white : add_row)(
                from->rgba + row * (size_t)(first + k), from->width,
                below.weight[(size_t)y * (size_t)below.most + (size_t)k].real, sums);
        write_row(&along, sums, over_white, out);
    }
    free_taps(&along);
    free_taps(&below);
    free(sums);
    if (status != SAC_OK)
        sac_image_free(to);
    return status;
}

sac_status sac_image_scale(const sac_image *image, int width, int height, bool smooth,
                           sac_image *scaled, sac_error *error)
{
    side across = {image->width, 0, (double)image->width / width};
    side down = {image->height, 0, (double)image->height / height};
    sac_status status = sac_image_create(width, height, scaled, error);
    return status != SAC_OK
               ? status
               : scale_image_by_taps(image, across, down, smooth ? BY_CUBICS : BY_NEAREST, false,
                                     scaled, error);
}

sac_status sac_image_fit_in_square(const sac_image *image, int size, sac_image *square,
                                   sac_error *error)
{
    int longer = image->width > image->height ? image->width : image->height;
    double scale = (double)longer / size;
    side across = {image->width, (longer - image->width) / 2.0, scale};
    side down = {image->height, (longer - image->height) / 2.0, scale};
    sac_status status = sac_image_create(size, size, square, error);
    return status != SAC_OK
               ? status
               : scale_image_by_taps(image, across, down, BY_LINES, true, square, error);
}
