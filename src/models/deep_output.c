/* Deep output of a decoder: logits from word, state and context, forward and backward. */

#include "models/deep_output.h"

#include <stdio.h>

#include "nn/layers.h"

static const sac_parameter *matrix(sac_parameters *p, const char *name, const char *part,
                                   size_t rows, size_t columns)
{
    char full[64];
    snprintf(full, sizeof full, "%s.%s.weight", name, part);
    return sac_parameter_matrix(p, full, rows, columns);
}

sac_deep_output sac_deep_output_declare(sac_parameters *p, const char *name, size_t embedding,
                                        size_t state, size_t context, size_t words)
{
    char bias[64];
    sac_deep_output layer;
    snprintf(bias, sizeof bias, "%s.out.bias", name);
    layer.state = matrix(p, name, "state", embedding, state);
    layer.context = matrix(p, name, "context", embedding, context);
    layer.out = matrix(p, name, "out", words, embedding);
    layer.bias = sac_parameter_vector(p, bias, words);
    return layer;
}

void sac_deep_output_forward(sac_pass *pass, const sac_deep_output *layer,
                             const sac_deep_output_tensors *x)
{
    sac_pass_copy(pass, x->mixed, x->embedded); /* [rows,E] */
    sac_linear_add(pass, x->mixed, x->state, layer->state);
    sac_linear_add(pass, x->mixed, x->context, layer->context);
    if (x->dropout.p > 0)
        sac_dropout_run(pass, &x->dropout, x->mixed, x->mixed);
    sac_linear_forward(pass, x->logits, x->mixed, layer->out, layer->bias); /* [rows,V] */
}

void sac_deep_output_backward(sac_pass *pass, const sac_deep_output *layer,
                              const sac_deep_output_tensors *x, const sac_deep_output_tensors *dx)
{
    sac_linear_backward_weights(pass, dx->logits, x->mixed, layer->out, layer->bias);
    sac_linear_backward_input(pass, dx->mixed, dx->logits, layer->out); /* [rows,E] */
    if (x->dropout.p > 0)
        sac_dropout_run(pass, &x->dropout, dx->mixed, dx->mixed);
    sac_linear_backward_weights(pass, dx->mixed, x->state, layer->state, NULL);
    sac_linear_backward_input(pass, dx->state, dx->mixed, layer->state); /* [rows,H] */
    sac_linear_backward_weights(pass, dx->mixed, x->context, layer->context, NULL);
    sac_linear_backward_input(pass, dx->context, dx->mixed, layer->context); /* [rows,Z] */
}
