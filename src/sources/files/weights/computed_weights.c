/* Weights of layers of queries and keys. Each layer is prepared when it is first read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/attention.h"
#include "attention/spec/resolve.h"
#include "base/checked.h"
#include "base/error.h"
#include "saccade_arrays.h"
#include "sharing/ranks/ranks.h"
#include "sources/files/explain_row.h"
#include "sources/files/weights/computed_weights.h"
#include "sources/heads/reduce.h"

/* ---------------------------------------------------------------- masked keys */

/* A float blocks where it is −inf, numbers of other types where they are not 0. */
static sac_status read_blocked(const sac_array *array, const size_t shape[4], sac_blocked *blocked,
                               sac_error *error)
{
    size_t count = sac_array_count(array), bytes, stride = 1;
    float *values = sac_checked_mul(count, sizeof *values, &bytes) ? malloc(bytes) : NULL;
    bool adds = array->dtype != SAC_BOOL && array->dtype != SAC_U8;
    blocked->data = malloc(count);
    sac_status status = values && blocked->data ? sac_array_to_f32(array, values, error)
                                                : sac_fail(error, SAC_E_MEMORY, "mask", NULL,
                                                           "out of memory for %zu keys", count);
    for (size_t i = 0; i < count && status == SAC_OK; i++)
        blocked->data[i] = adds ? values[i] == -INFINITY : values[i] != 0;
    for (int i = 3; i >= 0; i--) {
        blocked->stride[i] = shape[i] == 1 ? 0 : stride;
        stride *= shape[i];
    }
    free(values);
    return status;
}

sac_status sac_masked_keys_read(const sac_attention_file *file, sac_masked_keys *masked,
                                sac_error *error)
{
    const sac_array *padding = file->input.key_padding_mask, *attention = file->input.attn_mask;
    sac_status status = SAC_OK;
    *masked = (sac_masked_keys){
        .causal = file->spec.causal,
        .window = file->spec.window,
        .offset = sac_attention_offset(&file->spec, file->shape.queries, file->shape.keys)};
    if (padding) {
        size_t shape[] = {padding->shape[0], 1, 1, padding->shape[1]};
        status = read_blocked(padding, shape, &masked->padding, error);
    }
    if (attention && status == SAC_OK) { /* [Tq,Tk], [B,Tq,Tk] or [B,H,Tq,Tk] */
        const size_t *s = attention->shape;
        int rank = attention->rank;
        size_t shape[] = {rank > 2 ? s[0] : 1, rank > 3 ? s[1] : 1, s[rank - 2], s[rank - 1]};
        status = read_blocked(attention, shape, &masked->attention, error);
    }
    if (status != SAC_OK)
        sac_masked_keys_free(masked);
    return status;
}

static bool is_key_blocked(const sac_blocked *b, const sac_tile *tile, size_t i, size_t j)
{
    const size_t *s = b->stride;
    return b->data && b->data[tile->batch * s[0] + tile->head * s[1] + i * s[2] + j * s[3]];
}

void sac_masked_keys_tile(const sac_masked_keys *masked, const sac_tile *tile, uint8_t *out)
{
    for (size_t r = 0; r < tile->rows; r++)
        for (size_t c = 0; c < tile->cols; c++) {
            size_t i = tile->row + r, j = tile->col + c;
            ptrdiff_t ahead = (ptrdiff_t)j - ((ptrdiff_t)i + masked->offset);
            size_t distance = (size_t)(ahead < 0 ? -ahead : ahead);
            bool far = masked->window && distance >= masked->window;
            *out++ = (masked->causal && ahead > 0) || far ||
                     is_key_blocked(&masked->padding, tile, i, j) ||
                     is_key_blocked(&masked->attention, tile, i, j);
        }
}

void sac_masked_keys_free(sac_masked_keys *masked)
{
    free(masked->padding.data);
    free(masked->attention.data);
    *masked = (sac_masked_keys){0};
}

static bool is_same_shape(const sac_attention_shape *a, const sac_attention_shape *b)
{
    return a->batch == b->batch && a->heads == b->heads && a->queries == b->queries &&
           a->keys == b->keys;
}

