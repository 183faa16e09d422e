/* The pieces of a block. */

#include "weights/map/map_blocks.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* About 10 ms on a processor: whole rows are counted, as their log-sum-exp needs all keys. */
#define PIECE_WEIGHTS ((size_t)1 << 22)

bool viz_block_is_done(const viz_block *block)
{
    return block->values && block->rows_done == block->rect.rows;
}

/* The first row of the block that row `dot` of its dots covers. */
static size_t first_row_of_dot(const viz_block *block, size_t dot)
{
    return dot * block->rect.rows / block->out_rows;
}

/* Rows `from` to `to` of the block into `line`, which is one row of dots. */
static sac_status read_line(sac_reader *reader, const viz_block *block, size_t from, size_t to,
                            float *line, sac_error *error)
{
    sac_rect rect = {block->rect.row + from, to - from, block->rect.col, block->rect.cols};
    return sac_head_choice_read(reader, &block->choice, &rect, block->pool, 1, block->out_cols,
                                line, error);
}

/* Some rows out of the middle of those that a row of dots covers. */
static sac_status sample_line(sac_reader *reader, viz_block *block, size_t dot, sac_error *error)
{
    size_t top = first_row_of_dot(block, dot), end = first_row_of_dot(block, dot + 1);
    size_t from = top, to = end;
    if (end - top > VIZ_SAMPLED_ROWS) {
        size_t middle = (block->rect.row + (top + end) / 2) / VIZ_SAMPLED_ROWS * VIZ_SAMPLED_ROWS;
        from = middle > block->rect.row + top ? middle - block->rect.row : top;
        to = from + VIZ_SAMPLED_ROWS < end ? from + VIZ_SAMPLED_ROWS : end;
    }
    block->rows_done = end;
    return read_line(reader, block, from, to, block->values + dot * block->out_cols, error);
}

/* A part of the rows that a row of dots covers is added to what there is of it. */
static sac_status add_to_line(sac_reader *reader, viz_block *block, size_t dot, size_t most,
                              sac_error *error)
{
    size_t top = first_row_of_dot(block, dot), end = first_row_of_dot(block, dot + 1),
           from = block->rows_done;
    size_t to = end - from < most ? end : from + most;
    float *line = block->values + dot * block->out_cols;
    if (from == top && to == end) {
        block->rows_done = end;
        return read_line(reader, block, from, to, line, error);
    }
    float *part = malloc(block->out_cols * sizeof *part);
    if (!part)
        return sac_no_memory(error, "map");
    sac_status status = read_line(reader, block, from, to, part, error);
    float share = (float)(to - from) / (float)(end - top);
    for (size_t c = 0; c < block->out_cols && status == SAC_OK; c++) {
        float before = from == top ? 0 : line[c];
        if (block->pool == SAC_POOL_MEAN)
            line[c] = before + share * part[c];
        else
            line[c] = fabsf(part[c]) > fabsf(before) ? part[c] : before;
    }
    block->rows_done = to;
    free(part);
    return status;
}

sac_status viz_block_advance(sac_reader *reader, viz_block *block, sac_error *error)
{
    size_t rows, columns, count = block->out_rows * block->out_cols;
    if (!block->values && !(block->values = calloc(count, sizeof *block->values)))
        return sac_no_memory(error, "map");
    sac_head_choice_size(reader->source, &block->choice, &rows, &columns);
    size_t most = PIECE_WEIGHTS / columns;
    most = most > VIZ_SAMPLED_ROWS ? most : VIZ_SAMPLED_ROWS;
    /* The row of dots that covers row rows_done. */
    size_t dot = ((block->rows_done + 1) * block->out_rows - 1) / block->rect.rows;
    size_t height = block->rect.rows / block->out_rows;
    bool even = height * block->out_rows == block->rect.rows;
    if (block->sampled)
        return sample_line(reader, block, dot, error);
    if (!even || most < 2 * height || block->rows_done != first_row_of_dot(block, dot))
        return add_to_line(reader, block, dot, most, error);
    size_t dots = most / height, left = block->out_rows - dot;
    dots = dots < left ? dots : left;
    sac_rect rect = {block->rect.row + block->rows_done, dots * height, block->rect.col,
                     block->rect.cols};
    block->rows_done += rect.rows;
    return sac_head_choice_read(reader, &block->choice, &rect, block->pool, dots, block->out_cols,
                                block->values + dot * block->out_cols, error);
}
