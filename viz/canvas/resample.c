/* Pictures at another size. Each axis has its own list of taps (which input pixels make an output
 * pixel, and how much of each); an output row is first summed over input rows, then along x. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "canvas/canvas.h"
#include "canvas/recording.h"

typedef struct scale_axis {
    int count;      /* output pixels */
    int taps;       /* at most, per output pixel */
    int *start;     /* [count] first input pixel */
    float *weights; /* [count,taps], each row sums to 1 */
} scale_axis;

/* Up to this many times larger a picture stays sharp (Catmull–Rom passes through its samples);
 * beyond, its pixels are cells, and Mitchell and Netravali's filter shows no grid. */
#define SHARP 4

static float cubic(float x, bool sharp)
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

static void area_taps(scale_axis *axis, int i, int in)
{
    double ratio = (double)in / axis->count, from = i * ratio, to = fmin((i + 1) * ratio, in);
    float *weights = axis->weights + (size_t)i * (size_t)axis->taps;
    axis->start[i] = (int)from;
    for (int k = 0; k < axis->taps; k++) {
        double low = fmax(from, axis->start[i] + k), high = fmin(to, axis->start[i] + k + 1);
        weights[k] = high > low ? (float)((high - low) / ratio) : 0;
    }
}

/* Taps that would fall off the edge count for the edge's pixel. */
static void cubic_taps(scale_axis *axis, int i, int in)
{
    float centre = ((float)i + 0.5f) * (float)in / (float)axis->count - 0.5f;
    int first = (int)floorf(centre) - 1;
    int start = first < 0 ? 0 : first > in - axis->taps ? in - axis->taps : first;
    float *weights = axis->weights + (size_t)i * (size_t)axis->taps;
    bool sharp = axis->count <= SHARP * in;
    axis->start[i] = start;
    for (int k = 0; k < 4; k++) {
        int at = first + k < 0 ? 0 : first + k > in - 1 ? in - 1 : first + k;
        weights[at - start] += cubic(centre - (float)(first + k), sharp);
    }
}

static void nearest_taps(scale_axis *axis, int i, int in)
{
    axis->start[i] = (int)((2 * (int64_t)i + 1) * in / (2 * (int64_t)axis->count));
    axis->weights[(size_t)i * (size_t)axis->taps] = 1;
}

static void axis_free(scale_axis *axis)
{
    free(axis->start);
    free(axis->weights);
}

static bool axis_create(int in, int out, bool smooth, scale_axis *axis)
{
    bool shrinks = out < in;
    axis->count = out;
    axis->taps = shrinks ? in / out + 2 : !smooth ? 1 : in < 4 ? in : 4;
    if (shrinks && axis->taps > in)
        axis->taps = in;
    size_t weights;
    if (!sac_checked_mul((size_t)out, (size_t)axis->taps, &weights))
        return false;
    axis->start = calloc((size_t)out, sizeof *axis->start);
    axis->weights = calloc(weights, sizeof *axis->weights);
    if (!axis->start || !axis->weights)
        return false;
    for (int i = 0; i < out; i++) {
        if (shrinks)
            area_taps(axis, i, in);
        else if (smooth)
            cubic_taps(axis, i, in);
        else
            nearest_taps(axis, i, in);
    }
    return true;
}

static bool is_opaque(const uint8_t *row, int width)
{
    const uint8_t opaque[4] = {0, 0, 0, 255};
    uint32_t all = UINT32_MAX, pixel, alpha; /* whole words, so that the loop is vectorised */
    for (int x = 0; x < width; x++) {
        memcpy(&pixel, row + 4 * (size_t)x, sizeof pixel);
        all &= pixel;
    }
    memcpy(&alpha, opaque, sizeof alpha);
    return (all & alpha) == alpha;
}

/* Adds `weight` times a row [width,4] to sums; colour counts by its alpha. */
static void add_row(const uint8_t *restrict row, int width, float weight, float *restrict sums)
{
    if (is_opaque(row, width)) { /* nearly always; this loop is vectorised */
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

typedef float pixel4 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));

/* Rounds the channels to bytes, clamped. */
static void write_pixel(pixel4 value, uint8_t *out)
{
    const pixel4 most = {255, 255, 255, 255};
    int4 positive = value > 0, above = value > most;
    value = (pixel4)(((int4)value & ~above & positive) | ((int4)most & above));
    int4 rounded = __builtin_convertvector(value + 0.5f, int4);
    for (int c = 0; c < 4; c++)
        out[c] = (uint8_t)rounded[c];
}

/* One output row out of the summed input row. */
static void write_row(const scale_axis *axis, const float *sums, uint8_t *out)
{
    for (int x = 0; x < axis->count; x++) {
        const float *weights = axis->weights + (size_t)x * (size_t)axis->taps;
        const float *from = sums + 4 * (size_t)axis->start[x];
        pixel4 sum = {0}, one;
        for (int k = 0; k < axis->taps; k++) {
            if (weights[k] == 0) /* also keeps inside the row */
                continue;
            memcpy(&one, from + 4 * k, sizeof one);
            sum += weights[k] * one;
        }
        float alpha = sum[3], unmultiply = alpha > 0.5f ? 255.0f / alpha : 0;
        sum *= unmultiply;
        sum[3] = alpha;
        write_pixel(sum, out + 4 * x);
    }
}