static sac_status check_matches_first_layer(const sac_computed_weights *computed, size_t layer,
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

static sac_attention **attention_slot(const sac_computed_weights *computed, size_t layer,
                                      int device)
{
    return &computed->attention[layer * (size_t)computed->devices.count + (size_t)device];
}

static bool can_use_device(const sac_computed_weights *computed, int device)
{
    return !computed->crew || sac_crew_can_use(computed->crew, device);
}

static int first_usable_device(const sac_computed_weights *computed)
{
    int device = 0;
    while (!can_use_device(computed, device))
        device++;
    return device;
}

/* On each device; one that cannot is left out where another can. */
static sac_status prepare_on_all(sac_computed_weights *computed, size_t layer,
                                 const sac_attention_file *file, sac_error *error)
{
    for (int d = 0; d < computed->devices.count; d++) {
        sac_error why = {0};
        sac_status status = SAC_OK;
        if (can_use_device(computed, d))
            status = sac_attention_create_resolved(computed->devices.of[d], &file->spec,
                                                   &file->shape, &file->input,
                                                   attention_slot(computed, layer, d), &why);
        bool is_left_out = sac_status_is_of_device(status) && computed->crew &&
                           sac_crew_leave_out(computed->crew, d, &why);
        if (status != SAC_OK && !is_left_out)
            return sac_error_pass(error, &why, NULL);
    }
    return SAC_OK;
}

static sac_status prepare(sac_computed_weights *computed, size_t layer, sac_error *error)
{
    sac_attention_file file;
    sac_status status = read_layer(computed, layer, &file, error);
    if (status == SAC_OK)
        status = check_matches_first_layer(computed, layer, &file.shape, error);
    if (status == SAC_OK)
        status = prepare_on_all(computed, layer, &file, error);
    if (status == SAC_OK && layer == 0) {
        computed->shape = file.shape;
        memcpy(computed->masks, file.masks, sizeof computed->masks);
        computed->has_sinks = file.input.sinks != NULL;
        memcpy(computed->note, file.note, sizeof computed->note);
    }
    sac_attention_file_free(&file);
    return status;
}

static void forget_layer(sac_computed_weights *computed, size_t layer)
{
    for (int d = 0; d < computed->devices.count; d++) {
        sac_attention_destroy(*attention_slot(computed, layer, d));
        *attention_slot(computed, layer, d) = NULL;
    }
}

/* The attention of a layer on the first device that works, prepared; lent until the next layer is asked
 * for. SAC_E_SHAPE where the layer's sizes are not those of the first. */
static sac_status borrow_layer_attention(sac_computed_weights *computed, size_t layer,
                                         sac_attention **attention, sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t i = 0; i < computed->count && !computed->keeps_all; i++)
        if (i != layer)
            forget_layer(computed, i);
    if (!*attention_slot(computed, layer, first_usable_device(computed)))
        status = prepare(computed, layer, error);
    if (status != SAC_OK)
        forget_layer(computed, layer);
    *attention = *attention_slot(computed, layer, first_usable_device(computed));
    return status;
}

/* True if queries and keys of all layers take at most 1 GiB, so that all may stay prepared. */
static bool all_layers_fit_memory(const sac_array_group *queries, int devices)
{
    double numbers = 2.0 * (double)sac_array_count(queries->layers[0].array);
    return 4 * numbers * (double)queries->count * devices <= 0x1p30;
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
                                       .request = *request};
    sac_status status = computed->layers ? SAC_OK : sac_no_memory(error, "layers");
    if (status == SAC_OK) {
        memcpy(computed->layers, queries->layers, count * sizeof *queries->layers);
        status = sac_device_set_open(device, &computed->devices, error);
    }
    if (status == SAC_OK) {
        size_t devices = (size_t)computed->devices.count;
        computed->keeps_all = all_layers_fit_memory(queries, computed->devices.count);
        computed->attention = calloc(count * devices, sizeof(sac_attention *));
        status = computed->attention ? SAC_OK : sac_no_memory(error, "layers");
    }
    if (status == SAC_OK && computed->devices.count > 1)
        status = sac_crew_create(&computed->devices, &computed->crew, error);
    if (status == SAC_OK)
        status = borrow_layer_attention(computed, 0, &first, error);
    if (status != SAC_OK)
        sac_computed_weights_free(computed);
    return status;
}

/* ---------------------------------------------------------------- by several devices */

/* A rectangle whose rows devices share. */
typedef struct shared_tile {
    const sac_computed_weights *computed;
    size_t layer;
    sac_tile tile;
    sac_pool pool;
    size_t out_rows, out_cols; /* 0: as it is */
    size_t parts;
    float *out; /* [rows,cols], or [out_rows,out_cols]; of one row of these, [parts,out_cols] */
} shared_tile;

