/* Weights of layers of queries and keys. Each layer is prepared when it is first read. */

#include "sources/files/weights/computed_weights.h"

#include <stdlib.h>
#include <string.h>

#include "attention/attention.h"
#include "base/error.h"
#include "sources/files/explain_row.h"
#include "sources/reduce.h"

static bool is_same_shape(const sac_attention_shape *a, const sac_attention_shape *b)
{
    return a->batch == b->batch && a->heads == b->heads && a->queries == b->queries &&
           a->keys == b->keys;
}

static sac_status check_like_first(const sac_computed_weights *computed, size_t layer,
                                   const sac_attention_shape *shape, sac_error *error)
{
    const sac_attention_shape *first = &computed->shape;
    if (layer == 0 || is_same_shape(shape, first))
        return SAC_OK;
    return sac_fail(error, SAC_E_SHAPE, computed->layers[layer].name,
                    "choose layers of one size with --take NAME",
                    "weights [%zu,%zu,%zu,%zu] are not of the first layer's sizes "
                    "[%zu,%zu,%zu,%zu]",
                    shape->batch, shape->heads, shape->queries, shape->keys, first->batch,
                    first->heads, first->queries, first->keys);
}

/* Values are needed only to explain a weight: if their shape does not fit, the layer is read without
 * them. */
static sac_status read_layer(const sac_computed_weights *computed, size_t layer,
                             sac_attention_file *file, sac_error *error)
{
    sac_attention_request request = computed->request;
    request.query = computed->layers[layer].name;
    request.extent = SAC_EXTENT_HEADS;
    if (sac_attention_file_read(computed->arrays, &request, file, NULL) == SAC_OK)
        return SAC_OK;
    request.extent = SAC_EXTENT_WEIGHTS;
    return sac_attention_file_read(computed->arrays, &request, file, error);
}

static sac_status prepare(sac_computed_weights *computed, size_t layer, sac_error *error)
{
    sac_attention_file file;
    sac_status status = read_layer(computed, layer, &file, error);
    if (status == SAC_OK)
        status = check_like_first(computed, layer, &file.shape, error);
    if (status == SAC_OK)
        status = sac_attention_create_resolved(computed->device, &file.spec, &file.shape,
                                               &file.input, &computed->attention[layer], error);
    if (status == SAC_OK && layer == 0) {
        computed->shape = file.shape;
        memcpy(computed->masks, file.masks, sizeof computed->masks);
        computed->has_sinks = file.input.sinks != NULL;
        memcpy(computed->note, file.note, sizeof computed->note);
    }
    sac_attention_file_free(&file);
    return status;
}

sac_status sac_computed_weights_layer(sac_computed_weights *computed, size_t layer,
                                      sac_attention **attention, sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t i = 0; i < computed->count && !computed->keeps_all; i++)
        if (i != layer) {
            sac_attention_destroy(computed->attention[i]);
            computed->attention[i] = NULL;
        }
    if (!computed->attention[layer])
        status = prepare(computed, layer, error);
    *attention = computed->attention[layer];
    return status;
}

/* True if queries and keys of all layers take at most 1 GiB, so that all may stay prepared. */
static bool all_fit(const sac_array_group *queries)
{
    double numbers = 2.0 * (double)sac_array_count(queries->layers[0].array);
    return 4 * numbers * (double)queries->count <= 0x1p30;
}

sac_status sac_computed_weights_open(const sac_arrays *arrays, const sac_array_group *queries,
                                     const sac_attention_request *request, const char *device,
                                     sac_computed_weights *computed, sac_error *error)
{
    sac_attention *first;
    size_t count = queries->count;
    *computed = (sac_computed_weights){.arrays = arrays,
                                       .layers = calloc(count, sizeof *computed->layers),
                                       .count = count,
                                       .request = *request,
                                       .attention = calloc(count, sizeof(sac_attention *)),
                                       .keeps_all = all_fit(queries)};
    sac_status status = SAC_OK;
    if (!computed->layers || !computed->attention)
        status = sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %zu layers", count);
    if (status == SAC_OK) {
        memcpy(computed->layers, queries->layers, count * sizeof *queries->layers);
        status = sac_device_open(device, &computed->device, error);
    }
    if (status == SAC_OK)
        status = sac_computed_weights_layer(computed, 0, &first, error);
    if (status != SAC_OK)
        sac_computed_weights_free(computed);
    return status;
}

