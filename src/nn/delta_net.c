/* A gated delta net over a sentence, and one token further. */
#include "nn/delta_net.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "nn/layers.h"

typedef sac_delta_net net;
typedef sac_delta_tensors tensors;
typedef sac_state_memory memory;

static size_t taps_of(const net *n)
{
    return n->taps[0]->shape[2];
}

void sac_delta_memory_size(const net *n, int i, size_t sentences, size_t *rows, size_t *width)
{
    const size_t depth = n->part[0].w->shape[0] / n->key_heads;
    *rows = i < 3 ? sentences * (taps_of(n) + 1) : sentences * n->heads * depth;
    *width = i < 3 ? n->part[i].w->shape[0] : n->norm.gain->shape[0];
}

static void dense(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_dense *d)
{
    sac_linear_forward(pass, y, x, d->w, d->b);
}

void sac_delta_net_shape(sac_pass *pass, sac_arena *arena, const net *n,
                         const sac_transformer_run *run, size_t rows, tensors *t)
{
    sac_transformer_run of = *run;
    of.batch = rows;
    for (int i = 0; i < 3; i++)
        sac_arena_shape(arena, pass, &t->part[i], rows, n->part[i].w->shape[0]);
    sac_arena_shape(arena, pass, &t->gate, rows, n->gate.w->shape[0]);
    sac_arena_shape(arena, pass, &t->given, rows, n->gate.w->shape[0]);
    sac_arena_shape(arena, pass, &t->share, rows, n->heads);
    sac_arena_shape(arena, pass, &t->decay, rows, n->heads);
    sac_arena_shape_ints(arena, pass, &t->parents, rows);
    sac_arena_shape_ints(arena, pass, &t->places, rows * taps_of(n));
    sac_transformer_layer_shape(pass, arena, &n->layer, &of, 1, 0, &t->layer);
}

void sac_convolve_last(sac_pass *pass, sac_tensor y, sac_tensor x, sac_tensor w, size_t step)
{
    cl_uint width = (cl_uint)y.width, taps = (cl_uint)(sac_tensor_count(w) / y.width),
            further = (cl_uint)step;
    sac_arg args[] = {SAC_ARG(width),   SAC_ARG(taps),    SAC_ARG(further),
                      SAC_SPAN_ARGS(x), SAC_SPAN_ARGS(w), SAC_SPAN_ARGS(y)};
    assert(x.width == y.width && x.rows >= (y.rows - 1) * step + taps);
    sac_pass_groups(pass, "delta_net", "", "convolve", args, sizeof args / sizeof *args, y.rows);
}

void sac_delta_scan_run(sac_pass *pass, const sac_delta_scan *s)
{
    cl_uint tokens = (cl_uint)(s->query.rows / s->sentences), heads = (cl_uint)s->heads,
            key_heads = (cl_uint)s->key_heads, depth = (cl_uint)(s->query.width / s->key_heads),
            values = (cl_uint)(s->value.width / s->heads);
    sac_arg args[] = {SAC_ARG(tokens),
                      SAC_ARG(heads),
                      SAC_ARG(key_heads),
                      SAC_ARG(depth),
                      SAC_ARG(values),
                      SAC_SPAN_ARGS(s->query),
                      SAC_SPAN_ARGS(s->key),
                      SAC_SPAN_ARGS(s->value),
                      SAC_SPAN_ARGS(s->share),
                      SAC_SPAN_ARGS(s->decay),
                      SAC_SPAN_ARGS(s->rate),
                      SAC_SPAN_ARGS(s->shift),
                      SAC_ARG(s->parents.buffer),
                      SAC_ARG(s->parents.at),
                      SAC_SPAN_ARGS(s->before),
                      SAC_SPAN_ARGS(s->state),
                      SAC_SPAN_ARGS(s->given)};
    assert(s->state.width == values);
    assert(s->state.rows >= s->sentences * s->heads * depth);
    sac_pass_groups(pass, "delta_net", "", "scan", args, sizeof args / sizeof *args,
                    s->sentences * s->heads);
}

