/* The words × cells of the caption, as a table. */
#include <stdio.h>
#include <string.h>

#include "caption/caption_state.h"

bool caption_table(const viz_view *view, viz_table *table)
{
    const caption_view *v = (const caption_view *)view;
    int word = caption_word_of(v);
    table->columns = (size_t)v->caption.grid_w * (size_t)v->caption.grid_h;
    table->rows = (size_t)v->caption.count;
    table->row = word > 0 ? (size_t)word : 0;
    snprintf(table->title, sizeof table->title, "%s attention", v->source->speaker.model[v->model]);
    return table->rows > 0;
}

char *caption_table_name(const viz_view *view, bool of_row, size_t index, char *text, size_t size)
{
    const caption_view *v = (const caption_view *)view;
    if (!of_row)
        return caption_key_name(view, index, text, size);
    snprintf(text, size, "%s", v->caption.words[index].text);
    return text;
}

sac_status caption_table_row(viz_view *view, size_t row, float *values, sac_error *error)
{
    const sac_caption *caption = &caption_of(view)->caption;
    size_t columns = (size_t)caption->grid_w * (size_t)caption->grid_h;
    (void)error;
    memcpy(values, caption->weights + row * columns, columns * sizeof *values);
    return SAC_OK;
}