/* Row `part` of `parts` about equal ones. Devices find the log-sum-exp of whole blocks of rows. */
static size_t first_row_of_part(const shared_tile *s, size_t part)
{
    enum { BLOCK = 8 };
    size_t row = (s->tile.row + s->tile.rows * part / s->parts) / BLOCK * BLOCK;
    if (part == s->parts)
        return s->tile.row + s->tile.rows;
    return row > s->tile.row ? row : s->tile.row;
}

static sac_status compute_part(void *user, int device, size_t part, sac_error *error)
{
    const shared_tile *s = user;
    sac_attention *attention = *attention_slot(s->computed, s->layer, device);
    sac_tile tile = s->tile;
    size_t first = part * s->out_rows / s->parts,
           rows = (part + 1) * s->out_rows / s->parts - first;
    if (s->out_rows > 1) {
        tile.row += first * s->tile.rows / s->out_rows;
        tile.rows = (first + rows) * s->tile.rows / s->out_rows + s->tile.row - tile.row;
        return sac_attention_pool(attention, &tile, s->pool, rows, s->out_cols,
                                  s->out + first * s->out_cols, error);
    }
    tile.row = first_row_of_part(s, part);
    tile.rows = first_row_of_part(s, part + 1) - tile.row;
    if (!tile.rows)
        return SAC_OK;
    if (s->out_rows)
        return sac_attention_pool(attention, &tile, s->pool, 1, s->out_cols,
                                  s->out + part * s->out_cols, error);
    return sac_attention_tile(attention, &tile, s->out + (tile.row - s->tile.row) * tile.cols,
                              error);
}

/* One row of dots out of those of its parts. */
static void join_parts(const shared_tile *s, float *pooled)
{
    for (size_t part = 0; part < s->parts; part++) {
        size_t rows = first_row_of_part(s, part + 1) - first_row_of_part(s, part);
        const float *line = s->out + part * s->out_cols;
        float share = (float)rows / (float)s->tile.rows;
        for (size_t c = 0; rows && c < s->out_cols; c++) {
            float before = part ? pooled[c] : 0;
            if (s->pool == SAC_POOL_MEAN)
                pooled[c] = before + share * line[c];
            else
                pooled[c] = part == 0 || line[c] > before ? line[c] : before;
        }
    }
}

/* Parts for each device, so that a faster one takes more; 1: there is less than devices need to begin. */
static size_t count_shared_parts(const sac_computed_weights *computed, const sac_tile *tile)
{
    enum { EACH = 2, LEAST_ROWS = 16, LEAST = 1 << 18 };
    bool is_shared =
        computed->crew && tile->rows >= LEAST_ROWS && tile->rows * computed->shape.keys >= LEAST;
    return is_shared ? EACH * (size_t)computed->devices.count : 1;
}

/* By one device; where it fails, by the next. */
static sac_status compute_on_one_device(shared_tile *s, sac_error *error)
{
    for (;;) {
        sac_error why = {0};
        int device = first_usable_device(s->computed);
        sac_status status = compute_part(s, device, 0, &why);
        if (!sac_status_is_of_device(status) || !s->computed->crew ||
            !sac_crew_leave_out(s->computed->crew, device, &why))
            return status == SAC_OK ? status : sac_error_pass(error, &why, NULL);
    }
}

static sac_status compute(shared_tile *s, sac_error *error)
{
    return s->parts > 1 ? sac_crew_run(s->computed->crew, s->parts, compute_part, s, error)
                        : compute_on_one_device(s, error);
}

static sac_status compute_tile(const sac_computed_weights *computed, size_t layer,
                               const sac_tile *tile, float *weights, sac_error *error)
{
    shared_tile s = {.computed = computed,
                     .layer = layer,
                     .tile = *tile,
                     .parts = count_shared_parts(computed, tile),
                     .out = weights};
    return compute(&s, error);
}

static sac_status compute_pool(const sac_computed_weights *computed, size_t layer,
                               const sac_tile *tile, sac_pool pool, size_t out_rows,
                               size_t out_cols, float *pooled, sac_error *error)
{
    size_t parts = count_shared_parts(computed, tile);
    shared_tile s = {computed, layer, *tile, pool, out_rows, out_cols, parts, pooled};
    if (parts == 1)
        return compute(&s, error);
    if (out_rows > 1) {
        /* Some rows of dots are a picture of their own only where all cover as many rows of weights. */
        s.parts = tile->rows % out_rows || out_rows < parts ? out_rows : parts;
        return compute(&s, error);
    }
    s.out = malloc(parts * out_cols * sizeof *s.out);
    sac_status status = s.out ? compute(&s, error) : sac_no_memory(error, "weights");
    if (status == SAC_OK)
        join_parts(&s, pooled);
    free(s.out);
    return status;
}

