/* A map of weights is turned into places on the colour scale cell by cell, those are interpolated
 * to pixels (down a column once per row, then along it), and a table takes each place to what is
 * done with the pixel. */
#include "canvas/heat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

static const char *const overlay_names[] = {"heat", "spotlight", "contour"};

const char *viz_overlay_name(viz_overlay overlay)
{
    return (unsigned)overlay < VIZ_OVERLAY_COUNT ? overlay_names[overlay] : "";
}

bool viz_overlay_from_name(const char *name, viz_overlay *overlay)
{
    for (int i = 0; i < VIZ_OVERLAY_COUNT; i++)
        if (strcmp(overlay_names[i], name) == 0) {
            *overlay = (viz_overlay)i;
            return true;
        }
    return false;
}

/* Four neighbouring cells and their shares in one pixel, along one axis. */
typedef struct taps {
    int cell[4];
    float share[4];
} taps;

/* Catmull–Rom, so that a cell's centre shows the cell's own weight; blocky: that cell alone. */
static taps taps_at(float place, int cells, bool blocky)
{
    float centre = place * (float)cells - 0.5f;
    int first = blocky ? (int)(place * (float)cells) : (int)floorf(centre) - 1;
    float f = centre - floorf(centre), f2 = f * f, f3 = f2 * f;
    taps t = {.share = {0.5f * (-f + 2 * f2 - f3), 0.5f * (2 - 5 * f2 + 3 * f3),
                        0.5f * (f + 4 * f2 - 3 * f3), 0.5f * (f3 - f2)}};
    if (blocky)
        t = (taps){.share = {1}};
    for (int k = 0; k < 4; k++) {
        int cell = blocky ? first : first + k;
        t.cell[k] = cell < 0 ? 0 : cell > cells - 1 ? cells - 1 : cell;
    }
    return t;
}

static taps *taps_create(int from, int count, int whole, int cells, bool blocky)
{
    taps *list = calloc((size_t)count, sizeof *list);
    for (int i = 0; list && i < count; i++)
        list[i] = taps_at(((float)(from + i) + 0.5f) / (float)whole, cells, blocky);
    return list;
}

/* A field of places (or weights) over the grid, read out in rows of pixels. */
typedef struct field {
    const float *cells; /* [grid_h,grid_w] */
    int grid_w, grid_h, height;
    taps *along; /* one per pixel of a row */
    int y0, x0, width;
    bool blocky;
    float *column; /* [grid_w] the row of cells at one y */
} field;

static bool field_open(field *f, viz_pixels whole, viz_pixels seen, const float *cells, int grid_w,
                       int grid_h, bool blocky)
{
    *f = (field){.cells = cells,
                 .grid_w = grid_w,
                 .grid_h = grid_h,
                 .blocky = blocky,
                 .height = whole.y1 - whole.y0,
                 .y0 = whole.y0,
                 .x0 = seen.x0,
                 .width = seen.x1 - seen.x0};
    f->along = taps_create(seen.x0 - whole.x0, f->width, whole.x1 - whole.x0, grid_w, blocky);
    f->column = calloc((size_t)grid_w, sizeof *f->column);
    return f->along && f->column;
}

static void field_close(field *f)
{
    free(f->along);
    free(f->column);
}

/* The pixels' places along row y of the canvas into out[width], clamped below at 0. */
static void field_row(field *f, int y, float *out)
{
    taps down = taps_at(((float)(y - f->y0) + 0.5f) / (float)f->height, f->grid_h, f->blocky);
    memset(f->column, 0, (size_t)f->grid_w * sizeof *f->column);
    for (int k = 0; k < 4; k++) {
        const float *row = f->cells + (size_t)down.cell[k] * (size_t)f->grid_w;
        for (int x = 0; x < f->grid_w && down.share[k] != 0; x++)
            f->column[x] += down.share[k] * row[x];
    }
    for (int x = 0; x < f->width; x++) {
        const taps *t = &f->along[x];
        float sum = t->share[0] * f->column[t->cell[0]] + t->share[1] * f->column[t->cell[1]] +
                    t->share[2] * f->column[t->cell[2]] + t->share[3] * f->column[t->cell[3]];
        out[x] = sum > 0 ? sum : 0;
    }
}

/* ---------------------------------------------------------------- heat and spotlight */

#define TABLE 256

/* What happens to a pixel whose place on the scale is t: pixel · keep/256 + add. */
typedef struct effect {
    uint16_t keep;
    uint16_t add[3]; /* in 1/256 of a level */
} effect;

static effect heat_effect(viz_color color, float alpha)
{
    effect e = {.keep = (uint16_t)(256 * (1 - alpha) + 0.5f)};
    e.add[0] = (uint16_t)(256 * alpha * color.r);
    e.add[1] = (uint16_t)(256 * alpha * color.g);
    e.add[2] = (uint16_t)(256 * alpha * color.b);
    return e;
}

