#include "fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "saccade_arrays.h"
#include "sources/files/queries/attention_file.h"
#include "sources/files/weights/weights_file.h"

enum { MOST = 1 << 16 }; /* weights of a tile that is read */

/* Every weight of an item's first map, if there are not too many, and all of its labels. */
static void read_item(const sac_source *source, size_t item)
{
    size_t rows = sac_source_steps(source, item), columns = sac_source_positions(source, item),
           cell;
    const sac_labels *sides[] = {sac_source_step_labels(source, item),
                                 sac_source_position_labels(source, item)};
    const size_t counts[] = {rows, columns};
    for (int side = 0; side < 2; side++) {
        if (sides[side]->count && sides[side]->count != counts[side])
            abort();
        for (size_t i = 0; i < sides[side]->count; i++)
            fuzz_touch(sides[side]->text[i], strlen(sides[side]->text[i]));
    }
    for (size_t i = 0;
         i < (size_t)source->picture.grid_w * (size_t)source->picture.grid_h && i < MOST; i++)
        if (source->picture.image &&
            (sac_source_cell_position(source, item, i) >= columns ||
             !sac_source_find_cell(source, item, sac_source_cell_position(source, item, i),
                                   &cell) ||
             cell != i))
            abort();
    if (columns > MOST || rows > MOST / columns)
        return;
    sac_tile tile = {.batch = item, .rows = rows, .cols = columns};
    float *weights = malloc(rows * columns * sizeof *weights);
    uint8_t *masked = malloc(rows * columns);
    sac_error error = {0};
    if (weights && source->weights.tile(source->self, source->weights.layers - 1, &tile, weights,
                                        &error) == SAC_OK)
        fuzz_touch(weights, rows * columns * sizeof *weights);
    if (masked && source->weights.masked &&
        source->weights.masked(source->self, source->weights.layers - 1, &tile, masked, &error) ==
            SAC_OK)
        fuzz_touch(masked, rows * columns);
    free(weights);
    free(masked);
}

static void open_with(const sac_weights_file_options *options)
{
    sac_source source;
    sac_error error = {0};
    sac_status status = sac_weights_file_open(options, &source, &error);
    if (status != SAC_OK) {
        fuzz_refused(status, &error);
        return;
    }
    for (size_t item = 0; source.weights.tile && item < source.weights.batch && item < 4; item++)
        read_item(&source, item);
    sac_source_destroy(&source);
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
