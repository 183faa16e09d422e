/* Numbers over a grid, interpolated to pixels: down a column once per row, then along it; and the
 * lines where they cross a level. */
#include "canvas/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Neighbouring cells and their shares in one pixel, along one axis. */
typedef struct taps {
    int cell[VIZ_TAPS];
    float share[VIZ_TAPS];
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

static void axis_free(viz_axis *axis)
{
    free(axis->end);
    free(axis->cell);
    free(axis->share[0]);
}

static bool axis_reserve(viz_axis *axis, size_t count)
{
    axis->end = viz_allocate(count, sizeof *axis->end);
    axis->cell = viz_allocate(count, sizeof *axis->cell);
    axis->share[0] = viz_allocate(count, VIZ_TAPS * sizeof **axis->share);
    for (int k = 1; axis->share[0] && k < VIZ_TAPS; k++)
        axis->share[k] = axis->share[0] + (size_t)k * count;
    return axis->end && axis->cell && axis->share[0];
}

/* For `count` pixels, the first of which is pixel `from` of `whole`. */
static bool axis_create(int from, int count, int whole, int cells, bool blocky, viz_axis *axis)
{
    if (!axis_reserve(axis, (size_t)count))
        return false;
    for (int i = 0; i < count; i++) {
        taps t = taps_at(((float)(from + i) + 0.5f) / (float)whole, cells, blocky);
        bool same = axis->runs && memcmp(axis->cell[axis->runs - 1], t.cell, sizeof t.cell) == 0;
        if (!same)
            memcpy(axis->cell[axis->runs++], t.cell, sizeof t.cell);
        axis->end[axis->runs - 1] = i + 1;
        for (int k = 0; k < VIZ_TAPS; k++)
            axis->share[k][i] = t.share[k];
    }
    return true;
}

bool viz_field_open(viz_field *f, viz_pixels whole, viz_pixels seen, const float *cells, int grid_w,
                    int grid_h, bool blocky)
{
    *f = (viz_field){.cells = cells,
                     .grid_w = grid_w,
                     .grid_h = grid_h,
                     .blocky = blocky,
                     .height = whole.y1 - whole.y0,
                     .y0 = whole.y0,
                     .x0 = seen.x0,
                     .width = seen.x1 - seen.x0};
    f->column = calloc((size_t)grid_w, sizeof *f->column);
    bool opened = f->column && axis_create(seen.x0 - whole.x0, f->width, whole.x1 - whole.x0,
                                           grid_w, blocky, &f->along);
    if (!opened)
        viz_drawing_lacks_memory();
    f->first = grid_w;
    for (int run = 0; opened && run < f->along.runs; run++)
        for (int k = 0; k < VIZ_TAPS; k++) {
            int cell = f->along.cell[run][k];
            f->first = cell < f->first ? cell : f->first;
            f->end = cell >= f->end ? cell + 1 : f->end;
        }
    return opened;
}

void viz_field_close(viz_field *f)
{
    axis_free(&f->along);
    free(f->column);
}

/* Run `run` of a row: pixels from `x` to its end. */
static void field_run(const viz_field *f, int run, int x, float *restrict out)
{
    const int *cell = f->along.cell[run];
    const float *restrict s0 = f->along.share[0], *restrict s1 = f->along.share[1];
    const float *restrict s2 = f->along.share[2], *restrict s3 = f->along.share[3];
    float c0 = f->column[cell[0]], c1 = f->column[cell[1]];
    float c2 = f->column[cell[2]], c3 = f->column[cell[3]];
    for (int end = f->along.end[run]; x < end; x++) {
        float sum = s0[x] * c0 + s1[x] * c1 + s2[x] * c2 + s3[x] * c3;
        out[x] = sum > 0 ? sum : 0;
    }
}

void viz_field_row(viz_field *f, int y, float *out)
{
    taps down = taps_at(((float)(y - f->y0) + 0.5f) / (float)f->height, f->grid_h, f->blocky);
    for (int x = f->first; x < f->end; x++)
        f->column[x] = 0;
    for (int k = 0; k < VIZ_TAPS; k++) {
        const float *row = f->cells + (size_t)down.cell[k] * (size_t)f->grid_w;
        for (int x = f->first; x < f->end && down.share[k] != 0; x++)
            f->column[x] += down.share[k] * row[x];
    }
    for (int run = 0; run < f->along.runs; run++)
        field_run(f, run, run ? f->along.end[run - 1] : 0, out);
}

/* ---------------------------------------------------------------- lines where it crosses a level */

/* The row being drawn with its neighbours, for gradients. */
typedef struct contour_rows {
    const float *before, *now, *after;
} contour_rows;

static inline float slope_squared(const contour_rows *r, int x)
{
    float dx = 0.5f * (r->now[x + 1] - r->now[x - 1]), dy = 0.5f * (r->after[x] - r->before[x]);
    float slope2 = dx * dx + dy * dy;
    return slope2 > 1e-24f ? slope2 : 1e-24f;
}

/* True where the line comes within `reach` (squared, in pixels) of one of these pixels. */
static bool is_near(const contour_rows *r, int first, int end, float level, float reach)
{
    int near = 0;
    for (int x = first; x < end; x++) {
        float away = r->now[x] - level;
        near |= away * away <= reach * slope_squared(r, x);
    }
    return near;
}

enum { STRETCH = 32 }; /* pixels whose distances are found at a time, in vectors */

/* How far these pixels, `first` … `end` − 1, are from the line; far is as good as endless. */
static void find_distances(const contour_rows *r, int first, int end, const viz_contour *line,
                           float *restrict distance)
{
    float reach = (line->edge + 0.5f) * (line->edge + 0.5f);
    for (int i = 0; i < end - first; i++) {
        float away = fabsf(r->now[first + i] - line->level), slope2 = slope_squared(r, first + i);
        float estimate = away / sqrtf(slope2);
        distance[i] = away * away <= reach * slope2 ? estimate : INFINITY;
    }
}

/* How much of each the glow or the edge covers, and the core. */
static void cover_stretch(const float *restrict distance, int count, const viz_contour *line,
                          float *restrict around, float *restrict core)
{
    float edge = line->edge, half = line->core + 0.5f;
    for (int i = 0; line->glows && i < count; i++) {
        float fading = 1 - distance[i] / edge;
        fading = fading > 0 ? fading : 0;
        around[i] = fading * fading;
    }
    for (int i = 0; !line->glows && i < count; i++)
        around[i] = edge + 0.5f - distance[i];
    for (int i = 0; i < count; i++)
        core[i] = half - distance[i];
}

/* Most stretches of a row are far from the line. */
static void contour_row(viz_canvas *canvas, const viz_field *f, int y, const contour_rows *r,
                        const viz_contour *line)
{
    float distance[STRETCH], around[STRETCH], core[STRETCH];
    int last = f->width - 1;
    float reach = (line->edge + 0.5f) * (line->edge + 0.5f);
    for (int first = 1; first < last; first += STRETCH) {
        int end = first + STRETCH < last ? first + STRETCH : last;
        if (!is_near(r, first, end, line->level, reach))
            continue;
        find_distances(r, first, end, line, distance);
        cover_stretch(distance, end - first, line, around, core);
        viz_blend_row(canvas, f->x0 + first, y, end - first, line->around, around);
        viz_blend_row(canvas, f->x0 + first, y, end - first, line->color, core);
    }
}

static int row_of_cells(const viz_field *f, int y)
{
    int row = (int)(((float)(y - f->y0) + 0.5f) / (float)f->height * (float)f->grid_h);
    return row < f->grid_h ? row : f->grid_h - 1;
}

/* `most` [grid_h] becomes, for the rows of cells that pixels from y0 to y1 − 1 lie in, the largest number
 * that such a pixel, or one beside it, is interpolated from. */
static void find_most_around(const viz_field *f, int y0, int y1, float *most)
{
    int reach = 2 + (f->grid_h + f->height - 1) / f->height;
    for (int row = row_of_cells(f, y0); row <= row_of_cells(f, y1 - 1); row++) {
        int end = row + reach < f->grid_h ? row + reach + 1 : f->grid_h;
        most[row] = 0;
        for (int y = row > reach ? row - reach : 0; y < end; y++)
            for (int x = f->first; x < f->end; x++)
                most[row] = fmaxf(most[row], fabsf(f->cells[y * f->grid_w + x]));
    }
}

/* True if no pixel of row y can be near a line, by the largest number around it. Interpolated
 * numbers are at most 1.25² times that, and gradients, half the difference of two of them along
 * either axis, at most √2 / 2 times as much again. */
static bool is_far(const viz_field *f, const float *most, int y, float level, float reach)
{
    float value = 1.6f * most[row_of_cells(f, y)];
    return value * (1 + 0.71f * reach) < level;
}

/* Rows of the field that have been read, counted from its own top: row y is in place y % 3. */
typedef struct read_rows {
    float *row[3];
    int y[3];
} read_rows;

static const float *read_row(read_rows *rows, viz_field *f, int y)
{
    int place = (y - f->y0) % 3;
    if (rows->y[place] != y - f->y0)
        viz_field_row(f, y, rows->row[place]);
    rows->y[place] = y - f->y0;
    return rows->row[place];
}

void viz_contours_draw(viz_canvas *canvas, viz_field *f, const viz_contour *lines, int count)
{
    float *most = viz_allocate((size_t)f->grid_h, sizeof *most);
    float *buffer = viz_allocate((size_t)f->width, 3 * sizeof *buffer), reach = 0;
    read_rows rows = {{buffer, buffer + f->width, buffer + 2 * (size_t)f->width}, {-1, -1, -1}};
    for (int i = 0; i < count; i++)
        reach = fmaxf(reach, lines[i].edge + 0.5f);
    if (most && buffer)
        find_most_around(f, canvas->part.y0, canvas->part.y1, most);
    for (int y = canvas->part.y0; most && buffer && y < canvas->part.y1; y++) {
        if (is_far(f, most, y, lines[count - 1].level, reach))
            continue;
        int before = y > f->y0 ? y - 1 : y, after = y + 1 < f->y0 + f->height ? y + 1 : y;
        const contour_rows near = {read_row(&rows, f, before), read_row(&rows, f, y),
                                   read_row(&rows, f, after)};
        for (int i = count - 1; i >= 0; i--)
            contour_row(canvas, f, y, &near, &lines[i]);
    }
    free(most);
    free(buffer);
}
