/* A trace of weights that a file holds or that its queries and keys give: weights, labels, picture.
 */

#include "sources/weights_file.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "device/device.h"
#include "sources/computed_weights.h"
#include "sources/explain.h"
#include "sources/readings.h"
#include "sources/stored_weights.h"

typedef struct weights_file {
    sac_arrays *arrays; /* kept open: stored weights are read out of it */
    sac_stored_weights stored;
    sac_computed_weights computed;
    sac_image image;
    float *alignment; /* of the heads; NULL: the file does not say */
} weights_file;

static void destroy(void *self)
{
    weights_file *f = self;
    sac_stored_weights_free(&f->stored);
    sac_computed_weights_free(&f->computed);
    sac_image_free(&f->image);
    free(f->alignment);
    sac_arrays_close(f->arrays);
    free(f);
}

static sac_status stored_tile(void *self, size_t layer, const sac_tile *tile, float *weights,
                              sac_error *error)
{
    return sac_stored_weights_tile(&((weights_file *)self)->stored, layer, tile, weights, error);
}

static sac_status stored_pool(void *self, size_t layer, const sac_tile *tile, sac_pool pool,
                              size_t out_rows, size_t out_cols, float *pooled, sac_error *error)
{
    return sac_stored_weights_pool(&((weights_file *)self)->stored, layer, tile, pool, out_rows,
                                   out_cols, pooled, error);
}

static sac_status stored_masked(void *self, size_t layer, const sac_tile *tile, uint8_t *masked,
                                sac_error *error)
{
    return sac_stored_weights_masked(&((weights_file *)self)->stored, layer, tile, masked, error);
}

static sac_status computed_tile(void *self, size_t layer, const sac_tile *tile, float *weights,
                                sac_error *error)
{
    sac_attention *attention;
    weights_file *f = self;
    sac_status status = sac_computed_weights_layer(&f->computed, layer, &attention, error);
    return status == SAC_OK ? sac_attention_tile(attention, tile, weights, error) : status;
}

static sac_status computed_pool(void *self, size_t layer, const sac_tile *tile, sac_pool pool,
                                size_t out_rows, size_t out_cols, float *pooled, sac_error *error)
{
    sac_attention *attention;
    weights_file *f = self;
    sac_status status = sac_computed_weights_layer(&f->computed, layer, &attention, error);
    return status == SAC_OK
               ? sac_attention_pool(attention, tile, pool, out_rows, out_cols, pooled, error)
               : status;
}

static sac_status computed_masked(void *self, size_t layer, const sac_tile *tile, uint8_t *masked,
                                  sac_error *error)
{
    return sac_computed_weights_masked(&((weights_file *)self)->computed, layer, tile, masked,
                                       error);
}

static sac_status computed_explain(void *self, const sac_explanation_request *request,
                                   sac_explanation *explanation, sac_error *error)
{
    sac_attention *attention;
    weights_file *f = self;
    sac_status status = sac_computed_weights_layer(&f->computed, request->layer, &attention, error);
    return status == SAC_OK ? sac_explain_attention(attention, request, 1, explanation, error)
                            : status;
}

static sac_status stored_explain(void *self, const sac_explanation_request *request,
                                 sac_explanation *e, sac_error *error)
{
    return sac_stored_weights_explain(&((weights_file *)self)->stored, request, e, error);
}

/* ---------------------------------------------------------------- the weights */

static sac_status use_stored(weights_file *f, const sac_weights_file_options *options,
                             sac_trace *trace, sac_error *error)
{
    f->stored.softmax = trace->softmax = options->softmax;
    f->stored.allow_nan = trace->allow_nan = options->allow_nan;
    const size_t *size = f->stored.size;
    trace->layers = size[SAC_AXIS_L];
    trace->batch = size[SAC_AXIS_B];
    trace->heads = size[SAC_AXIS_H];
    trace->steps = size[SAC_AXIS_Q];
    trace->positions = size[SAC_AXIS_K];
    trace->tile = stored_tile;
    trace->pool = stored_pool;
    trace->explain = stored_explain;
    if (options->softmax || options->allow_nan)
        trace->masked = stored_masked;
    snprintf(trace->dtype, sizeof trace->dtype, "%s%s",
             sac_dtype_name(f->stored.layers[0].array->dtype), options->softmax ? " scores" : "");
    return sac_stored_weights_check(&f->stored, trace->note, sizeof trace->note, error);
}

