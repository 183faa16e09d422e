/* Weights read out of a file by tile, checked, and pooled. */

#include "sources/files/weights/stored_weights.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "saccade_arrays.h"
#include "sources/heads/reduce.h"

void sac_stored_weights_free(sac_stored_weights *stored)
{
    free(stored->layers);
    free(stored->pieces);
    free(stored->piece_rows);
    free(stored->flat);
    free(stored->beams);
    free(stored->band);
    free(stored->line);
    free(stored->whole);
    *stored = (sac_stored_weights){0};
}

/* ---------------------------------------------------------------- reading */

/* The array that holds row *row of a layer. *row becomes the row within that array, *item that of the
 * arrays, and *first the key that is the first of the row's. */
static const sac_named_array *find_row_array(const sac_stored_weights *stored, size_t layer,
                                             size_t *row, size_t *item, size_t *first)
{
    size_t index = stored->count > 1 ? layer : 0, low = 0, high = stored->piece_count;
    *first = 0;
    while (high - low > 1 && stored->pieces) {
        size_t middle = low + (high - low) / 2;
        if (stored->piece_rows[middle] <= *row)
            low = middle;
        else
            high = middle;
    }
    if (stored->beams)
        *item = stored->beams[*item * (stored->pieces ? stored->piece_count : 1) + low];
    if (!stored->pieces)
        return &stored->layers[index];
    const sac_named_array *named = &stored->pieces[index * stored->piece_count + low];
    size_t keys = named->array->shape[named->array->rank - 1], end = stored->piece_rows[low + 1];
    if (stored->own_keys && keys < end)
        *first = end - keys;
    *row -= stored->piece_rows[low];
    return named;
}

/* Rows and columns of an item that are not padding. */
static size_t kept_row_count(const sac_stored_weights *stored, size_t item)
{
    const sac_kept *kept = stored->kept ? &stored->kept[item] : NULL;
    return kept && kept->rows ? kept->row_count : stored->size[SAC_AXIS_Q];
}

static size_t kept_column_count(const sac_stored_weights *stored, size_t item)
{
    const sac_kept *kept = stored->kept ? &stored->kept[item] : NULL;
    return kept && kept->columns ? kept->column_count : stored->size[SAC_AXIS_K];
}

/* The row of the arrays that is row `row` of an item. */
static size_t source_row(const sac_stored_weights *stored, size_t item, size_t row)
{
    const sac_kept *kept = stored->kept ? &stored->kept[item] : NULL;
    return kept && kept->rows ? kept->rows[row] : row;
}

/* The least number that is no mistake; scores may be minus infinity. */
static float least_allowed_weight(const sac_stored_weights *stored)
{
    return stored->softmax ? -INFINITY : stored->is_signed ? -FLT_MAX : -1e-6f;
}

static bool is_allowed(const sac_stored_weights *stored, float value)
{
    if (isnan(value))
        return stored->allow_nan;
    return (stored->softmax || value >= least_allowed_weight(stored)) && value <= FLT_MAX;
}

static const char *advice_on(float value)
{
    if (isnan(value))
        return "find out where it comes from, or see the rest with --allow-nan";
    if (isinf(value))
        return "find out where it comes from";
    return "weights are never negative: if these are scores before the softmax, add --softmax";
}

/* Reports the first value that is not a weight, with its index: "the weight at [0,3,5,7] is nan".
 * Tile and row are those of the array. */
static sac_status report_first_bad_weight(const sac_stored_weights *stored, size_t layer,
                                          const sac_tile *tile, size_t row, const float *values,
                                          sac_error *error)
{
    size_t bad = 0, used = 0;
    while (bad + 1 < tile->cols && is_allowed(stored, values[bad]))
        bad++;
    size_t item = tile->batch, first;
    const sac_named_array *named = find_row_array(stored, layer, &row, &item, &first);
    size_t at[SAC_AXES] = {layer, item, tile->head, row, tile->col + bad - first};
    char index[128] = "";
    for (int a = 0; a < named->array->rank && used < sizeof index; a++)
        for (int axis = 0; axis < SAC_AXES; axis++)
            if (stored->axis[axis] == a)
                used += (size_t)snprintf(index + used, sizeof index - used, "%s%zu", a ? "," : "",
                                         at[axis]);
    return sac_fail(error, SAC_E_VALUE, named->name, advice_on(values[bad]), "the %s at [%s] is %g",
                    stored->softmax ? "score" : "weight", index, (double)values[bad]);
}

