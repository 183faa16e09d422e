#include "sources/matrix.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/device.h"
#include "formats/hash.h"
#include "sources/computed_weights.h"
#include "sources/stored_weights.h"

typedef struct matrix {
    sac_arrays *arrays; /* kept open: stored weights are read out of it */
    sac_stored_weights stored;
    sac_computed_weights computed;
    sac_image image;
} matrix;

static void matrix_destroy(void *self)
{
    matrix *m = self;
    sac_stored_weights_free(&m->stored);
    sac_computed_weights_free(&m->computed);
    sac_image_free(&m->image);
    sac_arrays_close(m->arrays);
    free(m);
}

static sac_status stored_tile(void *self, size_t layer, const sac_tile *tile, float *weights,
                              sac_error *error)
{
    return sac_stored_weights_tile(&((matrix *)self)->stored, layer, tile, weights, error);
}

static sac_status stored_pool(void *self, size_t layer, const sac_tile *tile, sac_pool pool,
                              size_t out_rows, size_t out_cols, float *pooled, sac_error *error)
{
    return sac_stored_weights_pool(&((matrix *)self)->stored, layer, tile, pool, out_rows, out_cols,
                                   pooled, error);
}

/* Queries and keys make one layer. */
static sac_status computed_tile(void *self, size_t layer, const sac_tile *tile, float *weights,
                                sac_error *error)
{
    (void)layer;
    return sac_attention_tile(((matrix *)self)->computed.attention, tile, weights, error);
}

static sac_status computed_pool(void *self, size_t layer, const sac_tile *tile, sac_pool pool,
                                size_t out_rows, size_t out_cols, float *pooled, sac_error *error)
{
    (void)layer;
    return sac_attention_pool(((matrix *)self)->computed.attention, tile, pool, out_rows, out_cols,
                              pooled, error);
}

/* ---------------------------------------------------------------- the weights */

static sac_status use_stored(matrix *m, sac_matrix_source *source, sac_error *error)
{
    const size_t *size = m->stored.size;
    source->layers = size[SAC_AXIS_L];
    source->batch = size[SAC_AXIS_B];
    source->heads = size[SAC_AXIS_H];
    source->rows = size[SAC_AXIS_Q];
    source->columns = size[SAC_AXIS_K];
    source->tile = stored_tile;
    source->pool = stored_pool;
    snprintf(source->dtype, sizeof source->dtype, "%s", sac_dtype_name(m->stored.arrays[0]->dtype));
    return sac_stored_weights_check(&m->stored, source->note, sizeof source->note, error);
}

/* "causal, key padding": what hides keys from queries. */
static void name_mask(const sac_arrays *arrays, bool causal, char *text, size_t size)
{
    sac_attention_input input = sac_attention_input_find(arrays);
    const char *names[] = {causal ? "causal" : NULL, input.key_padding_mask ? "key padding" : NULL,
                           input.attn_mask ? "attn_mask" : NULL};
    text[0] = '\0';
    for (size_t i = 0, used = 0; i < sizeof names / sizeof *names; i++)
        if (names[i])
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", names[i]);
}

static sac_status use_computed(matrix *m, const sac_matrix_options *options,
                               sac_matrix_source *source, sac_error *error)
{
    sac_status status =
        sac_computed_weights_open(m->arrays, options->device, &options->spec, &m->computed, error);
    if (status != SAC_OK)
        return status;
    const sac_attention_shape *shape = sac_attention_get_shape(m->computed.attention);
    source->layers = 1;
    source->batch = shape->batch;
    source->heads = shape->heads;
    source->rows = shape->queries;
    source->columns = shape->keys;
    source->tile = computed_tile;
    source->pool = computed_pool;
    snprintf(source->dtype, sizeof source->dtype, "float32");
    snprintf(source->score, sizeof source->score, "%s", sac_score_name(options->spec.score));
    name_mask(m->arrays, options->spec.causal, source->mask, sizeof source->mask);
    source->heads_asked = options->spec.heads;
    sac_device_short_name(sac_device_get_info(m->computed.device), source->origin.device,
                          sizeof source->origin.device);
    return SAC_OK;
}

/* ---------------------------------------------------------------- labels */

/* Keeps labels that fit `count`; frees those that do not and says so in *fits. */
static void keep_fitting(sac_labels *labels, size_t count, bool *fits)
{
    *fits = labels->count == count;
    if (!*fits)
        sac_labels_free(labels);
}

static sac_status labels_from_file(const char *path, sac_matrix_source *source, sac_error *error)
{
    sac_labels *rows = &source->row_labels, *columns = &source->column_labels;
    sac_status status = sac_labels_load(path, rows, columns, error);
    if (status != SAC_OK)
        return status;
    size_t given = rows->count ? rows->count : columns->count;
    bool row_fits, column_fits;
    keep_fitting(rows, source->rows, &row_fits);
    keep_fitting(columns, source->columns, &column_fits);
    if (row_fits || column_fits)
        return SAC_OK;
    return sac_fail(error, SAC_E_SHAPE, path, "give one label a row or one a column",
                    "%zu labels do not fit %zu × %zu weights", given, source->rows,
                    source->columns);
}

/* Text arrays that happen to have another length (names of classes, say) are no labels. */
static sac_status labels_from_array(const sac_arrays *arrays, const char *name, size_t count,
                                    sac_labels *labels, sac_error *error)
{
    const sac_array *array = sac_arrays_find(arrays, name);
    if (labels->count || !array || array->dtype != SAC_TEXT || sac_array_count(array) != count)
        return SAC_OK;
    return sac_labels_from_array(array, labels, error);
}