static sac_status use_computed(weights_file *f, const sac_array_group *queries,
                               const sac_weights_file_options *options, sac_trace *trace,
                               sac_error *error)
{
    sac_attention_request request = {
        .axes = options->axes, .leave_out = options->leave_out, .spec = options->spec};
    if (options->softmax)
        return sac_fail(error, SAC_E_ARGUMENT, "--softmax", "leave it out",
                        "queries and keys are computed with theirs");
    sac_status status = sac_computed_weights_open(f->arrays, queries, &request, options->device,
                                                  &f->computed, error);
    if (status != SAC_OK)
        return status;
    const sac_attention_shape *shape = &f->computed.shape;
    trace->layers = f->computed.count;
    trace->batch = shape->batch;
    trace->heads = shape->heads;
    trace->key_heads = shape->key_heads;
    trace->steps = shape->queries;
    trace->positions = shape->keys;
    trace->tile = computed_tile;
    trace->pool = computed_pool;
    trace->explain = computed_explain;
    if (f->computed.masks[0])
        trace->masked = computed_masked;
    snprintf(trace->dtype, sizeof trace->dtype, "float32");
    snprintf(trace->score, sizeof trace->score, "%s", sac_score_name(options->spec.score));
    snprintf(trace->mask, sizeof trace->mask, "%s", f->computed.masks);
    snprintf(trace->note, sizeof trace->note, "%s", f->computed.note);
    trace->heads_asked = options->spec.heads;
    trace->key_heads_asked = options->spec.key_heads;
    sac_device_short_name(sac_device_get_info(f->computed.device), trace->origin.device,
                          sizeof trace->origin.device);
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

static sac_status labels_from_file(const char *path, sac_trace *trace, sac_error *error)
{
    sac_labels *rows = &trace->step_labels, *columns = &trace->position_labels;
    sac_status status = sac_labels_load(path, rows, columns, error);
    if (status != SAC_OK)
        return status;
    size_t given = rows->count ? rows->count : columns->count;
    bool row_fits, column_fits;
    keep_fitting(rows, trace->steps, &row_fits);
    keep_fitting(columns, trace->positions, &column_fits);
    if (row_fits || column_fits)
        return SAC_OK;
    return sac_fail(error, SAC_E_SHAPE, path, "give one label a row or one a column",
                    "%zu labels do not fit %zu × %zu weights", given, trace->steps,
                    trace->positions);
}

/* Text arrays that happen to have another length (names of classes, say) are no labels. */
static sac_status labels_from_array(const sac_arrays *arrays, const char *name, size_t count,
                                    bool *used, sac_labels *labels, sac_error *error)
{
    const sac_array *array = sac_arrays_find(arrays, name);
    if (labels->count || !array || array->dtype != SAC_TEXT || sac_array_count(array) != count)
        return SAC_OK;
    sac_mark_used(arrays, array, used);
    return sac_labels_from_array(array, labels, error);
}

/* Labels of the one attention that was taken, "encoder_row_labels", come before those of all. */
static sac_status own_labels(const weights_file *f, bool *used, sac_trace *trace, sac_error *error)
{
    const char *taken = f->stored.count == 1 ? f->stored.layers[0].name : "";
    char name[160];
    snprintf(name, sizeof name, "%.120s_row_labels", taken);
    sac_status status =
        labels_from_array(f->arrays, name, trace->steps, used, &trace->step_labels, error);
    snprintf(name, sizeof name, "%.120s_column_labels", taken);
    return status == SAC_OK ? labels_from_array(f->arrays, name, trace->positions, used,
                                                &trace->position_labels, error)
                            : status;
}

static sac_status labels_from_arrays(const weights_file *f, bool *used, sac_trace *trace,
                                     sac_error *error)
{
    const sac_arrays *arrays = f->arrays;
    sac_status status = own_labels(f, used, trace, error);
    for (int i = 0; sac_row_label_names[i] && status == SAC_OK; i++)
        status = labels_from_array(arrays, sac_row_label_names[i], trace->steps, used,
                                   &trace->step_labels, error);
    for (int i = 0; sac_column_label_names[i] && status == SAC_OK; i++)
        status = labels_from_array(arrays, sac_column_label_names[i], trace->positions, used,
                                   &trace->position_labels, error);
    return status;
}

/* A square map is of one sentence with itself, as an encoder's, which has the source's tokens. */
static sac_status share_labels(sac_trace *trace, sac_error *error)
{
    sac_labels *rows = &trace->step_labels, *columns = &trace->position_labels;
    if (trace->steps != trace->positions || !rows->count == !columns->count)
        return SAC_OK;
    return rows->count ? sac_labels_copy(rows, columns, error)
                       : sac_labels_copy(columns, rows, error);
}

static sac_status make_labels_readable(sac_trace *trace, sac_error *error)
{
    sac_status status = sac_labels_make_readable(&trace->step_labels, error);
    return status == SAC_OK ? sac_labels_make_readable(&trace->position_labels, error) : status;
}

/* How well each head aligns, "cross_alignment" [L,H], where the file says so of what was taken. */
static sac_status read_alignment(weights_file *f, bool *used, sac_trace *trace, sac_error *error)
{
    char name[160];
    snprintf(name, sizeof name, "%.120s_alignment",
             f->stored.count == 1 ? f->stored.layers[0].name : "");
    const sac_array *array = sac_arrays_find(f->arrays, name);
    if (!array || array->rank != 2 || array->dtype == SAC_TEXT ||
        array->shape[0] != trace->layers || array->shape[1] != trace->heads)
        return SAC_OK;
    f->alignment = malloc(sac_array_count(array) * sizeof *f->alignment);
    if (!f->alignment)
        return sac_fail(error, SAC_E_MEMORY, name, NULL, "no memory for it");
    sac_mark_used(f->arrays, array, used);
    trace->head_alignment = f->alignment;
    return sac_array_to_f32(array, f->alignment, error);
}

/* ---------------------------------------------------------------- the picture under the columns */

/* Finds a grid where none is given: a square of all columns but a few leading ones. */
static bool guess_grid(const sac_weights_file_options *options, sac_trace *trace)
{
    int first = options->prefix, last = options->prefix ? options->prefix : 8;
    for (int prefix = first; prefix <= last && (size_t)prefix < trace->positions; prefix++) {
        size_t cells = trace->positions - (size_t)prefix;
        size_t side = (size_t)llround(sqrt((double)cells));
        if (side * side == cells && side <= INT_MAX) {
            trace->grid_w = trace->grid_h = (int)side;
            trace->prefix = prefix;
            return true;
        }
    }
    return false;
}

static sac_status place_grid(const sac_weights_file_options *options, sac_trace *trace,
                             sac_error *error)
{
    trace->grid_w = options->grid_w;
    trace->grid_h = options->grid_h;
    if (!options->grid_w && !options->grid_h) {
        if (!trace->image || guess_grid(options, trace))
            return SAC_OK;
        return sac_fail(error, SAC_E_SHAPE, "grid", "give --grid WxH and --prefix N",
                        "%zu columns are no square of cells", trace->positions);
    }
    size_t cells = (size_t)trace->grid_w * (size_t)trace->grid_h;
    if (trace->grid_w > 0 && trace->grid_h > 0 && cells + (size_t)trace->prefix == trace->positions)
        return SAC_OK;
    return sac_fail(error, SAC_E_SHAPE, "grid", "give --grid WxH and --prefix N that fit",
                    "%d × %d cells and %d leading tokens are not the %zu columns", trace->grid_w,
                    trace->grid_h, trace->prefix, trace->positions);
}

/* Reads whole numbers out of the file; false where there is no such array, or it is none. */
static bool read_integers(const weights_file *f, const char *name, size_t count, int *numbers,
                          bool *used)
{
    const sac_array *array = sac_arrays_find(f->arrays, name);
    float read[2];
    if (!array || array->dtype == SAC_TEXT || sac_array_count(array) != count ||
        sac_array_to_f32(array, read, NULL) != SAC_OK)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!(read[i] >= 0 && read[i] <= 1 << 20))
            return false;
        else
            numbers[i] = (int)read[i];
    sac_mark_used(f->arrays, array, used);
    return true;
}

