/* A conformer at work (Gulati et al. 2020; Rekesh et al. 2023, "Fast Conformer"): convolutions halve a spectrogram in time and
 * in bins; its layers have half a feed-forward network before attention and half of one behind, and between a convolution over
 * time by which neighbours are joined. Queries meet keys and distances with a vector of their own added for each (Dai et al. 2019,
 * Transformer-XL). */
#include <math.h>
#include <stdlib.h>

#include "architectures/architecture.h"
#include "base/error.h"

void sac_conformer_embed(sac_pretrained_model *m, const sac_patch_rows *sound, sac_tensor states)
{
    const sac_conformer *c = m->conformer;
    sac_pass *pass = &m->pass;
    sac_arena held[2] = {
        {0}}; /* what a convolution has made is released when the next has read it */
    sac_convolution l = {
        .batch = 1, .height = sound->count, .width = c->bins, .in = 1, .stride = 2};
    sac_tensor x = {0};
    sac_arena_shape(&held[0], pass, &x, sac_convolution_pixels(&l), 1);
    sac_convolution_write(pass, &l, x, sound->pixels);
    for (int i = 0; i < c->halvings; i++) {
        const bool is_last = i + 1 == c->halvings;
        const sac_dense *halving = &c->halving[i];
        sac_tensor y = {0};
        l.out = halving->w->shape[0];
        const sac_convolution next = {.batch = 1,
                                      .height = sac_convolution_out(l.height, 2),
                                      .width = sac_convolution_out(l.width, 2),
                                      .in = l.out,
                                      .stride = 2};
        sac_arena_shape(&held[(i + 1) % 2], pass, &y,
                        is_last ? next.height * next.width : sac_convolution_pixels(&next), l.out);
        if (sac_pass_runs(pass))
            sac_convolution_forward(pass, &l, y, !is_last, x, halving->w, halving->b);
        sac_arena_release(&held[i % 2]);
        held[i % 2] = (sac_arena){0};
        l = next;
        x = y;
    }
    sac_linear_forward(pass, states, sac_tensor_shaped(x, l.height, l.width * l.in), c->join.w,
                       c->join.b);
    sac_scale(pass, states, c->scale);
    sac_arena_release(&held[0]);
    sac_arena_release(&held[1]);
}

static void shape_tensors(sac_pretrained_model *m, sac_arena *arena, size_t T,
                          sac_conformer_tensors *t)
{
    sac_pass *pass = &m->pass;
    sac_arena_shape(arena, pass, &t->x, T, m->width);
    sac_arena_shape(arena, pass, &t->normed, T, m->width);
    sac_arena_shape(arena, pass, &t->added, T, m->width);
    sac_arena_shape(arena, pass, &t->gate, T, m->width);
    sac_arena_shape(arena, pass, &t->hidden, T, m->hidden);
    sac_arena_shape(arena, pass, &t->query, T, sac_architecture_part_width(m, 0, 0));
}

static void apply_dense(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_dense *d)
{
    sac_linear_forward(pass, y, x, d->w, d->b);
}

/* x += ½ out(activation(in(norm(x)))) */
static void add_first_half(sac_pretrained_model *m, const sac_conformer_layer *l,
                           const sac_conformer_tensors *t)
{
    sac_pass *pass = &m->pass;
    sac_layer_norm_forward(pass, &l->first_norm, t->normed, t->x);
    apply_dense(pass, t->hidden, t->normed, &l->first_in);
    sac_activate(pass, t->hidden, m->run.activation);
    apply_dense(pass, t->added, t->hidden, &l->first_out);
    sac_scale(pass, t->added, 0.5f);
    sac_add(pass, t->x, t->added);
}

/* x += exit(activation(convolution over time of value(norm(x)) · σ(gate(norm(x))))). Hidden cells are no neighbours. */
static void add_neighbours(const sac_inference *p, const sac_conformer_layer *l, sac_tensor x,
                           const sac_conformer_tensors *t)
{
    sac_pretrained_model *m = p->model;
    sac_pass *pass = &m->pass;
    const sac_depthwise near = {.batch = 1,
                                .height = 1,
                                .width = x.rows,
                                .channels = x.width,
                                .taps = m->conformer->taps,
                                .stride = 1};
    sac_layer_norm_forward(pass, &l->norm, t->normed, x);
    apply_dense(pass, t->added, t->normed, &l->value);
    apply_dense(pass, t->gate, t->normed, &l->gate);
    sac_gate(pass, t->gate, t->added, SAC_SIGMOID);
    for (size_t i = 0; p->hidden && i < x.rows; i++)
        if (p->hidden[i])
            sac_pass_fill(pass, sac_tensor_rows(t->gate, i, 1), 0);
    sac_depthwise_forward(pass, &near, t->added, t->gate, l->near.w, l->near.b);
    sac_activate(pass, t->added, m->run.activation);
    apply_dense(pass, t->normed, t->added, &l->exit);
    sac_add(pass, x, t->normed);
}

sac_tensor sac_conformer_run_layer(const sac_inference *p, sac_arena *arena,
                                   sac_conformer_tensors *t, int layer,
                                   const sac_transformer_run *run, sac_tensor x,
                                   const sac_transformer_tensors *parts)
{
    sac_pretrained_model *m = p->model;
    sac_pass *pass = &m->pass;
    const sac_conformer_layer *own = &m->conformer->layer[layer];
    const sac_transformer_layer *l = &m->layer[layer];
    const sac_multihead_tensors *self = &parts->attention[SAC_PART_SELF];
    shape_tensors(m, arena, x.rows, t);
    if (!sac_pass_runs(pass))
        return x;
    if (x.buffer != t->x.buffer) /* what entered stays */
        sac_pass_copy(pass, t->x, x);
    add_first_half(m, own, t);
    const sac_tensor in = sac_transformer_part_begin(pass, l, run, SAC_PART_SELF, t->x, parts);
    sac_transformer_part_query(pass, l, SAC_PART_SELF, in, parts);
    sac_transformer_part_keys(pass, l, SAC_PART_SELF, in, parts);
    sac_add_rows(pass, self->query, sac_tensor_shaped(own->content->value, 1, self->query.width));
    const sac_tensor bias = {
        .buffer = run->bias, .rows = (size_t)run->heads * run->bias_rows, .width = run->biased};
    sac_architecture_disentangle(m, layer, run->distances, p->temperature, t->query, self->query,
                                 self->key, bias);
    x = sac_transformer_part_attended(pass, l, run, SAC_PART_SELF, t->x, parts);
    add_neighbours(p, own, x, t);
    x = sac_transformer_part_forwarded(pass, l, run, x, x, parts);
    sac_layer_norm_forward(pass, &own->last_norm, t->x, x);
    return t->x;
}

void sac_conformer_destroy(sac_conformer *c)
{
    if (c)
        sac_parameters_destroy(&c->folded);
    free(c);
}
