/* Colour in linear light and CIELAB, averages over cells, and the features of each cell. */

#include "sources/files/picture/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/checked.h"
#include "base/error.h"

const char *const sac_feature_names[SAC_FEATURES] = {
    [SAC_LIGHTNESS] = "lightness",     [SAC_GREEN_RED] = "green–red",
    [SAC_BLUE_YELLOW] = "blue–yellow", [SAC_CONTRAST] = "contrast",
    [SAC_UPRIGHT] = "upright edges",   [SAC_SLANTED] = "slanted edges",
    [SAC_PLACE_X] = "place across",    [SAC_PLACE_Y] = "place down",
    [SAC_CONSTANT] = "constant",
};

/* ---------------------------------------------------------------- colour */

float sac_light_to_srgb(float linear)
{
    if (!(linear > 0))
        return 0;
    if (linear >= 1)
        return 1;
    return linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1 / 2.4f) - 0.055f;
}

static float lab_curve(float t)
{
    return t > 216.0f / 24389 ? cbrtf(t) : (24389.0f / 27 * t + 16) / 116;
}

/* Y of the D65 white is 1. */
static float lightness_of(const float rgb[3])
{
    return 116 * lab_curve(0.2126729f * rgb[0] + 0.7151522f * rgb[1] + 0.0721750f * rgb[2]) - 16;
}

/* Linear light to CIELAB under D65. Each row of the sRGB primaries' matrix is divided by its sum, the white point's coordinate, so
 * that white is exactly L* 100, a* b* 0. */
static void light_to_lab(const float rgb[3], float lab[3])
{
    float r = rgb[0], g = rgb[1], b = rgb[2];
    float x = lab_curve((0.4124564f * r + 0.3575761f * g + 0.1804375f * b) / 0.9504700f);
    float y = lab_curve(0.2126729f * r + 0.7151522f * g + 0.0721750f * b);
    float z = lab_curve((0.0193339f * r + 0.1191920f * g + 0.9503041f * b) / 1.0888300f);
    lab[0] = 116 * y - 16;
    lab[1] = 500 * (x - y);
    lab[2] = 200 * (y - z);
}

/* ---------------------------------------------------------------- sampling by area */

/* Gives row y as linear light [width,3]. */
typedef void row_reader(const void *source, int y, float *row);

/* One row [from,3] averaged into [to,3]: differences of a running sum, so that its time does not
 * depend on how the sizes relate. `sum` has room for [from + 1,3]; double, because the differences
 * are small against a long row's sum. */
static void resample_row(const float *row, int from, float *out, int to, double *sum)
{
    double r = 0, g = 0, b = 0;
    for (int x = 0; x <= from; x++) {
        double *s = sum + 3 * (size_t)x;
        s[0] = r, s[1] = g, s[2] = b;
        if (x < from) {
            r += row[3 * (size_t)x];
            g += row[3 * (size_t)x + 1];
            b += row[3 * (size_t)x + 2];
        }
    }
    double before[3] = {0, 0, 0}, scale = (double)to / from;
    for (int x = 0; x < to; x++) {
        double edge = (double)(x + 1) * from / to;
        int whole = x + 1 == to ? from - 1 : (int)edge;
        double *s = sum + 3 * (size_t)whole, part = edge - whole;
        for (int c = 0; c < 3; c++) {
            double here = s[c] + part * (s[c + 3] - s[c]);
            out[3 * (size_t)x + (size_t)c] = (float)((here - before[c]) * scale);
            before[c] = here;
        }
    }
}

/* Adds a row that covers [y, y + 1) of `from` rows to the rows of `out` [to,width,3] it overlaps.
 */
static void add_row(const float *row, int y, int from, float *out, int width, int to)
{
    double scale = (double)to / from, top = y * scale, bottom = (y + 1) * scale;
    size_t count = 3 * (size_t)width;
    for (int r = (int)top; r < to && r < bottom; r++) {
        double overlap = fmin(bottom, r + 1) - fmax(top, r);
        float weight = (float)overlap;
        float *into = out + (size_t)r * count;
        for (size_t i = 0; overlap > 0 && i < count; i++)
            into[i] += weight * row[i];
    }
}

