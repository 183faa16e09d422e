/* One step of a GRU, forward and backward. */
#include <assert.h>
#include <stdio.h>

#include "nn/layers.h"
#include "nn/recurrent.h"

void sac_gru_forward(sac_pass *pass, sac_tensor h, sac_tensor gates, sac_tensor recurrent,
                     sac_tensor h_before)
{
    cl_uint hidden = (cl_uint)h.width;
    sac_arg args[] = {SAC_ARG(hidden), SAC_SPAN_ARGS(gates), SAC_SPAN_ARGS(recurrent),
                      SAC_SPAN_ARGS(h_before), SAC_SPAN_ARGS(h)};
    assert(gates.rows == h.rows && gates.width == 3 * h.width);
    sac_pass_groups(pass, "gru", "", "forward", args, sizeof args / sizeof *args, h.rows);
}

void sac_gru_backward(sac_pass *pass, sac_tensor dgates, sac_tensor drecurrent,
                      sac_tensor dh_before, sac_tensor dh, sac_tensor gates, sac_tensor recurrent,
                      sac_tensor h_before)
{
    cl_uint hidden = (cl_uint)dh.width;
    sac_arg args[] = {SAC_ARG(hidden),           SAC_SPAN_ARGS(gates),    SAC_SPAN_ARGS(recurrent),
                      SAC_SPAN_ARGS(h_before),   SAC_SPAN_ARGS(dh),       SAC_SPAN_ARGS(dgates),
                      SAC_SPAN_ARGS(drecurrent), SAC_SPAN_ARGS(dh_before)};
    assert(dgates.rows == dh.rows && dgates.width == 3 * dh.width);
    sac_pass_groups(pass, "gru", "", "backward", args, sizeof args / sizeof *args, dh.rows);
}

/* ---------------------------------------------------------------- LSTM */

void sac_lstm_forward(sac_pass *pass, sac_tensor h, sac_tensor c, sac_tensor gates,
                      sac_tensor c_before)
{
    cl_uint hidden = (cl_uint)h.width;
    sac_arg args[] = {SAC_ARG(hidden), SAC_SPAN_ARGS(gates), SAC_SPAN_ARGS(c_before),
                      SAC_SPAN_ARGS(c), SAC_SPAN_ARGS(h)};
    assert(gates.rows == h.rows && gates.width == 4 * h.width);
    sac_pass_groups(pass, "lstm", "", "forward", args, sizeof args / sizeof *args, h.rows);
}

void sac_lstm_backward(sac_pass *pass, sac_tensor dgates, sac_tensor dc_before, sac_tensor dh,
                       sac_tensor dc, sac_tensor gates, sac_tensor c, sac_tensor c_before)
{
    cl_uint hidden = (cl_uint)dh.width;
    sac_arg args[] = {SAC_ARG(hidden),       SAC_SPAN_ARGS(gates),    SAC_SPAN_ARGS(c_before),
                      SAC_SPAN_ARGS(c),      SAC_SPAN_ARGS(dh),       SAC_SPAN_ARGS(dc),
                      SAC_SPAN_ARGS(dgates), SAC_SPAN_ARGS(dc_before)};
    assert(dgates.rows == dh.rows && dgates.width == 4 * dh.width);
    sac_pass_groups(pass, "lstm", "", "backward", args, sizeof args / sizeof *args, dh.rows);
}

/* ---------------------------------------------------------------- GRU over sentences */

size_t sac_sequence_rows(const sac_sequence_lengths *sequence, size_t step)
{
    size_t rows = 0;
    while (rows < sequence->batch && (size_t)sequence->lengths[rows] > step)
        rows++;
    return rows;
}

void sac_gru_sequence_forward(sac_pass *pass, const sac_gru_layer *layer,
                              const sac_sequence_lengths *lengths, const sac_gru_sequence *s)
{
    size_t batch = lengths->batch;
    assert(s->x.rows == lengths->steps * batch && s->h.rows == s->x.rows + batch);
    sac_linear_forward(pass, s->gates, s->x, layer->w, layer->b); /* [T,B,3H] */
    for (size_t t = 0; t < lengths->steps; t++) {
        size_t n = sac_sequence_rows(lengths, t), at = t * batch;
        sac_tensor before = sac_tensor_rows(s->h, at, n);
        sac_tensor recurrent = sac_tensor_rows(s->recurrent, at, n);
        sac_linear_forward(pass, recurrent, before, layer->u, layer->c);
        sac_gru_forward(pass, sac_tensor_rows(s->h, at + batch, n),
                        sac_tensor_rows(s->gates, at, n), recurrent, before);
    }
}

