/* Draws a matrix as cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/heat.h"
#include "canvas/recording.h"
#include "canvas/tiles.h"

/* NaN is a weight that a mask keeps at 0. */
static viz_color cell_color(const viz_canvas *canvas, const viz_color *colors,
                            const viz_scale *scale, float value)
{
    return isnan(value) ? canvas->theme->masked
                        : colors[(int)(viz_scale_at(scale, value) * 255 + 0.5f)];
}

static void cells_row(const viz_canvas *canvas, uint8_t *pixel, const float *values,
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
static void draw_part(viz_canvas *canvas, viz_pixels whole, const float *values, size_t rows,
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
            cells_row(canvas, viz_pixel_at(canvas, part.x0, y), values + row * cols, columns, width,
                      colors, scale);
        before = row;
    }
    free(columns);
}

static void note_cells(viz_canvas *canvas, viz_pixels whole, const float *values, size_t rows,
                       size_t cols, const viz_color *colors, const viz_scale *scale)
{
    const size_t sizes[] = {rows, cols};
    const float numbers[] = {(float)scale->kind, scale->low, scale->high};
    uint64_t hash = viz_hash(VIZ_SHAPE_CELLS, sizes, sizeof sizes);
    hash = viz_hash(hash, &whole, sizeof whole);
    hash = viz_hash(hash, numbers, sizeof numbers);
    hash = viz_hash(hash, &canvas->theme->masked, sizeof canvas->theme->masked);
    hash = viz_hash(hash, colors, 256 * sizeof *colors);
    viz_note(canvas, whole, viz_hash(hash, values, rows * cols * sizeof *values));
}

void viz_cells(viz_canvas *canvas, viz_rect rect, const float *values, size_t rows, size_t cols,
               const viz_color *colors, const viz_scale *scale)
{
    viz_pixels whole = viz_to_pixels(canvas, rect);
    if (viz_is_empty(viz_seen_part(canvas, whole)) || !rows || !cols)
        return;
    if (viz_is_noting(canvas))
        note_cells(canvas, whole, values, rows, cols, colors, scale);
    VIZ_EACH_PART(canvas, whole)
    draw_part(canvas, whole, values, rows, cols, colors, scale);
    record_cells(canvas, whole, values, rows, cols, colors, scale);
}