static sac_status labels_from_arrays(const sac_arrays *arrays, sac_matrix_source *source,
                                     sac_error *error)
{
    static const char *const rows[] = {"row_labels", "tokens", "labels"};
    static const char *const columns[] = {"column_labels", "tokens", "labels"};
    sac_status status = SAC_OK;
    for (int i = 0; i < 3 && status == SAC_OK; i++) {
        status = labels_from_array(arrays, rows[i], source->rows, &source->row_labels, error);
        if (status == SAC_OK)
            status = labels_from_array(arrays, columns[i], source->columns, &source->column_labels,
                                       error);
    }
    return status;
}

/* ---------------------------------------------------------------- the picture under the columns */

/* Where no grid is given: a square of all columns but a few leading ones. */
static bool guess_grid(const sac_matrix_options *options, sac_matrix_source *source)
{
    int first = options->prefix, last = options->prefix ? options->prefix : 8;
    for (int prefix = first; prefix <= last && (size_t)prefix < source->columns; prefix++) {
        size_t cells = source->columns - (size_t)prefix;
        size_t side = (size_t)llround(sqrt((double)cells));
        if (side * side == cells && side <= INT_MAX) {
            source->grid_w = source->grid_h = (int)side;
            source->prefix = prefix;
            return true;
        }
    }
    return false;
}

static sac_status place_grid(const sac_matrix_options *options, sac_matrix_source *source,
                             sac_error *error)
{
    source->grid_w = options->grid_w;
    source->grid_h = options->grid_h;
    if (!options->grid_w && !options->grid_h) {
        if (!options->image || guess_grid(options, source))
            return SAC_OK;
        return sac_fail(error, SAC_E_SHAPE, "grid", "give --grid WxH and --prefix N",
                        "%zu columns are no square of cells", source->columns);
    }
    size_t cells = (size_t)source->grid_w * (size_t)source->grid_h;
    if (source->grid_w > 0 && source->grid_h > 0 &&
        cells + (size_t)source->prefix == source->columns)
        return SAC_OK;
    return sac_fail(error, SAC_E_SHAPE, "grid", "give --grid WxH and --prefix N that fit",
                    "%d × %d cells and %d leading tokens are not the %zu columns", source->grid_w,
                    source->grid_h, source->prefix, source->columns);
}

static sac_status use_image(matrix *m, const sac_matrix_options *options, sac_matrix_source *source,
                            sac_error *error)
{
    if (options->prefix < 0 || (size_t)options->prefix >= source->columns)
        return sac_fail(error, SAC_E_ARGUMENT, "prefix", "give fewer leading tokens",
                        "%d leading tokens of %zu columns", options->prefix, source->columns);
    source->prefix = options->prefix;
    sac_status status = place_grid(options, source, error);
    if (status != SAC_OK || !options->image)
        return status;
    status = sac_image_load(options->image, &m->image, error);
    if (status == SAC_OK)
        source->image = &m->image;
    return status;
}

/* ---------------------------------------------------------------- opening */

/* Where `path` is, whatever folder the program is started in next time; "" for NULL. */
static void find_absolute(const char *path, char *absolute, size_t size)
{
    char *found = path ? realpath(path, NULL) : NULL;
    snprintf(absolute, size, "%s", found ? found : path ? path : "");
    free(found);
}

/* What is open, and what it takes to open the same again. */
static void name_source(const sac_matrix_options *options, sac_matrix_source *source)
{
    const char *slash = strrchr(options->path, '/');
    snprintf(source->title, sizeof source->title, "%s", slash ? slash + 1 : options->path);
    find_absolute(options->path, source->origin.file, sizeof source->origin.file);
    find_absolute(options->labels, source->labels_file, sizeof source->labels_file);
    find_absolute(options->image, source->image_file, sizeof source->image_file);
    snprintf(source->array, sizeof source->array, "%s", options->array ? options->array : "");
    snprintf(source->axes, sizeof source->axes, "%s", options->axes ? options->axes : "");
}

static sac_status open_weights(matrix *m, const sac_matrix_options *options,
                               sac_matrix_source *source, sac_error *error)
{
    sac_status status =
        sac_stored_weights_find(m->arrays, options->array, options->axes, &m->stored, error);
    if (status == SAC_OK)
        status = m->stored.count ? use_stored(m, source, error)
                                 : use_computed(m, options, source, error);
    if (status == SAC_OK && !options->labels)
        status = labels_from_arrays(m->arrays, source, error);
    return sac_error_within(error, status, options->path);
}

sac_status sac_matrix_open(const sac_matrix_options *options, sac_matrix_source *source,
                           sac_error *error)
{
    *source = (sac_matrix_source){0};
    matrix *m = calloc(1, sizeof *m);
    if (!m)
        return sac_fail(error, SAC_E_MEMORY, options->path, NULL, "no memory");
    source->self = m;
    source->destroy = matrix_destroy;
    sac_status status = sac_arrays_open(options->path, &m->arrays, error);
    if (status == SAC_OK)
        status = open_weights(m, options, source, error);
    if (status == SAC_OK && options->labels)
        status = labels_from_file(options->labels, source, error);
    if (status == SAC_OK)
        status = use_image(m, options, source, error);
    name_source(options, source);
    if (status == SAC_OK)
        status =
            sac_file_hash(options->path, source->origin.hash, sizeof source->origin.hash, error);
    if (status != SAC_OK)
        sac_matrix_source_destroy(source);
    return status;
}
