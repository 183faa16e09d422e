/* Tokens that are no cells, as queries to choose. */
#include "weights/token_line.h"
#include "view/words.h"

#include <stdio.h>

/* True where row `row` of the map, counted from `top` of the source's, is no cell. */
static bool is_token(const viz_weights_model *model, size_t row, size_t top)
{
    const sac_source *source = model->source;
    size_t cell;
    bool square =
        sac_source_steps(source, model->batch) == sac_source_positions(source, model->batch);
    return !square || !sac_source_find_cell(source, model->batch, row + top, &cell);
}

/* So many tokens before the one that is listed first that the current query is among them. */
static size_t tokens_skipped(const viz_weights_model *model, size_t rows, size_t top, size_t most)
{
    size_t before = 0, count = 0;
    for (size_t row = 0; row < rows; row++) {
        bool counts = is_token(model, row, top);
        before += counts && row < model->row;
        count += counts;
    }
    size_t first = before > most / 2 ? before - most / 2 : 0;
    return count <= most ? 0 : first + most > count ? count - most : first;
}

void viz_token_line_lay(viz_token_line *line, const viz_weights_model *model,
                        const viz_canvas *canvas, float x, float y, float width, int most)
{
    sac_rect map = viz_weights_model_map(model);
    size_t rows = map.rows, top = map.row;
    int count = 0;
    line->choices = (viz_choices){0};
    size_t skip = tokens_skipped(model, rows, top, (size_t)most);
    for (size_t row = 0; row < rows && count < most; row++) {
        const char *label = viz_weights_model_row_label(model, row);
        char *name = line->names[count];
        if (!is_token(model, row, top) || (skip && skip--))
            continue;
        if (label)
            snprintf(name, sizeof line->names[count], "%.40s", label);
        else
            snprintf(name, sizeof line->names[count], viz_word("token %zu"), row + top);
        line->row[count] = row;
        line->name[count++] = name;
    }
    char row[48];
    bool listed = false;
    for (int i = 0; i < count; i++)
        listed |= line->row[i] == model->row;
    if (listed)
        snprintf(line->label, sizeof line->label, "%s",
                 viz_word(model->source->weights.turned ? "key" : "query"));
    else
        snprintf(line->label, sizeof line->label, viz_word("query %s, or"),
                 viz_weights_model_row_name(model, model->row, row, sizeof row));
    line->choices = viz_words_layout(canvas, x, y, width, line->label, line->name, count);
}

void viz_token_line_draw(const viz_token_line *line, const viz_weights_model *model,
                         viz_canvas *canvas)
{
    int current = -1;
    for (int i = 0; i < line->choices.count; i++)
        current = line->row[i] == model->row ? i : current;
    if (line->choices.count)
        viz_words_draw(canvas, &line->choices, current);
}

bool viz_token_line_event(const viz_token_line *line, viz_weights_model *model,
                          const viz_event *event)
{
    int token = event->kind == VIZ_PRESS && event->button == 1 && line->choices.count
                    ? viz_choices_hit(&line->choices, event->x, event->y)
                    : -1;
    if (token < 0)
        return false;
    if (event->shift) {
        viz_weights_model_toggle_query(model, line->row[token]);
        return true;
    }
    viz_weights_model_one_query(model);
    model->row = line->row[token];
    model->column_chosen = false;
    return true;
}

void viz_token_line_spots(const viz_token_line *line, viz_spots *spots)
{
    for (int i = 0; i < line->choices.count; i++)
        viz_spots_add(spots, line->choices.items[i], VIZ_SPOT_PRESSES,
                      "Make this token the query, and see where it looks.");
}
