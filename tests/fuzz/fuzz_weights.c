#include "fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sources/attention_file.h"
#include "sources/weights_file.h"

enum { MOST = 1 << 16 }; /* weights of a tile that is read */

/* Every weight of an item's first map, if there are not too many, and all of its labels. */
static void read_item(const sac_trace *trace, size_t item)
{
    size_t rows = sac_trace_steps(trace, item), columns = sac_trace_positions(trace, item), cell;
    const sac_labels *sides[] = {sac_trace_step_labels(trace, item),
                                 sac_trace_position_labels(trace, item)};
    const size_t counts[] = {rows, columns};
    for (int side = 0; side < 2; side++) {
        if (sides[side]->count && sides[side]->count != counts[side])
            abort();
        for (size_t i = 0; i < sides[side]->count; i++)
            fuzz_touch(sides[side]->text[i], strlen(sides[side]->text[i]));
    }
    for (size_t i = 0; i < (size_t)trace->grid_w * (size_t)trace->grid_h && i < MOST; i++)
        if (trace->image &&
            (sac_trace_cell_position(trace, item, i) >= columns ||
             !sac_trace_find_cell(trace, item, sac_trace_cell_position(trace, item, i), &cell) ||
             cell != i))
            abort();
    if (columns > MOST || rows > MOST / columns)
        return;
    sac_tile tile = {.batch = item, .rows = rows, .cols = columns};
    float *weights = malloc(rows * columns * sizeof *weights);
    uint8_t *masked = malloc(rows * columns);
    sac_error error = {0};
    if (weights && trace->tile(trace->self, trace->layers - 1, &tile, weights, &error) == SAC_OK)
        fuzz_touch(weights, rows * columns * sizeof *weights);
    if (masked && trace->masked &&
        trace->masked(trace->self, trace->layers - 1, &tile, masked, &error) == SAC_OK)
        fuzz_touch(masked, rows * columns);
    free(weights);
    free(masked);
}

static void open_with(const sac_weights_file_options *options)
{
    sac_trace trace;
    sac_error error = {0};
    sac_status status = sac_weights_file_open(options, &trace, &error);
    if (status != SAC_OK) {
        fuzz_refused(status, &error);
        return;
    }
    for (size_t item = 0; trace.tile && item < trace.batch && item < 4; item++)
        read_item(&trace, item);
    sac_trace_destroy(&trace);
}

/* Queries and keys would be computed on a device. */
static bool has_queries(const char *path)
{
    sac_arrays *arrays;
    sac_array_groups groups = {0};
    bool any = true;
    if (sac_arrays_open(path, &arrays, NULL) == SAC_OK &&
        sac_queries_find(arrays, NULL, &groups, NULL) == SAC_OK)
        any = groups.count > 0;
    sac_array_groups_free(&groups);
    sac_arrays_close(arrays);
    return any;
}

/* The bytes as a file of weights in memory, with the steps, labels, masks and pictures that it
 * holds. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int file = memfd_create("weights", 0);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (!has_queries(path)) {
        open_with(&(sac_weights_file_options){.path = path});
        open_with(&(sac_weights_file_options){
            .path = path, .ask = true, .allow_nan = true, .softmax = true, .padding = true});
        open_with(&(sac_weights_file_options){
            .path = path, .grid_w = 3, .grid_h = 2, .cells_given = true, .cells = 1});
    }
    close(file);
    return 0;
}
