/* The words × cells of the captions on show, as a table; of two, one below the other. */
#include <stdio.h>
#include <string.h>

#include "caption/caption_state.h"

bool caption_table(const viz_view *view, viz_table *table)
{
    const caption_view *v = (const caption_view *)view;
    const sac_caption *first = &v->side[0].caption;
    table->columns = (size_t)first->grid_w * (size_t)first->grid_h;
    for (int i = 0; i < caption_sides(v); i++)
        table->rows += (size_t)v->side[i].caption.count;
    int word = caption_word_of(v, 0);
    table->row = word > 0 ? (size_t)word : 0;
    snprintf(table->title, sizeof table->title, "%s%s%s attention",
             v->trace->model[v->side[0].model], v->compare ? ", " : "",
             v->compare ? v->trace->model[v->side[1].model] : "");
    return table->rows > 0;
}

/* The model that row *row of the table belongs to; *row becomes the word in its sentence. */
static const caption_side *side_of(const caption_view *v, size_t *row)
{
    size_t first = (size_t)v->side[0].caption.count;
    if (*row < first)
        return &v->side[0];
    *row -= first;
    return &v->side[1];
}

char *caption_table_name(const viz_view *view, bool of_row, size_t index, char *text, size_t size)
{
    const caption_view *v = (const caption_view *)view;
    if (!of_row)
        return caption_key_name(view, index, text, size);
    const caption_side *side = side_of(v, &index);
    snprintf(text, size, "%s%s%s", v->compare ? v->trace->model[side->model] : "",
             v->compare ? ": " : "", side->caption.words[index].text);
    return text;
}

sac_status caption_table_row(viz_view *view, size_t row, float *values, sac_error *error)
{
    const caption_side *side = side_of(caption_of(view), &row);
    size_t columns = (size_t)side->caption.grid_w * (size_t)side->caption.grid_h;
    (void)error;
    memcpy(values, side->caption.weights + row * columns, columns * sizeof *values);
    return SAC_OK;
}