sac_status viz_image_scale(const sac_image *image, int width, int height, bool smooth,
                           sac_image *scaled, sac_error *error)
{
    scale_axis along = {0}, down = {0};
    float *sums = NULL;
    size_t in_row = 4 * (size_t)image->width, out_row = 4 * (size_t)width;
    *scaled = (sac_image){0};
    sac_status status = sac_image_create(width, height, scaled, error);
    if (status != SAC_OK)
        return status;
    sums = malloc(in_row * sizeof *sums);
    if (!sums || !axis_create(image->width, width, smooth, &along) ||
        !axis_create(image->height, height, smooth, &down)) {
        status = sac_no_memory(error, "picture");
        sac_image_free(scaled);
        goto cleanup;
    }
    for (int y = 0; y < height; y++) {
        memset(sums, 0, in_row * sizeof *sums);
        for (int k = 0; k < down.taps; k++) {
            float weight = down.weights[(size_t)y * (size_t)down.taps + (size_t)k];
            if (weight != 0)
                add_row(image->rgba + in_row * (size_t)(down.start[y] + k), image->width, weight,
                        sums);
        }
        write_row(&along, sums, scaled->rgba + out_row * (size_t)y);
    }
cleanup:
    axis_free(&along);
    axis_free(&down);
    free(sums);
    return status;
}

/* ---------------------------------------------------------------- onto the canvas */

static void copy_row(const uint8_t *from, uint8_t *to, int count)
{
    if (is_opaque(from, count)) {
        memcpy(to, from, 4 * (size_t)count);
        return;
    }
    for (int x = 0; x < count; x++, from += 4, to += 4) {
        unsigned a = from[3];
        for (int c = 0; c < 3; c++)
            to[c] = (uint8_t)((from[c] * a + to[c] * (255 - a) + 127) / 255);
    }
}

/* `image` as it is, its corner at pixel (x, y). */
static void blit(viz_canvas *canvas, const sac_image *image, int x, int y)
{
    int x0 = x > canvas->clip_x0 ? x : canvas->clip_x0;
    int y0 = y > canvas->clip_y0 ? y : canvas->clip_y0;
    int x1 = x + image->width < canvas->clip_x1 ? x + image->width : canvas->clip_x1;
    int y1 = y + image->height < canvas->clip_y1 ? y + image->height : canvas->clip_y1;
    for (int row = y0; row < y1 && x0 < x1; row++)
        copy_row(image->rgba + 4 * ((size_t)(row - y) * (size_t)image->width + (size_t)(x0 - x)),
                 canvas->rgba + 4 * ((size_t)row * (size_t)canvas->width + (size_t)x0), x1 - x0);
}

static uint8_t find_tone(const int counts[256], int below)
{
    int level = 0, sum = 0;
    while (level < 255 && (sum += counts[level]) <= below)
        level++;
    return (uint8_t)level;
}

static void find_tones(viz_scaled *kept)
{
    int pixels = kept->image.width * kept->image.height, counts[256] = {0};
    for (int i = 0; i < pixels; i++)
        counts[viz_luma(kept->image.rgba + 4 * (size_t)i)]++;
    kept->dark = find_tone(counts, pixels / 100);
    kept->middle = find_tone(counts, pixels / 2);
    kept->light = find_tone(counts, pixels - pixels / 100 - 1);
}

void viz_image_kept(viz_canvas *canvas, viz_scaled *kept, const sac_image *image, unsigned stamp,
                    viz_rect rect, bool smooth)
{
    viz_pixels p = viz_to_pixels(canvas, rect);
    int width = p.x1 - p.x0, height = p.y1 - p.y0;
    if (width < 1 || height < 1)
        return;
    bool stale = !kept->image.rgba || kept->image.width != width || kept->image.height != height ||
                 kept->stamp != stamp || kept->smooth != smooth;
    if (stale) {
        viz_scaled_free(kept);
        if (viz_image_scale(image, width, height, smooth, &kept->image, NULL) != SAC_OK) {
            viz_drawing_lacks_memory();
            return;
        }
        kept->stamp = stamp;
        kept->smooth = smooth;
        kept->opaque = is_opaque(kept->image.rgba, width * height);
        find_tones(kept);
    }
    blit(canvas, &kept->image, p.x0, p.y0);
    viz_record(canvas, &(viz_shape){.kind = VIZ_SHAPE_IMAGE, .box = p, .image = kept->image});
}

void viz_scaled_free(viz_scaled *kept)
{
    sac_image_free(&kept->image);
    sac_image_free(&kept->ground);
    *kept = (viz_scaled){0};
}

void viz_image(viz_canvas *canvas, const sac_image *image, viz_rect rect, bool smooth)
{
    viz_scaled once = {0};
    viz_image_kept(canvas, &once, image, 0, rect, smooth);
    viz_scaled_free(&once);
}
