/* Colour maps as tables of 256 colours, and scales from values to places on them. */
#include "canvas/colormap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/heat.h"
#include "canvas/recording.h"
#include "canvas/tiles.h"

/* ---------------------------------------------------------------- CIELAB */

static const float white[3] = {0.95047f, 1.0f, 1.08883f}; /* D65, 2° */

static float to_linear(float s)
{
    return s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
}

static float srgb_from_linear(float l)
{
    return l <= 0.0031308f ? 12.92f * l : 1.055f * powf(l, 1 / 2.4f) - 0.055f;
}

static float lab_curve(float t)
{
    return t > 0.008856452f ? cbrtf(t) : t / 0.128418f + 4.0f / 29;
}

static float lab_curve_back(float t)
{
    return t > 6.0f / 29 ? t * t * t : 0.128418f * (t - 4.0f / 29);
}

void viz_color_lab(viz_color color, float lab[3])
{
    float r = to_linear(color.r / 255.0f), g = to_linear(color.g / 255.0f),
          b = to_linear(color.b / 255.0f);
    float x = lab_curve((0.4124564f * r + 0.3575761f * g + 0.1804375f * b) / white[0]);
    float y = lab_curve((0.2126729f * r + 0.7151522f * g + 0.0721750f * b) / white[1]);
    float z = lab_curve((0.0193339f * r + 0.1191920f * g + 0.9503041f * b) / white[2]);
    lab[0] = 116 * y - 16;
    lab[1] = 500 * (x - y);
    lab[2] = 200 * (y - z);
}

static uint8_t to_byte(float linear)
{
    float s = 255 * srgb_from_linear(fmaxf(linear, 0));
    return s >= 255 ? 255 : (uint8_t)(s + 0.5f);
}

static viz_color lab_color(const float lab[3])
{
    float fy = (lab[0] + 16) / 116;
    float x = white[0] * lab_curve_back(fy + lab[1] / 500);
    float y = white[1] * lab_curve_back(fy);
    float z = white[2] * lab_curve_back(fy - lab[2] / 200);
    return (viz_color){to_byte(3.2404542f * x - 1.5371385f * y - 0.4985314f * z),
                       to_byte(-0.9692660f * x + 1.8760108f * y + 0.0415560f * z),
                       to_byte(0.0556434f * x - 0.2040259f * y + 1.0572252f * z), 255};
}

static float luminance(viz_color c)
{
    return 0.2126f * to_linear(c.r / 255.0f) + 0.7152f * to_linear(c.g / 255.0f) +
           0.0722f * to_linear(c.b / 255.0f);
}

float viz_contrast(viz_color a, viz_color b)
{
    float la = luminance(a), lb = luminance(b);
    return (fmaxf(la, lb) + 0.05f) / (fminf(la, lb) + 0.05f);
}

viz_color viz_text_on(viz_color cell)
{
    viz_color dark = {0, 0, 0, 255}, light = {255, 255, 255, 255};
    return viz_contrast(cell, dark) > viz_contrast(cell, light) ? dark : light;
}

/* ---------------------------------------------------------------- the maps */

#define POINTS 9
#define STEPS 256

/* L*, a*, b*. On a dark ground lightness rises along each map, on a light one it falls; the diverging
 * one does so from its middle both ways. */