/* Reads one row of a tile as float32, unchecked. Tile and row are those of the array. A row of a step
 * of a generation is shorter: the keys after its end, and before a sliding window, have weight 0. */
static sac_status load_row_unchecked(const sac_stored_weights *stored, size_t layer,
                                     const sac_tile *tile, size_t row, float *values,
                                     sac_error *error)
{
    size_t item = tile->batch, first;
    const sac_array *array = find_row_array(stored, layer, &row, &item, &first)->array;
    size_t stride = sac_array_count(array), offset = 0, keys = array->shape[array->rank - 1];
    size_t end = tile->col + tile->cols < first + keys ? tile->col + tile->cols : first + keys;
    size_t from = tile->col > first ? tile->col : first, there = end > from ? end - from : 0;
    const size_t at[SAC_AXES] = {layer, item, tile->head, row, from - first};
    for (int a = 0; a < array->rank; a++) {
        stride /= array->shape[a];
        for (int axis = 0; axis < SAC_AXES; axis++)
            if (stored->axis[axis] == a)
                offset += at[axis] * stride;
    }
    for (size_t c = 0; c < tile->cols; c++)
        if (c < from - tile->col || c >= from - tile->col + there)
            values[c] = stored->softmax ? -INFINITY : 0;
    if (!there)
        return SAC_OK;
    sac_array part = sac_array_view(
        array->dtype, 1, &there, (const char *)array->data + offset * sac_dtype_size(array->dtype));
    return sac_array_to_f32(&part, values + (from - tile->col), error);
}

/* Makes both comparisons for every value, without a branch, so that the loop is vectorised. */
static bool has_out_of_range_values(const float *values, size_t count, float least)
{
    int bad = 0;
    for (size_t i = 0; i < count; i++)
        bad |= (values[i] < least) | !(values[i] <= FLT_MAX);
    return bad;
}

/* Reads a row of the item without its padding. */
static sac_status load_row_without_padding(const sac_stored_weights *stored, size_t layer,
                                           const sac_tile *tile, size_t row, float *values,
                                           sac_error *error)
{
    const size_t *columns = stored->kept ? stored->kept[tile->batch].columns : NULL;
    sac_tile from = *tile;
    row = source_row(stored, tile->batch, row);
    if (columns) {
        from.col = 0;
        from.cols = stored->size[SAC_AXIS_K];
    }
    float *whole = columns ? stored->whole : values;
    sac_status status = load_row_unchecked(stored, layer, &from, row, whole, error);
    for (size_t c = 0; columns && c < tile->cols; c++)
        values[c] = whole[columns[tile->col + c]];
    return status;
}

static sac_status load_row_checked(const sac_stored_weights *stored, size_t layer,
                                   const sac_tile *tile, size_t row, float *values,
                                   sac_error *error)
{
    sac_status status = load_row_without_padding(stored, layer, tile, row, values, error);
    float least = least_allowed_weight(stored);
    if (status != SAC_OK || !has_out_of_range_values(values, tile->cols, least))
        return status;
    const size_t *columns = stored->kept ? stored->kept[tile->batch].columns : NULL;
    for (size_t c = 0; c < tile->cols; c++)
        if (!is_allowed(stored, values[c])) {
            sac_tile one = *tile;
            one.col = columns ? columns[tile->col + c] : tile->col + c;
            one.cols = 1;
            return report_first_bad_weight(stored, layer, &one,
                                           source_row(stored, tile->batch, row), values + c, error);
        }
    return SAC_OK; /* of NaN alone, which are allowed */
}

/* In place. NaN and −∞ become 0; a row of nothing else becomes zeros. */
static void softmax(float *scores, size_t count)
{
    float most = -INFINITY;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        most = scores[i] > most ? scores[i] : most;
    for (size_t i = 0; i < count; i++) {
        scores[i] = scores[i] > -INFINITY ? expf(scores[i] - most) : 0;
        sum += (double)scores[i];
    }
    for (size_t i = 0; i < count && sum > 0; i++)
        scores[i] = (float)(scores[i] / sum);
}

/* Reads part of a row of scores. The softmax needs the whole row. */
static sac_status read_softmaxed_row(sac_stored_weights *stored, size_t layer, const sac_tile *tile,
                                     size_t row, float *weights, sac_error *error)
{
    sac_tile whole = *tile;
    whole.col = 0;
    whole.cols = kept_column_count(stored, tile->batch);
    if (!stored->line)
        stored->line = calloc(stored->size[SAC_AXIS_K], sizeof *stored->line);
    if (!stored->line)
        return sac_fail(error, SAC_E_MEMORY, stored->layers[0].name, NULL,
                        "out of memory for a row of %zu scores", whole.cols);
    sac_status status = load_row_checked(stored, layer, &whole, row, stored->line, error);
    if (status != SAC_OK)
        return status;
    softmax(stored->line, whole.cols);
    memcpy(weights, stored->line + tile->col, tile->cols * sizeof *weights);
    return SAC_OK;
}

