/* Tokens that are no cells, as queries to choose. */
#include "weights/token_line.h"

#include <stdio.h>

void viz_token_line_lay(viz_token_line *line, const viz_weights_model *model,
                        const viz_canvas *canvas, float x, float y, float width)
{
    const sac_trace *trace = model->trace;
    int count = trace->prefix < VIZ_MAX_CHOICES ? trace->prefix : VIZ_MAX_CHOICES;
    line->choices = (viz_choices){0};
    if (trace->steps != trace->positions || model->prefix == SAC_PREFIX_DROPPED)
        return;
    for (int i = 0; i < count; i++) {
        char *name = line->names[i];
        snprintf(name, sizeof line->names[i], "token %d", i);
        if ((size_t)i < trace->position_labels.count)
            viz_weights_model_position_name(model, (size_t)i, name, sizeof line->names[i]);
        line->name[i] = name;
    }
    char row[48];
    if (model->row < (size_t)count)
        snprintf(line->label, sizeof line->label, "query");
    else
        snprintf(line->label, sizeof line->label, "query %s, or",
                 viz_weights_model_row_name(model, model->row, row, sizeof row));
    line->choices = viz_words_layout(canvas, x, y, width, line->label, line->name, count);
}

void viz_token_line_draw(const viz_token_line *line, const viz_weights_model *model,
                         viz_canvas *canvas)
{
    size_t count = (size_t)line->choices.count;
    if (count)
        viz_words_draw(canvas, &line->choices, model->row < count ? (int)model->row : -1);
}

bool viz_token_line_event(const viz_token_line *line, viz_weights_model *model,
                          const viz_event *event)
{
    int token = event->kind == VIZ_PRESS && event->button == 1 && line->choices.count
                    ? viz_choices_hit(&line->choices, event->x, event->y)
                    : -1;
    if (token < 0)
        return false;
    model->row = (size_t)token;
    model->column_chosen = false;
    return true;
}

void viz_token_line_spots(const viz_token_line *line, viz_spots *spots)
{
    for (int i = 0; i < line->choices.count; i++)
        viz_spots_add(spots, line->choices.items[i], VIZ_SPOT_PRESSES,
                      "Make this token the query, and see where it looks.");
}
