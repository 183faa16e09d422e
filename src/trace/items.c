/* Sizes, words and cells of the items of a batch, and the names of layers. */
#include <stdlib.h>

#include "trace/trace.h"

size_t sac_trace_steps(const sac_trace *trace, size_t item)
{
    return trace->items ? trace->items[item].steps : trace->steps;
}

size_t sac_trace_positions(const sac_trace *trace, size_t item)
{
    return trace->items ? trace->items[item].positions : trace->positions;
}

const sac_labels *sac_trace_step_labels(const sac_trace *trace, size_t item)
{
    return trace->items ? &trace->items[item].step_labels : &trace->step_labels;
}

const sac_labels *sac_trace_position_labels(const sac_trace *trace, size_t item)
{
    return trace->items ? &trace->items[item].position_labels : &trace->position_labels;
}

void sac_trace_items_free(sac_trace *trace)
{
    for (size_t i = 0; trace->items && i < trace->batch; i++) {
        sac_labels_free(&trace->items[i].step_labels);
        sac_labels_free(&trace->items[i].position_labels);
        free(trace->items[i].cells);
    }
    free(trace->items);
    trace->items = NULL;
}

/* NULL: they follow each other. */
static const size_t *cells_of(const sac_trace *trace, size_t item)
{
    const size_t *own = trace->items ? trace->items[item].cells : NULL;
    return own ? own : trace->cells;
}

size_t sac_trace_cell_position(const sac_trace *trace, size_t item, size_t cell)
{
    const size_t *cells = cells_of(trace, item);
    return cells ? cells[cell] : (size_t)trace->prefix + cell;
}

bool sac_trace_find_cell(const sac_trace *trace, size_t item, size_t position, size_t *cell)
{
    const size_t *cells = cells_of(trace, item);
    size_t count = (size_t)trace->grid_w * (size_t)trace->grid_h, prefix = (size_t)trace->prefix;
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

size_t sac_trace_layer_number(const sac_trace *trace, size_t layer)
{
    return trace->layer_numbers ? trace->layer_numbers[layer] : layer;
}

bool sac_trace_find_layer(const sac_trace *trace, size_t number, size_t *layer)
{
    for (*layer = 0; *layer < trace->layers; ++*layer)
        if (sac_trace_layer_number(trace, *layer) == number)
            return true;
    return false;
}