static const float curves[2][VIZ_COLORMAP_COUNT][POINTS][3] = {
    {
        [VIZ_INFERNO] = {{1, 1, -3},
                         {12, 26, -37},
                         {25, 45, -37},
                         {37, 51, -14},
                         {49, 55, 18},
                         {61, 48, 52},
                         {73, 27, 70},
                         {86, 1, 72},
                         {97, -12, 38}},
        [VIZ_VIRIDIS] = {{14, 36, -34},
                         {24, 29, -40},
                         {34, 12, -36},
                         {44, -8, -25},
                         {54, -26, -10},
                         {64, -42, 9},
                         {74, -50, 35},
                         {84, -38, 64},
                         {92, -12, 82}},
        [VIZ_CIVIDIS] = {{13, 6, -27},
                         {23, 5, -28},
                         {33, 3, -20},
                         {43, 1, -9},
                         {53, -1, 4},
                         {63, -3, 19},
                         {73, -4, 36},
                         {82, -6, 53},
                         {91, -8, 70}},
        [VIZ_DIVERGING] = {{84, -14, -17},
                           {66, -13, -37},
                           {46, -4, -36},
                           {28, 2, -20},
                           {15, 0, 0},
                           {28, 20, 20},
                           {46, 34, 36},
                           {66, 27, 45},
                           {84, 10, 36}},
    },
    {
        [VIZ_INFERNO] = {{99, 0, 1},
                         {94, -1, 24},
                         {86, 8, 46},
                         {75, 26, 57},
                         {63, 46, 47},
                         {51, 57, 22},
                         {39, 54, -9},
                         {26, 43, -34},
                         {13, 27, -37}},
        [VIZ_VIRIDIS] = {{99, 0, 0},
                         {94, -13, 24},
                         {86, -30, 45},
                         {75, -42, 38},
                         {63, -38, 12},
                         {51, -24, -12},
                         {39, -2, -30},
                         {27, 20, -38},
                         {16, 35, -35}},
        [VIZ_CIVIDIS] = {{99, 0, 0},
                         {93, -4, 22},
                         {84, -6, 42},
                         {73, -4, 32},
                         {62, -3, 17},
                         {51, -1, 2},
                         {40, 2, -12},
                         {28, 5, -25},
                         {16, 6, -29}},
        [VIZ_DIVERGING] = {{28, 6, -46},
                           {48, -4, -46},
                           {68, -12, -30},
                           {86, -8, -13},
                           {98, 0, 0},
                           {86, 12, 22},
                           {68, 30, 46},
                           {48, 42, 52},
                           {30, 38, 40}},
    }};

const char *const viz_colormap_names[VIZ_COLORMAP_COUNT] = {"inferno", "viridis", "cividis",
                                                            "diverging"};

/* The Catmull–Rom curve through the points at place u, 0 … POINTS − 1. */
static void curve_at(const float points[POINTS][3], float u, float lab[3])
{
    int i = u >= POINTS - 1 ? POINTS - 2 : (int)u;
    float f = u - (float)i;
    for (int c = 0; c < 3; c++) {
        float b = points[i][c], d = points[i + 1][c];
        float a = i > 0 ? points[i - 1][c] : 2 * b - d;
        float e = i + 2 < POINTS ? points[i + 2][c] : 2 * d - b;
        lab[c] = 0.5f * (2 * b + (d - a) * f + (2 * a - 5 * b + 4 * d - e) * f * f +
                         (3 * b - a - 3 * d + e) * f * f * f);
    }
}

static float lab_distance(const float a[3], const float b[3])
{
    float l = a[0] - b[0], u = a[1] - b[1], v = a[2] - b[2];
    return sqrtf(l * l + u * u + v * v);
}

#define FINE 2048

/* Colours for table[first … last], evenly spaced along the stretch [from,to] of the curve. */
static void fill_color_stretch(const float points[POINTS][3], float from, float to,
                               viz_color *table, int first, int last)
{
    float length[FINE + 1] = {0}, lab[3], before[3];
    curve_at(points, from, before);
    for (int i = 1; i <= FINE; i++) {
        curve_at(points, from + (to - from) * (float)i / FINE, lab);
        length[i] = length[i - 1] + lab_distance(lab, before);
        memcpy(before, lab, sizeof lab);
    }
    for (int k = first, i = 0; k <= last; k++) {
        float wanted = length[FINE] * (float)(k - first) / (float)(last - first);
        while (i < FINE - 1 && length[i + 1] < wanted)
            i++;
        float part = (wanted - length[i]) / (length[i + 1] - length[i]);
        curve_at(points, from + (to - from) * ((float)i + part) / FINE, lab);
        table[k] = lab_color(lab);
    }
}

