/* The words × cells of the captions on show, as a table; of two, one below the other. */
#include <stdio.h>
#include <string.h>

#include "caption/caption_state.h"

/* Of two whose grids differ, which cannot stand in one table, the one in focus. */
static bool in_one_table(const caption_view *v)
{
    const sac_source *a = v->side[0].speaker->source, *b = v->side[1].speaker->source;
    return a->picture.grid_w == b->picture.grid_w && a->picture.grid_h == b->picture.grid_h;
}

static int first_side(const caption_view *v)
{
    return in_one_table(v) ? 0 : caption_focus(v);
}

static int last_side(const caption_view *v)
{
    return in_one_table(v) ? caption_sides(v) - 1 : caption_focus(v);
}

bool caption_table(const viz_view *view, viz_table *table)
{
    const caption_view *v = (const caption_view *)view;
    int side = first_side(v), last = last_side(v), word = caption_word_of(v, side);
    const sac_caption *first = &v->side[side].caption;
    table->columns = (size_t)first->grid_w * (size_t)first->grid_h;
    for (int i = side; i <= last; i++)
        table->rows += (size_t)v->side[i].caption.count;
    table->row = word > 0 ? (size_t)word : 0;
    snprintf(table->title, sizeof table->title, "%s%s%s attention", caption_name(v, side),
             last > side ? ", " : "", last > side ? caption_name(v, last) : "");
    return table->rows > 0;
}

/* The model that row *row of the table belongs to; *row becomes the word in its sentence. */
static const caption_side *side_of(const caption_view *v, size_t *row)
{
    int side = first_side(v);
    size_t first = (size_t)v->side[side].caption.count;
    if (*row < first)
        return &v->side[side];
    *row -= first;
    return &v->side[1];
}

char *caption_table_name(const viz_view *view, bool of_row, size_t index, char *text, size_t size)
{
    const caption_view *v = (const caption_view *)view;
    if (!of_row)
        return caption_key_name(view, index, text, size);
    const caption_side *side = side_of(v, &index);
    bool two = caption_sides(v) > 1;
    snprintf(text, size, "%s%s%s", two ? caption_name(v, (int)(side - v->side)) : "",
             two ? ": " : "", side->caption.words[index].text);
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
