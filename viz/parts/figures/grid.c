/* The layout of a grid, its cells, and its numbers. */

#include "parts/figures/grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "canvas/text.h"

#define LABEL_GAP 8.0f
#define LABEL_LINE 20.0f
#define LEAST_LABELLED 12.0f /* side of the smallest cell whose label has a line of its own */
#define NUMBER_MARGIN 6.0f

/* Two digits behind the point for weights, fewer for what is larger; what is small and not 0 is not
 * written as 0. */
static void number_text(float value, char *text, size_t size)
{
    float magnitude = fabsf(value);
    int digits = magnitude < 10 ? 2 : magnitude < 100 ? 1 : 0;
    if (value > 0 && value < 5e-3f)
        snprintf(text, size, "<.01");
    else if (value < 0 && value > -5e-3f)
        snprintf(text, size, ">-.01");
    else if (isfinite(value))
        snprintf(text, size, "%.*f", digits, (double)value);
    else
        text[0] = '\0';
}

static bool numbers_fit(const viz_canvas *canvas, const viz_grid *grid, float cell)
{
    char text[64];
    float digit = viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, "0");
    size_t most = (size_t)fmaxf((cell - NUMBER_MARGIN) / digit, 0);
    if (!grid->values || cell < LABEL_LINE || most < 4)
        return false;
    for (int i = 0; i < grid->rows * grid->columns; i++) {
        number_text(grid->values[i], text, sizeof text);
        if (strlen(text) > most)
            return false;
    }
    return true;
}

static float widest(const viz_canvas *canvas, const char *const *labels, int count)
{
    float most = 0;
    for (int i = 0; labels && i < count; i++)
        most = fmaxf(most, viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, labels[i]));
    return most;
}

/* Squares as large as fit beside a gutter of labels at the left and one above. */
static void place_cells(viz_grid_layout *l, float left, float above, float largest)
{
    float wide = (l->area.w - left) / (float)l->columns;
    float high = (l->area.h - above) / (float)l->rows;
    l->cell = fmaxf(fminf(fminf(wide, high), largest), 0);
    l->cells = (viz_rect){l->area.x + left, l->area.y + above, l->cell * (float)l->columns,
                          l->cell * (float)l->rows};
}

void viz_grid_lay(viz_grid_layout *l, const viz_canvas *canvas, const viz_grid *grid, viz_rect area,
                  float largest)
{
    float row_width = fminf(widest(canvas, grid->row_labels, grid->rows), area.w / 4);
    float column_width = fminf(widest(canvas, grid->column_labels, grid->columns), area.h / 4);
    float left = grid->row_labels ? row_width + LABEL_GAP : 0;
    *l = (viz_grid_layout){.area = area, .rows = grid->rows, .columns = grid->columns};
    l->labels = true;
    place_cells(l, left, grid->column_labels ? LABEL_LINE : 0, largest);
    l->upright = grid->column_labels && column_width > l->cell - NUMBER_MARGIN;
    if (l->upright)
        place_cells(l, left, column_width + LABEL_GAP, largest);
    if (l->cell < LEAST_LABELLED) {
        l->labels = false;
        place_cells(l, 0, 0, largest);
    }
    l->numbers = numbers_fit(canvas, grid, l->cell);
}

viz_rect viz_grid_cell(const viz_grid_layout *l, int row, int column)
{
    return (viz_rect){l->cells.x + l->cell * (float)column, l->cells.y + l->cell * (float)row,
                      l->cell, l->cell};
}

bool viz_grid_hit(const viz_grid_layout *l, float x, float y, int *row, int *column)
{
    *row = *column = -1;
    if (l->cell <= 0 || !viz_inside(l->cells, x, y))
        return false;
    *row = (int)fminf((y - l->cells.y) / l->cell, (float)(l->rows - 1));
    *column = (int)fminf((x - l->cells.x) / l->cell, (float)(l->columns - 1));
    return true;
}

static void draw_cell(const viz_grid_layout *l, viz_canvas *canvas, const viz_grid *grid, int row,
                      int column)
{
    char text[64];
    float value = grid->values[row * grid->columns + column];
    float place = viz_scale_at(&grid->scale, value), gap = l->cell >= 8 ? 1 : 0;
    viz_color color = viz_map_color(canvas->theme, grid->colors, place);
    viz_rect r = viz_grid_cell(l, row, column);
    viz_fill(canvas, (viz_rect){r.x, r.y, r.w - gap, r.h - gap}, color);
    if (!l->numbers)
        return;
    number_text(value, text, sizeof text);
    viz_text(canvas, VIZ_MONO, VIZ_LABEL, r.x + r.w / 2, r.y + r.h / 2 + 4, VIZ_CENTER,
             viz_text_on(color), text);
}

void viz_grid_draw(const viz_grid_layout *l, viz_canvas *canvas, const viz_grid *grid)
{
    const viz_theme *theme = canvas->theme;
    char fit[256];
    if (grid->values)
        viz_fill(canvas, l->cells, theme->between);
    for (int r = 0; grid->values && r < l->rows; r++)
        for (int c = 0; c < l->columns; c++)
            draw_cell(l, canvas, grid, r, c);
    for (int i = 0; l->labels && grid->row_labels && i < l->rows; i++) {
        viz_rect r = viz_grid_cell(l, i, 0);
        float room = l->cells.x - l->area.x - LABEL_GAP;
        viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, r.x - LABEL_GAP, r.y + r.h / 2 + 4, room,
                        VIZ_RIGHT, i == grid->row ? theme->accent : theme->text2,
                        grid->row_labels[i]);
    }
    for (int c = 0; l->labels && grid->column_labels && c < l->columns; c++) {
        viz_color color = c == grid->column ? theme->accent : theme->text2;
        viz_rect r = viz_grid_cell(l, 0, c);
        float room = l->upright ? l->cells.y - l->area.y - LABEL_GAP : l->cell;
        viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, room, grid->column_labels[c], fit, sizeof fit);
        if (l->upright)
            viz_text_up(canvas, VIZ_SANS, VIZ_LABEL, r.x + r.w / 2 + 4, r.y - LABEL_GAP, color,
                        fit);
        else
            viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x + r.w / 2, r.y - 6, VIZ_CENTER, color, fit);
    }
    if (grid->row >= 0) {
        viz_rect row = viz_grid_cell(l, grid->row, 0);
        row.w = l->cells.w;
        viz_frame(canvas, row, 1, theme->accent);
    }
    if (grid->row >= 0 && grid->column >= 0)
        viz_frame_apart(canvas, viz_grid_cell(l, grid->row, grid->column), 2);
    if (grid->hover_row >= 0 && grid->hover_column >= 0)
        viz_frame_apart(canvas, viz_grid_cell(l, grid->hover_row, grid->hover_column), 1);
}