/* ---------------------------------------------------------------- without padding */

/* The index in the arrays of kept row or column `at`. */
static size_t source_index(const size_t *kept, size_t at)
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
static sac_tile enclosing_tile(const sac_kept *kept, const sac_tile *tile)
{
    sac_tile whole = *tile;
    if (tile->rows) {
        whole.row = source_index(kept->rows, tile->row);
        whole.rows = source_index(kept->rows, tile->row + tile->rows - 1) - whole.row + 1;
    }
    if (tile->cols) {
        whole.col = source_index(kept->columns, tile->col);
        whole.cols = source_index(kept->columns, tile->col + tile->cols - 1) - whole.col + 1;
    }
    return whole;
}

/* Computes the enclosing tile some rows at a time, and copies the kept cells out of it. */
static sac_status gather_kept_weights(sac_attention *attention, const sac_kept *kept,
                                      const sac_tile *tile, float *weights, sac_error *error)
{
    enum { SOME = 1 << 20 };
    sac_tile whole = enclosing_tile(kept, tile), part = whole;
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
            size_t row = source_index(kept->rows, tile->row + done);
            if (row >= part.row + part.rows)
                break;
            const float *from = scratch + (row - part.row) * whole.cols;
            for (size_t c = 0; c < tile->cols; c++)
                *weights++ = from[source_index(kept->columns, tile->col + c) - whole.col];
        }
    }
    free(scratch);
    return status;
}

static bool is_tile_contiguous(const sac_kept *kept, const sac_tile *tile)
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
        status = borrow_layer_attention(computed, layer, &attention, error);
    if (status != SAC_OK || !tile->rows || !tile->cols)
        return status;
    sac_tile whole = enclosing_tile(&kept, tile);
    return is_tile_contiguous(&kept, tile)
               ? compute_tile(computed, layer, &whole, weights, error)
               : gather_kept_weights(attention, &kept, tile, weights, error);
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
        status = borrow_layer_attention(computed, layer, &attention, error);
    if (status != SAC_OK)
        return status;
    bool fits = out_rows > 0 && out_rows <= tile->rows && out_cols > 0 && out_cols <= tile->cols;
    if (is_tile_contiguous(&kept, tile) || !fits) {
        sac_tile whole = enclosing_tile(&kept, tile);
        return fits ? compute_pool(computed, layer, &whole, pool, out_rows, out_cols, pooled, error)
                    : sac_attention_pool(attention, tile, pool, out_rows, out_cols, pooled, error);
    }
    float *band = malloc((tile->rows / out_rows + 1) * tile->cols * sizeof *band);
    if (!band)
        return sac_no_memory(error, "weights");
    for (size_t o = 0; o < out_rows && status == SAC_OK; o++) {
        size_t top = o * tile->rows / out_rows, bottom = (o + 1) * tile->rows / out_rows;
        sac_tile some = *tile;
        some.row += top;
        some.rows = bottom - top;
        status = gather_kept_weights(attention, &kept, &some, band, error);
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
        status = borrow_layer_attention(computed, request->layer, &attention, error);
    if (status != SAC_OK)
        return status;
    asked.step = source_index(kept.rows, request->step);
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
    sac_tile row = enclosing_tile(&kept, tile);
    uint8_t *line = malloc(row.cols);
    row.rows = 1;
    if (!line)
        return sac_no_memory(error, "mask");
    for (size_t r = 0; r < tile->rows && status == SAC_OK; r++) {
        row.row = source_index(kept.rows, tile->row + r);
        status = find_masked(computed, layer, &row, line, error);
        for (size_t c = 0; c < tile->cols && status == SAC_OK; c++)
            *masked++ = line[source_index(kept.columns, tile->col + c) - row.col];
    }
    free(line);
    return status;
}

void sac_computed_weights_free(sac_computed_weights *computed)
{
    sac_masked_keys_free(&computed->masked);
    sac_crew_destroy(computed->crew);
    for (size_t i = 0; computed->attention && i < computed->count; i++)
        forget_layer(computed, i);
    free(computed->attention);
    free(computed->layers);
    sac_device_set_close(&computed->devices);
    *computed = (sac_computed_weights){0};
}