/* uint8 [H,W], [H,W,3] or [H,W,4] as a picture. */
static sac_status image_from_array(const sac_array *array, sac_image *image, sac_error *error)
{
    char shape[160];
    size_t channels = array->rank == 3 ? array->shape[2] : array->rank == 2 ? 1 : 0, bytes;
    bool fits = array->dtype == SAC_U8 && sac_array_count(array) > 0 &&
                (channels == 1 || channels == 3 || channels == 4) &&
                array->shape[0] <= INT_MAX / 4 && array->shape[1] <= INT_MAX / 4 &&
                sac_checked_mul(array->shape[0] * array->shape[1], 4, &bytes);
    if (!fits)
        return sac_fail(error, SAC_E_SHAPE, "image", "give uint8 [H,W,3]", "%s %s is no picture",
                        sac_dtype_name(array->dtype),
                        sac_array_shape_text(array, shape, sizeof shape));
    *image = (sac_image){(int)array->shape[1], (int)array->shape[0], malloc(bytes)};
    if (!image->rgba)
        return sac_fail(error, SAC_E_MEMORY, "image", NULL, "no memory for %zu bytes", bytes);
    const uint8_t *in = array->data;
    for (size_t i = 0; i < bytes / 4; i++, in += channels) {
        uint8_t *out = image->rgba + 4 * i;
        for (size_t c = 0; c < 3; c++)
            out[c] = in[channels == 1 ? 0 : c];
        out[3] = channels == 4 ? in[3] : 255;
    }
    return SAC_OK;
}