/* What is made of queries, keys and values in t->part; the layer's end. */
static sac_tensor finish(sac_pass *pass, const net *n, const sac_transformer_run *run, sac_tensor x,
                         sac_tensor in, size_t sentences, const tensors *t, const memory *from,
                         const memory *to)
{
    const sac_tensor of_heads =
        sac_tensor_shaped(t->given, t->given.rows * n->heads, n->norm.gain->shape[0]);
    const sac_tensor sum = t->layer.sum[SAC_PART_SELF];
    dense(pass, t->gate, in, &n->gate);
    dense(pass, t->share, in, &n->share);
    dense(pass, t->decay, in, &n->decay);
    for (int i = 0; i < 2; i++) {
        const sac_tensor keys = sac_tensor_shaped(t->part[i], t->part[i].rows * n->key_heads,
                                                  t->part[i].width / n->key_heads);
        sac_layer_norm_forward(pass, &n->unit[i], keys, keys);
    }
    sac_delta_scan_run(pass, &(sac_delta_scan){.sentences = sentences,
                                               .heads = n->heads,
                                               .key_heads = n->key_heads,
                                               .query = t->part[0],
                                               .key = t->part[1],
                                               .value = t->part[2],
                                               .share = t->share,
                                               .decay = t->decay,
                                               .rate = n->rate->value,
                                               .shift = n->shift->value,
                                               .parents = t->parents,
                                               .before = from->state,
                                               .state = to->state,
                                               .given = t->given});
    sac_layer_norm_forward(pass, &n->norm, of_heads, of_heads);
    sac_gate(pass, t->gate, t->given, SAC_SILU);
    sac_pass_copy(pass, sum, x);
    sac_linear_add(pass, sum, t->gate, n->layer.attention[SAC_PART_SELF].out.w);
    return sac_transformer_part_forwarded(pass, &n->layer, run, sum, sum, &t->layer);
}

sac_tensor sac_delta_net_read(sac_pass *pass, sac_arena *arena, const net *n,
                              const sac_transformer_run *run, sac_tensor x, const uint8_t *hidden,
                              tensors *t, const memory *kept)
{
    const size_t taps = taps_of(n);
    sac_delta_net_shape(pass, arena, n, run, x.rows, t);
    const sac_tensor in =
        sac_transformer_part_begin(pass, &n->layer, run, SAC_PART_SELF, x, &t->layer);
    for (size_t row = 0; hidden && row < x.rows; row++)
        if (hidden[row])
            sac_pass_fill(pass, sac_tensor_rows(in, row, 1), 0);
    for (int i = 0; i < 3; i++) {
        sac_arena_shape(arena, pass, &t->entered[i], taps - 1 + x.rows, t->part[i].width);
        dense(pass, sac_tensor_rows(t->entered[i], taps - 1, x.rows), in, &n->part[i]);
        sac_convolve_last(pass, t->part[i], t->entered[i], n->taps[i]->value, 1);
        sac_pass_copy(pass, sac_tensor_rows(kept->last[i], 0, taps),
                      sac_tensor_rows(t->entered[i], x.rows - 1, taps));
    }
    t->parents.count = 1;
    sac_pass_write_ints(pass, t->parents, &(int){0});
    sac_pass_fill(pass, kept->state, 0);
    return finish(pass, n, run, x, in, 1, t, kept, kept);
}

/* Row by row the last tokens but one of its parent, and its own, which follow all of them. */
static void write_places(sac_pass *pass, const int *parents, size_t rows, size_t sentences,
                         size_t taps, tensors *t)
{
    int *places = malloc(rows * taps * sizeof *places);
    for (size_t i = 0; places && i < rows * taps; i++)
        places[i] = i % taps + 1 < taps ? (int)((size_t)parents[i / taps] * taps + i % taps + 1)
                                        : (int)(sentences * taps + i / taps);
    t->parents.count = rows;
    t->places.count = rows * taps;
    if (places) {
        sac_pass_write_ints(pass, t->parents, parents);
        sac_pass_write_ints(pass, t->places, places);
    } else
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, "delta net"));
    free(places);
}

sac_tensor sac_delta_net_step(sac_pass *pass, sac_arena *arena, const net *n,
                              const sac_transformer_run *run, sac_tensor x, const int *parents,
                              size_t sentences, tensors *t, const memory *from, const memory *to)
{
    const size_t taps = taps_of(n);
    sac_delta_net_shape(pass, arena, n, run, x.rows, t);
    write_places(pass, parents, x.rows, sentences, taps, t);
    const sac_tensor in =
        sac_transformer_part_begin(pass, &n->layer, run, SAC_PART_SELF, x, &t->layer);
    for (int i = 0; i < 3; i++) {
        const sac_tensor windows = sac_tensor_rows(to->last[i], 0, x.rows * taps);
        dense(pass, sac_tensor_rows(from->last[i], sentences * taps, x.rows), in, &n->part[i]);
        sac_gather_rows(pass, windows, from->last[i], t->places);
        sac_convolve_last(pass, t->part[i], windows, n->taps[i]->value, taps);
    }
    return finish(pass, n, run, x, in, x.rows, t, from, to);
}