/* How strongly a place on the scale covers the picture: a little everywhere, so that the picture
 * steps back, and more with the weight. A diverging scale covers by the distance from its middle;
 * a logarithmic one, where all of a map may lie high, by the weight's share of the map's largest,
 * which lies at `highest`.
 */
static float heat_alpha(const viz_heat_style *style, float highest, float t)
{
    float strength = t;
    if (style->map == VIZ_DIVERGING)
        strength = fabsf(2 * t - 1);
    else if (style->scale.kind == VIZ_LOG)
        strength = powf(style->scale.high / style->scale.low, fminf(t - highest, 0));
    if (style->clear) { /* sets in late, for the maps begin dark and would lay a shade around */
        float t2 = fminf(strength / 0.7f, 1);
        return style->opacity * t2 * t2 * (3 - 2 * t2);
    }
    return style->opacity * (0.45f + 0.55f * sqrtf(strength));
}

/* How bright a place on the scale is left; a scale by the root has spread faint weights already. */
static float spotlight(const viz_heat_style *style, float t)
{
    return style->scale.kind == VIZ_ROOT ? t : sqrtf(t);
}

static void make_effects(const viz_heat_style *style, float highest, effect table[TABLE])
{
    const viz_color *colors = viz_colormap_table(style->map);
    for (int i = 0; i < TABLE; i++) {
        float t = (float)i / (TABLE - 1);
        if (style->overlay == VIZ_SPOTLIGHT) /* black, thinning out where attention is */
            table[i] = heat_effect((viz_color){0}, style->opacity * (1 - spotlight(style, t)));
        else
            table[i] = heat_effect(colors[i], heat_alpha(style, highest, t));
    }
}

static void apply_row(uint8_t *pixel, const float *places, int width, const effect *table)
{
    for (int x = 0; x < width; x++, pixel += 4) {
        int i = (int)(places[x] * (TABLE - 1) + 0.5f);
        const effect *e = &table[i < TABLE ? i : TABLE - 1];
        for (int c = 0; c < 3; c++)
            pixel[c] = (uint8_t)((pixel[c] * e->keep + e->add[c] + 128) >> 8);
    }
}

static uint8_t *row_at(viz_canvas *canvas, int x, int y)
{
    return canvas->rgba + 4 * ((size_t)y * (size_t)canvas->width + (size_t)x);
}

static void draw_effects(viz_canvas *canvas, viz_pixels seen, field *f, float *row,
                         const viz_heat_style *style)
{
    effect table[TABLE];
    float highest = 0;
    for (size_t i = 0; i < (size_t)f->grid_w * (size_t)f->grid_h; i++)
        highest = fmaxf(highest, f->cells[i]);
    make_effects(style, highest, table);
    for (int y = seen.y0; y < seen.y1; y++) {
        field_row(f, y, row);
        apply_row(row_at(canvas, seen.x0, y), row, f->width, table);
    }
}

/* ---------------------------------------------------------------- contours */

static int descending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* The weight of the last cell that it takes, largest first, to reach a share of the whole mass. */
static float mass_threshold(const float *sorted, size_t count, float share)
{
    double total = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        total += sorted[i];
    for (size_t i = 0; i < count; i++) {
        sum += sorted[i];
        if (sum >= share * total)
            return sorted[i];
    }
    return 0;
}

/* A line where the field crosses `level`: its distance is estimated from the slope. */
static void contour_row(viz_canvas *canvas, viz_pixels seen, int y, float *const rows[3],
                        float level, float half, viz_color color)
{
    viz_color halo = viz_with_alpha((viz_color){0, 0, 0, 255}, 0.45f * (float)color.a / 255);
    int width = seen.x1 - seen.x0;
    for (int x = 1; x < width - 1; x++) {
        float dx = 0.5f * (rows[1][x + 1] - rows[1][x - 1]);
        float dy = 0.5f * (rows[2][x] - rows[0][x]);
        float slope = sqrtf(dx * dx + dy * dy);
        float distance = fabsf(rows[1][x] - level) / (slope > 1e-12f ? slope : 1e-12f);
        if (distance > half + 2)
            continue;
        viz_blend(canvas, seen.x0 + x, y, halo, half + 1.5f - distance);
        viz_blend(canvas, seen.x0 + x, y, color, half + 0.5f - distance);
    }
}

/* Half way between the last cell inside and the cells outside, so that the line runs between. */
static float contour_level(const float *sorted, size_t count, float share)
{
    float inside = mass_threshold(sorted, count, share), outside = 0;
    for (size_t i = 0; i < count && outside == 0; i++)
        if (sorted[i] < inside)
            outside = sorted[i];
    return 0.5f * (inside + outside);
}