/* ---------------------------------------------------------------- without padding */

/* The index in the arrays of kept row or column `at`. */
static size_t place(const size_t *kept, size_t at)
{
    return kept ? kept[at] : at;
}

static bool is_range(const size_t *kept, size_t at, size_t count)
{
    return !kept || !count || kept[at + count - 1] - kept[at] + 1 == count;
}

/* The kept rows and columns of the tile's item; SAC_E_ARGUMENT if the tile reaches beyond them. The
 * attention checks tiles of items without padding. */
static sac_status find_kept(const sac_computed_weights *computed, const sac_tile *tile,
                            sac_kept *kept, sac_error *error)
{
    *kept = (sac_kept){.row_count = computed->shape.queries, .column_count = computed->shape.keys};
    if (!computed->kept || tile->batch >= computed->shape.batch)
        return SAC_OK;
    *kept = computed->kept[tile->batch];
    bool inside = tile->row <= kept->row_count && tile->rows <= kept->row_count - tile->row &&
                  tile->col <= kept->column_count && tile->cols <= kept->column_count - tile->col;
    return inside ? SAC_OK
                  : sac_fail(error, SAC_E_ARGUMENT, computed->layers[0].name, NULL,
                             "a tile lies outside [%zu,%zu]", kept->row_count, kept->column_count);
}

/* The smallest tile of the arrays that contains `tile`, which counts kept rows and columns. */
static sac_tile around(const sac_kept *kept, const sac_tile *tile)
{
    sac_tile whole = *tile;
    if (tile->rows) {
        whole.row = place(kept->rows, tile->row);
        whole.rows = place(kept->rows, tile->row + tile->rows - 1) - whole.row + 1;
    }
    if (tile->cols) {
        whole.col = place(kept->columns, tile->col);
        whole.cols = place(kept->columns, tile->col + tile->cols - 1) - whole.col + 1;
    }
    return whole;
}

/* Computes the enclosing tile some rows at a time, and copies the kept cells out of it. */
static sac_status gather(sac_attention *attention, const sac_kept *kept, const sac_tile *tile,
                         float *weights, sac_error *error)
{
    enum { SOME = 1 << 20 };
    sac_tile whole = around(kept, tile), part = whole;
    size_t most = whole.cols < SOME ? SOME / whole.cols : 1, done = 0;
    most = most < whole.rows ? most : whole.rows;
    float *scratch = malloc(most * whole.cols * sizeof *scratch);
    sac_status status = scratch ? SAC_OK
                                : sac_fail(error, SAC_E_MEMORY, "weights", NULL,
                                           "out of memory for %zu rows", most);
    for (; status == SAC_OK && done < tile->rows; part.row += part.rows) {
        size_t left = whole.row + whole.rows - part.row;
        part.rows = most < left ? most : left;
        status = sac_attention_tile(attention, &part, scratch, error);
        for (; status == SAC_OK && done < tile->rows; done++) {
            size_t row = place(kept->rows, tile->row + done);
            if (row >= part.row + part.rows)
                break;
            const float *from = scratch + (row - part.row) * whole.cols;
            for (size_t c = 0; c < tile->cols; c++)
                *weights++ = from[place(kept->columns, tile->col + c) - whole.col];
        }
    }
    free(scratch);
    return status;
}

static bool is_whole(const sac_kept *kept, const sac_tile *tile)
{
    return is_range(kept->rows, tile->row, tile->rows) &&
           is_range(kept->columns, tile->col, tile->cols);
}

sac_status sac_computed_weights_tile(sac_computed_weights *computed, size_t layer,
                                     const sac_tile *tile, float *weights, sac_error *error)
{
    sac_kept kept;
    sac_attention *attention;
    sac_status status = find_kept(computed, tile, &kept, error);
    if (status == SAC_OK)
        status = sac_computed_weights_layer(computed, layer, &attention, error);
    if (status != SAC_OK || !tile->rows || !tile->cols)
        return status;
    sac_tile whole = around(&kept, tile);
    return is_whole(&kept, tile) ? sac_attention_tile(attention, &whole, weights, error)
                                 : gather(attention, &kept, tile, weights, error);
}