/* Averages a picture [from_h,from_w] into *to of to_w × to_h, reading each row once. */
static sac_status resample(row_reader *read, const void *source, int from_w, int from_h, int to_w,
                           int to_h, sac_light_image *to, sac_error *error)
{
    size_t bytes = 0, wide = 3 * (size_t)from_w;
    bool fits = sac_checked_mul((size_t)to_w * (size_t)to_h, 3 * sizeof *to->rgb, &bytes);
    float *row = malloc(wide * sizeof *row), *narrow = malloc(3 * (size_t)to_w * sizeof *narrow);
    double *sum = malloc((wide + 3) * sizeof *sum);
    *to = (sac_light_image){to_w, to_h, fits ? calloc(bytes, 1) : NULL};
    sac_status status = SAC_OK;
    if (!row || !narrow || !sum || !to->rgb)
        status = sac_fail(error, SAC_E_MEMORY, "picture", "give a smaller one",
                          "out of memory for %d × %d samples", to_w, to_h);
    for (int y = 0; status == SAC_OK && y < from_h; y++) {
        status = sac_cancel_check("picture", error);
        if (status != SAC_OK)
            break;
        read(source, y, row);
        if (to_w != from_w)
            resample_row(row, from_w, narrow, to_w, sum);
        add_row(to_w != from_w ? narrow : row, y, from_h, to->rgb, to_w, to_h);
    }
    free(row);
    free(narrow);
    free(sum);
    if (status != SAC_OK)
        sac_light_image_free(to);
    return status;
}

typedef struct image_rows {
    const sac_image *image;
    float linear[256]; /* of each sRGB value */
} image_rows;

static void read_image_row(const void *source, int y, float *row)
{
    const image_rows *rows = source;
    const uint8_t *pixel = rows->image->rgba + 4 * (size_t)y * (size_t)rows->image->width;
    const float ground = 0.1842f; /* L* 50: transparency is neither bright nor dark */
    for (int x = 0; x < rows->image->width; x++, pixel += 4, row += 3) {
        for (int c = 0; c < 3; c++)
            row[c] = rows->linear[pixel[c]];
        if (pixel[3] == 255)
            continue;
        float alpha = (float)pixel[3] / 255;
        for (int c = 0; c < 3; c++)
            row[c] = alpha * row[c] + (1 - alpha) * ground;
    }
}

static void read_linear_row(const void *source, int y, float *row)
{
    const sac_light_image *linear = source;
    size_t count = 3 * (size_t)linear->width;
    memcpy(row, linear->rgb + (size_t)y * count, count * sizeof *row);
}

sac_status sac_light_image_create(const sac_image *image, int longest, sac_light_image *linear,
                                  sac_error *error)
{
    int width = image->width, height = image->height;
    *linear = (sac_light_image){0};
    if (width < 1 || height < 1 || longest < 1)
        return sac_fail(error, SAC_E_SHAPE, "picture", "give one that has pixels",
                        "%d × %d pixels cannot be looked at", width, height);
    double shrink = fmin(1, (double)longest / (width > height ? width : height));
    int to_w = (int)lround(width * shrink), to_h = (int)lround(height * shrink);
    image_rows rows = {.image = image};
    for (int i = 0; i < 256; i++) {
        /* IEC 61966-2-1 */
        float srgb = (float)i / 255;
        rows.linear[i] = srgb <= 0.04045f ? srgb / 12.92f : powf((srgb + 0.055f) / 1.055f, 2.4f);
    }
    return resample(read_image_row, &rows, width, height, to_w < 1 ? 1 : to_w, to_h < 1 ? 1 : to_h,
                    linear, error);
}