/* One row of a tile as float32, checked. */
static sac_status read_row(sac_stored_weights *stored, size_t layer, const sac_tile *tile,
                           size_t row, float *weights, sac_error *error)
{
    if (stored->softmax)
        return read_softmaxed_row(stored, layer, tile, row, weights, error);
    sac_status status = load_row_checked(stored, layer, tile, row, weights, error);
    for (size_t c = 0; c < tile->cols && status == SAC_OK && stored->allow_nan; c++)
        weights[c] = isnan(weights[c]) ? 0 : weights[c];
    return status;
}

static sac_status check_tile(const sac_stored_weights *stored, size_t layer, const sac_tile *tile,
                             sac_error *error)
{
    const size_t *size = stored->size;
    bool there =
        layer < size[SAC_AXIS_L] && tile->batch < size[SAC_AXIS_B] && tile->head < size[SAC_AXIS_H];
    size_t rows = there ? kept_row_count(stored, tile->batch) : 0;
    size_t columns = there ? kept_column_count(stored, tile->batch) : 0;
    bool inside = there && tile->row <= rows && tile->rows <= rows - tile->row &&
                  tile->col <= columns && tile->cols <= columns - tile->col;
    if (inside)
        return SAC_OK;
    return sac_fail(error, SAC_E_ARGUMENT, stored->layers[0].name, NULL,
                    "a tile lies outside [%zu,%zu,%zu,%zu,%zu]", size[0], size[1], size[2], rows,
                    columns);
}

sac_status sac_stored_weights_tile(sac_stored_weights *stored, size_t layer, const sac_tile *tile,
                                   float *weights, sac_error *error)
{
    sac_status status = check_tile(stored, layer, tile, error);
    for (size_t r = 0; r < tile->rows && status == SAC_OK; r++)
        status = read_row(stored, layer, tile, tile->row + r, weights + r * tile->cols, error);
    return status;
}

/* True if the generation step of the row has no weight for the key: it comes later, or lies before
 * its window. */
static bool is_key_outside_step(const sac_stored_weights *stored, size_t layer,
                                const sac_tile *tile, size_t row, size_t column)
{
    const size_t *columns = stored->kept ? stored->kept[tile->batch].columns : NULL;
    size_t item = tile->batch, first;
    row = source_row(stored, tile->batch, row);
    const sac_array *array = find_row_array(stored, layer, &row, &item, &first)->array;
    column = columns ? columns[column] : column;
    return column < first || column >= first + array->shape[array->rank - 1];
}

sac_status sac_stored_weights_masked(const sac_stored_weights *stored, size_t layer,
                                     const sac_tile *tile, uint8_t *out, sac_error *error)
{
    sac_status status = check_tile(stored, layer, tile, error);
    float *row = malloc(tile->cols * sizeof *row);
    if (status == SAC_OK && !row)
        status = sac_no_memory(error, stored->layers[0].name);
    for (size_t r = 0; r < tile->rows && status == SAC_OK; r++) {
        status = load_row_without_padding(stored, layer, tile, tile->row + r, row, error);
        for (size_t c = 0; c < tile->cols; c++)
            *out++ = isnan(row[c]) || (stored->softmax && row[c] == -INFINITY) ||
                     (stored->pieces &&
                      is_key_outside_step(stored, layer, tile, tile->row + r, tile->col + c));
    }
    free(row);
    return status;
}

static sac_status ensure_band_size(sac_stored_weights *stored, size_t count, sac_error *error)
{
    if (count <= stored->band_size)
        return SAC_OK;
    size_t bytes;
    free(stored->band);
    stored->band = sac_checked_mul(count, sizeof(float), &bytes) ? malloc(bytes) : NULL;
    stored->band_size = stored->band ? count : 0;
    return stored->band ? SAC_OK
                        : sac_fail(error, SAC_E_MEMORY, stored->layers[0].name, NULL,
                                   "out of memory to pool %zu weights", count);
}