/* Pools on the device if the tile has no padding inside, otherwise a band of rows at a time here. */
sac_status sac_computed_weights_pool(sac_computed_weights *computed, size_t layer,
                                     const sac_tile *tile, sac_pool pool, size_t out_rows,
                                     size_t out_cols, float *pooled, sac_error *error)
{
    sac_kept kept;
    sac_attention *attention;
    sac_status status = find_kept(computed, tile, &kept, error);
    if (status == SAC_OK)
        status = sac_computed_weights_layer(computed, layer, &attention, error);
    if (status != SAC_OK)
        return status;
    bool fits = out_rows > 0 && out_rows <= tile->rows && out_cols > 0 && out_cols <= tile->cols;
    if (is_whole(&kept, tile) || !fits) {
        sac_tile whole = around(&kept, tile);
        return sac_attention_pool(attention, fits ? &whole : tile, pool, out_rows, out_cols, pooled,
                                  error);
    }
    float *band = malloc((tile->rows / out_rows + 1) * tile->cols * sizeof *band);
    if (!band)
        return sac_no_memory(error, "weights");
    for (size_t o = 0; o < out_rows && status == SAC_OK; o++) {
        size_t top = o * tile->rows / out_rows, bottom = (o + 1) * tile->rows / out_rows;
        sac_tile some = *tile;
        some.row += top;
        some.rows = bottom - top;
        status = gather(attention, &kept, &some, band, error);
        if (status == SAC_OK)
            sac_weights_pool(band, some.rows, some.cols, pool, 1, out_cols, pooled + o * out_cols);
    }
    free(band);
    return status;
}

sac_status sac_computed_weights_explain(sac_computed_weights *computed,
                                        const sac_explanation_request *request,
                                        sac_explanation *explanation, sac_error *error)
{
    sac_kept kept;
    sac_attention *attention;
    sac_explanation_request asked = *request;
    sac_tile one = {request->batch, request->head, request->step, 1, request->position, 1};
    sac_status status = find_kept(computed, &one, &kept, error);
    if (status == SAC_OK)
        status = sac_computed_weights_layer(computed, request->layer, &attention, error);
    if (status != SAC_OK)
        return status;
    asked.step = place(kept.rows, request->step);
    return sac_explain_kept(attention, &asked, 1, kept.columns, kept.column_count, explanation,
                            error);
}

/* `masked` of a tile of the arrays. */
static sac_status find_masked(sac_computed_weights *computed, size_t layer, const sac_tile *tile,
                              uint8_t *masked, sac_error *error)
{
    sac_status status = SAC_OK;
    if (computed->masked_layer != layer + 1) {
        sac_attention_file file;
        computed->masked_layer = 0;
        sac_masked_keys_free(&computed->masked);
        status = read_layer(computed, layer, &file, error);
        if (status == SAC_OK)
            status = sac_masked_keys_read(&file, &computed->masked, error);
        sac_attention_file_free(&file);
    }
    if (status != SAC_OK)
        return status;
    computed->masked_layer = layer + 1;
    sac_masked_keys_tile(&computed->masked, tile, masked);
    return SAC_OK;
}

sac_status sac_computed_weights_masked(sac_computed_weights *computed, size_t layer,
                                       const sac_tile *tile, uint8_t *masked, sac_error *error)
{
    sac_kept kept;
    sac_status status = find_kept(computed, tile, &kept, error);
    if (status != SAC_OK || !tile->rows || !tile->cols)
        return status;
    sac_tile row = around(&kept, tile);
    uint8_t *line = malloc(row.cols);
    row.rows = 1;
    if (!line)
        return sac_no_memory(error, "mask");
    for (size_t r = 0; r < tile->rows && status == SAC_OK; r++) {
        row.row = place(kept.rows, tile->row + r);
        status = find_masked(computed, layer, &row, line, error);
        for (size_t c = 0; c < tile->cols && status == SAC_OK; c++)
            *masked++ = line[place(kept.columns, tile->col + c) - row.col];
    }
    free(line);
    return status;
}

void sac_computed_weights_free(sac_computed_weights *computed)
{
    sac_masked_keys_free(&computed->masked);
    for (size_t i = 0; computed->attention && i < computed->count; i++)
        sac_attention_destroy(computed->attention[i]);
    free(computed->attention);
    free(computed->layers);
    sac_device_close(computed->device);
    *computed = (sac_computed_weights){0};
}
