/* Sizes, words and cells of the items of a batch, and the names of layers. */
#include <stdlib.h>

#include "sources/source.h"

size_t sac_source_steps(const sac_source *source, size_t item)
{
    return source->weights.items ? source->weights.items[item].steps : source->weights.steps;
}

size_t sac_source_positions(const sac_source *source, size_t item)
{
    return source->weights.items ? source->weights.items[item].positions
                                 : source->weights.positions;
}

const sac_labels *sac_source_step_labels(const sac_source *source, size_t item)
{
    return source->weights.items ? &source->weights.items[item].step_labels
                                 : &source->weights.step_labels;
}

const sac_labels *sac_source_position_labels(const sac_source *source, size_t item)
{
    return source->weights.items ? &source->weights.items[item].position_labels
                                 : &source->weights.position_labels;
}

void sac_source_items_free(sac_source *source)
{
    for (size_t i = 0; source->weights.items && i < source->weights.batch; i++) {
        sac_labels_free(&source->weights.items[i].step_labels);
        sac_labels_free(&source->weights.items[i].position_labels);
        free(source->weights.items[i].cells);
    }
    free(source->weights.items);
    source->weights.items = NULL;
}

/* NULL: they follow each other. */
static const size_t *cells_of(const sac_source *source, size_t item)
{
    const size_t *own = source->weights.items ? source->weights.items[item].cells : NULL;
    return own ? own : source->picture.cells;
}

size_t sac_source_cell_position(const sac_source *source, size_t item, size_t cell)
{
    const size_t *cells = cells_of(source, item);
    return cells ? cells[cell] : (size_t)source->picture.prefix + cell;
}

bool sac_source_find_cell(const sac_source *source, size_t item, size_t position, size_t *cell)
{
    const size_t *cells = cells_of(source, item);
    size_t count = (size_t)source->picture.grid_w * (size_t)source->picture.grid_h,
           prefix = (size_t)source->picture.prefix;
    size_t low = 0, high = count;
    if (!cells) {
        *cell = position - prefix;
        return position >= prefix && position - prefix < count;
    }
    while (low < high) { /* they ascend */
        size_t middle = low + (high - low) / 2;
        if (cells[middle] < position)
            low = middle + 1;
        else
            high = middle;
    }
    *cell = low;
    return low < count && cells[low] == position;
}

size_t sac_source_layer_number(const sac_source *source, size_t layer)
{
    return source->weights.layer_numbers ? source->weights.layer_numbers[layer] : layer;
}

bool sac_source_find_layer(const sac_source *source, size_t number, size_t *layer)
{
    for (*layer = 0; *layer < source->weights.layers; ++*layer)
        if (sac_source_layer_number(source, *layer) == number)
            return true;
    return false;
}