void sac_light_image_free(sac_light_image *linear)
{
    free(linear->rgb);
    *linear = (sac_light_image){0};
}

/* ---------------------------------------------------------------- cells */

/* Samples along each side of a cell: structure is measured at the cell's own scale, so that a
 * picture gives the same features at any resolution. */
enum { SAMPLES = 8, MAX_GRID = 512 };

#define UNIT 10.0f /* ΔE */
#define HUE_WEIGHT 1.5f
#define STRUCTURE_WEIGHT 0.3f

/* The structure tensor (Förstner and Gülch 1987): means over a cell of the products of L*'s
 * derivatives, in L* per cell. Means can be averaged further without losing the direction of
 * edges, as means of angles would. */
typedef struct tensor {
    float xx, yy, xy;
} tensor;

static void cell_color(const sac_light_image *samples, int cx, int cy, float mean[3])
{
    double sum[3] = {0, 0, 0};
    for (int y = cy * SAMPLES; y < (cy + 1) * SAMPLES; y++) {
        const float *row = samples->rgb + 3 * ((size_t)y * (size_t)samples->width);
        for (int x = cx * SAMPLES; x < (cx + 1) * SAMPLES; x++)
            for (int c = 0; c < 3; c++)
                sum[c] += row[3 * x + c];
    }
    for (int c = 0; c < 3; c++)
        mean[c] = (float)(sum[c] / (SAMPLES * SAMPLES));
}

/* `lightness` [height,width] of the samples; beyond the edge the picture goes on as it ends. */
static tensor cell_tensor(const float *lightness, int width, int height, int cx, int cy)
{
    tensor sum = {0, 0, 0};
    for (int y = cy * SAMPLES; y < (cy + 1) * SAMPLES; y++) {
        const float *row = lightness + (size_t)y * (size_t)width;
        const float *above = y > 0 ? row - width : row, *below = y + 1 < height ? row + width : row;
        for (int x = cx * SAMPLES; x < (cx + 1) * SAMPLES; x++) {
            float dx = row[x + 1 < width ? x + 1 : x] - row[x > 0 ? x - 1 : x];
            float dy = below[x] - above[x];
            sum.xx += dx * dx;
            sum.yy += dy * dy;
            sum.xy += dx * dy;
        }
    }
    /* Central differences span two samples: (SAMPLES / 2)² makes them L* per cell. */
    const float mean = (SAMPLES / 2.0f) * (SAMPLES / 2.0f) / (SAMPLES * SAMPLES);
    return (tensor){sum.xx * mean, sum.yy * mean, sum.xy * mean};
}

/* Averages a cell's tensor with its neighbours' by 1 2 1 both ways: texture is a matter of
 * surroundings, and an edge should not change its look by where the grid happens to cut it. */
static tensor smooth_tensor(const tensor *tensors, int grid_w, int grid_h, int cx, int cy)
{
    tensor sum = {0, 0, 0};
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int x = cx + dx < 0 ? 0 : cx + dx >= grid_w ? grid_w - 1 : cx + dx;
            int y = cy + dy < 0 ? 0 : cy + dy >= grid_h ? grid_h - 1 : cy + dy;
            tensor t = tensors[(size_t)y * (size_t)grid_w + (size_t)x];
            float weight = (float)((2 - abs(dx)) * (2 - abs(dy))) / 16;
            sum.xx += weight * t.xx;
            sum.yy += weight * t.yy;
            sum.xy += weight * t.xy;
        }
    return sum;
}

/* Contrast is compressed by a square root: twice the contrast does not look twice as different.
 * Direction goes in by the doubled angle, which has no seam between 179° and 0°. */