/* Reads grid, prefix and image out of the file where the options do not give them. */
static sac_status picture_from_arrays(weights_file *f, bool *used,
                                      sac_weights_file_options *options, sac_error *error)
{
    int grid[2], prefix;
    bool says_grid = !options->grid_w && !options->grid_h;
    if (says_grid && read_integers(f, "grid", 2, grid, used)) {
        options->grid_h = grid[0];
        options->grid_w = grid[1];
    }
    if (!options->prefix && read_integers(f, "prefix", 1, &prefix, used))
        options->prefix = prefix;
    const sac_array *image = sac_arrays_find(f->arrays, "image");
    if (options->image || !image || image->dtype != SAC_U8)
        return SAC_OK;
    sac_mark_used(f->arrays, image, used);
    return image_from_array(image, &f->image, error);
}

static sac_status use_image(weights_file *f, const sac_weights_file_options *options,
                            sac_trace *trace, sac_error *error)
{
    if (options->prefix < 0 || (size_t)options->prefix >= trace->positions)
        return sac_fail(error, SAC_E_ARGUMENT, "prefix", "give fewer leading tokens",
                        "%d leading tokens of %zu columns", options->prefix, trace->positions);
    trace->prefix = options->prefix;
    if (options->image) {
        sac_status status = sac_image_load(options->image, &f->image, error);
        if (status != SAC_OK)
            return status;
    }
    trace->image = f->image.rgba ? &f->image : NULL;
    return place_grid(options, trace, error);
}

/* ---------------------------------------------------------------- opening */

/* Makes `path` absolute, so that it is found from any working folder; "" for NULL. */
static void find_absolute(const char *path, char *absolute, size_t size)
{
    char *found = path ? realpath(path, NULL) : NULL;
    snprintf(absolute, size, "%s", found ? found : path ? path : "");
    free(found);
}