/* Reads the rows of one row of pooled cells at a time, so that they stay in the cache. */
sac_status sac_stored_weights_pool(sac_stored_weights *stored, size_t layer, const sac_tile *tile,
                                   sac_pool pool, size_t out_rows, size_t out_cols, float *pooled,
                                   sac_error *error)
{
    sac_status status = check_tile(stored, layer, tile, error);
    if (status == SAC_OK &&
        (out_rows < 1 || out_rows > tile->rows || out_cols < 1 || out_cols > tile->cols))
        status = sac_fail(error, SAC_E_ARGUMENT, stored->layers[0].name, NULL,
                          "%zu × %zu weights cannot be pooled to %zu × %zu", tile->rows, tile->cols,
                          out_rows, out_cols);
    if (status == SAC_OK)
        status = ensure_band_size(stored, (tile->rows / out_rows + 1) * tile->cols, error);
    for (size_t o = 0; o < out_rows && status == SAC_OK; o++) {
        size_t top = o * tile->rows / out_rows, bottom = (o + 1) * tile->rows / out_rows;
        sac_tile band = *tile;
        band.row += top;
        band.rows = bottom - top;
        status = sac_stored_weights_tile(stored, layer, &band, stored->band, error);
        if (status == SAC_OK)
            sac_weights_pool(stored->band, band.rows, band.cols, pool, 1, out_cols,
                             pooled + o * out_cols);
    }
    return status;
}

sac_status sac_stored_weights_explain(sac_stored_weights *stored,
                                      const sac_explanation_request *request, sac_explanation *e,
                                      sac_error *error)
{
    *e = (sac_explanation){.keys = kept_column_count(stored, request->batch),
                           .position = request->position};
    sac_tile row = {request->batch, request->head, request->step, 1, 0, e->keys};
    e->weights = malloc(e->keys * sizeof *e->weights);
    if (!e->weights)
        return sac_no_memory(error, "weight");
    sac_status status = sac_stored_weights_tile(stored, request->layer, &row, e->weights, error);
    if (status != SAC_OK)
        sac_explanation_free(e);
    return status;
}

/* ---------------------------------------------------------------- checking */

/* What the check has seen. */
typedef struct sums {
    float low, high; /* of the rows without NaN that are not wholly blocked */
    float padding;   /* the most that a row has on keys that are padding */
    size_t nans;
} sums;

/* The sum of the row's weights on padding; 0 for scores, whose softmax leaves padding out. */
static float weight_on_padding(const sac_stored_weights *stored, const sac_tile *tile,
                               const float *row)
{
    const sac_kept *kept = stored->kept ? &stored->kept[tile->batch] : NULL;
    size_t next = 0;
    float sum = 0;
    if (!kept || !kept->columns || stored->softmax)
        return 0;
    for (size_t c = 0; c < tile->cols; c++)
        if (next < kept->column_count && kept->columns[next] == c)
            next++;
        else
            sum += row[c];
    return sum;
}

/* Row `row` of an item, with its padded keys. */
static sac_status add_sum(sac_stored_weights *stored, size_t layer, const sac_tile *tile,
                          size_t row, sums *seen, sac_error *error)
{
    float *values = stored->band, least = least_allowed_weight(stored);
    size_t nans = 0, from = source_row(stored, tile->batch, row);
    double sum = 0;
    sac_status status = load_row_unchecked(stored, layer, tile, from, values, error);
    bool odd = status == SAC_OK && has_out_of_range_values(values, tile->cols, least);
    for (size_t c = 0; c < tile->cols && odd; c++) {
        if (!is_allowed(stored, values[c]))
            return report_first_bad_weight(stored, layer, tile, from, values, error);
        nans += isnan(values[c]);
    }
    seen->nans += nans;
    if (stored->softmax || stored->is_signed || stored->map_w ||
        status != SAC_OK) /* whose sums are 1, or nothing */
        return status;
    for (size_t c = 0; c < tile->cols; c++)
        sum += (double)values[c];
    if (sum != 0 && nans == 0) {
        seen->low = sum < seen->low ? (float)sum : seen->low;
        seen->high = sum > seen->high ? (float)sum : seen->high;
        seen->padding = fmaxf(seen->padding, weight_on_padding(stored, tile, values));
    }
    return status;
}

