/* The launch of cl/relu_attention.cl. */
#include "nn/relu_attention.h"

#include <assert.h>

/* The twin of cl/relu_attention.cl's `looking`. */
typedef struct looking {
    cl_uint cells, dim, depth, words;
    cl_uint has_padding;
    cl_float scale;
} looking;

void sac_relu_attention_forward(sac_pass *pass, const sac_relu_attention *a)
{
    const looking numbers = {(cl_uint)a->key.rows,    (cl_uint)a->key.width,
                             (cl_uint)a->value.width, (cl_uint)a->word.width,
                             a->padding != NULL,      a->scale != 0 ? a->scale : 1};
    sac_span w = sac_tensor_span(a->w->value);
    cl_mem padding = a->padding ? a->padding : a->query.buffer; /* some drivers want one */
    sac_arg args[] = {SAC_ARG(numbers),         SAC_SPAN_ARGS(a->value), SAC_SPAN_ARGS(a->key),
                      SAC_SPAN_ARGS(w),         SAC_SPAN_ARGS(a->query), SAC_SPAN_ARGS(a->gate),
                      SAC_SPAN_ARGS(a->word),   SAC_ARG(padding),        SAC_SPAN_ARGS(a->weights),
                      SAC_SPAN_ARGS(a->joined), SAC_SPAN_ARGS(a->open)};
    assert(a->weights.width == a->key.rows && a->value.rows == a->key.rows);
    assert(a->joined.width == a->word.width + a->value.width && a->gate.width == a->value.width);
    sac_pass_groups(pass, "relu_attention", " -DADDITIVE=0", "look", args,
                    sizeof args / sizeof *args, a->query.rows);
}