/* dh[t] += what reaches h[t] through step t, from dh[t+1], which is used up. */
static void step_backward(sac_pass *pass, const sac_gru_layer *layer, const sac_gru_sequence *s,
                          const sac_gru_sequence_gradients *d, size_t at, size_t after, size_t n)
{
    sac_tensor dafter = sac_tensor_rows(d->dh, after, n), dbefore = sac_tensor_rows(d->dh, at, n);
    sac_tensor drecurrent = sac_tensor_rows(d->drecurrent, at, n);
    sac_gru_backward(pass, sac_tensor_rows(d->dgates, at, n), drecurrent, dafter, dafter,
                     sac_tensor_rows(s->gates, at, n), sac_tensor_rows(s->recurrent, at, n),
                     sac_tensor_rows(s->h, at, n));
    sac_add(pass, dbefore, dafter);
    sac_linear_backward_add(pass, dbefore, drecurrent, layer->u);
}

void sac_gru_sequence_backward(sac_pass *pass, const sac_gru_layer *layer,
                               const sac_sequence_lengths *lengths, const sac_gru_sequence *s,
                               const sac_gru_sequence_gradients *d)
{
    size_t batch = lengths->batch, rows = lengths->steps * batch;
    sac_pass_fill(pass, d->dgates, 0); /* where a sentence has ended they stay 0 */
    sac_pass_fill(pass, d->drecurrent, 0);
    for (size_t t = lengths->steps; t-- > 0;)
        step_backward(pass, layer, s, d, t * batch, (t + 1) * batch, sac_sequence_rows(lengths, t));
    sac_linear_backward_weights(pass, d->drecurrent, sac_tensor_rows(s->h, 0, rows), layer->u,
                                layer->c);
    sac_linear_backward_weights(pass, d->dgates, s->x, layer->w, layer->b);
    sac_linear_backward_input(pass, d->dx, d->dgates, layer->w);
}

/* ---------------------------------------------------------------- both directions */

void sac_join_directions_forward(sac_pass *pass, sac_tensor y, sac_tensor last, sac_tensor there,
                                 sac_tensor back, sac_ints lengths)
{
    cl_uint batch = (cl_uint)last.rows, words = (cl_uint)(y.rows / last.rows);
    cl_uint hidden = (cl_uint)there.width;
    sac_arg args[] = {SAC_ARG(batch),          SAC_ARG(words),      SAC_ARG(hidden),
                      SAC_ARG(lengths.buffer), SAC_ARG(lengths.at), SAC_SPAN_ARGS(there),
                      SAC_SPAN_ARGS(back),     SAC_SPAN_ARGS(y),    SAC_SPAN_ARGS(last)};
    assert(there.rows == y.rows + last.rows && y.width == 2 * there.width);
    sac_pass_items(pass, "directions", "join", args, sizeof args / sizeof *args,
                   y.rows * there.width);
}

void sac_join_directions_backward(sac_pass *pass, sac_tensor dthere, sac_tensor dback,
                                  sac_tensor dy, sac_tensor dlast, sac_ints lengths)
{
    cl_uint batch = (cl_uint)dlast.rows, words = (cl_uint)(dy.rows / dlast.rows);
    cl_uint hidden = (cl_uint)dthere.width;
    sac_arg args[] = {SAC_ARG(batch),          SAC_ARG(words),        SAC_ARG(hidden),
                      SAC_ARG(lengths.buffer), SAC_ARG(lengths.at),   SAC_SPAN_ARGS(dy),
                      SAC_SPAN_ARGS(dlast),    SAC_SPAN_ARGS(dthere), SAC_SPAN_ARGS(dback)};
    assert(dthere.rows == dy.rows + dlast.rows && dy.width == 2 * dthere.width);
    sac_pass_items(pass, "directions", "split", args, sizeof args / sizeof *args,
                   sac_tensor_count(dthere));
}

/* ---------------------------------------------------------------- deep output */

static const sac_parameter *declare_matrix(sac_parameters *p, const char *name, const char *part,
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
    layer.state = declare_matrix(p, name, "state", embedding, state);
    layer.context = declare_matrix(p, name, "context", embedding, context);
    layer.out = declare_matrix(p, name, "out", words, embedding);
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