static void describe_sums(const sac_stored_weights *stored, const sums *seen, bool all, char *note,
                          size_t size)
{
    /* How far a sum of rounded weights may be from 1: each weight is off by half a unit
     * in the last place. */
    sac_dtype dtype = stored->layers[0].array->dtype;
    float tolerance = dtype == SAC_BF16 ? 2e-2f : dtype == SAC_F16 ? 4e-3f : 1e-3f;
    size_t used = 0;
    if (seen->nans)
        used = (size_t)snprintf(note, size, "%s%zu %s NaN: hatched", all ? "" : "at least ",
                                seen->nans, seen->nans == 1 ? "value is" : "values are");
    if (seen->high > 0 && (seen->low < 1 - tolerance || seen->high > 1 + tolerance))
        used +=
            (size_t)snprintf(note + used, size - used,
                             "%srows sum to %.3g … %.3g, not to 1: these are no softmax weights",
                             used ? "; " : "", (double)seen->low, (double)seen->high);
    if (seen->padding > tolerance)
        snprintf(note + used, size - used,
                 "%sup to %.2g of a row lies on padding: it was not masked when these weights were "
                 "computed",
                 used ? "; " : "", (double)seen->padding);
}

/* Rows of a step that read at most so many weights. */
static size_t sampling_step(const sac_stored_weights *stored, size_t most, size_t *rows)
{
    const size_t *size = stored->size;
    *rows = size[SAC_AXIS_L] * size[SAC_AXIS_B] * size[SAC_AXIS_H] * size[SAC_AXIS_Q];
    return *rows <= most / size[SAC_AXIS_K] ? 1 : *rows / (most / size[SAC_AXIS_K] + 1) + 1;
}

sac_status sac_stored_weights_survey(sac_stored_weights *stored, sac_weights_survey *survey,
                                     sac_error *error)
{
    enum { MOST = 1 << 22 }; /* weights that are looked at */
    const size_t *shape = stored->size;
    size_t rows, step = sampling_step(stored, MOST, &rows),
                 width = stored->flat ? stored->map_w : 0;
    *survey = (sac_weights_survey){.low_row = FLT_MAX, .high_row = -FLT_MAX};
    sac_status status = ensure_band_size(stored, shape[SAC_AXIS_K], error);
    bool first = true;
    for (size_t i = 0; i < rows && status == SAC_OK; i += step) {
        size_t map = i / shape[SAC_AXIS_Q], maps = map / shape[SAC_AXIS_H];
        sac_tile tile = {.batch = maps % shape[SAC_AXIS_B],
                         .head = map % shape[SAC_AXIS_H],
                         .cols = shape[SAC_AXIS_K]};
        double sum = 0, all = 0;
        status = load_row_unchecked(stored, maps / shape[SAC_AXIS_B], &tile, i % shape[SAC_AXIS_Q],
                                    stored->band, error);
        for (size_t c = 0; c < tile.cols && status == SAC_OK; c++) {
            float value = stored->band[c];
            survey->negative |= isfinite(value) && value < -1e-6f;
            sum += (double)value;
            if (width && (c + 1) % width)
                continue;
            if (width || c + 1 == tile.cols) {
                survey->low_row = fminf(survey->low_row, (float)sum);
                survey->high_row = fmaxf(survey->high_row, (float)sum);
                all += sum;
                sum = 0;
            }
        }
        survey->low_map = first ? (float)all : fminf(survey->low_map, (float)all);
        survey->high_map = first ? (float)all : fmaxf(survey->high_map, (float)all);
        first = false;
    }
    return status;
}

sac_status sac_stored_weights_check(sac_stored_weights *stored, char *note, size_t size,
                                    sac_error *error)
{
    enum { SMALL = 1 << 24, SAMPLE = 1 << 20 }; /* weights */
    const size_t *shape = stored->size;
    size_t keys = shape[SAC_AXIS_K], queries = shape[SAC_AXIS_Q], heads = shape[SAC_AXIS_H];
    size_t rows = shape[SAC_AXIS_L] * shape[SAC_AXIS_B] * heads * queries;
    size_t step = rows <= SMALL / keys ? 1 : rows / (SAMPLE / keys + 1) + 1;
    sums seen = {.low = FLT_MAX};
    sac_status status = ensure_band_size(stored, keys, error);
    for (size_t i = 0; i < rows && status == SAC_OK; i += step) {
        size_t map = i / queries, layer = map / heads / shape[SAC_AXIS_B];
        sac_tile tile = {
            .batch = map / heads % shape[SAC_AXIS_B], .head = map % heads, .cols = keys};
        if (i % queries < kept_row_count(stored, tile.batch))
            status = add_sum(stored, layer, &tile, i % queries, &seen, error);
    }
    if (status == SAC_OK)
        describe_sums(stored, &seen, step == 1, note, size);
    return status;
}