static const viz_color *color_table_for_map(bool light, viz_colormap map)
{
    static viz_color tables[2][VIZ_COLORMAP_COUNT][STEPS];
    viz_color *table = tables[light][map];
    const float(*curve)[3] = curves[light][map];
    if (table[STEPS - 1].a) /* made before */
        return table;
    if (map == VIZ_DIVERGING) { /* each half by itself, so that the middle is in the middle */
        fill_color_stretch(curve, 0, (POINTS - 1) / 2.0f, table, 0, STEPS / 2);
        fill_color_stretch(curve, (POINTS - 1) / 2.0f, POINTS - 1, table, STEPS / 2 - 1, STEPS - 1);
    } else {
        fill_color_stretch(curve, 0, POINTS - 1, table, 0, STEPS - 1);
    }
    return table;
}

const viz_color *viz_colormap_table(viz_colormap map)
{
    return color_table_for_map(false, map);
}

const viz_color *viz_map_colors(const viz_theme *theme, viz_colormap map)
{
    return color_table_for_map(theme->light, map);
}

static viz_color color_in(const viz_color *table, float t)
{
    t = t > 0 ? t < 1 ? t : 1 : 0;
    return table[(int)(t * (STEPS - 1) + 0.5f)];
}

viz_color viz_map_color(const viz_theme *theme, viz_colormap map, float t)
{
    return color_in(viz_map_colors(theme, map), t);
}

viz_color viz_colormap_color(viz_colormap map, float t)
{
    return color_in(viz_colormap_table(map), t);
}

const char *viz_colormap_name(viz_colormap map)
{
    return (unsigned)map < VIZ_COLORMAP_COUNT ? viz_colormap_names[map] : "";
}

/* The place of `name` among `names`, or −1. */
static int find_name(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return i;
    return -1;
}

bool viz_colormap_from_name(const char *name, viz_colormap *map)
{
    int found = find_name(viz_colormap_names, VIZ_COLORMAP_COUNT, name);
    if (found >= 0)
        *map = (viz_colormap)found;
    return found >= 0;
}

/* ---------------------------------------------------------------- scales */

const char *const viz_scale_names[VIZ_SCALE_COUNT] = {
    "per map, linear", "shared", "shared scale, square root", "logarithmic", "fixed"};

const char *viz_scale_name(viz_scale_kind kind)
{
    return (unsigned)kind < VIZ_SCALE_COUNT ? viz_scale_names[kind] : "";
}

bool viz_scale_from_name(const char *name, viz_scale_kind *kind)
{
    int found = find_name(viz_scale_names, VIZ_SCALE_COUNT, name);
    if (found >= 0)
        *kind = (viz_scale_kind)found;
    return found >= 0;
}

viz_scale viz_scale_for(viz_scale_kind kind, float most)
{
    viz_scale scale = {.kind = kind, .low = 0, .high = most > 0 ? most : 1};
    if (kind == VIZ_FIXED)
        scale.high = 1;
    if (kind == VIZ_LOG)
        scale.low = scale.high * 1e-4f;
    return scale;
}

static float place_about_zero(const viz_scale *scale, float weight)
{
    viz_scale half = {scale->kind, scale->kind == VIZ_LOG ? scale->low : 0, scale->high, false};
    float t = viz_scale_at(&half, fabsf(weight)) / 2;
    return weight < 0 ? 0.5f - t : 0.5f + t;
}

float viz_scale_at(const viz_scale *scale, float weight)
{
    if (scale->about_zero)
        return place_about_zero(scale, weight);
    float t = scale->kind == VIZ_LOG
                  ? (weight > 0 ? logf(weight / scale->low) / logf(scale->high / scale->low) : 0)
                  : (weight - scale->low) / (scale->high - scale->low);
    if (scale->kind == VIZ_ROOT)
        t = t > 0 ? sqrtf(t) : 0;
    return t > 0 ? t < 1 ? t : 1 : 0;
}

/* ---------------------------------------------------------------- a matrix as cells */

/* NaN is a weight that a mask keeps at 0. */
static viz_color cell_color(const viz_canvas *canvas, const viz_color *colors,
                            const viz_scale *scale, float value)
{
    return isnan(value) ? canvas->theme->masked
                        : colors[(int)(viz_scale_at(scale, value) * 255 + 0.5f)];
}

