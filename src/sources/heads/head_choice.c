/* One map out of the heads that were chosen, tile by tile. */

#include "sources/heads/head_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"

const char *const sac_prefix_names[SAC_PREFIX_COUNT] = {"shown", "dropped", "masked"};

const char *const sac_segments_names[SAC_SEGMENTS_COUNT] = {"all", "A-A", "B-B", "A-B", "B-A"};
const char *const sac_special_names[SAC_SPECIAL_COUNT] = {"shown", "hidden", "masked"};

bool sac_head_choice_same(const sac_head_choice *a, const sac_head_choice *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* The tokens of one side of the map, from *first to before *end. */
static void segment_range(const sac_source *source, const sac_head_choice *choice, bool of_rows,
                          size_t *first, size_t *end)
{
    size_t second = source->weights.second, part = (size_t)choice->segments;
    bool is_b = of_rows ? part == SAC_SEGMENTS_BB || part == SAC_SEGMENTS_BA
                        : part == SAC_SEGMENTS_BB || part == SAC_SEGMENTS_AB;
    *first = 0;
    *end = of_rows ? sac_source_steps(source, choice->batch)
                   : sac_source_positions(source, choice->batch);
    if (part == SAC_SEGMENTS_ALL || !second)
        return;
    *first = is_b ? second : 0;
    *end = is_b ? *end : second;
}

static void chosen_row_range(const sac_source *source, const sac_head_choice *choice, size_t *first,
                             size_t *end)
{
    size_t dropped = choice->prefix == SAC_PREFIX_DROPPED ? choice->prefix_count : 0;
    segment_range(source, choice, true, first, end);
    if (sac_source_steps(source, choice->batch) == sac_source_positions(source, choice->batch) &&
        *first < dropped)
        *first = dropped < *end ? dropped : *end - 1;
}

static void chosen_column_range(const sac_source *source, const sac_head_choice *choice,
                                size_t *first, size_t *end)
{
    size_t dropped = choice->prefix == SAC_PREFIX_DROPPED ? choice->prefix_count : 0;
    segment_range(source, choice, false, first, end);
    if (*first < dropped)
        *first = dropped < *end ? dropped : *end - 1;
}

void sac_head_choice_corner(const sac_source *source, const sac_head_choice *choice, size_t *row,
                            size_t *col)
{
    size_t end;
    chosen_row_range(source, choice, row, &end);
    chosen_column_range(source, choice, col, &end);
}

void sac_head_choice_size(const sac_source *source, const sac_head_choice *choice, size_t *rows,
                          size_t *columns)
{
    size_t row, col;
    chosen_row_range(source, choice, &row, rows);
    chosen_column_range(source, choice, &col, columns);
    *rows -= row;
    *columns -= col;
}

bool sac_head_choice_is_square(const sac_source *source, const sac_head_choice *choice)
{
    size_t row, col, end_row, end_col;
    chosen_row_range(source, choice, &row, &end_row);
    chosen_column_range(source, choice, &col, &end_col);
    return row == col && end_row == end_col;
}

void sac_reader_free(sac_reader *reader)
{
    free(reader->rollout);
    for (int i = 0; i < 2; i++)
        free(reader->scratch[i]);
    *reader = (sac_reader){0};
}

/* Room for `count` floats in scratch `which`; NULL where there is no memory. */
static float *ensure_scratch(sac_reader *reader, int which, size_t count, sac_error *error)
{
    if (reader->scratch_size[which] >= count)
        return reader->scratch[which];
    size_t bytes;
    free(reader->scratch[which]);
    reader->scratch[which] = sac_checked_mul(count, sizeof(float), &bytes) ? malloc(bytes) : NULL;
    reader->scratch_size[which] = reader->scratch[which] ? count : 0;
    if (!reader->scratch[which])
        sac_fail(error, SAC_E_MEMORY, "map", NULL, "out of memory for %zu weights", count);
    return reader->scratch[which];
}
enum { HEAD = 0, BAND }; /* one head; a band of the map */

/* ---------------------------------------------------------------- rollout */

/* The mean over heads of a whole layer, [N,N]. */
static sac_status read_mean(sac_reader *reader, size_t layer, size_t batch, float *mean,
                            sac_error *error)
{
    const sac_source *source = reader->source;
    size_t n = sac_source_steps(source, batch);
    float *head = ensure_scratch(reader, HEAD, n * n, error);
    if (!head)
        return SAC_E_MEMORY;
    for (size_t h = 0; h < source->weights.heads; h++) {
        sac_tile tile = {batch, h, 0, n, 0, n};
        sac_status status = source->weights.tile(source->self, layer, &tile, head, error);
        if (status != SAC_OK)
            return status;
        sac_reduce_head(SAC_REDUCE_MEAN, h, source->weights.heads, head, n * n, mean);
    }
    return SAC_OK;
}

sac_status sac_source_check_reduction(const sac_source *source, sac_reduce reduce, sac_error *error)
{
    const char *name = sac_reduce_name(reduce);
    if (reduce == SAC_REDUCE_ROLLOUT && source->weights.mixed_otherwise)
        return sac_fail(error, SAC_E_ARGUMENT, name, "choose another reduction",
                        "is of layers that mix tokens by attention alone, and %s has others",
                        source->title);
    if (reduce == SAC_REDUCE_RELEVANCE && !source->weights.relevance)
        return sac_fail(error, SAC_E_ARGUMENT, name, "choose another reduction",
                        "is not known of these weights: no gradient goes through them");
    if (reduce == SAC_REDUCE_CONTACTS && !source->weights.contacts)
        return sac_fail(error, SAC_E_ARGUMENT, name, "choose another reduction",
                        "are not predicted by this model");
    return SAC_OK;
}

static sac_status rollout_compute(sac_reader *reader, size_t batch, sac_reduce reduce,
                                  sac_error *error)
{
    const sac_source *source = reader->source;
    const char *name = sac_reduce_name(reduce);
    sac_status status = sac_source_check_reduction(source, reduce, error);
    if (status != SAC_OK)
        return status;
    size_t n = sac_source_steps(source, batch), positions = sac_source_positions(source, batch);
    if (n != positions)
        return sac_fail(error, SAC_E_SHAPE, name, "choose another reduction",
                        "needs queries and keys to be the same tokens, not %zu × %zu", n,
                        positions);
    if (n > SAC_ROLLOUT_MAX_TOKENS || source->weights.layers * n * n > SAC_ROLLOUT_MAX_WEIGHTS)
        return sac_fail(error, SAC_E_SHAPE, name, "choose another reduction",
                        "%zu layers of %zu tokens are too many to multiply", source->weights.layers,
                        n);
    float *mean = ensure_scratch(reader, BAND, n * n, error);
    float *rollout = malloc(source->weights.layers * n * n * sizeof *rollout);
    status = mean && rollout ? SAC_OK : sac_no_memory(error, "rollout");
    if (status == SAC_OK && reduce == SAC_REDUCE_CONTACTS)
        status = source->weights.contacts(source->self, rollout, error);
    for (size_t l = 0;
         l < source->weights.layers && status == SAC_OK && reduce != SAC_REDUCE_CONTACTS; l++) {
        const float *below = l ? rollout + (l - 1) * n * n : NULL;
        status = reduce == SAC_REDUCE_RELEVANCE
                     ? source->weights.relevance(source->self, l, mean, reader->of, error)
                     : read_mean(reader, l, batch, mean, error);
        if (status == SAC_OK && reduce == SAC_REDUCE_RELEVANCE)
            sac_relevance_layer(mean, below, n, rollout + l * n * n);
        else if (status == SAC_OK)
            sac_rollout_layer(mean, below, n, rollout + l * n * n);
    }
    if (status != SAC_OK) {
        free(rollout);
        return status;
    }
    for (size_t l = 0; l < source->weights.layers && reduce == SAC_REDUCE_RELEVANCE; l++)
        sac_relevance_normalize(rollout + l * n * n, n, rollout + l * n * n);
    free(reader->rollout);
    reader->rollout = rollout;
    reader->rollout_batch = batch;
    reader->rolled = reduce;
    return SAC_OK;
}

int sac_source_reduction_count(const sac_source *source)
{
    return source->weights.contacts          ? SAC_REDUCE_COUNT
           : source->weights.relevance       ? SAC_REDUCE_CONTACTS
           : source->weights.mixed_otherwise ? SAC_REDUCE_ROLLOUT
                                             : SAC_REDUCE_RELEVANCE;
}

/* ---------------------------------------------------------------- reading by rectangle */

/* Rectangles from here on are in the source's rows and columns. */
static sac_status read_reduced_heads(sac_reader *reader, const sac_head_choice *choice,
                                     const sac_rect *rect, float *out, sac_error *error)
{
    const sac_source *source = reader->source;
    sac_tile tile = {choice->batch, choice->head, rect->row, rect->rows, rect->col, rect->cols};
    if (choice->reduce == SAC_REDUCE_NONE)
        return source->weights.tile(source->self, choice->layer, &tile, out, error);
    if (choice->reduce >= SAC_REDUCE_ROLLOUT) {
        size_t n = sac_source_steps(reader->source, reader->rollout_batch);
        const float *from = reader->rollout + (choice->layer * n + rect->row) * n + rect->col;
        for (size_t r = 0; r < rect->rows; r++)
            memcpy(out + r * rect->cols, from + r * n, rect->cols * sizeof *out);
        return SAC_OK;
    }
    size_t count = rect->rows * rect->cols;
    float *head = ensure_scratch(reader, HEAD, count, error);
    if (!head)
        return SAC_E_MEMORY;
    for (tile.head = 0; tile.head < source->weights.heads; tile.head++) {
        sac_status status = source->weights.tile(source->self, choice->layer, &tile, head, error);
        if (status != SAC_OK)
            return status;
        sac_reduce_head(choice->reduce, tile.head, source->weights.heads, head, count, out);
    }
    return SAC_OK;
}

/* True where what becomes of a row's keys depends on all of them. */
static bool needs_whole_rows(const sac_head_choice *choice)
{
    return choice->prefix == SAC_PREFIX_MASKED || choice->special == SAC_SPECIAL_MASKED;
}

/* Takes the special ones of a row's keys away, which begin with key `first`. */
static void hide_special(const sac_source *source, const sac_head_choice *choice, size_t first,
                         float *row, size_t cols)
{
    const uint8_t *special = source->weights.special;
    double sum = 0;
    if (choice->special == SAC_SPECIAL_SHOWN || !special)
        return;
    for (size_t c = 0; c < cols; c++) {
        row[c] = special[first + c] ? 0 : row[c];
        sum += row[c];
    }
    for (size_t c = 0; c < cols && choice->special == SAC_SPECIAL_MASKED; c++)
        row[c] = sum > 0 ? (float)(row[c] / sum) : 0.0f;
}

/* `out` has room for whole rows where those are needed. */
static sac_status read_with_tokens_hidden(sac_reader *reader, const sac_head_choice *choice,
                                          const sac_rect *rect, float *out, sac_error *error)
{
    const sac_source *source = reader->source;
    bool whole = needs_whole_rows(choice);
    size_t columns = whole ? sac_source_positions(source, choice->batch) : rect->cols;
    sac_rect read = {rect->row, rect->rows, whole ? 0 : rect->col, columns};
    sac_status status = read_reduced_heads(reader, choice, &read, out, error);
    if (status != SAC_OK)
        return status;
    if (choice->prefix == SAC_PREFIX_MASKED)
        sac_weights_mask_prefix(out, rect->rows, columns, choice->prefix_count);
    for (size_t r = 0; r < rect->rows; r++)
        hide_special(source, choice, read.col, out + r * columns, columns);
    for (size_t r = 0; r < rect->rows && whole; r++)
        memmove(out + r * rect->cols, out + r * columns + rect->col, rect->cols * sizeof *out);
    return SAC_OK;
}

/* So many keys of each row are read for those of `rect`. */
static size_t columns_to_read(const sac_source *source, const sac_head_choice *choice,
                              const sac_rect *rect)
{
    return needs_whole_rows(choice) ? sac_source_positions(source, choice->batch) : rect->cols;
}

/* A band of rows into scratch BAND. */
static sac_status read_band(sac_reader *reader, const sac_head_choice *choice, const sac_rect *rect,
                            sac_error *error)
{
    float *band = ensure_scratch(reader, BAND,
                                 rect->rows * columns_to_read(reader->source, choice, rect), error);
    return band ? read_with_tokens_hidden(reader, choice, rect, band, error) : SAC_E_MEMORY;
}

/* True where the source's own pooling gives the same; it is faster, being on the device or without
 * a copy. */
static bool source_can_pool(const sac_head_choice *choice)
{
    return choice->reduce == SAC_REDUCE_NONE && choice->prefix != SAC_PREFIX_MASKED &&
           choice->special == SAC_SPECIAL_SHOWN;
}

static sac_status read_pooled(sac_reader *reader, const sac_head_choice *choice,
                              const sac_rect *rect, sac_pool pool, size_t out_rows, size_t out_cols,
                              float *out, sac_error *error)
{
    enum { BAND_WEIGHTS = 1 << 18 }; /* 1 MB: a band stays in the cache */
    const sac_source *source = reader->source;
    if (source_can_pool(choice)) {
        sac_tile tile = {choice->batch, choice->head, rect->row, rect->rows, rect->col, rect->cols};
        if (out_rows == rect->rows && out_cols == rect->cols)
            return source->weights.tile(source->self, choice->layer, &tile, out, error);
        return source->weights.pool(source->self, choice->layer, &tile, pool, out_rows, out_cols,
                                    out, error);
    }
    size_t width = columns_to_read(source, choice, rect);
    size_t step = BAND_WEIGHTS / width / (rect->rows / out_rows + 1);
    if (step == 0 || rect->rows % out_rows) /* uneven cells: one by one, each with its own bounds */
        step = 1;
    for (size_t r = 0; r < out_rows; r += step) {
        size_t count = r + step < out_rows ? step : out_rows - r;
        size_t top = r * rect->rows / out_rows, bottom = (r + count) * rect->rows / out_rows;
        sac_rect band = {rect->row + top, bottom - top, rect->col, rect->cols};
        sac_status status = read_band(reader, choice, &band, error);
        if (status != SAC_OK)
            return status;
        sac_weights_pool(reader->scratch[BAND], band.rows, band.cols, pool, count, out_cols,
                         out + r * out_cols);
    }
    return SAC_OK;
}

sac_status sac_head_choice_read(sac_reader *reader, const sac_head_choice *choice,
                                const sac_rect *rect, sac_pool pool, size_t out_rows,
                                size_t out_cols, float *out, sac_error *error)
{
    size_t row, col;
    sac_head_choice_corner(reader->source, choice, &row, &col);
    sac_rect placed = {rect->row + row, rect->rows, rect->col + col, rect->cols};
    bool fresh = reader->rollout && reader->rollout_batch == choice->batch &&
                 reader->rolled == choice->reduce;
    if (choice->reduce >= SAC_REDUCE_ROLLOUT && !fresh) {
        sac_status status = rollout_compute(reader, choice->batch, choice->reduce, error);
        if (status != SAC_OK)
            return status;
    }
    return read_pooled(reader, choice, &placed, pool, out_rows, out_cols, out, error);
}

const char *const *sac_head_choice_words(const sac_source *source, const sac_head_choice *choice)
{
    const sac_labels *steps = sac_source_step_labels(source, choice->batch),
                     *positions = sac_source_position_labels(source, choice->batch);
    size_t row, column, count = sac_source_positions(source, choice->batch);
    if (!sac_head_choice_is_square(source, choice) || !positions->count ||
        positions->count != count || steps->count != count)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (strcmp(steps->text[i], positions->text[i]) != 0)
            return NULL;
    sac_head_choice_corner(source, choice, &row, &column);
    return (const char *const *)positions->text + column;
}

/* Where keys are cells of a picture, one after the other, from column `first` of the map on. */
static bool find_cells(const sac_source *source, const sac_head_choice *choice, bool is_square,
                       size_t *first)
{
    const size_t cells = (size_t)source->picture.grid_w * (size_t)source->picture.grid_h;
    size_t row, column;
    if (!source->picture.image || !cells || source->weights.turned)
        return false;
    sac_head_choice_corner(source, choice, &row, &column);
    const size_t from = sac_source_cell_position(source, choice->batch, 0);
    const size_t last = sac_source_cell_position(source, choice->batch, cells - 1);
    *first = from - column;
    return last - from == cells - 1 && column <= from && (row == column || !is_square);
}

bool sac_head_choice_words_see_cells(const sac_source *source, const sac_head_choice *choice)
{
    const size_t cells = (size_t)source->picture.grid_w * (size_t)source->picture.grid_h;
    const bool is_square = sac_head_choice_is_square(source, choice);
    size_t first, rows, columns;
    sac_head_choice_size(source, choice, &rows, &columns);
    return find_cells(source, choice, is_square, &first) && (!is_square || first + cells < rows);
}

sac_status sac_head_choice_scan_begin(const sac_source *source, const sac_head_choice *choice,
                                      size_t row_step, sac_weights_scan *scan, sac_error *error)
{
    size_t rows, columns;
    sac_head_choice_size(source, choice, &rows, &columns);
    sac_status status = sac_weights_scan_begin(scan, rows, columns, row_step,
                                               sac_head_choice_words(source, choice), error);
    bool is_pair = source->weights.second && choice->segments != SAC_SEGMENTS_ALL;
    if (status == SAC_OK && is_pair && !sac_head_choice_is_square(source, choice))
        scan->stats.is_square = false;
    size_t first;
    if (status == SAC_OK && find_cells(source, choice, scan->stats.is_square, &first))
        sac_weights_scan_set_grid(scan, (size_t)source->picture.grid_w,
                                  (size_t)source->picture.grid_h, first);
    return status;
}

sac_status sac_head_choice_scan(sac_reader *reader, const sac_head_choice *choice, size_t weights,
                                sac_weights_scan *scan, sac_error *error)
{
    size_t columns = scan->stats.columns, step = scan->stats.row_step;
    size_t rows = weights / columns / step * step;
    size_t left = scan->stats.rows - scan->next_row;
    rows = rows < 1 ? 1 : rows > left ? left : rows;
    /* Rows are read one at a time where some are skipped, and otherwise all at once. */
    size_t at_once = step > 1 ? 1 : rows, end = scan->next_row + rows;
    float *lines = malloc(at_once * columns * sizeof *lines);
    if (!lines)
        return sac_fail(error, SAC_E_MEMORY, "map", NULL, "out of memory for %zu rows", at_once);
    sac_status status = SAC_OK;
    while (scan->next_row < end && status == SAC_OK) {
        sac_rect rect = {scan->next_row, at_once, 0, columns};
        status = sac_head_choice_read(reader, choice, &rect, SAC_POOL_MEAN, at_once, columns, lines,
                                      error);
        for (size_t r = 0; r < at_once && status == SAC_OK; r++)
            sac_weights_scan_row(scan, lines + r * columns);
    }
    free(lines);
    return status;
}
