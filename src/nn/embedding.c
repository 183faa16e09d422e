/* Words as rows of a table. */
#include <assert.h>

#include "gemm/storage.h"
#include "nn/layers.h"

#define ROWS 2048u /* of a launch of the gradient: some drivers end longer loops */

void sac_gather_rows(sac_pass *pass, sac_tensor y, sac_tensor table, sac_ints rows)
{
    cl_uint count = (cl_uint)y.rows, depth = (cl_uint)y.width;
    sac_arg args[] = {SAC_ARG(count),   SAC_ARG(depth),       SAC_ARG(rows.buffer),
                      SAC_ARG(rows.at), SAC_SPAN_ARGS(table), SAC_SPAN_ARGS(y)};
    assert(y.width == table.width && y.rows == rows.count);
    sac_pass_strips(pass, "layers", "look_up", args, 8, y.rows, y.width);
}

void sac_embedding_forward(sac_pass *pass, sac_tensor y, const sac_parameter *table, sac_ints words)
{
    if (table->value.stored == SAC_F32) {
        sac_gather_rows(pass, y, table->value, words);
        return;
    }
    assert(y.width == table->value.width && y.rows == words.count);
    SAC_PASS_CALL(pass, sac_widen(pass->device, table->value.stored, y.rows, y.width, words.buffer,
                                  words.at, sac_tensor_stored(table->value), sac_tensor_span(y),
                                  &pass->error));
}

void sac_embedding_backward(sac_pass *pass, const sac_parameter *table, sac_tensor dy,
                            sac_ints words)
{
    sac_tensor dtable = table->gradient;
    cl_uint depth = (cl_uint)dtable.width, vocabulary = (cl_uint)dtable.rows;
    for (size_t first = 0; first < dy.rows; first += ROWS) {
        size_t left = dy.rows - first;
        cl_uint rows = left < ROWS ? (cl_uint)left : ROWS, at = words.at + (cl_uint)first;
        sac_tensor part = sac_tensor_rows(dy, first, rows);
        sac_arg args[] = {SAC_ARG(rows),         SAC_ARG(depth), SAC_ARG(vocabulary),
                          SAC_ARG(words.buffer), SAC_ARG(at),    SAC_SPAN_ARGS(part),
                          SAC_SPAN_ARGS(dtable)};
        sac_pass_strips(pass, "layers", "look_up_backward", args, 9, dtable.rows, dtable.width);
    }
}