/* Names what is open, and what is needed to open the same again. */
static void name_source(const sac_weights_file_options *options, sac_trace *trace)
{
    const char *slash = strrchr(options->path, '/');
    snprintf(trace->title, sizeof trace->title, "%s", slash ? slash + 1 : options->path);
    find_absolute(options->path, trace->origin.file, sizeof trace->origin.file);
    find_absolute(options->labels, trace->labels_file, sizeof trace->labels_file);
    find_absolute(options->image, trace->image_file, sizeof trace->image_file);
    snprintf(trace->array, sizeof trace->array, "%s", options->array ? options->array : "");
    snprintf(trace->axes, sizeof trace->axes, "%s", options->axes ? options->axes : "");
}

/* Marks the arrays of the file that have a part in the weights shown. */
static void mark_used(const weights_file *f, bool *used)
{
    for (size_t i = 0; i < f->stored.count; i++)
        sac_mark_used(f->arrays, f->stored.layers[i].array, used);
    for (size_t i = 0; i < f->computed.count; i++) {
        sac_attention_request request = f->computed.request;
        request.query = f->computed.layers[i].name;
        sac_attention_file_mark(f->arrays, &request, used);
    }
}

/* Adds the arrays that have none to the trace's note. */
static void note_unused(const weights_file *f, bool *used, sac_trace *trace)
{
    size_t length = strlen(trace->note);
    const char *between = length ? "; " : "";
    char text[sizeof trace->note];
    mark_used(f, used);
    sac_not_used_text(f->arrays, used, text, sizeof text - length - strlen(between));
    if (text[0])
        snprintf(trace->note + length, sizeof trace->note - length, "%s%s", between, text);
}

static sac_status take_weights(weights_file *f, const sac_array_group *group,
                               const sac_weights_file_options *options, sac_trace *trace,
                               sac_error *error)
{
    sac_status status = sac_stored_weights_take(&f->stored, group, options->axes, error);
    return status == SAC_OK ? use_stored(f, options, trace, error) : status;
}

/* The error where no array fits, or more than one does. */
static sac_status not_clear(const weights_file *f, const sac_weights_file_options *options,
                            const sac_array_groups *groups, sac_error *error)
{
    char list[400];
    if (groups->count) {
        sac_array_groups_text(groups, list, sizeof list);
        return sac_fail(error, options->array ? SAC_E_ARGUMENT : SAC_E_FORMAT, options->array,
                        "choose one with --take NAME", "more than one attention fits: %s", list);
    }
    const char *unread = options->array ? sac_unread_find(f->arrays, options->array) : NULL;
    if (unread)
        return sac_fail(error, SAC_E_FORMAT, unread, NULL, "%s",
                        sac_arrays_unread_reason(f->arrays, unread));
    if (!sac_arrays_size(f->arrays))
        return sac_fail(error, SAC_E_FORMAT, NULL, "check how it was made", "holds no arrays");
    sac_arrays_text(f->arrays, list, sizeof list);
    if (options->array)
        return sac_fail(error, SAC_E_ARGUMENT, options->array, "choose one with --take NAME",
                        "no such array; the file holds %s", list);
    return sac_fail(error, SAC_E_FORMAT, NULL, "choose with --take NAME (a * stands for layers)",
                    "no attention, nor query and key, among %s", list);
}

/* Weights that are named so come before queries and keys, and those before arrays that only have
 * the shape. */
static sac_status find_groups(const weights_file *f, const char *wanted, sac_array_groups *weights,
                              sac_array_groups *queries, sac_error *error)
{
    sac_status status = sac_queries_find(f->arrays, wanted, queries, error);
    if (status == SAC_OK && !(wanted && queries->count))
        status = sac_weights_find(f->arrays, wanted, false, weights, error);
    if (status == SAC_OK && !wanted && !queries->count && !weights->count) {
        const char *unread = sac_weights_unread(f->arrays);
        if (unread) /* what only has the shape is not what was meant */
            return sac_fail(error, SAC_E_FORMAT, unread, NULL, "%s",
                            sac_arrays_unread_reason(f->arrays, unread));
        sac_array_groups_free(weights);
        status = sac_weights_find(f->arrays, NULL, true, weights, error);
    }
    return status;
}

