#include "weights/map/matrix_sums.h"

#include <math.h>
#include <stdio.h>

#include "parts/controls/widgets.h"
#include "parts/figures/frame.h"
#include "view/words.h"

#define GAP 8.0f
#define BAR_HEIGHT 28.0f
#define LEAST_NUMBERED 11.0f /* height of a cell whose row's sum is written beside it */
#define ENTROPY_LINE 2.0f    /* height of one */
#define SAME 5e-4f           /* sums that are written alike */

viz_rect viz_sums_of_rows(const viz_panel *panel)
{
    viz_rect c = panel->layout.cells;
    return (viz_rect){c.x + c.w + GAP, c.y, VIZ_SUMS_RIGHT - GAP, c.h};
}

viz_rect viz_sums_of_columns(const viz_panel *panel)
{
    viz_rect c = panel->layout.cells;
    return (viz_rect){c.x, c.y + c.h + GAP, c.w, BAR_HEIGHT};
}

bool viz_sums_are_numbered(const viz_panel *panel)
{
    return panel->layout.cell_h >= LEAST_NUMBERED;
}

/* The first index that is seen, and the one behind the last. */
static void visible_range(double origin, float length, float cell, size_t count, size_t *from,
                          size_t *to)
{
    double end = ceil(origin + (double)(length / cell));
    *from = (size_t)origin;
    *to = end < (double)count ? (size_t)end : count;
}

/* How far each row spreads, as a bar: all of the width is the entropy of weights that are all alike.
 * Where several rows share a line it is their mean, and rows that were not read have the one before. */
static void draw_entropy(const viz_panel *panel, const viz_head_entry *entry, viz_rect area,
                         viz_canvas *canvas)
{
    const viz_panel_layout *l = &panel->layout;
    float possible = log2f((float)l->columns), last = NAN;
    size_t step = entry->scan.stats.row_step;
    if (l->columns < 2)
        return;
    for (float y = 0; y < area.h; y += ENTROPY_LINE) {
        size_t from = (size_t)(l->y + (double)(y / l->cell_h));
        size_t to = (size_t)ceil(l->y + (double)((y + ENTROPY_LINE) / l->cell_h));
        from = isnan(last) ? from / step * step : from; /* the first that was read is above it */
        to = to < l->rows ? to : l->rows;
        float sum = 0, count = 0;
        for (size_t r = from; r < to; r++)
            if (!isnan(entry->scan.row_entropy[r])) {
                sum += entry->scan.row_entropy[r];
                count++;
            }
        last = count > 0 ? sum / count : last;
        float width = area.w * fminf(last / possible, 1), height = fminf(ENTROPY_LINE, area.h - y);
        if (width > 0)
            viz_fill(canvas, (viz_rect){area.x, area.y + y, width, height},
                     viz_with_alpha(canvas->theme->text2, 0.55f));
    }
    viz_fill(canvas, (viz_rect){area.x + area.w, area.y, 1, area.h}, canvas->theme->line);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, area.x, area.y + area.h + 14, VIZ_LEFT,
             canvas->theme->text2, viz_word("entropy"));
}