static void draw_contours(viz_canvas *canvas, viz_pixels seen, field *f, float *buffer,
                          const float *levels, float opacity)
{
    float *rows[3] = {buffer, buffer + f->width, buffer + 2 * (size_t)f->width};
    float half = fmaxf(0.75f * canvas->density, 0.5f);
    viz_color white = {255, 255, 255, 255};
    field_row(f, seen.y0, rows[0]);
    field_row(f, seen.y0, rows[1]);
    for (int y = seen.y0; y < seen.y1; y++) {
        field_row(f, y + 1 < seen.y1 ? y + 1 : y, rows[2]);
        contour_row(canvas, seen, y, rows, levels[1], half, viz_with_alpha(white, 0.6f * opacity));
        contour_row(canvas, seen, y, rows, levels[0], 1.5f * half, viz_with_alpha(white, opacity));
        float *oldest = rows[0];
        rows[0] = rows[1];
        rows[1] = rows[2];
        rows[2] = oldest;
    }
}

/* ---------------------------------------------------------------- the overlays */

static viz_pixels seen_part(const viz_canvas *canvas, viz_pixels p)
{
    p.x0 = p.x0 > canvas->clip_x0 ? p.x0 : canvas->clip_x0;
    p.y0 = p.y0 > canvas->clip_y0 ? p.y0 : canvas->clip_y0;
    p.x1 = p.x1 < canvas->clip_x1 ? p.x1 : canvas->clip_x1;
    p.y1 = p.y1 < canvas->clip_y1 ? p.y1 : canvas->clip_y1;
    return p;
}

/* Scaled places for heat and spotlight; the weights themselves, sorted for their mass, for
 * contours. */
static void heat_cells(const viz_heat_style *style, const float *weights, size_t count,
                       float *cells, float levels[2])
{
    if (style->overlay == VIZ_CONTOUR) {
        memcpy(cells, weights, count * sizeof *cells);
        qsort(cells, count, sizeof *cells, descending);
        levels[0] = contour_level(cells, count, 0.5f);
        levels[1] = contour_level(cells, count, 0.9f);
        memcpy(cells, weights, count * sizeof *cells);
        return;
    }
    for (size_t i = 0; i < count; i++)
        cells[i] = viz_scale_at(&style->scale, weights[i]);
}

void viz_heat(viz_canvas *canvas, viz_rect rect, const float *weights, int grid_w, int grid_h,
              const viz_heat_style *style)
{
    viz_pixels whole = viz_to_pixels(canvas, rect), seen = seen_part(canvas, whole);
    if (seen.x0 >= seen.x1 || seen.y0 >= seen.y1 || grid_w < 1 || grid_h < 1)
        return;
    field f = {0};
    float levels[2] = {0};
    size_t count = (size_t)grid_w * (size_t)grid_h;
    float *cells = calloc(count, sizeof *cells);
    float *rows = calloc(3 * (size_t)(seen.x1 - seen.x0), sizeof *rows);
    /* A contour follows a smooth field whatever the style. */
    bool blocky = style->blocky && style->overlay != VIZ_CONTOUR;
    if (!cells || !rows || !field_open(&f, whole, seen, cells, grid_w, grid_h, blocky)) {
        viz_drawing_lacks_memory();
        goto cleanup;
    }
    heat_cells(style, weights, count, cells, levels);
    if (style->overlay == VIZ_CONTOUR)
        draw_contours(canvas, seen, &f, rows, levels, style->opacity);
    else
        draw_effects(canvas, seen, &f, rows, style);
cleanup:
    field_close(&f);
    free(rows);
    free(cells);
}

/* ---------------------------------------------------------------- matrices */

static void cells_row(uint8_t *pixel, const float *values, const int *columns, int width,
                      const viz_color *colors, const viz_scale *scale)
{
    int before = -1;
    viz_color color = {0};
    for (int x = 0; x < width; x++, pixel += 4) {
        if (columns[x] != before) {
            before = columns[x];
            color = colors[(int)(viz_scale_at(scale, values[before]) * 255 + 0.5f)];
        }
        memcpy(pixel, &color, 4);
    }
}

void viz_cells(viz_canvas *canvas, viz_rect rect, const float *values, size_t rows, size_t cols,
               viz_colormap map, const viz_scale *scale)
{
    viz_pixels whole = viz_to_pixels(canvas, rect), seen = seen_part(canvas, whole);
    if (seen.x0 >= seen.x1 || seen.y0 >= seen.y1 || !rows || !cols)
        return;
    int width = seen.x1 - seen.x0, *columns = viz_allocate((size_t)width, sizeof *columns);
    if (!columns)
        return;
    for (int x = 0; x < width; x++)
        columns[x] =
            (int)(((uint64_t)(seen.x0 - whole.x0 + x) * cols) / (uint64_t)(whole.x1 - whole.x0));
    size_t before = SIZE_MAX;
    for (int y = seen.y0; y < seen.y1; y++) {
        size_t row = (size_t)(y - whole.y0) * rows / (size_t)(whole.y1 - whole.y0);
        if (row == before) /* the same cells: the same pixels */
            memcpy(row_at(canvas, seen.x0, y), row_at(canvas, seen.x0, y - 1), 4 * (size_t)width);
        else
            cells_row(row_at(canvas, seen.x0, y), values + row * cols, columns, width,
                      viz_colormap_table(map), scale);
        before = row;
    }
    free(columns);
}