static void compute_look(const float lab[3], tensor t, float look[SAC_PLACE_X])
{
    float energy = t.xx + t.yy;
    float contrast = STRUCTURE_WEIGHT * sqrtf(sqrtf(energy) / UNIT);
    look[SAC_LIGHTNESS] = lab[0] / UNIT;
    look[SAC_GREEN_RED] = HUE_WEIGHT * lab[1] / UNIT;
    look[SAC_BLUE_YELLOW] = HUE_WEIGHT * lab[2] / UNIT;
    look[SAC_CONTRAST] = contrast;
    look[SAC_UPRIGHT] = energy > 0 ? contrast * (t.xx - t.yy) / energy : 0;
    look[SAC_SLANTED] = energy > 0 ? contrast * 2 * t.xy / energy : 0;
}

sac_status sac_cells_measure(const sac_light_image *linear, int grid_w, int grid_h,
                             sac_cells *cells, sac_error *error)
{
    *cells = (sac_cells){0};
    if (grid_w < 1 || grid_h < 1 || grid_w > MAX_GRID || grid_h > MAX_GRID)
        return sac_fail(error, SAC_E_ARGUMENT, "grid", "take 8 to 128 cells on the longer side",
                        "%d × %d cells cannot be measured", grid_w, grid_h);
    sac_light_image samples;
    sac_status status = resample(read_linear_row, linear, linear->width, linear->height,
                                 grid_w * SAMPLES, grid_h * SAMPLES, &samples, error);
    if (status != SAC_OK)
        return status;
    size_t count = (size_t)grid_w * (size_t)grid_h;
    size_t sample_count = (size_t)samples.width * (size_t)samples.height;
    float *lightness = malloc(sample_count * sizeof *lightness);
    tensor *tensors = malloc(count * sizeof *tensors);
    *cells = (sac_cells){grid_w, grid_h, malloc(count * 3 * sizeof(float)),
                         malloc(count * SAC_PLACE_X * sizeof(float))};
    if (!lightness || !tensors || !cells->color || !cells->look) {
        sac_cells_free(cells);
        status = sac_fail(error, SAC_E_MEMORY, "grid", NULL, "out of memory for %zu cells", count);
        goto cleanup;
    }
    for (size_t i = 0; i < sample_count; i++)
        lightness[i] = lightness_of(samples.rgb + 3 * i);
    int w = cells->grid_w, h = cells->grid_h;
    for (int i = 0; i < w * h; i++) {
        cell_color(&samples, i % w, i / w, cells->color + 3 * i);
        tensors[i] = cell_tensor(lightness, samples.width, samples.height, i % w, i / w);
    }
    for (int i = 0; i < w * h; i++) {
        float lab[3];
        light_to_lab(cells->color + 3 * i, lab);
        compute_look(lab, smooth_tensor(tensors, w, h, i % w, i / w),
                     cells->look + SAC_PLACE_X * i);
    }
cleanup:
    free(lightness);
    free(tensors);
    sac_light_image_free(&samples);
    return status;
}

void sac_cells_free(sac_cells *cells)
{
    free(cells->color);
    free(cells->look);
    *cells = (sac_cells){0};
}

void sac_cells_tokens(const sac_cells *cells, float position, float *tokens)
{
    int w = cells->grid_w, h = cells->grid_h;
    size_t count = (size_t)w * (size_t)h;
    float step = position * SAC_PLACE_SPAN / (float)(w > h ? w : h);
    for (size_t i = 0; i < count; i++) {
        float *token = tokens + i * SAC_FEATURES;
        memcpy(token, cells->look + i * SAC_PLACE_X, SAC_PLACE_X * sizeof *token);
        token[SAC_PLACE_X] = step * (float)(i % (size_t)w);
        token[SAC_PLACE_Y] = step * (float)(i / (size_t)w);
        token[SAC_CONSTANT] = 1;
    }
    for (int feature = 0; feature < SAC_CONSTANT; feature++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++)
            sum += tokens[i * SAC_FEATURES + (size_t)feature];
        float mean = (float)(sum / (double)count);
        for (size_t i = 0; i < count; i++)
            tokens[i * SAC_FEATURES + (size_t)feature] -= mean;
    }
}