static void draw_row_sums(const viz_panel *panel, const viz_head_entry *entry, viz_canvas *canvas)
{
    const viz_panel_layout *l = &panel->layout;
    const viz_theme *theme = canvas->theme;
    const float *sums = entry->scan.row_sum;
    viz_rect area = viz_sums_of_rows(panel);
    size_t from, to, read = 0;
    float low = INFINITY, high = -INFINITY;
    char text[48];
    for (size_t r = 0; r < l->rows; r++) {
        low = fminf(low, sums[r]); /* which leaves what was not read, NaN, aside */
        high = fmaxf(high, sums[r]);
        read += !isnan(sums[r]);
    }
    if (!read)
        return;
    bool numbered = viz_sums_are_numbered(panel);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, area.x, area.y - (numbered ? 6 : 22), VIZ_LEFT,
             theme->text2, viz_word("sum"));
    visible_range(l->y, l->cells.h, l->cell_h, l->rows, &from, &to);
    if (!numbered) { /* they are named together */
        if (high - low < SAME)
            snprintf(text, sizeof text, viz_word("each %.3g"), (double)high);
        else
            snprintf(text, sizeof text, "%.2g–%.2g", (double)low, (double)high);
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, area.x, area.y - 6, VIZ_LEFT, theme->text2, text);
        draw_entropy(panel, entry, area, canvas);
        return;
    }
    for (size_t r = from; r < to; r++) {
        float y = l->room.y + (float)(((double)r + 0.5 - l->y) * (double)l->cell_h);
        if (isnan(sums[r]) || y > area.y + area.h)
            continue;
        snprintf(text, sizeof text, "%.3g", round((double)sums[r] * 1e3) / 1e3);
        viz_text(canvas, VIZ_MONO, VIZ_LABEL, area.x, y + 4, VIZ_LEFT,
                 r == panel->model->row ? theme->accent : theme->text2, text);
    }
}

static void draw_column_sums(const viz_panel *panel, const viz_head_entry *entry,
                             viz_canvas *canvas)
{
    const viz_panel_layout *l = &panel->layout;
    const viz_weights_model *m = panel->model;
    const viz_theme *theme = canvas->theme;
    const float *mean = entry->scan.column_mean;
    viz_rect area = viz_sums_of_columns(panel);
    float most = 0, rows = (float)l->rows, all = 0;
    size_t from, to;
    char text[240], name[160], received[32], average[32];
    for (size_t c = 0; c < l->columns; c++) {
        most = fmaxf(most, fabsf(mean[c]));
        all += mean[c];
    }
    visible_range(l->x, l->cells.w, l->cell_w, l->columns, &from, &to);
    viz_fill(canvas, (viz_rect){area.x, area.y + area.h, area.w, 1}, theme->line);
    for (size_t c = from; c < to && most > 0; c++) {
        float x = l->room.x + (float)(((double)c - l->x) * (double)l->cell_w);
        float gap = l->cell_w >= 4 ? 1 : 0, x0 = fmaxf(x, area.x);
        float x1 = fminf(x + l->cell_w - gap, area.x + area.w);
        /* By the square root: of a causal map the first keys receive so much that others had no bar. */
        float high = fmaxf(area.h * sqrtf(fabsf(mean[c]) / most), 0.5f);
        viz_fill(canvas, (viz_rect){x0, area.y + area.h - high, x1 - x0, high},
                 c == m->column ? theme->accent : theme->text2);
    }
    viz_number(mean[m->column] * rows, received, sizeof received);
    viz_number(all * rows / (float)l->columns, average, sizeof average);
    snprintf(text, sizeof text, viz_word("received: %s %s, on average %s; bars: square root"),
             viz_weights_model_column_name(m, m->column, name, sizeof name), received, average);
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, panel->layout.area.x, area.y + area.h + 16,
                    fmaxf(area.w, 300), VIZ_LEFT, theme->text2, text);
}

void viz_sums_draw(const viz_panel *panel, viz_canvas *canvas)
{
    const viz_panel_layout *l = &panel->layout;
    const viz_weights_model *m = panel->model;
    const viz_head_entry *entry = viz_weights_model_entry(m, m->layer, m->head);
    bool turned = m->source->weights.turned;
    viz_axis_name_draw(canvas, l->cells, l->area.y - 6, viz_word(turned ? "query" : "key"));
    viz_axis_name_draw_up(canvas, l->cells, l->area.x - 6, viz_word(turned ? "key" : "query"));
    if (entry && entry->scan.row_sum && entry->scan.stats.rows == l->rows &&
        entry->scan.stats.columns == l->columns) {
        draw_row_sums(panel, entry, canvas);
        draw_column_sums(panel, entry, canvas);
    }
}