/* Lists the readings that a person may choose from: all that the file offers, whichever was asked
 * for. */
static sac_status list_readings(const weights_file *f, const char *taken, const char *axes,
                                sac_trace *trace, sac_error *error)
{
    sac_array_groups weights = {0}, queries = {0};
    sac_status status = sac_queries_find(f->arrays, NULL, &queries, error);
    if (status == SAC_OK)
        status = sac_weights_find(f->arrays, NULL, !queries.count, &weights, error);
    if (status == SAC_OK)
        status =
            sac_readings_make(&weights, &queries, &trace->readings, &trace->reading_count, error);
    trace->reading = -1;
    if (taken)
        trace->reading = sac_readings_find(trace->readings, trace->reading_count, taken, axes);
    sac_array_groups_free(&weights);
    sac_array_groups_free(&queries);
    return status;
}

static sac_status open_arrays(weights_file *f, const sac_weights_file_options *options,
                              sac_trace *trace, sac_error *error)
{
    char taken[sizeof((sac_reading *)0)->take] = "";
    sac_array_groups weights = {0}, queries = {0};
    sac_status status = find_groups(f, options->array, &weights, &queries, error);
    const sac_array_groups *groups = weights.count ? &weights : &queries;
    if (groups->count == 1)
        snprintf(taken, sizeof taken, "%s", groups->group[0].name);
    if (status == SAC_OK && weights.count == 1)
        status = take_weights(f, &weights.group[0], options, trace, error);
    else if (status == SAC_OK && !weights.count && queries.count == 1)
        status = use_computed(f, &queries.group[0], options, trace, error);
    else if (status == SAC_OK && !(options->ask && groups->count))
        status = not_clear(f, options, groups, error);
    sac_array_groups_free(&weights);
    sac_array_groups_free(&queries);
    if (status == SAC_OK)
        status = list_readings(f, taken[0] ? taken : NULL, options->axes, trace, error);
    return status;
}

static sac_status open_weights(weights_file *f, sac_weights_file_options *options, sac_trace *trace,
                               sac_error *error)
{
    bool *used = calloc(sac_arrays_size(f->arrays) + 1, sizeof *used);
    sac_status status = used ? open_arrays(f, options, trace, error)
                             : sac_fail(error, SAC_E_MEMORY, NULL, NULL, "no memory to open it");
    bool found = trace->tile != NULL;
    if (status == SAC_OK && found && !options->labels)
        status = labels_from_arrays(f, used, trace, error);
    if (status == SAC_OK)
        status = share_labels(trace, error);
    if (status == SAC_OK && found)
        status = read_alignment(f, used, trace, error);
    if (status == SAC_OK && found)
        status = picture_from_arrays(f, used, options, error);
    if (status == SAC_OK && found)
        note_unused(f, used, trace);
    free(used);
    return sac_error_within(error, status, options->path);
}

sac_status sac_weights_file_open(const sac_weights_file_options *asked, sac_trace *trace,
                                 sac_error *error)
{
    sac_weights_file_options with_file = *asked, *options = &with_file;
    *trace = (sac_trace){0};
    weights_file *f = calloc(1, sizeof *f);
    if (!f)
        return sac_fail(error, SAC_E_MEMORY, options->path, NULL, "no memory");
    trace->self = f;
    trace->destroy = destroy;
    sac_status status = sac_arrays_open(options->path, &f->arrays, error);
    if (status == SAC_OK)
        status = open_weights(f, options, trace, error);
    if (status == SAC_OK && trace->tile && options->labels)
        status = labels_from_file(options->labels, trace, error);
    if (status == SAC_OK)
        status = make_labels_readable(trace, error);
    if (status == SAC_OK && trace->tile)
        status = use_image(f, options, trace, error);
    name_source(options, trace);
    if (status == SAC_OK)
        status = sac_origin_hash(options->path, trace->origin.hash, error);
    if (status != SAC_OK)
        sac_trace_destroy(trace);
    return status;
}
