#include "weights/differences.h"

#include <math.h>
#include <stdio.h>

#include "canvas/scanpath.h"
#include "parts/controls/widgets.h"
#include "view/words.h"

#define RING 7.0f /* the least radius of the mark */

bool viz_is_difference(const viz_weights_model *model)
{
    return model->source->weights.sides != NULL;
}

bool viz_is_signed(const viz_weights_model *model)
{
    return viz_is_difference(model) || model->source->weights.is_signed;
}

bool viz_difference_has_sides(const viz_weights_model *model, const sac_head_choice *choice)
{
    return viz_is_difference(model) && choice->reduce == SAC_REDUCE_NONE &&
           choice->prefix != SAC_PREFIX_MASKED && choice->special == SAC_SPECIAL_SHOWN;
}

sac_status viz_difference_read(const viz_weights_model *model, const sac_head_choice *choice,
                               size_t row, size_t column, size_t columns, float *sides,
                               sac_error *error)
{
    const sac_source *source = model->source;
    if (!viz_difference_has_sides(model, choice))
        return SAC_OK;
    sac_rect map = viz_map_of(source, choice);
    sac_tile tile = {choice->batch, choice->head, row + map.row, 1, column + map.col, columns};
    return source->weights.sides(source->self, choice->layer, &tile, sides, sides + columns, error);
}

/* ---------------------------------------------------------------- texts */

float viz_head_entry_most(const viz_head_entry *entry)
{
    const sac_weights_stats *stats = &entry->scan.stats;
    return entry->scan.finds_peak ? fabsf(stats->peak) : stats->high;
}

char *viz_signed_number(float value, char *text, size_t size)
{
    char number[32];
    snprintf(text, size, "%s%s",
             value > 0   ? "+"
             : value < 0 ? "−"
                         : "",
             viz_number(fabsf(value), number, sizeof number));
    return text;
}

char *viz_difference_peak(const viz_weights_model *model, char *text, size_t size)
{
    const viz_head_entry *entry = viz_weights_model_entry(model, model->layer, model->head);
    const sac_head_choice choice = viz_weights_model_current(model);
    char row[160], column[160], number[3][32], rows[96], sides[96] = "";
    *text = 0;
    if (!entry)
        return text;
    const sac_weights_stats *stats = &entry->scan.stats;
    viz_weights_model_rows_read(entry, rows, sizeof rows);
    if (stats->peak == 0) {
        snprintf(text, size, "%s%s",
                 viz_word(viz_is_difference(model) ? "no weight differs" : "all are 0"), rows);
        return text;
    }
    if (viz_difference_has_sides(model, &choice))
        snprintf(sides, sizeof sides, " = %s − %s",
                 viz_number(entry->peak_sides[1], number[1], sizeof number[1]),
                 viz_number(entry->peak_sides[0], number[2], sizeof number[2]));
    snprintf(text, size, viz_word("largest: %s → %s, %s%s%s"),
             viz_weights_model_row_name(model, stats->peak_row, row, sizeof row),
             viz_weights_model_column_name(model, stats->peak_column, column, sizeof column),
             viz_signed_number(stats->peak, number[0], sizeof number[0]), sides, rows);
    return text;
}

void viz_difference_title(const viz_weights_model *model, char *title, size_t size)
{
    const sac_source *source = model->source;
    char place[160] = "";
    if (!viz_is_difference(model))
        return;
    if (source->weights.layers * source->weights.heads > 1)
        snprintf(place, sizeof place, ": %s", title);
    snprintf(title, size, "%s%s", source->title, place);
}

char *viz_difference_legend(const viz_weights_model *model, char *text, size_t size)
{
    const char *second = model->source->weights.side_names[1];
    if (!viz_is_difference(model)) {
        snprintf(text, size, "%s",
                 viz_word(model->look.map == VIZ_DIVERGING ? "blue: below 0; orange: above it"
                                                           : "zero is in the middle"));
        return text;
    }
    snprintf(text, size,
             model->look.map == VIZ_DIVERGING ? viz_word("blue: %s has less; orange: more")
                                              : viz_word("below 0 %s has less, above it more"),
             second);
    return text;
}

bool viz_difference_open(viz_weights_model *model)
{
    const viz_head_entry *entry = viz_weights_model_entry(model, model->layer, model->head);
    if (viz_weights_model_seeks_informative(model))
        return viz_weights_model_open_informative(model);
    if (!viz_is_signed(model) || model->chosen || model->opened || !entry)
        return false;
    model->opened = true;
    model->row = entry->scan.stats.peak_row;
    return true;
}

/* ---------------------------------------------------------------- what is drawn */

void viz_difference_mark_draw(const viz_panel *panel, viz_canvas *canvas)
{
    const viz_weights_model *model = panel->model;
    const viz_panel_layout *l = &panel->layout;
    const viz_head_entry *entry = viz_weights_model_entry(model, model->layer, model->head);
    const sac_weights_stats *stats = entry ? &entry->scan.stats : NULL;
    if (!entry || !entry->scan.finds_peak || stats->peak == 0 || stats->rows != l->rows ||
        stats->columns != l->columns)
        return; /* of another map */
    float x = (float)(l->room.x + ((double)stats->peak_column + 0.5 - l->x) * (double)l->cell_w);
    float y = (float)(l->room.y + ((double)stats->peak_row + 0.5 - l->y) * (double)l->cell_h);
    if (!viz_inside(l->cells, x, y))
        return;
    float radius = fmaxf(0.75f * fmaxf(l->cell_w, l->cell_h), RING);
    viz_ring(canvas, x, y, radius, 2, 1);
}

float viz_difference_sides_draw(const viz_panel *panel, viz_canvas *canvas, float right, float y,
                                float most)
{
    const viz_weights_model *model = panel->model;
    const char *const *names = model->source->weights.side_names;
    size_t column = model->column, columns = panel->weights_count;
    char number[3][32], text[400];
    if (!panel->sides || column >= columns)
        return 0;
    viz_number(panel->sides[column], number[0], sizeof number[0]);
    viz_number(panel->sides[columns + column], number[1], sizeof number[1]);
    snprintf(text, sizeof text, "%s %s  ·  %s %s", names[0], number[0], names[1], number[1]);
    if (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text) > most)
        snprintf(text, sizeof text, "= %s − %s", number[1], number[0]);
    return viz_text(canvas, VIZ_SANS, VIZ_LABEL, right, y, VIZ_RIGHT, canvas->theme->text2, text);
}
