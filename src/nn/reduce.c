/* Sums and means over the rows of a matrix. */
#include <assert.h>

#include "nn/layers.h"

#define STRIP 16  /* columns per work-item, as in cl/layers.cl */
#define PIECE 256 /* rows that are summed by one work-item */

static size_t strips(size_t rows, size_t columns)
{
    return rows * ((columns + STRIP - 1) / STRIP);
}

/* sums [pieces,columns], each of `piece` rows of x times `factor`. */
static void sum_pieces(sac_pass *pass, size_t piece, float factor, bool accumulate, sac_tensor x,
                       sac_span sums)
{
    size_t count = (x.rows + piece - 1) / piece;
    cl_uint rows = (cl_uint)x.rows, columns = (cl_uint)x.width, height = (cl_uint)piece;
    cl_uint pieces = (cl_uint)count, adds = accumulate;
    sac_arg args[] = {SAC_ARG(rows),   SAC_ARG(columns), SAC_ARG(height),  SAC_ARG(pieces),
                      SAC_ARG(factor), SAC_ARG(adds),    SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(sums)};
    sac_pass_items(pass, "layers", "sum_rows", args, 10, strips(count, x.width));
}

void sac_sum_rows(sac_pass *pass, sac_tensor db, sac_tensor dx)
{
    size_t pieces = (dx.rows + PIECE - 1) / PIECE;
    sac_tensor sums = {.rows = pieces, .width = dx.width};
    assert(sac_tensor_count(db) == dx.width);
    if (pieces <= 1) {
        sum_pieces(pass, PIECE, 1, true, dx, sac_tensor_span(db));
        return;
    }
    SAC_PASS_CALL(pass, sac_device_scratch(pass->device, pieces * dx.width * sizeof(float),
                                           &sums.buffer, &pass->error));
    sum_pieces(pass, PIECE, 1, false, dx, sac_tensor_span(sums));
    sum_pieces(pass, pieces, 1, true, sums, sac_tensor_span(db));
}

void sac_mean_cells_forward(sac_pass *pass, sac_tensor y, sac_tensor x)
{
    size_t cells = x.rows / y.rows;
    assert(x.rows % y.rows == 0 && x.width == y.width);
    sum_pieces(pass, cells, 1 / (float)cells, false, x, sac_tensor_span(y));
}

void sac_mean_cells_backward(sac_pass *pass, sac_tensor dx, sac_tensor dy)
{
    cl_uint batch = (cl_uint)dy.rows, cells = (cl_uint)(dx.rows / dy.rows);
    cl_uint depth = (cl_uint)dx.width;
    float factor = 1 / (float)cells;
    sac_arg args[] = {SAC_ARG(batch),  SAC_ARG(cells),    SAC_ARG(depth),
                      SAC_ARG(factor), SAC_SPAN_ARGS(dy), SAC_SPAN_ARGS(dx)};
    sac_pass_items(pass, "layers", "spread_cells", args, 8, strips(dx.rows, dx.width));
}
