/* Draws a matrix as cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/heat.h"
#include "canvas/recording.h"

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

void viz_cells(viz_canvas *canvas, viz_rect rect, const float *values, size_t rows, size_t cols,
               const viz_color *colors, const viz_scale *scale)
{
    viz_pixels whole = viz_to_pixels(canvas, rect), seen = viz_seen_part(canvas, whole);
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
            memcpy(viz_pixel_at(canvas, seen.x0, y), viz_pixel_at(canvas, seen.x0, y - 1),
                   4 * (size_t)width);
        else
            cells_row(canvas, viz_pixel_at(canvas, seen.x0, y), values + row * cols, columns, width,
                      colors, scale);
        before = row;
    }
    free(columns);
    record_cells(canvas, whole, values, rows, cols, colors, scale);
}