static void fill_cells_row(const viz_canvas *canvas, uint8_t *pixel, const float *values,
                           const int *columns, int width, const viz_color *colors,
                           const viz_scale *scale)
{
    int before = -1;
    viz_color color = {0};
    for (int x = 0; x < width; x++, pixel += 4) {
        if (columns[x] != before) {
            before = columns[x];
            color = cell_color(canvas, colors, scale, values[before]);
        }
        memcpy(pixel, &color, 4);
    }
}

static void record_cells(viz_canvas *canvas, viz_pixels box, const float *values, size_t rows,
                         size_t cols, const viz_color *colors, const viz_scale *scale)
{
    viz_shape cells = {.kind = VIZ_SHAPE_CELLS, .box = box};
    float least = VIZ_LEAST_CELL * canvas->density;
    if (!canvas->recording)
        return;
    if ((float)(box.x1 - box.x0) < least * (float)cols ||
        (float)(box.y1 - box.y0) < least * (float)rows) {
        viz_record_pixels(canvas, box);
        return;
    }
    if (sac_image_create((int)cols, (int)rows, &cells.image, NULL) == SAC_OK) {
        for (size_t i = 0; i < rows * cols; i++) {
            viz_color color = cell_color(canvas, colors, scale, values[i]);
            memcpy(cells.image.rgba + 4 * i, &color, 4);
        }
        viz_record(canvas, &cells);
    } else {
        viz_drawing_lacks_memory();
    }
    sac_image_free(&cells.image);
}

/* The open part of the cells, which lie over `whole`. */
static void draw_cells_part(viz_canvas *canvas, viz_pixels whole, const float *values, size_t rows,
                            size_t cols, const viz_color *colors, const viz_scale *scale)
{
    viz_pixels part = canvas->part;
    int width = part.x1 - part.x0, *columns = viz_allocate((size_t)width, sizeof *columns);
    if (!columns)
        return;
    for (int x = 0; x < width; x++)
        columns[x] =
            (int)(((uint64_t)(part.x0 - whole.x0 + x) * cols) / (uint64_t)(whole.x1 - whole.x0));
    size_t before = SIZE_MAX;
    for (int y = part.y0; y < part.y1; y++) {
        size_t row = (size_t)(y - whole.y0) * rows / (size_t)(whole.y1 - whole.y0);
        if (row == before) /* the same cells: the same pixels */
            memcpy(viz_pixel_at(canvas, part.x0, y), viz_pixel_at(canvas, part.x0, y - 1),
                   4 * (size_t)width);
        else
            fill_cells_row(canvas, viz_pixel_at(canvas, part.x0, y), values + row * cols, columns,
                           width, colors, scale);
        before = row;
    }
    free(columns);
}

void viz_cells(viz_canvas *canvas, viz_rect rect, const float *values, size_t rows, size_t cols,
               const viz_color *colors, const viz_scale *scale)
{
    viz_pixels whole = viz_to_pixels(canvas, rect);
    if (viz_is_empty(viz_seen_part(canvas, whole)) || !rows || !cols)
        return;
    if (viz_is_noting(canvas)) {
        const size_t sizes[] = {rows, cols};
        const float numbers[] = {(float)scale->kind, scale->low, scale->high};
        uint64_t hash = viz_hash(VIZ_SHAPE_CELLS, sizes, sizeof sizes);
        hash = viz_hash(hash, &whole, sizeof whole);
        hash = viz_hash(hash, numbers, sizeof numbers);
        hash = viz_hash(hash, &canvas->theme->masked, sizeof canvas->theme->masked);
        hash = viz_hash(hash, colors, 256 * sizeof *colors);
        viz_note(canvas, whole, viz_hash(hash, values, rows * cols * sizeof *values));
    }
    VIZ_EACH_PART(canvas, whole)
    draw_cells_part(canvas, whole, values, rows, cols, colors, scale);
    record_cells(canvas, whole, values, rows, cols, colors, scale);
}
