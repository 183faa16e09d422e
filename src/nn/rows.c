/* Layers that go over the rows of a matrix: what is added to each, their sums, their means; and
 * tanh.
 */
#include "nn/launch.h"
#include "nn/layers.h"

#define STRIP 16  /* columns per work-item, as in cl/layers.cl */
#define PIECE 256 /* rows that are summed by one work-item */

static size_t strips(size_t rows, size_t columns)
{
    return rows * ((columns + STRIP - 1) / STRIP);
}

sac_status sac_add_rows(sac_device *device, size_t rows, size_t columns, sac_span x, sac_span b,
                        sac_error *error)
{
    cl_uint lines = (cl_uint)rows, across = (cl_uint)columns;
    sac_arg args[] = {SAC_ARG(lines), SAC_ARG(across), SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(b)};
    return sac_launch_elements(device, "layers", "add_rows", args, 6, strips(rows, columns), error);
}

/* sums [pieces,columns], each of `piece` rows of x times `factor`. */
static sac_status sum_pieces(sac_device *device, size_t rows, size_t columns, size_t piece,
                             float factor, bool accumulate, sac_span x, sac_span sums,
                             sac_error *error)
{
    size_t count = (rows + piece - 1) / piece;
    cl_uint lines = (cl_uint)rows, across = (cl_uint)columns, height = (cl_uint)piece;
    cl_uint pieces = (cl_uint)count, adds = accumulate;
    sac_arg args[] = {SAC_ARG(lines),  SAC_ARG(across), SAC_ARG(height),  SAC_ARG(pieces),
                      SAC_ARG(factor), SAC_ARG(adds),   SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(sums)};
    return sac_launch_elements(device, "layers", "sum_rows", args, 10, strips(count, columns),
                               error);
}

sac_status sac_sum_rows(sac_device *device, size_t rows, size_t columns, sac_span dx, sac_span db,
                        sac_error *error)
{
    size_t pieces = (rows + PIECE - 1) / PIECE;
    sac_span sums = {0};
    if (pieces <= 1)
        return sum_pieces(device, rows, columns, PIECE, 1, true, dx, db, error);
    sac_status status =
        sac_device_scratch(device, pieces * columns * sizeof(float), &sums.buffer, error);
    if (status == SAC_OK)
        status = sum_pieces(device, rows, columns, PIECE, 1, false, dx, sums, error);
    if (status == SAC_OK)
        status = sum_pieces(device, pieces, columns, pieces, 1, true, sums, db, error);
    return status;
}

sac_status sac_mean_cells_forward(sac_device *device, size_t batch, size_t cells, size_t depth,
                                  sac_span x, sac_span y, sac_error *error)
{
    return sum_pieces(device, batch * cells, depth, cells, 1 / (float)cells, false, x, y, error);
}

sac_status sac_mean_cells_backward(sac_device *device, size_t batch, size_t cells, size_t depth,
                                   sac_span dy, sac_span dx, sac_error *error)
{
    cl_uint pictures = (cl_uint)batch, places = (cl_uint)cells, across = (cl_uint)depth;
    float factor = 1 / (float)cells;
    sac_arg args[] = {SAC_ARG(pictures), SAC_ARG(places),   SAC_ARG(across),
                      SAC_ARG(factor),   SAC_SPAN_ARGS(dy), SAC_SPAN_ARGS(dx)};
    return sac_launch_elements(device, "layers", "spread_cells", args, 8,
                               strips(batch * cells, depth), error);
}

sac_status sac_tanh_forward(sac_device *device, size_t count, sac_span x, sac_error *error)
{
    cl_uint elements = (cl_uint)count;
    sac_arg args[] = {SAC_ARG(elements), SAC_SPAN_ARGS(x)};
    return sac_launch_elements(device, "layers", "tanh_forward", args, 3, count, error);
}

sac_status sac_tanh_backward(sac_device *device, size_t count, sac_span y, sac_span dy,
                             sac_error *error)
{
    cl_uint elements = (cl_uint)count;
    sac_arg args[] = {SAC_ARG(elements), SAC_SPAN_ARGS(y), SAC_SPAN_ARGS(dy)};
    return sac_launch_elements(device, "layers", "tanh_backward", args, 5, count, error);
}
